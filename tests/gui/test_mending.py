"""Fixes in the Problems panel, all at once, and where else problems show."""

from __future__ import annotations

import os
import signal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.gui import mending
from cutter_gui.gui.consumers_popover import ConsumersPopover, ToggleConsumer
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.panels import problems
from cutter_gui.gui.panels.problems import ApplyFix, FindFixes
from cutter_gui.gui.selection import Selection

# Qt's offscreen platform can neither raise popups nor give them the keys.
POPUPS = pytest.mark.qt_log_ignore(r"This plugin does not support (raise|grabbing|propagateSizeHints)")


@pytest.fixture
def incomplete(opened, hand):
    """A cut of `10` alone: the mask still joins the two sides."""
    hand.click_edge("10", "20a")
    assert not opened.document.staging.is_valid
    return opened.document.plan


def error(window):
    at, found = next((at, one) for at, one in enumerate(window.workspace.problems.shown) if one.is_error)
    return at, found


def test_an_incomplete_cut_offers_the_cheapest_completion_and_others_each_by_one_click(opened, hand, incomplete):
    at, found = error(opened)
    assert found.code == "incomplete-cut"
    assert len(found.fixes) > 1
    for which, fix in enumerate(found.fixes[:2]):
        hand.click_target(opened.workspace.problems.list, ApplyFix(at, which))
        assert opened.document.plan == fix.plan
        hand.press("Ctrl+Z")
        assert opened.document.plan == incomplete
        hand.press("Ctrl+Shift+Z")
        assert opened.document.plan == fix.plan
        hand.press("Ctrl+Z")


def test_the_path_that_is_still_joined_is_drawn_at_once_and_goes_when_it_is_cut(opened, hand, incomplete):
    at, found = error(opened)
    overlay, graph = opened.workspace.canvas._overlay, opened.document.graph
    assert overlay.path_nodes == found.nodes
    along = {graph.tensor_names[tensor] for tensor in overlay.path_tensors}
    assert "mask" in along, "it is what joins the two sides"
    hand.click_target(opened.workspace.problems.list, ApplyFix(at))
    assert opened.document.staging.is_valid
    assert opened.workspace.canvas._overlay.path_nodes == ()


def test_in_a_large_model_a_worker_finds_what_mends_a_problem_when_somebody_asks(
    opened, hand, qtbot, rows_text, monkeypatch
):
    monkeypatch.setattr(mending, "_QUICK", 0)
    monkeypatch.setattr(problems, "_AT_REST", 0)
    hand.click_edge("10", "20a")
    at, found = error(opened)
    panel = opened.workspace.problems
    assert not found.fixes.are_known
    assert panel.mend_all.isVisible()
    hand.click_target(panel.list, FindFixes(at))
    assert any("Finding what mends it" in text for text in rows_text(panel.list))
    assert not found.fixes.are_known
    qtbot.waitUntil(lambda: found.fixes.are_known, timeout=20_000)
    assert any(found.fixes[0].title in text for text in rows_text(panel.list))
    before = opened.document.plan
    here = diagnose(opened.document.staging)
    assert found.fixes == next(one for one in here if one.code == found.code).fixes
    hand.click_target(panel.list, ApplyFix(at))
    assert opened.document.plan == found.fixes[0].plan
    hand.press("Ctrl+Z")
    assert opened.document.plan == before


def test_a_fix_clicked_before_it_is_known_is_applied_once_it_is_unless_the_plan_changes(
    opened, hand, qtbot, monkeypatch
):
    monkeypatch.setattr(mending, "_QUICK", 0)
    monkeypatch.setattr(problems, "_AT_REST", 0)
    hand.click_edge("10", "20a")
    incomplete = opened.document.plan
    hand.click_target(opened.workspace.problems.list, ApplyFix(error(opened)[0]))
    assert opened.document.plan == incomplete
    hand.press("Ctrl+Z")
    qtbot.waitUntil(lambda: not opened.workers.running, timeout=20_000)
    assert opened.document.plan == Plan()
    hand.press("Ctrl+Shift+Z")
    hand.click_target(opened.workspace.problems.list, ApplyFix(error(opened)[0]))
    qtbot.waitUntil(lambda: opened.document.staging.is_valid, timeout=20_000)
    hand.press("Ctrl+Z")
    assert opened.document.plan == incomplete
    hand.press("Ctrl+M")
    assert opened.document.plan == incomplete
    qtbot.waitUntil(lambda: opened.document.staging.is_valid, timeout=20_000)


