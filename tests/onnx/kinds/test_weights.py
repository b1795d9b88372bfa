"""Weights of every kind: shared by stages, equal under two names, in nodes, computed from others, sparse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.diagnostic import Severity
from strategies.kinds import codes, found, names, nodes_of, tried
from strategies.onnx_text import model

SIZE = 4 * 300 * 4


def with_weights(proto: ModelProto, **arrays: np.ndarray) -> ModelProto:
    proto.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())
    return proto


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tied() -> ModelProto:
    proto = model(
        """g (float[2,300] x) => (float[2,300] y)
        { a = MatMul(x, w) b = MatMul(a, v) c = MatMul(b, w) d = Add(c, small) y = MatMul(d, v) }"""
    )
    return with_weights(proto, w=random(300, 4), v=random(4, 300, seed=1), small=random(4, seed=2))


def test_a_weight_read_in_several_stages_is_in_each_of_them_and_nowhere_else(tmp_path: Path) -> None:
    stages = tried(tied(), tmp_path, "a", "b", "c")
    kept = [["w"], ["v"], ["w"], ["v", "small"]]
    assert [sorted(names(stage.graph.initializer)) for stage in stages.plain] == [sorted(each) for each in kept]
    for index, stage in enumerate(stages.sendrecv):
        own = [t for t in stage.graph.initializer if not t.name.startswith(("send_", "recv_"))]
        assert sorted(names(own)) == sorted(kept[index])
    sizes = [(stages.folder / f"m_{stage}.onnx.data").stat().st_size for stage in range(4)]
    assert sizes == [SIZE] * 4
    assert stages.sent == [["a"], ["b"], ["c"], []]


def test_a_weight_that_several_stages_hold_is_told_with_its_size_and_its_stages(tmp_path: Path) -> None:
    shared = [finding for finding in found(tied(), tmp_path, "a", "b", "c") if finding.code == "shared-weight"]
    assert [finding.tensors for finding in shared] == [("w",), ("v",)]
    assert all(finding.severity == Severity.INFO for finding in shared)
    assert "4.7 KiB" in shared[0].message
    assert "stages 0 and 2" in shared[0].message


def test_weights_of_equal_content_under_two_names_are_told_and_both_written(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,300] x) => (float[2,300] y) { a = MatMul(x, w) b = MatMul(a, v) c = MatMul(b, u) y = MatMul(c, v) }"
    )
    with_weights(proto, w=random(300, 4), u=random(300, 4), v=random(4, 300, seed=1))
    equal = [finding for finding in found(proto, tmp_path, "b") if finding.code == "equal-weights"]
    assert [finding.tensors for finding in equal] == [("w", "u")]
    assert "4.7 KiB" in equal[0].message
    stages = tried(proto, tmp_path, "b")
    assert [sorted(names(stage.graph.initializer)) for stage in stages.plain] == [["v", "w"], ["u", "v"]]


def constant_node(name: str, array: np.ndarray) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, "value"))


def test_weights_in_constant_nodes_stay_nodes_and_are_copied_to_every_stage_that_reads_them(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,300] x) => (float[2,300] y) { a = MatMul(x, w) b = MatMul(a, v) c = MatMul(b, w) y = MatMul(c, v) }"
    )
    proto.graph.node.insert(0, constant_node("w", random(300, 4)))
    proto.graph.node.insert(1, constant_node("v", random(4, 300, seed=1)))
    shared = [finding for finding in found(proto, tmp_path, "b") if finding.code == "shared-weight"]
    assert sorted(finding.tensors for finding in shared) == [("v",), ("w",)]
    assert "4.7 KiB" in shared[0].message
    stages = tried(proto, tmp_path, "b")
    for stage in (*stages.plain, *stages.sendrecv):
        assert [node.output[0] for node in nodes_of(stage, "Constant")] == ["w", "v"]
    assert stages.sent == [["b"], []]


@pytest.mark.parametrize(
    "attribute",
    [
        {"value_float": 2.5},
        {"value_floats": [1.0, 2.0, 3.0, 4.0]},
        {"sparse_value": "sparse"},
    ],
    ids=["float", "floats", "sparse"],
)
def test_constants_of_every_spelling_are_copied(tmp_path: Path, attribute: dict[str, object]) -> None:
    if "sparse_value" in attribute:
        attribute = {"sparse_value": sparse_row()}
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Mul(x, k) b = Neg(a) y = Add(b, k) }")
    proto.graph.node.insert(0, helper.make_node("Constant", [], ["k"], **attribute))
    stages = tried(proto, tmp_path, "b")
    assert [len(nodes_of(stage, "Constant")) for stage in stages.plain] == [1, 1]


def sparse_row() -> onnx.SparseTensorProto:
    values = numpy_helper.from_array(np.asarray([1.5, -2.5], np.float32), "")
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.asarray([1, 3], np.int64), ""), [4])


def test_a_constant_subgraph_is_copied_where_it_is_used_and_never_sent(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y, float[4] late) <float[4,4] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}> {
            one = Constant <value_ints = [1]> ()
            minus = Constant <value_ints = [-1]> ()
            dims = Shape(w)
            last = Gather(dims, one)
            shape = Concat <axis = 0> (minus, last)
            filled = ConstantOfShape <value = float[1] {0.5}> (dims)
            t = Transpose(w)
            mixed = Add(t, filled)
            late = ReduceSum <keepdims = 0> (mixed, one)
            a = MatMul(x, mixed)
            b = Neg(a)
            c = Reshape(b, shape)
            y = MatMul(c, mixed)
        }"""
    )
    stages = tried(proto, tmp_path, "b")
    assert stages.sent == [["b"], []]
    first, second = ({node.output[0] for node in stage.graph.node} for stage in stages.plain)
    assert first == {"one", "dims", "filled", "t", "mixed", "late", "a", "b"}
    assert second == {"one", "minus", "dims", "last", "shape", "filled", "t", "mixed", "c", "y"}
    assert stages.results == [["late"], ["y"]]
    assert [names(stage.graph.initializer) for stage in stages.plain] == [["w"], ["w"]]


