"""What clicks on the canvas say and select."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from cutter_gui.core.plan import CutEdge
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.layout import BoxKind, WireKind

ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton


def box_point(shown, box: int) -> QPoint:
    left, top, width, height = shown.scene.box_rect[box].tolist()
    return shown.canvas._camera.to_view(left + width / 2, top + height / 2)


def pill_point(shown, tensor: str, kind: BoxKind) -> QPoint:
    boxes = [box for box in shown.scene.boxes_of(shown.tensor(tensor)) if shown.scene.box_kind[box] == kind]
    x, y = box_point(shown, boxes[0])
    return QPoint(round(x), round(y))


def test_a_click_on_an_edge_names_its_tensor_and_selects_it(shown, click) -> None:
    click(shown.edge_point("q0", "a0"))
    assert shown.tensors == [shown.tensor("q0")]
    assert shown.canvas.selection == Selection(tensor=shown.tensor("q0"))


def test_a_click_hits_exactly_the_edge_asked_for_at_every_edge_of_the_graph(shown, click) -> None:
    for edge in range(shown.graph.edge_count):
        if edge not in shown.scene.edge_wire:
            continue
        tensor, consumer = int(shown.graph.edge_tensor[edge]), int(shown.graph.edge_consumer[edge])
        shown.tensors.clear()
        shown.canvas.select(NOTHING)
        shown.canvas.reveal(tensors=[tensor])
        click(shown.canvas.edge_point(tensor, consumer))
        assert shown.tensors == [tensor]


def test_alt_and_a_click_on_an_edge_only_select(shown, click) -> None:
    click(shown.edge_point("q0", "a0"), ALT)
    assert shown.tensors == []
    assert shown.canvas.selection == Selection(tensor=shown.tensor("q0"))


@pytest.mark.parametrize("steps", [0, 3])
def test_a_click_near_an_edge_hits_it_at_any_zoom_and_one_farther_off_does_not(shown, click, steps: int) -> None:
    shown.canvas.reset_zoom()
    for _ in range(steps):
        shown.canvas.zoom_in()
    point = shown.edge_point("mask", "m")  # it runs straight down
    click(point - QPoint(9, 0))
    assert shown.tensors == []
    click(point - QPoint(5, 0))
    assert shown.tensors == [shown.tensor("mask")]


def test_a_click_on_a_node_selects_it(shown, click) -> None:
    click(shown.node_point("a1"))
    assert shown.canvas.selection == Selection(node=shown.node("a1"))
    assert shown.tensors == shown.consumers == []


def test_a_click_on_a_consumer_of_the_selected_tensor_names_both_and_keeps_the_selection(shown, click) -> None:
    click(shown.edge_point("x0", "q1"), ALT)
    click(shown.node_point("k1"))
    assert shown.consumers == [(shown.tensor("x0"), shown.node("k1"))]
    assert shown.canvas.selection == Selection(tensor=shown.tensor("x0"))


def test_alt_and_a_click_on_a_consumer_select_the_node(shown, click) -> None:
    click(shown.edge_point("x0", "q1"), ALT)
    click(shown.node_point("k1"), ALT)
    assert shown.consumers == []
    assert shown.canvas.selection == Selection(node=shown.node("k1"))


def test_a_click_on_another_node_than_a_consumer_selects_that_node(shown, click) -> None:
    click(shown.edge_point("x0", "q1"), ALT)
    click(shown.node_point("a1"))
    assert shown.consumers == []
    assert shown.canvas.selection == Selection(node=shown.node("a1"))


def test_a_click_on_a_stub_of_a_hub_names_the_hub(shown, click) -> None:
    shown.canvas.reveal(nodes=[shown.node("a0")])
    click(pill_point(shown, "m", BoxKind.STUB))
    assert shown.tensors == [shown.tensor("m")]


def test_a_click_on_the_pill_beside_the_maker_of_a_hub_names_the_hub(shown, click) -> None:
    shown.canvas.reveal(nodes=[shown.node("m")])
    click(pill_point(shown, "m", BoxKind.HUB))
    assert shown.tensors == [shown.tensor("m")]


def test_a_click_on_the_wire_of_a_graph_input_names_it_and_one_on_its_pill_only_selects(shown, click) -> None:
    click(shown.edge_point("mask", "m"))
    assert shown.tensors == [shown.tensor("mask")]
    click(pill_point(shown, "x", BoxKind.INPUT))
    assert shown.tensors == [shown.tensor("mask")]
    assert shown.canvas.selection == Selection(tensor=shown.tensor("x"))


def test_a_model_output_can_be_selected_but_not_cut(shown, click) -> None:
    wire = int(np.flatnonzero(shown.scene.wire_kind == WireKind.OUTPUT)[0])
    shown.canvas.reveal(tensors=[shown.tensor("x5")])
    points = shown.scene.points(wire)
    x, y = shown.canvas._camera.to_view(*(points[0] + points[-1]).tolist() / np.float64(2))
    click(QPoint(round(x), round(y)))
    assert shown.tensors == []
    assert shown.canvas.selection == Selection(tensor=shown.tensor("x5"))


def test_a_click_on_the_ground_and_escape_clear_the_selection(shown, click, qtbot) -> None:
    shown.canvas.select(Selection(node=shown.node("a0")))
    click(QPoint(4, 4))
    assert shown.canvas.selection == NOTHING
    shown.canvas.select(Selection(node=shown.node("a0")))
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Escape)
    assert shown.canvas.selection == NOTHING


def test_two_fast_clicks_are_two_clicks(shown, qtbot) -> None:
    point, viewport = shown.edge_point("q0", "a0"), shown.canvas.viewport()
    qtbot.mouseClick(viewport, LEFT, pos=point)
    qtbot.mouseDClick(viewport, LEFT, pos=point)
    qtbot.mouseRelease(viewport, LEFT, pos=point)
    assert shown.tensors == [shown.tensor("q0")] * 2


def test_selecting_says_so_once_and_the_same_again_says_nothing(shown) -> None:
    said: list[Selection] = []
    shown.canvas.selection_changed.connect(said.append)
    for _ in range(2):
        shown.canvas.select(Selection(tensor=shown.tensor("x")))
    assert said == [Selection(tensor=shown.tensor("x"))]


def test_what_the_graph_does_not_have_is_not_selected(shown) -> None:
    shown.canvas.select(Selection(tensor=10_000))
    assert shown.canvas.selection == NOTHING


def test_dragging_pans_from_the_ground_and_from_an_edge_without_clicking(shown, qtbot) -> None:
    viewport = shown.canvas.viewport()
    for start in (QPoint(4, 4), shown.edge_point("q0", "a0")):
        before = shown.canvas.node_point(shown.node("a0"))
        qtbot.mousePress(viewport, LEFT, pos=start)
        qtbot.mouseMove(viewport, start + QPoint(15, 10))
        qtbot.mouseMove(viewport, start + QPoint(30, 20))
        qtbot.mouseRelease(viewport, LEFT, pos=start + QPoint(30, 20))
        moved = shown.canvas.node_point(shown.node("a0")) - before
        assert (moved - QPoint(30, 20)).manhattanLength() <= 2
    assert shown.tensors == []


def test_the_middle_button_pans_and_escape_takes_the_drag_back(shown, qtbot) -> None:
    viewport = shown.canvas.viewport()
    before = shown.canvas.node_point(shown.node("a0"))
    start = QPoint(200, 200)
    qtbot.mousePress(viewport, Qt.MouseButton.MiddleButton, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(40, 0))
    assert shown.canvas.node_point(shown.node("a0")) != before
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Escape)
    assert (shown.canvas.node_point(shown.node("a0")) - before).manhattanLength() <= 2
    qtbot.mouseRelease(viewport, Qt.MouseButton.MiddleButton, pos=start)


def test_the_pointer_is_a_hand_over_edges_and_an_arrow_over_the_ground(shown, qtbot) -> None:
    viewport = shown.canvas.viewport()
    qtbot.mouseMove(viewport, shown.edge_point("q0", "a0"))
    assert viewport.cursor().shape() == Qt.CursorShape.PointingHandCursor
    qtbot.mouseMove(viewport, QPoint(4, 4))
    assert viewport.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_the_hint_says_what_a_click_would_do(shown, qtbot) -> None:
    viewport = shown.canvas.viewport()
    shown.stage([])
    qtbot.mouseMove(viewport, shown.edge_point("x0", "q1"))
    assert "put tensor x0 (its 3 edges) into cut 0" in shown.hints[-1]
    shown.stage([CutEdge("x0")])
    assert "take tensor x0 out of cut 0" in shown.hints[-1]
    shown.canvas.select(Selection(tensor=shown.tensor("x0")))
    qtbot.mouseMove(viewport, shown.canvas.node_point(shown.node("q1")))
    assert "take layer.1/query out of cut 0 for x0" in shown.hints[-1]
    qtbot.mouseMove(viewport, QPoint(4, 4))
    assert "consumer of x0" in shown.hints[-1]


def test_without_a_cut_the_hint_says_that_a_click_starts_one(shown, qtbot) -> None:
    shown.stage(active=None)
    qtbot.mouseMove(shown.canvas.viewport(), shown.edge_point("q0", "a0"))
    assert "start a cut with tensor q0" in shown.hints[-1]


@pytest.mark.parametrize("method", ["fit", "zoom_in", "zoom_out", "reset_zoom", "clear_path"])
def test_an_empty_canvas_takes_every_call(qtbot, method: str) -> None:
    from cutter_gui.gui.canvas.view import GraphCanvas

    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.show_graph(None, None)
    canvas.show_staging(None, None)
    canvas.reveal(nodes=[0], tensors=[1])
    getattr(canvas, method)()
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(10, 10))
    assert not canvas.grab().isNull()
    assert canvas.selection == NOTHING