def test_a_worker_killed_while_it_looks_for_a_fix_is_told_and_asking_again_works(opened, hand, qtbot, monkeypatch):
    monkeypatch.setattr(mending, "_QUICK", 0)
    monkeypatch.setattr(problems, "_AT_REST", 0)
    hand.click_edge("10", "20a")
    at, found = error(opened)
    panel = opened.workspace.problems
    hand.click_target(panel.list, FindFixes(at))
    os.kill(opened.workers.running[0].process_id, signal.SIGKILL)
    message = hand.dialog(Message)
    assert "ended unexpectedly" in message.sentence
    hand.key(message, Qt.Key.Key_Escape)
    hand.click_target(panel.list, FindFixes(at))
    qtbot.waitUntil(lambda: found.fixes.are_known, timeout=20_000)


def test_in_a_model_of_middle_size_what_mends_a_problem_shows_when_the_plan_rests(
    opened, hand, qtbot, rows_text, monkeypatch
):
    monkeypatch.setattr(mending, "_QUICK", 0)
    monkeypatch.setattr(problems, "_REST", 30)
    hand.click_edge("10", "20a")
    at, found = error(opened)
    panel = opened.workspace.problems
    qtbot.waitUntil(lambda: found.fixes.are_known)
    assert any(found.fixes[0].title in text for text in rows_text(panel.list))
    hand.click_target(panel.list, ApplyFix(at, 1))
    assert opened.document.plan == found.fixes[1].plan


def test_what_mends_a_plan_of_very_many_cuts_is_not_waited_for(opened, qtbot, monkeypatch):
    graph = opened.document.graph
    monkeypatch.setattr(mending, "_QUICK", graph.node_count + graph.edge_count)
    monkeypatch.setattr(problems, "_REST", 30)
    for count, at_once in ((4, True), (16, False)):
        opened.document.take_plan(Plan((Cut((CutEdge("10"),)),) * count), "many", 0)
        found = error(opened)[1]
        assert found.fixes.are_known is at_once
        qtbot.waitUntil(lambda found=found: found.fixes.are_known, timeout=20_000)


def test_mend_all_is_one_step_by_button_and_by_key(opened, hand, qtbot, incomplete):
    button = opened.workspace.problems.mend_all
    assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    hand.settle()
    assert opened.document.staging.is_valid
    assert not button.isVisible()
    hand.press("Ctrl+Z")
    assert opened.document.plan == incomplete
    hand.press("Ctrl+M")
    assert opened.document.staging.is_valid


def test_stage_headers_show_that_a_problem_concerns_them(opened, hand, incomplete):
    strip = opened.workspace.stages.strip
    assert [item.errors > 0 for item in strip.items[::2]] == [True, True]
    assert "error" in strip.tip_at(strip.item_rect(0).center())
    hand.press("Ctrl+M")
    assert all(item.errors == 0 for item in strip.items[::2])


def test_names_of_an_older_model_are_mended_all_at_once(opened, hand):
    stale = Plan((Cut((CutEdge("100"), CutEdge("mask", ("20", "out")))),))
    opened.document.take_plan(stale, "stale", 0)
    codes = {found.code for found in opened.document.diagnostics if found.is_error}
    assert "unknown-tensor" in codes
    hand.press("Ctrl+M")
    assert opened.document.staging.is_valid