def test_a_cut_out_of_a_constant_sends_nothing_and_is_worth_knowing(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}>
        { k = Neg(w) a = Add(x, k) b = Exp(a) y = Mul(b, k) }"""
    )
    stages = tried(proto, tmp_path, "b; k > y")
    assert stages.sent == [["b"], []]
    assert [len(nodes_of(stage, "Neg")) for stage in stages.plain] == [1, 1]
    assert all(not finding.is_error for finding in found(proto, tmp_path, "b; k > y"))


def test_random_nodes_without_inputs_are_no_constants_and_are_drawn_once(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { r = RandomNormal <shape = [2, 4], seed = 5.0> () a = Add(x, r) b = Neg(a) y = Mul(b, r) }"""
    )
    stages = tried(proto, tmp_path, "b; r > y")
    assert stages.sent == [["b", "r"], []]
    assert [len(nodes_of(stage, "RandomNormal")) for stage in stages.plain] == [1, 0]


def sparse_weight(name: str) -> onnx.SparseTensorProto:
    values = numpy_helper.from_array(np.asarray([1.5, 2.5, -1.0], np.float32), name)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.asarray([1, 6, 11], np.int64), "at"), [4, 4])


def test_sparse_initializers_stay_sparse_and_go_where_they_are_read(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,4] x) => (float[2,4] y) { a = MatMul(x, s) b = Neg(a) c = MatMul(b, t) y = MatMul(c, s) }"
    )
    proto.graph.sparse_initializer.extend([sparse_weight("s"), sparse_weight("t"), sparse_weight("unread")])
    stages = tried(proto, tmp_path, "a", "c")
    for models in (stages.plain, stages.sendrecv):
        kept = [[sparse.values.name for sparse in stage.graph.sparse_initializer] for stage in models]
        assert kept == [["s"], ["t"], ["s"]]
        assert models[2].graph.sparse_initializer[0] == proto.graph.sparse_initializer[0]
    shared = [finding for finding in found(proto, tmp_path, "a", "c") if finding.code == "shared-weight"]
    assert [finding.tensors for finding in shared] == [("s",)]
    assert "36 B" in shared[0].message


def test_before_ir_version_4_every_weight_of_a_stage_is_a_graph_input_too(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[4] w, float[4] v) => (float[2,4] y) <float[4] w = {1,2,3,4}, float[4] v = {4,3,2,1}>
        { a = Add(x, w) b = Neg(a) c = Mul(b, v) y = Add(c, w) }""",
        opset=8,
        ir=3,
    )
    stages = tried(proto, tmp_path, "b", "c")
    for stage in (*stages.plain, *stages.sendrecv):
        assert stage.ir_version == 3
        assert set(names(stage.graph.initializer)) <= set(names(stage.graph.input))
    assert stages.fed == [["x"], [], []]


def test_weights_without_elements_and_scalars_are_written(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y, float[0,4] none)
        { a = Mul(x, scale) b = Concat <axis = 0> (a, empty) none = Identity(empty) y = Div(b, scale) }"""
    )
    proto.graph.initializer.append(numpy_helper.from_array(np.asarray(2.5, np.float32), "scale"))
    proto.graph.initializer.append(helper.make_tensor("empty", TensorProto.FLOAT, [0, 4], []))
    stages = tried(proto, tmp_path, "b")
    assert [names(stage.graph.initializer) for stage in stages.plain] == [["scale", "empty"], ["scale"]]
    assert "shared-weight" in codes(found(proto, tmp_path, "b"))
