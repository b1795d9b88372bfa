"""Opening, dropping, losing nothing, and what happens when a worker does not come back."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, read_spec, spec_text
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.gui.dialogs.message import Message

PLAN = Plan((Cut((CutEdge("10"), CutEdge("mask", ["20", "out"])), "first"),))


def write_cuts(path: Path, model: ModelRef | None, plan: Plan = PLAN) -> Path:
    path.write_text(spec_text(CutSpec(plan, model)))
    return path


@pytest.fixture
def cuts(tmp_path: Path, model: Path) -> Path:
    return write_cuts(tmp_path / "three.cuts.yaml", ModelRef(model.name, "onnx", None))


def drop(target, *paths: Path) -> None:
    """Drops files on a widget as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    middle = QPointF(target.rect().center())
    buttons, keys, action = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(target, QDragEnterEvent(middle.toPoint(), action, data, buttons, keys))
    QApplication.sendEvent(target, QDropEvent(middle, action, data, buttons, keys))


def choose(dialog: QFileDialog, path: Path, hand) -> None:
    """Types a path into a file dialog and presses Enter."""
    from PySide6.QtWidgets import QLineEdit

    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(str(path))
    hand.key(field, Qt.Key.Key_Return)


def test_a_model_is_opened_from_the_file_dialog(window, hand, model, qtbot):
    hand.press("Ctrl+O")
    choose(hand.dialog(QFileDialog), model, hand)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)
    assert window.windowTitle() == "three blocks.onnx[*] — 7 nodes — 192 B"
    assert window.settings.recent == [model]


def test_a_model_dropped_on_the_empty_page_is_opened(window, model, qtbot):
    drop(window, model)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)
    assert window.document.path == model


def test_a_model_and_its_cut_spec_dropped_at_once_are_opened_together(window, model, cuts, qtbot):
    drop(window, cuts, model)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)
    assert window.document.plan == PLAN
    assert not window.isWindowModified()
    assert window.settings.recent == [cuts, model]


def test_a_cut_spec_opens_the_model_it_names(open_model, cuts, model):
    window = open_model(cuts)
    assert window.document.path == model
    assert window.document.plan == PLAN


def test_a_cut_spec_dropped_on_the_canvas_is_one_step_that_can_be_undone(opened, cuts, hand):
    drop(opened.workspace.canvas.viewport(), cuts)
    hand.settle()
    assert opened.document.plan == PLAN
    assert not opened.isWindowModified()
    hand.press("Ctrl+Z")
    assert opened.document.plan == Plan()
    assert opened.document.spec is None


def test_a_cut_spec_whose_model_is_missing_asks_where_it_is(window, tmp_path, model, hand, qtbot):
    lost = write_cuts(tmp_path / "lost.cuts.yaml", ModelRef("elsewhere/gone.onnx", "onnx", None))
    window.open_paths([lost])
    dialog = hand.dialog(QFileDialog)
    assert "gone.onnx is not there" in dialog.windowTitle()
    choose(dialog, model, hand)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)
    assert window.document.plan == PLAN


def test_a_cut_spec_made_for_another_model_is_reported_among_the_problems(open_model, tmp_path, model, rows_text):
    other = write_cuts(tmp_path / "other.cuts.yaml", ModelRef(model.name, "onnx", "sha256:" + "0" * 64))
    window = open_model(other)
    assert window.workspace.problems.shown[0].code == "model-changed"
    assert any("another structure" in text for text in rows_text(window.workspace.problems.list))


def test_a_folder_of_saved_stages_is_politely_refused(window, tmp_path, hand):
    folder = tmp_path / "stages"
    folder.mkdir()
    (folder / "pipeline.yaml").write_text("format: cutter-gui/pipeline\nversion: 1\n")
    drop(window, folder)
    message = hand.dialog(Message)
    assert message.sentence == "These are saved stages, not a model."
    assert "Verify" in message.remedy