@POPUPS
def test_a_right_click_on_an_edge_lists_its_consumers_to_tick_by_mouse_and_key(opened, hand, qtbot):
    canvas, graph = opened.workspace.canvas, opened.document.graph
    mask = graph.tensor_index["mask"]
    reader = int(graph.tensor_producer[graph.tensor_index["20"]])
    canvas.reveal(nodes=(reader,))
    hand.settle()
    hand.right_click(canvas.viewport(), canvas.edge_point(mask, reader))
    popover = opened.workspace.desk.popover
    assert isinstance(popover, ConsumersPopover)
    qtbot.waitUntil(popover.isVisible)
    assert opened.document.selection == Selection(tensor=mask)
    texts = [row.text for row in popover.list.rows_model.rows]
    assert texts[0] == "mask 2×4 f32 · 32 B"
    assert any("Add block2/masked" in text and "2×4 f32" in text for text in texts)
    one, every = Plan((Cut((CutEdge("mask", ("20",)),)),)), Plan((Cut((CutEdge("mask"),)),))
    hand.click_target(popover.list, ToggleConsumer(reader))
    assert opened.document.plan == one
    assert popover.isVisible()
    QTest.keyClick(popover.list, Qt.Key.Key_Home)
    while popover.list.currentIndex().row() != popover.list.rows_model.position("all"):
        QTest.keyClick(popover.list, Qt.Key.Key_Down)
    QTest.keyClick(popover.list, Qt.Key.Key_Return)
    assert opened.document.plan == every
    QTest.keyClick(popover.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: opened.workspace.desk.popover is None or not popover.isVisible())
    steps_back_and_on(opened, hand, [Plan(), one, every])


def steps_back_and_on(window, hand, plans: list[Plan]) -> None:
    """Checks that each plan came from the one before by one step of undo."""
    for plan in reversed(plans[:-1]):
        hand.press("Ctrl+Z")
        assert window.document.plan == plan
    for plan in plans[1:]:
        hand.press("Ctrl+Shift+Z")
        assert window.document.plan == plan


@POPUPS
def test_the_menu_of_a_node_by_right_click_shows_what_its_entries_would_do_and_does_it(opened, hand, qtbot):
    canvas, graph = opened.workspace.canvas, opened.document.graph
    reader = int(graph.tensor_producer[graph.tensor_index["20a"]])
    canvas.reveal(nodes=(reader,))
    hand.settle()
    hand.right_click(canvas.viewport(), canvas.node_point(reader))
    menu = opened.workspace.desk.menu
    qtbot.waitUntil(menu.isVisible)
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.qWait(40)
    assert canvas.ghost is not None
    assert canvas.ghost.title == "Stage 1 starts here"
    assert opened.document.plan == Plan()
    QTest.keyClick(menu, Qt.Key.Key_Return)
    hand.settle()
    started = opened.document.plan
    assert opened.document.staging.is_valid
    assert opened.document.staging.node_stage[reader] == 1
    hand.right_click(canvas.viewport(), canvas.node_point(reader))
    menu = opened.workspace.desk.menu
    hand.choose(menu, menu.actions()[1])
    ended = opened.document.plan
    assert opened.document.staging.stage_count == 3
    steps_back_and_on(opened, hand, [Plan(), started, ended])


@POPUPS
def test_the_menu_key_opens_it_at_the_selected_node_and_its_submenu_puts_nodes_into_a_stage(opened, hand, qtbot):
    canvas, graph = opened.workspace.canvas, opened.document.graph
    reader = int(graph.tensor_producer[graph.tensor_index["30a"]])
    opened.document.select(Selection(node=reader))
    canvas.setFocus()
    hand.press("B")
    started = opened.document.plan
    hand.menu_key(canvas)
    menu = opened.workspace.desk.menu
    stages = menu.actions()[2].menu()
    QTest.keyClick(menu, Qt.Key.Key_Up)
    QTest.keyClick(menu, Qt.Key.Key_Right)
    qtbot.waitUntil(stages.isVisible)
    hand.choose(stages, stages.actions()[0])
    assert opened.document.staging.node_stage[reader] == 0
    steps_back_and_on(opened, hand, [started, opened.document.plan])


@POPUPS
def test_a_menu_that_is_left_changes_nothing(opened, hand, qtbot):
    canvas, graph = opened.workspace.canvas, opened.document.graph
    reader = int(graph.tensor_producer[graph.tensor_index["20a"]])
    canvas.reveal(nodes=(reader,))
    hand.settle()
    hand.right_click(canvas.viewport(), canvas.node_point(reader))
    menu = opened.workspace.desk.menu
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.qWait(40)
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not menu.isVisible())
    assert canvas.ghost is None
    assert opened.document.undo_stack.count() == 0
