"""The palette of commands, and the same cut made again where the model looks alike."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cutter_gui.gui.dialogs.command_palette import CommandPalette, matches
from cutter_gui.gui.dialogs.repeat import RepeatDialog, Tick
from cutter_gui.gui.selection import Selection
from cutter_gui.resource_files import resource


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [("save", "Save cuts", "Autosave"), ("zo in", "Zoom in", "Fit"), ("sstg", "Save stages", "Fit"), ("", "a", "a")],
)
def test_a_command_is_found_by_words_and_by_letters_in_order(query: str, better: str, worse: str) -> None:
    best, other = matches(query, better), matches(query, worse)
    assert best is not None
    assert other is None or best <= other


def test_a_command_is_run_by_a_few_letters_and_enter(opened, hand) -> None:
    hand.press("Ctrl+Shift+P")
    palette = hand.dialog(CommandPalette)
    QTest.keyClicks(palette.field, "new cut")
    assert palette.list.rows_model.rows[0].target == "cut.new"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    hand.settle()
    assert len(opened.document.plan.cuts) == 1
    hand.no_dialog()


def test_the_palette_lists_only_what_can_be_done_now(opened, hand) -> None:
    hand.press("Ctrl+Shift+P")
    palette = hand.dialog(CommandPalette)
    listed = {row.target for row in palette.list.rows_model.rows}
    assert listed == {spec.id for spec in opened.actions_registry if spec.enabled() and spec.id != "help.palette"}
    assert "edit.undo" not in listed
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    hand.no_dialog()


def test_every_command_of_the_palette_but_recent_files_stands_in_a_menu(opened) -> None:
    from cutter_gui.gui.menus import plain_menus

    in_menus = {action for _, ids in plain_menus() for action in ids}
    assert {spec.id for spec in opened.actions_registry} <= in_menus


@pytest.fixture
def layered(open_model, hand):
    """The sample, cut in the attention of its first layer of three."""
    window = open_model(resource("models", "bert_small.onnx"))
    graph = window.document.graph
    window.document.select(Selection(node=int(graph.tensor_producer[graph.tensor_index["155"]])))
    hand.press("B")
    return window


def test_a_cut_is_repeated_at_the_places_ticked_as_one_step(layered, hand, qtbot) -> None:
    opened, before = layered, layered.document.plan
    assert opened.document.staging.stage_count == 2
    hand.press("Ctrl+R")
    dialog = hand.dialog(RepeatDialog)
    assert dialog.ticked == {0, 1}, "the two other layers look like the first"
    assert opened.document.plan == before
    assert opened.workspace.canvas.ghost is not None
    count = len(dialog.ticked)
    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    hand.settle()
    assert opened.document.staging.is_valid
    assert opened.document.staging.stage_count == 2 + count
    hand.press("Ctrl+Z")
    assert opened.document.plan == before


def test_places_are_ticked_one_by_one_and_cancel_leaves_the_plan(layered, hand) -> None:
    opened, before = layered, layered.document.plan
    hand.press("Ctrl+R")
    dialog = hand.dialog(RepeatDialog)
    ticked = set(dialog.ticked)
    hand.click_target(dialog.list, Tick(0))
    assert dialog.ticked == ticked ^ {0}
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    hand.settle()
    assert opened.document.plan == before
    assert opened.workspace.canvas.ghost is None
