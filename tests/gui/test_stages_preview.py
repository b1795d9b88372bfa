"""The Stages preview by mouse and keyboard, beside the window."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.panels.nodes_model import Column
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.stages_preview.drawing import (
    ChannelTarget,
    Inside,
    NodesTarget,
    NodeTarget,
    StageTarget,
    WireTarget,
)
from cutter_gui.gui.stages_preview.window import StagesPreview

THREE = Plan(
    (
        Cut((CutEdge("10"), CutEdge("mask", ("20", "out")))),
        Cut((CutEdge("20"), CutEdge("mask", ("out",)))),
    )
)


class Preview:
    """The preview with a mouse and keys on it."""

    def __init__(self, window, hand, qtbot) -> None:
        self.main, self.hand, self.qtbot = window, hand, qtbot
        hand.press("P")
        self.window: StagesPreview = hand.dialog(StagesPreview)
        self.view = self.window.view

    def point(self, target) -> QPoint:
        self.view.reveal(target)
        point = self.view.point_of(target)
        assert point is not None, f"{target} is not drawn"
        assert self.view.viewport().rect().contains(point)
        return point

    def click(self, target) -> None:
        point = self.point(target)
        self.qtbot.mouseMove(self.view.viewport(), point)
        self.qtbot.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
        self.hand.settle()

    def keys(self, *keys: Qt.Key) -> None:
        for key in keys:
            self.qtbot.keyClick(self.view, key)
        self.hand.settle()

    def tensor(self, name: str) -> int:
        return self.main.document.graph.tensor_index[name]

    def wire(self, source: int, destination: int, name: str) -> WireTarget:
        return WireTarget(source, destination, self.tensor(name))

    def sizes(self) -> list[str]:
        return [wire.details[0][0].split(" · ")[1] for wire in self.view.drawing.wires]


@pytest.fixture
def preview(opened, hand, qtbot) -> Preview:
    """The preview of three stages in a row: what masks the third passes the second."""
    opened.document.take_plan(THREE, "three", 0)
    assert opened.document.staging.is_valid
    return Preview(opened, hand, qtbot)


def test_a_click_on_a_wire_selects_the_tensor_on_the_canvas_and_the_other_way_round(preview, hand) -> None:
    window, view = preview.main, preview.view
    preview.click(preview.wire(0, 1, "10"))
    assert window.document.selection == Selection(tensor=preview.tensor("10"))
    assert window.workspace.canvas.selection == window.document.selection
    before = view.grab().toImage()
    window.activateWindow()
    window.workspace.canvas.setFocus()
    hand.click_node("20")
    window.workspace.canvas.select(Selection(tensor=preview.tensor("mask")))
    window.document.select(Selection(tensor=preview.tensor("mask")))
    hand.settle()
    assert view.grab().toImage() != before, "it is marked here too"


def test_clicks_on_a_send_select_its_tensors_in_turn(preview) -> None:
    send = ChannelTarget(1, 2, is_send=True)
    graph = preview.main.document.graph
    chosen = []
    for _ in range(3):
        preview.click(send)
        chosen.append(graph.tensor_names[preview.main.document.selection.tensor])
    assert sorted(set(chosen)) == ["20", "mask"]
    assert chosen[0] == chosen[2] != chosen[1]


def test_a_stage_unfolds_to_its_nodes_by_mouse_and_by_key(preview) -> None:
    preview.click(NodesTarget(1))
    assert preview.view.unfolded == {1}
    node = int(preview.main.document.contents[1].own_nodes[0])
    preview.click(NodeTarget(1, node))
    assert preview.main.document.selection == Selection(node=node)
    preview.keys(Qt.Key.Key_Home, Qt.Key.Key_U)
    assert preview.view.unfolded == {0, 1}
    preview.keys(Qt.Key.Key_U, Qt.Key.Key_End, Qt.Key.Key_U)
    assert preview.view.unfolded == {1, 2}


def test_arrow_keys_walk_and_select_and_enter_unfolds(preview) -> None:
    preview.keys(Qt.Key.Key_Home)
    assert preview.view.current == StageTarget(0)
    preview.keys(Qt.Key.Key_Right, Qt.Key.Key_Left)
    assert preview.view.current == StageTarget(0)
    for _ in range(12):
        preview.keys(Qt.Key.Key_Down)
    assert preview.view.current == NodesTarget(0)
    preview.keys(Qt.Key.Key_Return, Qt.Key.Key_Down)
    assert isinstance(preview.view.current, NodeTarget)
    assert preview.main.document.selection.node == preview.view.current.node
    preview.keys(Qt.Key.Key_Escape)
    assert not preview.main.document.selection


def test_a_drag_moves_the_wheel_zooms_at_the_pointer_and_a_double_click_unfolds(preview, qtbot) -> None:
    view, port = preview.view, preview.view.viewport()
    for _ in range(4):
        preview.keys(Qt.Key.Key_Plus)
    point = preview.point(StageTarget(1))
    before = view.horizontalScrollBar().value()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=point)
    qtbot.mouseMove(port, point - QPoint(60, 0))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=point - QPoint(60, 0))
    assert view.horizontalScrollBar().value() == before + 60
    point = view.point_of(StageTarget(1))
    turned = QWheelEvent(
        QPointF(point),
        QPointF(port.mapToGlobal(point)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    scale = view.scale
    QApplication.sendEvent(port, turned)
    assert view.scale > scale
    assert (view.point_of(StageTarget(1)) - point).manhattanLength() < 12, "what is at the pointer stays there"
    qtbot.mouseDClick(port, Qt.MouseButton.LeftButton, pos=view.point_of(StageTarget(1)))
    assert view.unfolded == {1}


def test_switching_transport_shows_the_other_way_and_is_undone_in_one_step(preview, qtbot) -> None:
    def passing() -> int:
        return sum(line.kind is Inside.PASSES for line in preview.view.drawing.inner)

    assert passing() == 1
    direct = next(button for button in preview.window._buttons if button.text() == "Direct")
    qtbot.mouseClick(direct, Qt.MouseButton.LeftButton)
    assert preview.main.document.plan.transport == "direct"
    assert passing() == 0
    assert [wire.note for wire in preview.view.drawing.wires if wire.note] == ["past stage 1"]
    qtbot.keyClick(preview.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert preview.main.document.plan.transport == "relay"
    assert passing() == 1


def test_rows_and_columns_are_switched_by_a_key_and_remembered(preview, hand, qtbot) -> None:
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    assert preview.view.arrangement == "columns"
    qtbot.keyClick(preview.view, Qt.Key.Key_R, keys)
    tops = [box.rect.top() for box in preview.view.drawing.stages]
    assert tops == sorted(set(tops))
    preview.window.close()
    assert StagesPreview(preview.main).view.arrangement == "rows"


def test_edits_of_the_plan_are_followed_and_an_invalid_one_is_said_to_be(preview) -> None:
    document = preview.main.document
    assert not preview.window.notice.isVisible()
    document.remove_tensor(1, "mask")
    document.remove_tensor(0, "mask")
    assert not document.staging.is_valid
    assert preview.window.notice.isVisible()
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert not preview.window.notice.isVisible()
    document.remove_cut(1)
    assert len(preview.view.drawing.stages) == 2
    preview.window.close()
    document.remove_cut(0)
    preview.hand.press("P")
    assert len(preview.view.drawing.stages) == 1, "what was done while it was closed is seen too"


def test_it_follows_the_model_that_is_looked_at(preview, open_model, dynamic: Path) -> None:
    open_model(dynamic)
    assert preview.window.windowTitle() == "Stages of dynamic.onnx"
    assert len(preview.view.drawing.stages) == 1
    tabs = preview.main.tabs
    tabs.select(next(iter(tabs)))
    assert len(preview.view.drawing.stages) == 3


def test_sixteen_stages_open_readable_fit_by_a_key_and_are_walked_through(
    opened, open_model, hand, qtbot, tmp_path: Path
) -> None:
    nodes = [helper.make_node("Neg", [f"t{at}"], [f"t{at + 1}"]) for at in range(90)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4]) for name in ("t0", "t90")]
    model = helper.make_model(helper.make_graph(nodes, "chain", ends[:1], ends[1:]), ir_version=9)
    onnx.save(model, tmp_path / "chain.onnx")
    open_model(tmp_path / "chain.onnx")
    opened.document.take_plan(Plan(tuple(Cut((CutEdge(f"t{5 * at}"),)) for at in range(1, 16))), "many", 0)
    preview = Preview(opened, hand, qtbot)
    view = preview.view
    assert len(view.drawing.stages) == 16
    assert view.scale >= 0.7, "it opens so that it can be read"
    preview.keys(Qt.Key.Key_F)
    area = view.viewport().rect()
    for stage in (0, 15):
        assert area.contains(view.point_of(StageTarget(stage)))
    small = view.scale
    preview.keys(Qt.Key.Key_Plus, Qt.Key.Key_Plus)
    assert view.scale > small
    preview.keys(Qt.Key.Key_End)
    assert area.contains(view.point_of(StageTarget(15)))


@pytest.fixture
def dynamic(tmp_path: Path) -> Path:
    """``wide`` is [batch, 4]; of it, ``picked`` is [8, 4] and ``most`` one number, and both are added up."""

    def info(name: str, shape: list) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    nodes = [
        helper.make_node("Neg", ["x"], ["wide"], name="first"),
        helper.make_node("Gather", ["wide", "rows"], ["picked"], name="second"),
        helper.make_node("ReduceMax", ["wide"], ["most"], name="third"),
        helper.make_node("Neg", ["most"], ["less"], name="fourth"),
        helper.make_node("Add", ["picked", "less"], ["out"], name="fifth"),
    ]
    rows = helper.make_tensor("rows", TensorProto.INT64, [8], [0] * 8)
    graph = helper.make_graph(nodes, "test", [info("x", ["batch", 4])], [info("out", [8, 4])], [rows])
    path = tmp_path / "dynamic.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def test_values_of_symbols_are_typed_counted_with_and_kept_with_the_model(
    window, hand, qtbot, open_model, dynamic: Path
) -> None:
    open_model(dynamic)
    window.document.take_plan(Plan((Cut((CutEdge("wide"),)),)), "cut", 0)
    preview = Preview(window, hand, qtbot)
    assert preview.sizes() == ["16·batch B"]
    qtbot.keyClick(preview.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    field = preview.window.symbols.fields["batch"]
    assert field.hasFocus() or QApplication.focusWidget() is field
    qtbot.keyClicks(field, "128")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert preview.sizes() == ["16·batch B = 2 KiB"]
    assert preview.window.summary.text().endswith("2 KiB sent per micro-batch")
    assert "2 KiB" in window.workspace.stages.strip.items[1].lines[0], "the panel counts with it too"
    window.document.undo_stack.setClean()
    open_model(dynamic)
    assert dict(window.document.given_symbols) == {"batch": 128}
    assert preview.window.isVisible()
    assert preview.window.symbols.fields["batch"].value() == 128
    qtbot.mouseClick(preview.window.symbols.clear, Qt.MouseButton.LeftButton)
    assert dict(window.document.given_symbols) == {}


def test_values_of_symbols_are_counted_with_wherever_sizes_stand(
    window, hand, qtbot, open_model, rows_text, dynamic: Path
) -> None:
    open_model(dynamic)
    space, document = window.workspace, window.document
    wide = document.graph.tensor_index["wide"]
    document.take_plan(Plan((Cut((CutEdge("wide"),)),)), "cut", 0)
    document.select(Selection(tensor=wide))
    label = space.canvas._picture.sheet.labels
    assert label.text(wide) == "batch×4 f32 · 16·batch B"
    document.set_symbols({"batch": 128})
    valued = "16·batch B = 2 KiB"
    assert space.canvas._picture.sheet.labels.text(wide) == "batch×4 f32 · 2 KiB", "a pill has no room for both"
    assert space.canvas.selection == Selection(tensor=wide)
    assert any(valued in text for text in rows_text(space.inspector.list))
    assert "batch×4 f32 · 2 KiB" in str(rows_text(space.cuts.list)), "nor have cards"
    cells = [space.nodes.model.index(row, Column.BYTES).data() for row in range(space.nodes.model.rowCount())]
    assert "2 KiB" in cells, "nor have lists"
    hand.press("S")
    canvas = space.canvas
    qtbot.mouseMove(canvas.viewport(), canvas.node_point(int(document.graph.tensor_producer[wide]) + 2))
    hand.settle()
    assert any(valued in line.detail for line in space.desk.cutting.preview.ghost.lines)
    document.set_symbols({})
    assert canvas._picture.sheet.labels.text(wide) == "batch×4 f32 · 16·batch B"


def test_the_cheapest_cut_goes_by_the_values_of_symbols(window, hand, open_model, dynamic: Path) -> None:
    open_model(dynamic)
    graph, cutting = window.document.graph, window.workspace.desk.cutting

    def cheapest() -> set[str]:
        cutting.drop()
        cutting.point_at(int(graph.tensor_producer[graph.tensor_index["less"]]), False)
        return {line.name for line in cutting.preview.ghost.lines}

    assert cheapest() == {"most", "wide"}, "16 B where batch is 1, against 128 B"
    window.document.set_symbols({"batch": 100})
    assert cheapest() == {"most", "picked"}
