"""A graph whose edges run from left to right, on the canvas."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import assign_stages
from cutter_gui.gui.canvas.curves import polyline
from cutter_gui.gui.canvas.cutting_canvas import CuttingCanvas
from cutter_gui.gui.canvas.hub_curves import hub_curves
from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.selection import Selection
from cutter_gui.layout import BoxKind, LayoutOptions, WireKind, lay_out

Key, LEFT, NONE = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def graph_of_blocks(blocks: int = 6) -> Graph:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_input("mask")
    builder.add_node("Cast", ["mask"], ["m"])
    last = "x"
    for block in range(blocks):
        builder.add_node("MatMul", [last], [f"q{block}"])
        builder.add_node("Relu", [last], [f"k{block}"])
        builder.add_node("Add", [f"q{block}", "m"], [f"a{block}"])
        builder.add_node("Sum", [f"a{block}", f"k{block}", last], [f"x{block}"])
        last = f"x{block}"
    builder.add_output(last)
    for name in ("x", "m", *(f"{letter}{block}" for letter in "qkax" for block in range(blocks))):
        builder.set_type(name, BY_NAME["float32"].code, (1, 16, 128))
    return builder.build()


class Lying:
    def __init__(self, canvas: CuttingCanvas, graph: Graph) -> None:
        self.canvas, self.graph = canvas, graph
        self.scene = canvas._picture.scene

    def node(self, output: str) -> int:
        return int(self.graph.tensor_producer[self.graph.tensor_index[output]])

    def stage(self, *cuts: list[CutEdge]) -> None:
        plan = Plan(tuple(Cut(tuple(edges)) for edges in cuts))
        self.canvas.show_staging(assign_stages(self.graph, plan), 0)
        QCoreApplication.processEvents()


@pytest.fixture
def lying(qtbot) -> Iterator[Lying]:
    graph = graph_of_blocks()
    canvas = CuttingCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(1100, 600)
    canvas.show()
    canvas.show_graph(graph, lay_out(graph, LayoutOptions(direction="LR")))
    canvas.setFocus()
    made = Lying(canvas, graph)
    made.stage()
    yield made
    canvas.close()


def test_it_opens_at_its_left_end_and_readable(lying) -> None:
    inside = lying.canvas.viewport().rect()
    assert inside.contains(lying.canvas.node_point(lying.node("q0")))
    assert lying.canvas.zoom_percent >= 60


def test_right_and_left_walk_along_edges_and_up_and_down_go_beside(lying, qtbot) -> None:
    canvas = lying.canvas
    canvas.select(Selection(node=lying.node("q0")))
    qtbot.keyClick(canvas, Key.Key_Right)
    assert canvas.selection == Selection(tensor=lying.graph.tensor_index["q0"])
    qtbot.keyClick(canvas, Key.Key_Right)
    assert canvas.selection == Selection(node=lying.node("a0"))
    qtbot.keyClick(canvas, Key.Key_Left)
    qtbot.keyClick(canvas, Key.Key_Left)
    assert canvas.selection == Selection(node=lying.node("q0"))
    at = {node: canvas.node_point(node) for node in range(lying.graph.node_count)}
    pairs = [(a, b) for a in at for b in at if at[a].x() == at[b].x() and at[a].y() < at[b].y()]
    upper, lower = min(pairs, key=lambda pair: at[pair[1]].y() - at[pair[0]].y())
    canvas.select(Selection(node=upper))
    qtbot.keyClick(canvas, Key.Key_Down)
    assert canvas.selection == Selection(node=lower)
    qtbot.keyClick(canvas, Key.Key_Up)
    assert canvas.selection == Selection(node=upper)


def test_tab_reaches_every_node_from_left_to_right(lying, qtbot) -> None:
    lefts = []
    for _ in range(lying.graph.node_count):
        qtbot.keyClick(lying.canvas, Key.Key_Tab)
        lefts.append(float(lying.scene.box_rect[lying.scene.node_box[lying.canvas.selection.node], 0]))
    assert lefts == sorted(lefts)


def test_a_cut_is_a_line_from_top_to_bottom_through_its_marks_that_crosses_no_box(lying) -> None:
    lying.stage([CutEdge("x1")])
    drawing = lying.canvas._picture.cuts
    (line,) = drawing.lines
    ys = [y for _, y in line.points]
    assert ys == sorted(ys)
    assert {(mark.x, mark.y) for mark in drawing.marks} <= set(line.points)
    assert line.tag[1] >= max(mark.y for mark in drawing.marks)
    index = lying.canvas._picture.sheet.index
    for (x0, y0), (x1, y1) in zip(line.points[:-1], line.points[1:], strict=True):
        assert not len(index.boxes_in(min(x0, x1), y0, abs(x1 - x0), y1 - y0))
    assert not len(index.boxes_in(*line.tag))
    for mark in drawing.marks:
        assert np.abs(polyline(lying.scene.points(mark.wire), 200) - [mark.x, mark.y]).sum(axis=1).min() < 3


def test_the_mark_of_a_stub_stands_beyond_its_pill(lying) -> None:
    lying.stage([CutEdge("m", ("a2",))])
    (mark,) = lying.canvas._picture.cuts.marks
    left, top, width, height = lying.scene.box_rect[lying.scene.wire_source[mark.wire]].tolist()
    assert mark.x == pytest.approx(left + width / 2)
    assert mark.y < top or mark.y > top + height


def test_a_border_is_dragged_to_the_right_past_a_node(lying, qtbot) -> None:
    lying.stage([CutEdge("x1")])
    canvas = lying.canvas
    canvas.reveal(nodes=(lying.node("x1"), lying.node("q2"), lying.node("k2")))
    QCoreApplication.processEvents()
    pushed: list[tuple[int, list[int], str]] = []
    canvas.border_pushed.connect(lambda cut, nodes, way: pushed.append((cut, nodes, way)))
    (line,) = canvas._picture.cuts.lines
    left, top, width, height = line.tag
    start = QPointF(*canvas._camera.to_view(left + width / 2, top + height / 2)).toPoint()
    box = lying.scene.box_rect[lying.scene.node_box[lying.node("k2")]]
    shift = round((float(box[0] + box[2]) - left - width / 2 + 20) * canvas._camera.scale)
    QTest.mouseMove(canvas.viewport(), start)
    assert canvas.viewport().cursor().shape() is Qt.CursorShape.SizeHorCursor
    QTest.mousePress(canvas.viewport(), LEFT, NONE, start)
    QTest.mouseMove(canvas.viewport(), start + QPoint(shift // 2, 0))
    QTest.mouseMove(canvas.viewport(), start + QPoint(shift, 0))
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, start + QPoint(shift, 0))
    cut, nodes, way = pushed[-1]
    assert (cut, way) == (0, "down")
    assert lying.node("k2") in nodes
    assert lying.node("x1") not in nodes


def test_the_knife_of_the_keyboard_runs_down_before_the_node_at_hand(lying, qtbot) -> None:
    canvas = lying.canvas
    drawn: list[list[int]] = []
    canvas.line_drawn.connect(drawn.append)
    canvas.select(Selection(node=lying.node("q2")))
    canvas.set_tool(Tool.KNIFE)
    tensors = {lying.graph.tensor_names[int(lying.graph.edge_tensor[edge])] for edge in drawn[-1]}
    assert tensors == {"x1"}


def test_the_trunk_of_a_hub_passes_below_or_above_every_box(lying) -> None:
    tensor = lying.graph.tensor_index["m"]
    wires = lying.scene.wires_of(tensor)
    assert (lying.scene.wire_kind[wires] == WireKind.STUB).sum() == 6
    rects = lying.scene.box_rect[lying.scene.box_kind == BoxKind.NODE]
    trunks = [
        curve for curve in hub_curves(lying.canvas._picture, tensor, wires) if abs(curve[0, 1] - curve[-1, 1]) < 0.5
    ]
    assert trunks
    for curve in trunks:
        y, (low, high) = curve[0, 1], np.sort(curve[[0, -1], 0])
        along = (rects[:, 0] < high) & (rects[:, 0] + rects[:, 2] > low)
        assert not np.any(along & (rects[:, 1] <= y) & (y <= rects[:, 1] + rects[:, 3]))


def test_types_stand_beside_edges_and_cover_nothing(lying) -> None:
    sheet = lying.canvas._picture.sheet
    shown = [tensor for tensor in range(lying.graph.tensor_count) if sheet.labels.text(tensor)]
    assert len(shown) > lying.graph.tensor_count / 2
    for tensor in shown:
        assert not len(sheet.index.boxes_in(*sheet.labels.rect(tensor)))
