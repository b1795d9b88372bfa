"""Knife, starts of stages, borders, nodes put into stages: by mouse and keyboard, each one step of undo."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.selection import NOTHING, Selection

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
NONE = Qt.KeyboardModifier.NoModifier


def tensor(graph: Graph, name: str) -> int:
    return graph.tensor_index[name]


def node(graph: Graph, output: str) -> int:
    return int(graph.tensor_producer[graph.tensor_index[output]])


@pytest.fixture
def canvas(opened):
    opened.workspace.canvas.fit()
    opened.workspace.canvas.setFocus()
    return opened.workspace.canvas


@pytest.fixture
def plan_of(opened) -> Callable[[], Plan]:
    return lambda: opened.document.plan


@pytest.fixture
def one_step(opened, hand):
    """Checks that what happened is one step of undo that redo brings back."""

    def check(before: Plan) -> None:
        stack, after = opened.document.undo_stack, opened.document.plan
        assert after != before
        hand.press("Ctrl+Z")
        assert opened.document.plan == before
        hand.press("Ctrl+Shift+Z")
        assert opened.document.plan == after
        assert stack.index() == stack.count()

    return check


@pytest.fixture
def hover(canvas, hand):
    def to(output: str, modifier: Qt.KeyboardModifier = NONE) -> QPoint:
        point = canvas.node_point(node(canvas._picture.graph, output))
        QTest.mouseMove(canvas.viewport(), point + QPoint(3, 0))
        QTest.mouseMove(canvas.viewport(), point)
        hand.settle()
        QTest.qWait(40)
        return point

    return to


@pytest.fixture
def drag(canvas, hand):
    def along(*points: QPoint, modifier: Qt.KeyboardModifier = NONE, release: bool = True) -> None:
        QTest.mousePress(canvas.viewport(), LEFT, modifier, points[0])
        for start, end in pairwise(points):
            QTest.mouseMove(canvas.viewport(), (start + end) / 2)
            QTest.mouseMove(canvas.viewport(), end)
        QTest.qWait(40)
        if release:
            QTest.mouseRelease(canvas.viewport(), LEFT, modifier, points[-1])
        hand.settle()

    return along


def above(canvas, output: str, gap: float = 14.0) -> tuple[QPoint, QPoint]:
    """Returns the ends of a level line across the whole graph, just above a node."""
    scene = canvas._picture.scene
    top = float(scene.box_rect[scene.node_box[node(canvas._picture.graph, output)], 1])
    left, _, width, _ = scene.bounds
    camera = canvas._camera
    return (
        QPointF(*camera.to_view(left - 10, top - gap)).toPoint(),
        QPointF(*camera.to_view(left + width + 10, top - gap)).toPoint(),
    )


def stages(window) -> dict[str, int]:
    graph, stage = window.document.graph, window.document.staging.node_stage
    return {graph.consumer_name(number): int(stage[number]) for number in range(graph.node_count)}


def test_the_tools_are_taken_by_key_and_by_button(opened, canvas, hand, qtbot) -> None:
    for key, tool in ((Qt.Key.Key_K, Tool.KNIFE), (Qt.Key.Key_S, Tool.START_STAGE), (Qt.Key.Key_V, Tool.SELECT)):
        hand.key(canvas, key)
        assert canvas.tool is tool
        assert opened.actions_registry[f"tool.{tool.value}"].isChecked()
    button = opened.toolbar.widgetForAction(opened.actions_registry["tool.knife"])
    qtbot.mouseClick(button, LEFT)
    assert canvas.tool is Tool.KNIFE
    assert canvas.hasFocus()


def test_hovering_with_start_a_stage_shows_the_cut_and_changes_nothing(opened, canvas, hand, hover, plan_of) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    hover("20a")
    ghost = canvas.ghost
    assert (ghost.title, ghost.refused, ghost.cut) == ("Stage 1 starts here", False, 0)
    # The tensor and the mask, which is read in both stages and so is sent too.
    assert [line.name for line in ghost.lines] == ["mask", "10"] or [line.name for line in ghost.lines] == [
        "10",
        "mask",
    ]
    assert "32 B" in ghost.lines[0].detail
    assert opened.status.hint.text().startswith("Click: start stage 1 with block2/product")
    assert plan_of() == Plan()


def test_a_click_with_start_a_stage_makes_a_complete_cut_before_the_node(opened, canvas, hand, hover, one_step) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    point = hover("20a")
    QTest.mouseClick(canvas.viewport(), LEFT, pos=point)
    hand.settle()
    assert opened.document.staging.is_valid
    assert {name: stage for name, stage in stages(opened).items() if name != "mask"} == {
        "10a": 0,
        "10": 0,
        "20a": 1,
        "20": 1,
        "30a": 1,
        "out": 1,
    }
    assert canvas.ghost is None or canvas.ghost.refused
    one_step(Plan())


def test_with_alt_the_stage_ends_with_the_node_that_is_clicked(opened, canvas, hand, one_step) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    point = canvas.node_point(node(opened.document.graph, "20a"))
    QTest.mouseClick(canvas.viewport(), LEFT, ALT, point)
    hand.settle()
    assert (stages(opened)["20a"], stages(opened)["20"]) == (0, 1)
    one_step(Plan())


def test_two_clicks_make_three_stages(opened, canvas, hand, hover) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    for output in ("20a", "30a"):
        QTest.mouseClick(canvas.viewport(), LEFT, pos=hover(output))
        hand.settle()
    assert opened.document.staging.is_valid
    assert opened.document.staging.stage_count == 3
    assert opened.document.undo_stack.count() == 2


def test_a_drag_with_start_a_stage_moves_the_view_and_cuts_nothing(canvas, hand, drag, plan_of) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    before = canvas._camera
    point = canvas.node_point(node(canvas._picture.graph, "20a"))
    drag(point, point + QPoint(0, 90))
    assert canvas._camera != before
    assert plan_of() == Plan()


def test_where_no_stage_can_start_the_reason_is_shown_and_a_click_does_nothing(opened, canvas, hand, hover) -> None:
    hand.key(canvas, Qt.Key.Key_S)
    first = opened.document.graph.consumer_name(int(opened.document.graph.order[0]))
    point = hover(first)
    assert canvas.ghost.refused
    assert "comes before" in canvas.ghost.verdict
    QTest.mouseClick(canvas.viewport(), LEFT, pos=point)
    hand.settle()
    assert opened.document.plan == Plan()
    assert "comes before" in opened.status.currentMessage()


def test_start_a_stage_by_keyboard_shows_first_and_enter_applies(opened, canvas, hand, one_step) -> None:
    opened.document.select(Selection(node=node(opened.document.graph, "20a")))
    hand.key(canvas, Qt.Key.Key_S)
    QTest.qWait(40)
    assert canvas.ghost.title == "Stage 1 starts here"
    assert opened.document.plan == Plan()
    hand.key(canvas, Qt.Key.Key_Return)
    assert (stages(opened)["10"], stages(opened)["20a"]) == (0, 1)
    one_step(Plan())


def test_walking_on_with_the_tool_in_hand_shows_the_next_place(opened, canvas, hand) -> None:
    opened.document.select(Selection(node=node(opened.document.graph, "20a")))
    hand.key(canvas, Qt.Key.Key_S)
    hand.key(canvas, Qt.Key.Key_Down)
    hand.key(canvas, Qt.Key.Key_Down)
    QTest.qWait(40)
    assert canvas.selection == Selection(node=node(opened.document.graph, "20"))
    hand.key(canvas, Qt.Key.Key_Return)
    assert (stages(opened)["20a"], stages(opened)["20"]) == (0, 1)


def test_shortcuts_start_and_end_a_stage_at_the_selected_node(opened, canvas, hand, one_step) -> None:
    opened.document.select(Selection(node=node(opened.document.graph, "20")))
    hand.press("B")
    assert (stages(opened)["20a"], stages(opened)["20"]) == (0, 1)
    one_step(Plan())
    hand.press("Ctrl+Z")
    opened.document.select(Selection(node=node(opened.document.graph, "20")))
    hand.press("Shift+B")
    assert (stages(opened)["20"], stages(opened)["30a"]) == (0, 1)
    one_step(Plan())


def test_the_knife_previews_what_it_crosses_and_cuts_when_let_go(opened, canvas, hand, drag, one_step, plan_of) -> None:
    hand.key(canvas, Qt.Key.Key_K)
    start, end = above(canvas, "20a")
    drag(start, end, release=False)
    ghost = canvas.ghost
    assert not ghost.refused
    assert ghost.title.startswith("Cut 0:")
    assert {line.name for line in ghost.lines} >= {"10"}
    assert "Let go" in opened.status.hint.text()
    assert plan_of() == Plan()
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, end)
    hand.settle()
    assert opened.document.staging.is_valid
    assert (stages(opened)["10"], stages(opened)["20a"]) == (0, 1)
    one_step(Plan())


def test_a_short_line_is_completed_and_shift_cuts_exactly_what_was_crossed(opened, canvas, hand, drag) -> None:
    graph = opened.document.graph
    hand.key(canvas, Qt.Key.Key_K)
    point = canvas.edge_point(tensor(graph, "10"), node(graph, "20a"))
    across = (point - QPoint(14, 0), point + QPoint(14, 0))
    drag(*across, release=False)
    assert canvas.ghost.added
    assert "Not complete" in canvas.ghost.verdict
    QTest.mouseRelease(canvas.viewport(), LEFT, SHIFT, across[1])
    hand.settle()
    assert opened.document.plan == Plan((Cut((CutEdge("10"),)),))
    assert not opened.document.staging.is_valid
    hand.press("Ctrl+Z")
    drag(*across)
    assert opened.document.staging.is_valid
    assert opened.document.undo_stack.count() == 1


def test_escape_puts_a_drawn_line_away_and_then_the_knife(canvas, hand, drag, plan_of) -> None:
    hand.key(canvas, Qt.Key.Key_K)
    start, end = above(canvas, "20a")
    drag(start, end, release=False)
    hand.key(canvas, Qt.Key.Key_Escape)
    assert canvas.ghost is None
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, end)
    hand.settle()
    assert plan_of() == Plan()
    assert canvas.tool is Tool.KNIFE
    hand.key(canvas, Qt.Key.Key_Escape)
    assert canvas.tool is Tool.SELECT


def test_the_knife_is_in_hand_while_its_key_is_held(opened, canvas, hand, drag) -> None:
    QTest.keyPress(canvas, Qt.Key.Key_K)
    assert canvas.tool is Tool.KNIFE
    drag(*above(canvas, "30a"))
    QTest.keyRelease(canvas, Qt.Key.Key_K)
    assert canvas.tool is Tool.SELECT
    assert (stages(opened)["20"], stages(opened)["30a"]) == (0, 1)


def test_a_line_that_crosses_nothing_says_so(opened, canvas, hand, drag, plan_of) -> None:
    hand.key(canvas, Qt.Key.Key_K)
    corner = canvas.viewport().rect().bottomLeft()
    drag(corner + QPoint(2, -2), corner + QPoint(30, -4), release=False)
    assert canvas.ghost.refused
    assert "crosses no edge" in canvas.ghost.verdict
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, corner + QPoint(30, -4))
    assert plan_of() == Plan()


def test_the_knife_by_keyboard_runs_across_the_graph_at_the_selected_node(opened, canvas, hand, one_step) -> None:
    opened.document.select(Selection(node=node(opened.document.graph, "20a")))
    hand.key(canvas, Qt.Key.Key_K)
    QTest.qWait(40)
    assert canvas.ghost.title.startswith("Cut 0:")
    hand.key(canvas, Qt.Key.Key_Return)
    assert (stages(opened)["10"], stages(opened)["20a"]) == (0, 1)
    one_step(Plan())


@pytest.mark.parametrize("modifier", [CTRL, SHIFT])
def test_with_ctrl_or_shift_only_the_branch_that_is_hit_is_cut(opened, canvas, hand, one_step, modifier) -> None:
    graph = opened.document.graph
    point = canvas.edge_point(tensor(graph, "mask"), node(graph, "20"))
    QTest.mouseClick(canvas.viewport(), LEFT, modifier, point)
    hand.settle()
    assert opened.document.plan == Plan((Cut((CutEdge("mask", ("20",)),)),))
    assert opened.document.selection == Selection(tensor=tensor(graph, "mask"))
    one_step(Plan())


@pytest.fixture
def cut_at_20a(opened, canvas, hand) -> Plan:
    opened.document.select(Selection(node=node(opened.document.graph, "20a")))
    hand.press("B")
    opened.document.select(NOTHING)
    return opened.document.plan


def tag_point(canvas, cut: int) -> QPoint:
    line = next(line for line in canvas._picture.cuts.lines if line.cut == cut)
    left, top, width, height = line.tag
    point = QPointF(*canvas._camera.to_view(left + width / 2, top + height / 2)).toPoint()
    assert canvas._cut_under(QPointF(point)) == cut
    return point


def test_the_border_is_dragged_down_past_a_node_and_the_plan_follows(
    opened, canvas, hand, drag, one_step, cut_at_20a
) -> None:
    scene, graph = canvas._picture.scene, opened.document.graph
    start = tag_point(canvas, 0)
    level = canvas._camera.to_scene(start.x(), start.y())[1]
    box = scene.box_rect[scene.node_box[node(graph, "20a")]]
    shift = round((float(box[1] + box[3]) - level + 4) * canvas._camera.scale)
    drag(start, start + QPoint(0, shift), release=False)
    assert not canvas.ghost.refused
    assert "nodes" in canvas.ghost.verdict
    assert "Let go" in opened.status.hint.text()
    assert opened.document.plan == cut_at_20a
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, start + QPoint(0, shift))
    hand.settle()
    assert (stages(opened)["20a"], stages(opened)["20"]) == (0, 1)
    assert opened.document.staging.is_valid
    one_step(cut_at_20a)


def test_escape_lets_go_of_a_border(opened, canvas, hand, drag, cut_at_20a) -> None:
    start = tag_point(canvas, 0)
    drag(start, start + QPoint(0, 80), release=False)
    hand.key(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, start + QPoint(0, 80))
    assert opened.document.plan == cut_at_20a
    assert canvas.ghost is None


def test_a_click_on_the_tag_of_a_cut_makes_it_active(opened, canvas, hand) -> None:
    for output in ("20a", "30a"):
        opened.document.select(Selection(node=node(opened.document.graph, output)))
        hand.press("B")
    assert opened.document.active_cut == 1
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, tag_point(canvas, 0))
    hand.settle()
    assert opened.document.active_cut == 0


def test_the_border_is_pushed_by_keyboard_and_enter_applies(opened, canvas, hand, one_step, cut_at_20a) -> None:
    hand.press("Alt+Shift+Down")
    QTest.qWait(40)
    assert canvas.ghost is not None
    assert opened.document.plan == cut_at_20a
    hand.key(canvas, Qt.Key.Key_Return)
    assert opened.document.plan != cut_at_20a
    assert opened.document.staging.is_valid
    assert opened.document.undo_stack.undoText() == "Push cut 0 towards the outputs", "true in whichever way edges run"
    one_step(cut_at_20a)


def test_a_border_out_of_sight_comes_into_sight_when_it_is_pushed_by_keyboard(opened, canvas, hand, cut_at_20a) -> None:
    canvas.reset_zoom()
    for _ in range(12):
        hand.key(canvas, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    pushed = node(opened.document.graph, "20a")
    canvas.reveal(nodes=(node(opened.document.graph, "out"),))
    hand.settle()
    assert not canvas.viewport().rect().contains(canvas.node_point(pushed))
    hand.press("Alt+Shift+Down")
    QTest.qWait(40)
    assert canvas.viewport().rect().contains(canvas.node_point(pushed))


def test_a_rubber_band_chooses_nodes_and_a_digit_puts_them_into_a_stage(
    opened, canvas, hand, drag, one_step, cut_at_20a
) -> None:
    graph, scene = opened.document.graph, canvas._picture.scene
    boxes = [scene.box_rect[scene.node_box[node(graph, output)]] for output in ("20a", "20")]
    left, top = min(float(box[0]) for box in boxes), min(float(box[1]) for box in boxes)
    right = max(float(box[0] + box[2]) for box in boxes)
    bottom = max(float(box[1] + box[3]) for box in boxes)
    to = canvas._camera.to_view
    drag(QPointF(*to(left - 3, top + 3)).toPoint(), QPointF(*to(right - 3, bottom - 3)).toPoint(), modifier=SHIFT)
    assert set(canvas.chosen) == {node(graph, "20a"), node(graph, "20")}
    assert "2 nodes chosen" in opened.status.hint.text()
    hand.key(canvas, Qt.Key.Key_0)
    QTest.qWait(40)
    assert canvas.ghost.title == "2 nodes in stage 0"
    assert opened.document.plan == cut_at_20a
    hand.key(canvas, Qt.Key.Key_Return)
    assert (stages(opened)["20"], stages(opened)["30a"]) == (0, 1)
    assert canvas.chosen == ()
    one_step(cut_at_20a)


def test_the_reason_is_shown_why_nodes_cannot_be_in_a_stage(opened, canvas, hand, cut_at_20a) -> None:
    graph = opened.document.graph
    first, last = (canvas.node_point(node(graph, output)) for output in ("20a", "out"))
    for point in (first, last):
        QTest.mouseClick(canvas.viewport(), LEFT, SHIFT, point)
    assert set(canvas.chosen) == {node(graph, "20a"), node(graph, "out")}
    hand.key(canvas, Qt.Key.Key_7)
    QTest.qWait(40)
    assert canvas.ghost.refused
    assert "the next new one is stage 2" in canvas.ghost.verdict
    hand.key(canvas, Qt.Key.Key_Return)
    assert opened.document.plan == cut_at_20a
