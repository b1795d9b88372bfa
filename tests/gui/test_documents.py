"""Several models in one window: a tab for each, with its own plan, steps of undo, picture and recovery log."""

from __future__ import annotations

import gc
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, read_spec, spec_text
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.recovery import read_log, recovery_folder
from cutter_gui.gui.tab_bar import _BESIDE
from cutter_gui.gui.window import MainWindow

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
CUT_10 = Plan((Cut((CutEdge("10"),)),))
CUT_20 = Plan((Cut((CutEdge("20"),)),))
POPUPS = pytest.mark.qt_log_ignore(r"This plugin does not support (raise|grabbing|propagateSizeHints)")


@pytest.fixture
def other(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(model, tmp_path / "other.onnx"))


@pytest.fixture
def third(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(model, tmp_path / "third.onnx"))


@pytest.fixture
def drop(window: MainWindow) -> Callable[..., None]:
    def on(target, *paths: Path) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        middle = QPointF(target.rect().center())
        rest = (Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(target, QDragEnterEvent(middle.toPoint(), *rest))
        QApplication.sendEvent(target, QDropEvent(middle, *rest))

    return on


@pytest.fixture
def all_drawn(window: MainWindow, qtbot) -> Callable[[int], list]:
    """Waits until so many models are open and drawn, and returns their tabs."""

    def wait(count: int) -> list:
        def drawn() -> bool:
            tabs = list(window.tabs)
            return len(tabs) == count and all(
                tab.workspace is not None and tab.workspace.has_picture and not tab.is_opening for tab in tabs
            )

        qtbot.waitUntil(drawn, timeout=60_000)
        return list(window.tabs)

    return wait


@pytest.fixture
def two(opened: MainWindow, other: Path, drop, all_drawn) -> MainWindow:
    """The window with two models; the second is looked at."""
    drop(opened, other)
    all_drawn(2)
    return opened


def names(window: MainWindow) -> list[str]:
    return [window.tabs.bar.tabText(at) for at in range(window.tabs.bar.count())]


def test_with_one_model_there_are_no_tabs_and_a_second_one_makes_two(opened, other, drop, all_drawn) -> None:
    assert opened.tabs.bar is None
    drop(opened, other)
    all_drawn(2)
    assert opened.tabs.bar.isVisible()
    assert names(opened) == ["three blocks.onnx", "other.onnx"]
    assert opened.document.path == other
    assert opened.windowTitle().startswith("other.onnx")


def test_each_model_has_its_own_plan_and_steps_of_undo(two, hand) -> None:
    hand.click_edge("20", "30a")
    hand.press("Ctrl+Tab")
    assert two.document.plan == Plan()
    assert not two.actions_registry["edit.undo"].isEnabled()
    hand.click_edge("10", "20a")
    hand.press("Ctrl+PgUp")
    assert two.document.plan == CUT_20
    hand.press("Ctrl+Z")
    assert two.document.plan == Plan()
    hand.press("Ctrl+PgDown")
    assert two.document.plan == CUT_10
    hand.press("Ctrl+Shift+Tab")
    hand.press("Ctrl+Shift+Z")
    assert two.document.plan == CUT_20


def test_a_click_on_a_tab_brings_back_its_view_its_selection_and_the_word_in_the_status_line(two, hand, qtbot) -> None:
    canvas = two.workspace.canvas
    hand.click_node("20a")
    canvas.zoom_in()
    stages = two.status.stages.text()
    hand.click_edge("10", "20a")
    hand.click_node("20a")
    sight, selection = canvas.sight, two.document.selection
    qtbot.mouseClick(two.tabs.bar, LEFT, pos=two.tabs.bar.tabRect(0).center())
    hand.settle()
    assert two.workspace.canvas is not canvas
    assert two.workspace.canvas.hasFocus()
    assert two.status.saved.text() != "cuts not saved"
    assert two.status.stages.text() == stages
    qtbot.mouseClick(two.tabs.bar, LEFT, pos=two.tabs.bar.tabRect(1).center())
    hand.settle()
    assert two.workspace.canvas is canvas
    assert canvas.sight == pytest.approx(sight)
    assert canvas.selection == two.document.selection == selection
    assert two.status.saved.text() == "cuts not saved"
    assert two.actions_registry["view.zoom_reset"].iconText() == f"{canvas.zoom_percent} %"


def test_the_search_field_in_the_toolbar_is_that_of_the_model_one_looks_at(two, hand, qtbot) -> None:
    shown = [field for field in two.toolbar.findChildren(QLineEdit, "search") if field.isVisible()]
    assert shown == [two.workspace.search.field]
    hand.press("Ctrl+F")
    qtbot.keyClicks(two.workspace.search.field, "20")
    hand.press("Ctrl+Tab")
    assert [f for f in two.toolbar.findChildren(QLineEdit, "search") if f.isVisible()] == [two.workspace.search.field]
    assert two.workspace.search.field.text() == ""


def test_a_name_that_is_not_too_long_stands_whole_on_its_tab(two) -> None:
    bar = two.tabs.bar
    font = bar.font()
    font.setBold(True)
    cut_short = []
    for name in ("nmp.onnx", *("abcdefgh_iklm.onnx"[at:] for at in range(10)), *(f"m{at}.onnx" for at in range(60))):
        bar.setTabText(0, name)
        room = bar.tabSizeHint(0).width() - _BESIDE
        if QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideMiddle, room) != name:
            cut_short.append(name)
    assert cut_short == []


