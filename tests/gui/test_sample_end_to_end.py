"""The main job, by mouse and keyboard only: open the sample, make its plan, undo, redo, save spec and stages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from cutter_gui.core.plan import Plan
from cutter_gui.core.spec import read_spec
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.dialogs.results import ResultsDialog
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog
from cutter_gui.resource_files import resource

# The file dialog completes what is typed in a popup, which the offscreen platform can neither raise nor give the keys.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)


def type_text(qtbot, field: QLineEdit, text: str) -> None:
    """Replaces what a field holds, key by key."""
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


def open_sample(window, qtbot) -> None:
    qtbot.mouseClick(window.empty.sample_buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.workspace is not None and window.workspace.has_picture, timeout=60_000)


def make_the_plan(hand) -> None:
    """Cuts layer edge and mask edge, with chosen consumers, in two cuts."""
    hand.click_edge("186", "189")
    hand.click_edge("71", "273")
    hand.click_node("151")
    hand.press("N")
    hand.click_edge("308", "311")
    hand.click_edge("71", "395")
    hand.click_node("151")
    hand.click_node("273")


def save_cuts(hand, qtbot, path: Path) -> None:
    hand.press("Ctrl+S")
    dialog = hand.dialog(QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    type_text(qtbot, field, str(path))
    hand.key(field, Qt.Key.Key_Return)
    hand.no_dialog()


def save_stages(hand, qtbot, folder: Path) -> ResultsDialog:
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    type_text(qtbot, dialog.folder, str(folder))
    hand.key(dialog.folder, Qt.Key.Key_Return)
    return hand.dialog(ResultsDialog, timeout=40_000)


@pytest.mark.timeout(300)
def test_the_sample_is_cut_undone_redone_and_saved_as_the_command_line_would(window, hand, qtbot, tmp_path):
    open_sample(window, qtbot)
    make_the_plan(hand)
    document = window.document
    assert document.plan.cuts == strip_names(read_spec(resource("models", "bert_small.cuts.yaml")).plan).cuts
    assert window.status.stages.text() == "3 stages"
    assert document.staging.is_valid
    assert window.workspace.problems.list.rows_model.rows[0].text == "Valid: 3 stages, every cut complete"

    made, steps = document.plan, document.undo_stack.count()
    for _ in range(steps):
        hand.press("Ctrl+Z")
    assert document.plan == Plan()
    assert window.status.stages.text() == "1 stage"
    for _ in range(steps):
        hand.press("Ctrl+Shift+Z")
    assert document.plan == made

    spec = tmp_path / "sample.cuts.yaml"
    save_cuts(hand, qtbot, spec)
    assert read_spec(spec).plan == made
    assert not window.isWindowModified()

    results = save_stages(hand, qtbot, tmp_path / "by_window")
    texts = [row.text for row in results.list.rows_model.rows]
    assert any(text.startswith("Every output is identical") for text in texts), texts
    assert sum("identical stage 2" in text for text in texts) >= 2, "a line for each form"
    hand.key(results, Qt.Key.Key_Escape)

    by_command = tmp_path / "by_command"
    command = [sys.executable, "-m", "cutter_gui", "split", document.path, "--cuts", spec, "--out", by_command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "by_window") == contents(by_command)
    assert len(contents(by_command)) > 6


def strip_names(plan: Plan) -> Plan:
    return replace(plan, cuts=tuple(replace(cut, name=None) for cut in plan.cuts))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_an_invalid_plan_is_not_saved_and_the_reason_is_given(window, hand, qtbot, tmp_path):
    open_sample(window, qtbot)
    hand.click_edge("186", "189")
    hand.press("Ctrl+E")
    message = hand.dialog(Message)
    assert "cannot be saved yet" in message.sentence
    assert "Problems" in message.remedy
    hand.key(message, Qt.Key.Key_Escape)
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, SaveStagesDialog)]
    assert list(tmp_path.iterdir()) == []


def test_saving_can_be_cancelled_and_leaves_nothing_behind(window, hand, qtbot, tmp_path):
    open_sample(window, qtbot)
    make_the_plan(hand)
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    type_text(qtbot, dialog.folder, str(tmp_path / "out"))
    hand.key(dialog.folder, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.status.job.isVisible(), timeout=20_000)
    qtbot.mouseClick(window.status.job.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.is_busy, timeout=20_000)
    assert list(tmp_path.iterdir()) == []
    assert "nothing was written" in window.status.currentMessage()


def test_an_earlier_result_is_replaced_only_after_a_question(window, hand, qtbot, tmp_path):
    open_sample(window, qtbot)
    make_the_plan(hand)
    folder = tmp_path / "out"
    hand.key(save_stages(hand, qtbot, folder), Qt.Key.Key_Escape)
    before = contents(folder)
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    type_text(qtbot, dialog.folder, str(folder))
    hand.key(dialog.folder, Qt.Key.Key_Return)
    message = hand.dialog(Message)
    assert "Replace" in message.sentence
    message.buttons["Replace"].click()
    hand.key(hand.dialog(ResultsDialog, timeout=40_000), Qt.Key.Key_Escape)
    assert contents(folder) == before
