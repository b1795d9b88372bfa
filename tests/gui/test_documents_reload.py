"""A model that changed on disk: its cuts stay; names that are gone are taken from the nearest, one by one or all."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.dialogs.stale_names import StaleNamesDialog, Take
from cutter_gui.gui.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
BEFORE = Plan((Cut((CutEdge("10"), CutEdge("mask", ("20", "out")))),))
RENAMED = {"mask": "masks", "20": "20b"}


def export_again(model: Path) -> None:
    """Replaces the model by one in which some tensors have other names."""
    changed = onnx.load(model)
    for node in changed.graph.node:
        for names in (node.input, node.output):
            names[:] = [RENAMED.get(name, name) for name in names]
    later = model.with_suffix(".new")
    onnx.save(changed, later)
    later.replace(model)


@pytest.fixture
def reloaded(opened: MainWindow, hand, qtbot, model: Path) -> tuple[MainWindow, StaleNamesDialog]:
    opened.document.take_plan(BEFORE, "plan", 0)
    before = opened.document
    export_again(model)
    qtbot.mouseClick(hand.dialog(Message).buttons["Reload"], LEFT)
    qtbot.waitUntil(lambda: opened.document is not before and not opened.opener.is_busy, timeout=60_000)
    assert opened.document.plan == BEFORE
    return opened, hand.dialog(StaleNamesDialog)


def lists_shown() -> list[StaleNamesDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, StaleNamesDialog) and w.isVisible()]


def step(window: MainWindow, hand, before: Plan, after: Plan) -> None:
    """Checks that what was done is one step of undo."""
    assert window.document.plan == after
    hand.press("Ctrl+Z")
    assert window.document.plan == before
    hand.press("Ctrl+Shift+Z")
    assert window.document.plan == after


def test_names_are_taken_one_by_one_each_a_step_of_undo(reloaded, hand, rows_text) -> None:
    window, dialog = reloaded
    assert "1 name of the cuts is not in three blocks.onnx" in dialog.summary.text()
    assert rows_text(dialog.list)[:2] == ["mask cut 0 Take it out", "nearest: masks Take"]
    hand.click_target(dialog.list, Take(0, "masks"))
    first = Plan((Cut((CutEdge("10"), CutEdge("masks", ("20", "out")))),))
    step(window, hand, BEFORE, first)
    # Now that the tensor is known its consumers can be looked for.
    assert rows_text(dialog.list)[0] == "20 consumer of masks, cut 0 Take it out"
    dialog.activateWindow()
    dialog.list.setFocus()
    dialog.list.setCurrentIndex(dialog.list.rows_model.index(1))
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    hand.settle()
    second = Plan((Cut((CutEdge("10"), CutEdge("masks", ("20b", "out")))),))
    assert not lists_shown(), "nothing is left to take"
    step(window, hand, first, second)
    assert window.document.staging.is_valid


def test_all_are_taken_at_once_in_one_step_of_undo(reloaded, hand) -> None:
    window, dialog = reloaded
    QTest.mouseClick(dialog.take_all, LEFT)
    hand.settle()
    assert not lists_shown(), "nothing is left to take"
    step(window, hand, BEFORE, Plan((Cut((CutEdge("10"), CutEdge("masks", ("20b", "out")))),)))


def test_a_name_can_be_taken_out_and_the_list_asked_for_again(reloaded, hand, qtbot) -> None:
    window, dialog = reloaded
    dialog.close()
    assert window.actions_registry["file.stale_names"].isEnabled()
    window.actions_registry["file.stale_names"].trigger()
    dialog = hand.dialog(StaleNamesDialog)
    hand.click_target(dialog.list, Take(0, None))
    step(window, hand, BEFORE, Plan((Cut((CutEdge("10"),)),)))


def test_f5_reads_the_model_anew_without_a_question_and_says_that_all_is_well(opened, hand, qtbot) -> None:
    opened.document.take_plan(BEFORE, "plan", 0)
    before = opened.document
    hand.press("F5")
    qtbot.waitUntil(lambda: opened.document is not before and not opened.opener.is_busy, timeout=60_000)
    assert opened.document.plan == BEFORE
    assert opened.status.currentMessage() == "Reloaded; every name of the cuts is there"