def test_a_model_that_is_open_already_is_looked_at_instead_of_opened_again(two, model, drop, hand) -> None:
    drop(two, model)
    hand.settle()
    assert len(two.tabs) == 2
    assert two.document.path == model


def test_several_files_dropped_at_once_open_in_a_tab_each_with_the_cuts_that_are_theirs(
    window, model, other, third, tmp_path, drop, all_drawn
) -> None:
    for_other = tmp_path / "other.cuts.yaml"
    for_other.write_text(spec_text(CutSpec(CUT_10)))
    named = tmp_path / "a plan.cuts.yaml"
    named.write_text(spec_text(CutSpec(CUT_20, ModelRef(third.name, "onnx", None))))
    drop(window, model, for_other, third, named, other)
    tabs = {tab.document.path: tab.document.plan for tab in all_drawn(3)}
    assert tabs == {model: Plan(), other: CUT_10, third: CUT_20}


def test_cuts_for_a_model_in_another_tab_go_there(two, model, tmp_path, drop, hand) -> None:
    spec = tmp_path / "any.cuts.yaml"
    spec.write_text(spec_text(CutSpec(CUT_10, ModelRef(model.name, "onnx", None))))
    drop(two, spec)
    hand.settle()
    assert (two.document.path, two.document.plan) == (model, CUT_10)


def test_closing_a_tab_asks_only_about_its_own_cuts_and_cancel_keeps_it(two, hand) -> None:
    hand.click_edge("10", "20a")
    assert names(two)[1].endswith("●")
    hand.press("Ctrl+W")
    message = hand.dialog(Message)
    assert message.sentence == "The cuts of other.onnx are not saved."
    message.buttons["Cancel"].click()
    hand.no_dialog()
    assert len(two.tabs) == 2
    hand.press("Ctrl+W")
    hand.dialog(Message).buttons["Discard"].click()
    hand.no_dialog()
    assert [tab.path.name for tab in two.tabs] == ["three blocks.onnx"]
    assert not two.tabs.bar.isVisible()
    hand.press("Ctrl+W")
    assert two.stack.currentWidget() is two.empty
    assert two.windowTitle() == "Cutter GUI"
    assert not two.actions_registry["file.close"].isEnabled()


def test_tabs_are_closed_by_their_cross_and_by_the_middle_button(two, third, drop, all_drawn, qtbot, hand) -> None:
    drop(two, third)
    all_drawn(3)
    qtbot.mouseClick(two.tabs.bar.close_button(0), LEFT)
    hand.settle()
    assert names(two) == ["other.onnx", "third.onnx"]
    assert two.document.path == third
    qtbot.mouseClick(two.tabs.bar, MIDDLE, pos=two.tabs.bar.tabRect(1).center())
    hand.settle()
    assert [tab.path.name for tab in two.tabs] == ["other.onnx"]
    assert two.document.path.name == "other.onnx"