def test_an_unreadable_file_is_one_sentence_and_the_window_lives_on(window, tmp_path, hand, model, open_model):
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"this is no model")
    window.open_paths([broken])
    message = hand.dialog(Message)
    assert str(broken) in message.where.replace("\u200b", "")
    assert "Traceback" not in message.sentence + message.remedy
    hand.key(message, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.empty
    assert open_model(model).document.path == model


def test_a_file_of_unknown_kind_says_which_kinds_are_known(window, tmp_path, hand):
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    window.open_paths([text])
    assert ".onnx" in hand.dialog(Message).remedy


def test_loading_can_be_cancelled_and_the_empty_page_comes_back(window, model, qtbot):
    window.open_paths([model])
    qtbot.waitUntil(lambda: bool(window.workers.running), timeout=20_000)
    assert window.stack.currentWidget() is window.loading
    qtbot.mouseClick(window.loading.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.empty, timeout=5_000)
    assert window.document is None
    assert not window.opener.is_busy


def test_a_worker_that_is_killed_is_an_error_and_the_next_one_works(window, model, hand, qtbot, open_model):
    window.open_paths([model])
    qtbot.waitUntil(lambda: bool(window.workers.running), timeout=20_000)
    os.kill(window.workers.running[0].process_id, signal.SIGKILL)
    message = hand.dialog(Message)
    assert "ended unexpectedly" in message.sentence
    hand.key(message, Qt.Key.Key_Escape)
    assert window.stack.currentWidget() is window.empty
    assert open_model(model).document is not None


def test_closing_with_unsaved_cuts_asks_and_cancel_keeps_the_window(opened, hand):
    hand.click_edge("10", "20a")
    opened.close()
    message = hand.dialog(Message)
    assert message.sentence == "The cuts of three blocks.onnx are not saved."
    message.buttons["Cancel"].click()
    hand.no_dialog()
    assert opened.isVisible()
    assert opened.document.plan.cuts


def test_closing_with_unsaved_cuts_can_save_them_first(opened, hand, tmp_path, qtbot):
    hand.click_edge("10", "20a")
    opened.close()
    hand.dialog(Message).buttons["Save"].click()
    dialog = hand.dialog(QFileDialog)
    choose(dialog, tmp_path / "kept.cuts.yaml", hand)
    qtbot.waitUntil(lambda: not opened.isVisible(), timeout=5_000)
    assert read_spec(tmp_path / "kept.cuts.yaml").plan == Plan((Cut((CutEdge("10"),)),))


def test_opening_another_model_leaves_unsaved_cuts_in_their_tab(opened, hand, tmp_path, model, qtbot):
    hand.click_edge("10", "20a")
    other = tmp_path / "other.onnx"
    other.write_bytes(model.read_bytes())
    drop(opened, other)
    qtbot.waitUntil(lambda: opened.document is not None and opened.document.path == other, timeout=60_000)
    assert opened.document.plan == Plan()
    hand.press("Ctrl+Tab")
    assert opened.document.plan == Plan((Cut((CutEdge("10"),)),))
    assert opened.document.is_modified


def test_recent_files_are_listed_and_one_click_opens_them(window, model, qtbot):
    window.settings.add_recent(model)
    button = window.empty.recent_buttons[0]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)
    window.recent_menu.aboutToShow.emit()
    assert window.recent_menu.actions()[0].text() == f"{model.name}    {model.parent}"


def test_a_recent_file_that_is_gone_leaves_the_list(window, tmp_path, qtbot):
    window.settings.add_recent(tmp_path / "gone.onnx")
    qtbot.mouseClick(window.empty.recent_buttons[0], Qt.MouseButton.LeftButton)
    assert window.settings.recent == []
    assert window.empty.recent_buttons == []


def test_saving_keeps_the_comments_and_names_the_model(open_model, hand, tmp_path, model):
    path = tmp_path / "commented.cuts.yaml"
    path.write_text(
        "# split after the first block\n"
        "format: cutter-gui/cuts\nversion: 1\n"
        f"model: {{path: {model.name!r}}}\n"
        "cuts:\n  - edges:\n      - tensor: '10'  # the layer\n"
    )
    window = open_model(path)
    hand.click_edge("mask", "20")
    hand.press("Ctrl+S")
    text = path.read_text()
    assert "# split after the first block" in text
    assert "# the layer" in text
    written = read_spec(path)
    assert written.plan == Plan((Cut((CutEdge("10"), CutEdge("mask"))),))
    assert written.model == ModelRef(model.name, "onnx", window.document.graph.fingerprint)
    assert not window.isWindowModified()
