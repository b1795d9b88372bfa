"""Operator sets from 7 and IR versions from 3 to the newest that the installed onnx knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper

from cutter_gui.core.format import TypeHint
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import nodes_of, tried
from strategies.onnx_text import saved

NEWEST = onnx.defs.onnx_opset_version()


def small_net(opset: int, ir: int) -> ModelProto:
    """A net whose ops took their axes, limits and modes in other ways over the versions."""
    weights = {
        "w": np.random.default_rng(0).standard_normal((3, 2, 3, 3)).astype(np.float32),
        "scale": np.asarray([1, 2, 0.5], np.float32),
        "bias": np.asarray([0.1, -0.2, 0.3], np.float32),
        "mean": np.asarray([0.5, 0, -0.5], np.float32),
        "var": np.asarray([1, 2, 3], np.float32),
    }

    def taking(op: str, source: str, result: str, since: int, **values: list[int]) -> onnx.NodeProto:
        """An op that took these values as attributes before ``since`` and as inputs from then on."""
        if opset < since:
            return helper.make_node(op, [source], [result], **values)
        added = [f"{result}_{name}" for name in values]
        for name, value in zip(added, values.values(), strict=True):
            weights[name] = np.asarray(value, np.int64)
        return helper.make_node(op, [source, *added], [result])

    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "scale", "bias", "mean", "var"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("Dropout", ["c"], ["d"]),
        taking("Slice", "d", "e", 10, starts=[0, 1], ends=[2, 3], axes=[2, 3]),
        taking("Unsqueeze", "e", "f", 13, axes=[0]),
        taking("Squeeze", "f", "g", 13, axes=[0]),
        helper.make_node("Flatten", ["g"], ["h"], axis=1),
        helper.make_node("Softmax", ["h"], ["i"], axis=1),
        taking("ReduceSum", "i", "y", 13, axes=[1]),
    ]
    inputs = [helper.make_tensor_value_info("x", 1, [2, 2, 4, 4])]
    if ir < 4:
        inputs += [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in weights.items()
        ]
    graph = helper.make_graph(
        nodes,
        "net",
        inputs,
        [helper.make_tensor_value_info("y", 1, [2, 1]), helper.make_tensor_value_info("c", 1, [2, 3, 4, 4])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)


def ir_for(opset: int) -> int:
    """The IR version that came with an operator set."""
    return next((row[1] for row in helper.VERSION_TABLE if row[2] == opset), onnx.IR_VERSION)


@pytest.mark.parametrize("opset", range(7, NEWEST + 1))
def test_every_operator_set_is_split_and_runs(tmp_path: Path, opset: int) -> None:
    ir = ir_for(opset)
    stages = tried(small_net(opset, ir), tmp_path, "b", "g", transports=("relay",))
    for stage in (*stages.plain, *stages.sendrecv):
        assert stage.ir_version == ir
        assert stage.opset_import[0].version == opset
    assert stages.manifest["stages"][1]["sends"][0]["tensors"][0]["shape"] == [2, 3, 2, 2]


@pytest.mark.parametrize("ir", range(3, onnx.IR_VERSION + 1))
def test_every_ir_version_is_split_and_runs(tmp_path: Path, ir: int) -> None:
    stages = tried(small_net(8, ir), tmp_path, "c", transports=("relay",))
    for stage in (*stages.plain, *stages.sendrecv):
        assert stage.ir_version == ir
        listed = {value.name for value in stage.graph.input}
        stored = {tensor.name for tensor in stage.graph.initializer}
        assert ir >= 4 or stored <= listed


def test_a_version_newer_than_all_that_is_known_is_shown_and_split(tmp_path: Path) -> None:
    proto = small_net(NEWEST, onnx.IR_VERSION)
    proto.ir_version += 10
    proto.opset_import[0].version += 10
    graph = FORMAT.load(saved(proto, tmp_path / "m.onnx"))
    assert graph.node_count == len(proto.graph.node)
    types = {"c": TypeHint(onnx.TensorProto.FLOAT, (2, 3, 4, 4))}
    stages = tried(proto, tmp_path, "c", runs=False, types=types)
    assert [stage.ir_version for stage in stages.plain] == [proto.ir_version] * 2
    assert [len(nodes_of(stage, "Conv")) for stage in stages.plain] == [1, 0]


def test_several_domains_keep_their_versions(tmp_path: Path) -> None:
    proto = small_net(17, 8)
    proto.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    stages = tried(proto, tmp_path, "c", transports=("relay",))
    for stage in (*stages.plain, *stages.sendrecv):
        assert {(opset.domain, opset.version) for opset in stage.opset_import} == {
            ("", 17),
            ("ai.onnx.ml", 3),
            ("com.microsoft", 1),
        }