@POPUPS
def test_the_menu_of_a_tab_closes_the_others(two, third, drop, all_drawn, hand, qtbot) -> None:
    drop(two, third)
    all_drawn(3)
    bar = two.tabs.bar
    place = bar.tabRect(1).center()
    hand.right_click(bar, place)
    qtbot.waitUntil(lambda: bar.menu is not None and bar.menu.isVisible())
    hand.choose(bar.menu, two.actions_registry["file.close_others"])
    hand.settle()
    assert [tab.path.name for tab in two.tabs] == ["other.onnx"]
    assert two.document.path.name == "other.onnx"


def test_a_dragged_tab_keeps_its_model(two, hand, qtbot) -> None:
    bar = two.tabs.bar
    start, end = bar.tabRect(1).center(), bar.tabRect(0).center() - QPoint(bar.tabRect(0).width() // 2 - 4, 0)
    QTest.mousePress(bar, LEFT, pos=start)
    for step in range(1, 6):
        QTest.mouseMove(bar, start + (end - start) * step / 5)
    QTest.mouseRelease(bar, LEFT, pos=end)
    qtbot.waitUntil(lambda: names(two) == ["other.onnx", "three blocks.onnx"])
    assert [tab.path.name for tab in two.tabs] == ["other.onnx", "three blocks.onnx"]
    assert two.document.path.name == "other.onnx"


def test_closing_the_window_asks_for_each_model_with_unsaved_cuts(two, hand, tmp_path, qtbot) -> None:
    hand.click_edge("10", "20a")
    hand.press("Ctrl+Tab")
    hand.click_edge("20", "30a")
    two.close()
    first = hand.dialog(Message)
    assert "three blocks.onnx" in first.sentence
    first.buttons["Save"].click()
    field = hand.dialog(QFileDialog).findChild(QLineEdit, "fileNameEdit")
    field.setText(str(tmp_path / "kept.cuts.yaml"))
    hand.key(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: any("other" in sentence for sentence in sentences()))
    assert two.document.path.name == "other.onnx", "one sees what is asked about"
    hand.dialog(Message).buttons["Discard"].click()
    qtbot.waitUntil(lambda: not two.isVisible(), timeout=5_000)
    assert read_spec(tmp_path / "kept.cuts.yaml").plan == CUT_20


def sentences() -> list[str]:
    return [w.sentence for w in QApplication.topLevelWidgets() if isinstance(w, Message) and w.isVisible()]


def test_each_model_has_a_recovery_log_of_its_own(two, hand) -> None:
    hand.click_edge("10", "20a")
    hand.press("Ctrl+Tab")
    hand.click_edge("20", "30a")
    logs = {log.model.name: log.plan for log in map(read_log, recovery_folder().glob("*.log")) if log is not None}
    assert logs == {"other.onnx": CUT_10, "three blocks.onnx": CUT_20}
    hand.press("Ctrl+W")
    hand.dialog(Message).buttons["Discard"].click()
    hand.no_dialog()
    assert [read_log(log).model.name for log in recovery_folder().glob("*.log")] == ["other.onnx"]


def test_nothing_of_a_closed_model_is_kept(two, hand, qtbot) -> None:
    document = two.document
    gone = [
        weakref.ref(thing)
        for thing in (document, document.graph, two.workspace, two.workspace.canvas, two.tabs.current)
    ]
    del document
    hand.press("Ctrl+W")
    hand.settle()

    def freed() -> bool:
        gc.collect()
        return all(thing() is None for thing in gone)

    qtbot.waitUntil(freed, timeout=5_000)


def test_a_tab_closed_while_it_is_opened_leaves_no_work_behind(opened, other, drop, hand, qtbot) -> None:
    drop(opened, other)
    qtbot.waitUntil(lambda: len(opened.tabs) == 2 and opened.tabs.current.is_opening)
    hand.press("Ctrl+W")
    assert len(opened.tabs) == 1
    qtbot.waitUntil(lambda: not opened.workers.running, timeout=10_000)
    assert opened.document.path.name == "three blocks.onnx"


def test_what_cannot_be_opened_leaves_no_tab(opened, tmp_path, drop, hand) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"this is no model")
    drop(opened, broken)
    message = hand.dialog(Message)
    hand.key(message, Qt.Key.Key_Escape)
    assert len(opened.tabs) == 1
    assert opened.document.path.name == "three blocks.onnx"
    assert opened.stack.currentWidget() is opened.workspace
