"""Groups in the real window: folding by mouse and keyboard, cuts through folded groups, the tree of groups."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.core.plan import CutEdge
from cutter_gui.gui.panels.groups_rows import ExpandGroup, ExpandRun, Order, SelectGroup
from cutter_gui.gui.selection import Selection
from cutter_gui.layout.scene import BoxKind

LAYERS = 4


@pytest.fixture
def layered_model(tmp_path: Path) -> Path:
    """Layers of four nodes that hand on ``y<n>`` and ``z<n>``; ``mask`` feeds every layer twice."""
    nodes, main, side = [], "x", "x"
    nodes.append(helper.make_node("Sigmoid", ["mask_in"], ["mask"], name="mask_node"))
    for layer in range(LAYERS):
        at = f"layer.{layer}"
        nodes.append(helper.make_node("Add", [main, "mask"], [f"a{layer}"], name=f"{at}/mlp/add"))
        nodes.append(helper.make_node("Mul", [f"a{layer}", "mask"], [f"b{layer}"], name=f"{at}/mlp/mul"))
        nodes.append(helper.make_node("Add", [f"b{layer}", side], [f"y{layer}"], name=f"{at}/sum"))
        nodes.append(helper.make_node("Neg", [f"b{layer}"], [f"z{layer}"], name=f"{at}/neg"))
        main, side = f"y{layer}", f"z{layer}"
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4]) for name in ("x", "mask_in")]
    out = [helper.make_tensor_value_info(main, TensorProto.FLOAT, [2, 4])]
    graph = helper.make_graph(nodes, "layers", info, out)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    path = tmp_path / "layers.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def layered(open_model, layered_model, qtbot):
    """The window with the layers open, all folded."""
    window = open_model(layered_model)
    fold(window, qtbot, lambda folds: folds.fold_to_level(0))
    return window


def fold(window, qtbot, change) -> None:
    """Changes the folding and waits for the picture."""
    change(window.workspace.folds)
    drawn(window, qtbot)


def drawn(window, qtbot) -> None:
    qtbot.waitUntil(lambda: not window.workspace.folds.is_busy and not window.opener.is_busy, timeout=30_000)


def group(window, *path: str) -> int:
    groups = window.workspace.folds.groups
    return next(at for at in range(len(groups)) if groups.path(at) == path)


def folded(window) -> list[str]:
    groups = window.workspace.folds.groups
    return ["/".join(groups.path(at)) for at in sorted(window.workspace.scene.group_box)]


def box_point(window, number: int):
    canvas = window.workspace.canvas
    canvas.reveal(nodes=window.workspace.folds.groups.nodes(number).tolist())
    return canvas.node_point(int(window.workspace.folds.groups.nodes(number)[0]))


def test_a_small_model_opens_with_every_group_open(open_model, layered_model):
    window = open_model(layered_model)
    assert BoxKind.GROUP not in window.workspace.scene.box_kind.tolist()
    assert window.workspace.folds.has_groups


def test_a_double_click_unfolds_a_group_where_it_stands(layered, qtbot):
    number = group(layered, "layer.1")
    point = box_point(layered, number)
    canvas = layered.workspace.canvas
    qtbot.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    drawn(layered, qtbot)
    assert folded(layered) == ["layer.0", "layer.1/mlp", "layer.2", "layer.3"]
    inner = canvas.node_point(int(layered.workspace.folds.groups.nodes(number)[0]))
    assert abs(inner.y() - point.y()) < 60


def test_a_double_click_on_a_node_folds_the_group_around_it(open_model, layered_model, hand, qtbot):
    window = open_model(layered_model)
    canvas, graph = window.workspace.canvas, window.document.graph
    number = int(graph.tensor_producer[graph.tensor_index["b2"]])
    canvas.reveal(nodes=[number])
    hand.settle()
    point = canvas.node_point(number)
    qtbot.mouseMove(canvas.viewport(), point)
    assert "Double click: fold mlp" in window.status.hint.text()
    qtbot.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    drawn(window, qtbot)
    assert folded(window) == ["layer.2/mlp"]


def test_a_double_click_on_a_consumer_of_the_selected_tensor_folds_nothing(open_model, layered_model, hand, qtbot):
    window = open_model(layered_model)
    canvas, graph = window.workspace.canvas, window.document.graph
    window.document.select(Selection(tensor=graph.tensor_index["a2"]))
    number = int(graph.tensor_producer[graph.tensor_index["b2"]])
    canvas.reveal(nodes=[number])
    hand.settle()
    qtbot.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=canvas.node_point(number))
    drawn(window, qtbot)
    assert folded(window) == []
    window.document.undo_stack.setClean()


def test_u_unfolds_the_selected_group_and_shift_u_folds_it_again(layered, hand, qtbot):
    hand.key(layered.workspace.canvas, Qt.Key.Key_Tab)
    while layered.document.selection.group != group(layered, "layer.2"):
        hand.key(layered.workspace.canvas, Qt.Key.Key_Tab)
    hand.press("U")
    drawn(layered, qtbot)
    assert "layer.2" not in folded(layered)
    hand.press("Shift+U")
    drawn(layered, qtbot)
    assert folded(layered) == [f"layer.{at}" for at in range(LAYERS)]


def test_with_a_node_selected_shift_u_folds_the_group_around_it(open_model, layered_model, hand, qtbot):
    window = open_model(layered_model)
    hand.click_node("b1")
    hand.press("Shift+U")
    drawn(window, qtbot)
    assert folded(window) == ["layer.1/mlp"]
    assert window.document.selection.group == group(window, "layer.1", "mlp")
    hand.press("Shift+U")
    drawn(window, qtbot)
    assert folded(window) == ["layer.1"]


def test_levels_and_everything_by_keyboard(layered, hand, qtbot):
    hand.press("Ctrl+Alt+1")
    drawn(layered, qtbot)
    assert folded(layered) == [f"layer.{at}/mlp" for at in range(LAYERS)]
    hand.press("Ctrl+Alt+U")
    drawn(layered, qtbot)
    assert folded(layered) == []
    hand.press("Ctrl+Alt+0")
    drawn(layered, qtbot)
    assert folded(layered) == [f"layer.{at}" for at in range(LAYERS)]


def test_the_arrows_walk_through_folded_groups(layered, hand):
    canvas = layered.workspace.canvas
    canvas.walk_to(type(canvas.place)(Selection(group=group(layered, "layer.1"))))
    hand.key(canvas, Qt.Key.Key_Down)
    assert layered.document.graph.tensor_names[layered.document.selection.tensor] in ("y1", "z1")
    hand.key(canvas, Qt.Key.Key_Down)
    assert layered.document.selection.group == group(layered, "layer.2")
    hand.key(canvas, Qt.Key.Key_Up)
    hand.key(canvas, Qt.Key.Key_Up)
    assert layered.document.selection.group == group(layered, "layer.1")


@pytest.mark.qt_log_ignore(r"This plugin does not support (raise|grabbing|propagateSizeHints)")
def test_a_wire_of_several_tensors_offers_them_and_a_click_cuts_one_or_all_in_one_step(layered, hand, qtbot):
    graph, canvas = layered.document.graph, layered.workspace.canvas
    reader = int(graph.tensor_producer[graph.tensor_index["a2"]])
    canvas.reveal(nodes=[reader])
    hand.settle()
    point = canvas.edge_point(graph.tensor_index["y1"], reader)
    qtbot.mouseMove(canvas.viewport(), point)
    assert "2 tensors" in layered.status.hint.text()
    qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    menu = layered.workspace.bundle_menu
    names = {graph.tensor_names[tensor] for tensor in menu.tensor_actions}
    assert names == {"y1", "z1"}
    hand.choose(menu, menu.tensor_actions[graph.tensor_index["z1"]])
    assert layered.document.plan.cuts[0].edges == (CutEdge("z1"),)
    hand.press("Ctrl+Z")
    hand.right_click(canvas.viewport(), point)
    menu = layered.workspace.bundle_menu
    hand.choose(menu, menu.all_action)
    assert {edge.tensor for edge in layered.document.plan.cuts[0].edges} == {"y1", "z1"}
    assert layered.document.undo_stack.count() == 1


def test_all_tensors_of_a_wire_are_cut_in_one_step_of_undo(layered):
    graph = layered.document.graph
    tensors = [graph.tensor_index[name] for name in ("y1", "z1")]
    layered.document.toggle_tensors(tensors)
    assert {edge.tensor for edge in layered.document.plan.cuts[0].edges} == {"y1", "z1"}
    layered.document.toggle_tensors(tensors)
    assert layered.document.plan.cuts[0].edges == ()
    assert layered.document.undo_stack.count() == 2


def test_a_click_on_a_folded_group_puts_all_its_consumers_in_and_out(layered, hand, qtbot):
    graph = layered.document.graph
    layered.document.toggle_tensor(graph.tensor_index["mask"])
    layered.document.select(Selection(tensor=graph.tensor_index["mask"]))
    point = box_point(layered, group(layered, "layer.0"))
    hand.settle()
    qtbot.mouseMove(layered.workspace.canvas.viewport(), point)
    assert "take layer.0 out of cut 0" in layered.status.hint.text()
    qtbot.mouseClick(layered.workspace.canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    (edge,) = layered.document.plan.cuts[0].edges
    assert set(edge.consumers) == {f"{kind}{at}" for kind in "ab" for at in range(1, LAYERS)}
    qtbot.mouseClick(layered.workspace.canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert layered.document.plan.cuts[0].edges == (CutEdge("mask"),)
    layered.document.undo_stack.setClean()


def test_cuts_inside_and_between_folded_groups_keep_their_marks(layered):
    graph = layered.document.graph
    for name in ("y1", "z1"):
        layered.document.toggle_tensor(graph.tensor_index[name])
    drawing = layered.workspace.canvas._picture.cuts
    wires = [mark.wire for mark in drawing.marks]
    assert len(wires) == len(set(wires))
    assert [line.cut for line in drawing.lines] == [0]
    layered.document.undo_stack.setClean()


def test_a_group_of_several_stages_shows_the_first_and_the_last(layered):
    graph, document = layered.document.graph, layered.document
    document.toggle_tensor(graph.tensor_index["b1"])
    document.toggle_consumers(graph.tensor_index["mask"], [int(graph.tensor_producer[graph.tensor_index["a2"]])])
    picture = layered.workspace.canvas._picture
    spans = {name: picture.stage_span(picture.scene.group_box[group(layered, name)]) for name in ("layer.0", "layer.1")}
    stages = document.staging.node_stage
    for name, (low, high) in spans.items():
        within = stages[layered.workspace.folds.groups.nodes(group(layered, name))]
        assert (low, high) == (within.min(), within.max())
    document.undo_stack.setClean()


def test_going_to_a_node_in_a_folded_group_unfolds_it(layered, qtbot):
    graph = layered.document.graph
    layered.document.select(Selection(node=int(graph.tensor_producer[graph.tensor_index["b3"]])))
    drawn(layered, qtbot)
    assert "layer.3" not in folded(layered)
    assert "layer.0" in folded(layered)


def test_the_folding_is_remembered_for_the_model(layered, layered_model, qtbot, open_model):
    fold(layered, qtbot, lambda folds: folds.unfold(group(layered, "layer.0")))
    before = folded(layered)
    window = open_model(layered_model)
    assert folded(window) == before


def test_the_latest_of_two_foldings_wins(layered, qtbot):
    layered.workspace.folds.fold_to_level(1)
    layered.workspace.folds.unfold_all()
    drawn(layered, qtbot)
    assert folded(layered) == []


def test_the_tree_and_the_canvas_select_together(layered, hand):
    panel = layered.workspace.groups
    layered.actions_registry["view.groups"].trigger()
    assert panel.isVisible()
    hand.settle()
    hand.click_target(panel.list, SelectGroup(group(layered, "layer.0")))
    assert layered.document.selection.group == group(layered, "layer.0")
    assert layered.workspace.canvas.selection == layered.document.selection
    layered.document.select(Selection(group=group(layered, "layer.3", "mlp")))
    assert panel.list.current_key == ("group", group(layered, "layer.3", "mlp"))


def test_the_tree_by_keyboard(layered, hand):
    panel = layered.workspace.groups
    panel.list.setFocus()
    panel.list.setCurrentIndex(panel.list.rows_model.index(0))
    hand.key(panel.list, Qt.Key.Key_Right)
    hand.key(panel.list, Qt.Key.Key_Right)
    assert panel.list.current_key == ("group", group(layered, "layer.0", "mlp"))
    hand.key(panel.list, Qt.Key.Key_Return)
    assert layered.document.selection.group == group(layered, "layer.0", "mlp")
    hand.key(panel.list, Qt.Key.Key_Left)
    assert panel.list.current_key == ("group", group(layered, "layer.0"))
    hand.key(panel.list, Qt.Key.Key_Left)
    assert panel.list.rows_model.position(("group", group(layered, "layer.0", "mlp"))) is None


def test_equal_groups_in_one_stage_share_a_row_that_opens(layered, hand, rows_text):
    panel = layered.workspace.groups
    assert [text.split() for text in rows_text(panel.list)] == [
        ["layer.0", "≡", f"{LAYERS}", "×", "4"],
        ["layer.1", "…", "3", "12"],
    ]
    first, last = group(layered, "layer.1"), group(layered, "layer.3")
    hand.click_target(panel.list, ExpandRun(first, last))
    assert panel.list.rows_model.position(("group", first)) is not None
    assert panel.list.rows_model.position(("group", last)) is not None


def test_the_tree_is_sorted_as_asked(layered, rows_text):
    panel = layered.workspace.groups
    panel.sort_by(Order.NAME)
    assert [text.split()[0] for text in rows_text(panel.list)] == [f"layer.{at}" for at in range(LAYERS)]
    panel.sort_by(Order.NODES)
    assert len(rows_text(panel.list)) == LAYERS


def test_a_model_without_groups_has_no_groups_panel(opened, open_model, tmp_path):
    node = helper.make_node("Relu", ["x"], ["y"])
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([node], "one", [info], [out])
    path = tmp_path / "one.onnx"
    path.write_bytes(
        helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    )
    window = open_model(path)
    assert window.workspace.groups.isHidden()
    assert not window.actions_registry["fold.unfold_all"].isEnabled()


def test_expanding_in_the_tree_leaves_the_canvas_as_it_is(layered, hand):
    panel = layered.workspace.groups
    before = folded(layered)
    hand.click_target(panel.list, ExpandGroup(group(layered, "layer.0")))
    assert panel.list.rows_model.position(("group", group(layered, "layer.0", "mlp"))) is not None
    assert folded(layered) == before


def test_the_inspector_tells_what_is_in_a_group_and_what_crosses_its_border(layered, rows_text):
    layered.document.select(Selection(group=group(layered, "layer.1")))
    texts = rows_text(layered.workspace.inspector.list)
    assert any("2 Add, 1 Mul, 1 Neg" in text for text in texts)
    assert {"inputs 3", "outputs 2"} <= set(texts)
    assert {text.split()[0] for text in texts[texts.index("outputs 2") + 1 :]} == {"y1", "z1"}


def test_a_picture_is_exported_with_the_groups_folded_as_they_are(layered, tmp_path, qtbot):
    path = tmp_path / "folded.svg"
    with qtbot.waitSignal(layered.saver.saved, timeout=60_000):
        layered.saver.export_to(path)
    text = path.read_text()
    assert "layer.2" in text
    assert "layer.2/mlp" not in text


def test_the_path_of_a_selected_group_is_copied(layered, hand):
    layered.document.select(Selection(group=group(layered, "layer.1", "mlp")))
    hand.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == "layer.1/mlp"
