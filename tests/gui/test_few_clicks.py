"""A whole plan takes few clicks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PySide6.QtCore import Qt

from cutter_gui.resource_files import resource

LEFT = Qt.MouseButton.LeftButton
LAYERS = 84  # of twelve nodes


def transformer(path: Path, layers: int) -> Path:
    """Writes a transformer without weights of note: attention with a mask, and a feed-forward block, residuals each."""
    nodes = [helper.make_node("Sigmoid", ["mask_in"], ["mask"])]
    last = "x"
    for layer in range(layers):
        p = f"l{layer}/"
        nodes += [helper.make_node("MatMul", [last, "w"], [f"{p}{name}"], name=f"{p}{name}") for name in "qkv"]
        nodes += [
            helper.make_node("MatMul", [f"{p}q", f"{p}k"], [f"{p}s"], name=f"{p}scores"),
            helper.make_node("Add", [f"{p}s", "mask"], [f"{p}m"], name=f"{p}masked"),
            helper.make_node("Softmax", [f"{p}m"], [f"{p}a"], name=f"{p}softmax"),
            helper.make_node("MatMul", [f"{p}a", f"{p}v"], [f"{p}c"], name=f"{p}context"),
            helper.make_node("Add", [f"{p}c", last], [f"{p}r"], name=f"{p}residual"),
            helper.make_node("MatMul", [f"{p}r", "w"], [f"{p}f"], name=f"{p}up"),
            helper.make_node("Relu", [f"{p}f"], [f"{p}g"], name=f"{p}relu"),
            helper.make_node("MatMul", [f"{p}g", "w"], [f"{p}h"], name=f"{p}down"),
            helper.make_node("Add", [f"{p}h", f"{p}r"], [f"{p}o"], name=f"{p}out"),
        ]
        last = f"{p}o"

    def info(name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4])

    weight = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    graph = helper.make_graph(nodes, "t", [info("x"), info("mask_in")], [info(last)], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path


def by_start_a_stage(window, hand, qtbot, outputs: list[str]) -> int:
    """Makes a stage start at nodes with the tool, by real clicks, and returns how many it took."""
    canvas, graph = window.workspace.canvas, window.document.graph
    qtbot.mouseClick(window.toolbar.widgetForAction(window.actions_registry["tool.start_stage"]), LEFT)
    clicks = 1
    for output in outputs:
        number = int(graph.tensor_producer[graph.tensor_index[output]])
        canvas.reveal(nodes=(number,))
        hand.settle()
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=canvas.node_point(number))
        hand.settle()
        clicks += 1
    return clicks


def test_four_stages_of_the_sample_take_at_most_six_clicks(open_model, hand, qtbot) -> None:
    window = open_model(resource("models", "bert_small.onnx"))
    window.workspace.folds.unfold_all()
    qtbot.waitUntil(lambda: window.workspace.has_picture and not window.opener.is_busy, timeout=60_000)
    assert by_start_a_stage(window, hand, qtbot, ["151", "273", "395"]) <= 6
    assert window.document.staging.is_valid
    assert window.document.staging.stage_count == 4


def test_four_stages_of_a_thousand_nodes_take_at_most_six_clicks(open_model, hand, qtbot, tmp_path: Path) -> None:
    window = open_model(transformer(tmp_path / "thousand.onnx", LAYERS))
    assert window.document.graph.node_count > 1000
    wanted = [f"l{layer}/s" for layer in (20, 40, 60)]
    assert by_start_a_stage(window, hand, qtbot, wanted) <= 6
    assert window.document.staging.is_valid
    assert window.document.staging.stage_count == 4
