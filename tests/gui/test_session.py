"""What was open comes back at the next start: models, plans, folding, view, the tab one looked at, the window."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, spec_text
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.recovery import RecoveryLog, recovery_folder
from cutter_gui.gui.session import OpenFile, Session, keep_session, kept_session
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

PLAN = Plan((Cut((CutEdge("10"), CutEdge("mask", ("20", "out")))), Cut((CutEdge("20"), CutEdge("mask", ("out",))))))
LOAD_MS = 60_000


@pytest.fixture
def start(qtbot, qapp: QApplication) -> Iterator[Callable[[], MainWindow]]:
    """Starts the window as the program does without arguments; may be called again after the one before has ended."""
    made: list[MainWindow] = []
    theme = Theme(qapp, "light")

    def begin() -> MainWindow:
        window = MainWindow(theme)
        made.append(window)
        window.restore_at_start()
        window.show()
        qtbot.waitUntil(lambda: window.is_complete)
        return window

    yield begin
    for window in made:
        for dialog in QApplication.topLevelWidgets():
            if dialog is not window and dialog.isVisible():
                dialog.close()
        window.close_now()
        window.deleteLater()
    theme.deleteLater()


@pytest.fixture
def drawn(qtbot) -> Callable[[MainWindow], None]:
    def wait(window: MainWindow) -> None:
        def there() -> bool:
            return window.workspace is not None and window.workspace.has_picture and not window.opener.is_busy

        qtbot.waitUntil(there, timeout=LOAD_MS)

    return wait


@pytest.fixture
def cuts(model: Path) -> Path:
    path = model.with_name("kept.cuts.yaml")
    path.write_text(spec_text(CutSpec(PLAN, ModelRef(model.name, "onnx", None))))
    return path


def test_models_plans_view_folding_and_the_tab_one_looked_at_come_back(start, drawn, model, cuts, qtbot) -> None:
    other = Path(shutil.copy(model, model.with_name("other.onnx")))
    first = start()
    first.resize(780, 640)  # within the screen of the offscreen platform
    first.open_paths([model, other, cuts])
    qtbot.waitUntil(lambda: len(first.tabs) == 2 and all(t.workspace and t.workspace.has_picture for t in first.tabs))
    kept = kept_session(Settings())
    assert [(file.model, file.spec) for file in kept.files] == [(model, cuts), (other, None)], "it may be killed"
    first.tabs.step(1)
    assert first.document.path == model
    first.document.set_active_cut(1)
    first.workspace.folds.fold_to_level(0)
    qtbot.waitUntil(lambda: not first.workspace.folds.is_busy)
    first.workspace.canvas.zoom_in()
    first.workspace.canvas.pan(-30, 15)
    sight, folding = first.workspace.canvas.sight, first.workspace.folds.folding
    assert first.close()

    again = start()
    drawn(again)
    assert again.size() == first.size()
    assert [tab.path for tab in again.tabs] == [model, other]
    assert (again.document.path, again.document.plan, again.document.active_cut) == (model, PLAN, 1)
    assert again.document.spec.path == cuts
    assert not again.isWindowModified()
    assert again.workspace.folds.folding == folding
    assert again.workspace.canvas.sight == pytest.approx(sight, abs=1)
    waits = list(again.tabs)[1]
    assert waits.document is None, "it is opened when it is looked at"
    qtbot.mouseClick(again.tabs.bar, Qt.MouseButton.LeftButton, pos=again.tabs.bar.tabRect(1).center())
    drawn(again)
    assert again.document.path == other
    assert waits.document is again.document


def test_a_tab_that_was_never_looked_at_is_still_there_the_time_after(start, drawn, model) -> None:
    other = Path(shutil.copy(model, model.with_name("other.onnx")))
    keep_session(Settings(), Session((OpenFile(model), OpenFile(other, view=(1.0, 2.0, 0.5))), 0))
    window = start()
    drawn(window)
    window.close()
    assert kept_session(Settings()).files[1] == OpenFile(other, view=(1.0, 2.0, 0.5))


def no_message() -> bool:
    return not [w for w in QApplication.topLevelWidgets() if isinstance(w, Message) and w.isVisible()]


def test_models_that_are_gone_are_one_line_and_the_others_open(start, drawn, model) -> None:
    gone = model.with_name("gone.onnx")
    keep_session(Settings(), Session((OpenFile(gone), OpenFile(model)), 0))
    window = start()
    assert window.status.currentMessage() == "No longer there since the last session: gone.onnx"
    drawn(window)
    assert window.document.path == model
    assert no_message()


def test_cuts_that_are_gone_are_one_line_and_the_model_opens(start, drawn, model) -> None:
    keep_session(Settings(), Session((OpenFile(model, spec=model.with_name("gone.cuts.yaml")),), 0))
    window = start()
    drawn(window)
    assert window.status.currentMessage().startswith("The cuts of three blocks.onnx could not be read: ")
    assert (window.document.path, window.document.plan) == (model, Plan())
    assert no_message()


def test_when_all_models_are_gone_the_empty_page_is_there(start, model) -> None:
    keep_session(Settings(), Session((OpenFile(model.with_name("gone.onnx")),), 0))
    window = start()
    assert window.stack.currentWidget() is window.empty


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"files": [{}], "current": 0}', '{"files": 3}', '{"files": [], "current": 1e999}', "[" * 100_000],
)
def test_a_session_that_cannot_be_read_is_none(text: str) -> None:
    settings = Settings()
    settings.set_text("session/open", text)
    assert kept_session(settings) == Session()


def test_it_can_be_switched_off(start, model) -> None:
    first = start()
    first.preferences.set("session/restore", False)
    keep_session(first.settings, Session((OpenFile(model),), 0))
    first.tabs.select(first.tabs.add())
    window = start()
    assert window.stack.currentWidget() is window.empty
    assert window.tabs.current.is_blank


def test_the_window_is_there_before_the_model_and_says_what_is_opened(start, model, qtbot) -> None:
    keep_session(Settings(), Session((OpenFile(model),), 0))
    window = start()
    assert window.document is None
    assert window.stack.currentWidget() is window.loading
    qtbot.mouseClick(window.loading.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.empty, timeout=LOAD_MS)


def test_unsaved_cuts_of_several_models_are_recovered_each_in_its_tab(start, drawn, model, qtbot, qapp) -> None:
    other = Path(shutil.copy(model, model.with_name("other.onnx")))
    plans = {model: Plan((Cut((CutEdge("10"),)),)), other: Plan((Cut((CutEdge("20"),)),))}
    for path, plan in plans.items():
        log = RecoveryLog(path, "sha256:x")
        log.write(plan, 0, None)
        log._timer.stop()
        log._lock.unlock()  # as the system does for a program that was killed
        log._file.close()
    keep_session(Settings(), Session((OpenFile(model),), 0))
    window = start()

    def asked() -> list[Message]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, Message) and w.isVisible()]

    qtbot.waitUntil(lambda: bool(asked()), timeout=LOAD_MS)
    assert "2 models" in asked()[0].sentence
    asked()[0].buttons["Recover"].click()
    found = {}
    for tab in window.tabs:
        window.tabs.select(tab)
        drawn(window)
        found[window.document.path] = window.document.plan
        assert window.document.is_modified
    assert found == plans
    assert len(list(recovery_folder().glob("*.log"))) == 2, "their own, for what is not saved still"


def test_a_start_with_a_file_opens_just_that(model, tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from cutter_gui.gui import app, window
from cutter_gui.gui.session import OpenFile, Session, keep_session
from cutter_gui.gui.settings import Settings
app.application()
keep_session(Settings(), Session((OpenFile(Path(sys.argv[2])),), 0))
made = []
begin = window.MainWindow.__init__
def remember(self, *arguments):
    begin(self, *arguments)
    made.append(self)
app.MainWindow.__init__ = remember
def look():
    main = made[0] if made else None
    if main is None or main.document is None or main.opener.is_busy:
        QTimer.singleShot(20, look)
    else:
        print(*(tab.path.name for tab in main.tabs))
        main.close_now()
QTimer.singleShot(20, look)
sys.exit(app.run([sys.argv[1]], None))
"""
    other = Path(shutil.copy(model, tmp_path / "other.onnx"))
    done = subprocess.run(
        [sys.executable, "-c", script, str(model), str(other)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("three blocks.onnx\n", 0), done.stderr


def test_a_view_that_is_no_place_is_left_out(model) -> None:
    settings = Settings()
    keep_session(settings, Session((OpenFile(model, view=(1.0, math.nan, math.inf)),), 0))
    assert kept_session(settings).files == (OpenFile(model),)


def test_sizes_of_panels_from_a_damaged_settings_file_are_not_taken(start, drawn, model) -> None:
    keep_session(Settings(), Session((OpenFile(model),), 0))
    first = start()
    drawn(first)
    first.workspace.save_state()
    first.close_now()
    settings = Settings()
    for name in ("side", "across", "below", "down"):
        state = settings.state(f"splitters-3/{name}").data()
        assert state.count(b"\0\0\0\x05") == 1, "the width of the handles"
        settings.set_state(f"splitters-3/{name}", QByteArray(state.replace(b"\0\0\0\x05", b"\x7f\xff\0\x05")))
    window = start()
    drawn(window)
    assert window.workspace.canvas.width() > 300
    assert window.workspace.canvas.height() > 300
    assert window.minimumSizeHint().width() < 2000
