"""Graphs that no checker takes: shown all the same, told what is wrong, and not split."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import ModelProto

from cutter_gui.cli import main
from cutter_gui.core.errors import InvalidPlan
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import codes, found, passes_full_check
from strategies.onnx_text import model, plan, saved, split

CHAIN = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Abs(b) y = Add(c, a) }"


def chain() -> ModelProto:
    return model(CHAIN)


def two_producers() -> ModelProto:
    proto = chain()
    proto.graph.node[2].output[0] = "a"
    proto.graph.node[3].input[0] = "b"
    return proto


def produced_like_an_input() -> ModelProto:
    proto = chain()
    proto.graph.node[1].output[0] = "x"
    return proto


def produced_like_a_weight() -> ModelProto:
    proto = chain()
    proto.graph.initializer.append(onnx.helper.make_tensor("b", onnx.TensorProto.FLOAT, [4], [1, 2, 3, 4]))
    return proto


def weight_twice() -> ModelProto:
    """The runtime would take the last of the two without a word."""
    weights = "float[4] w = {1,2,3,4}, float[4] w = {4,3,2,1}"
    proto = model(f"g (float[2,4] x) => (float[2,4] y) <{weights}> {{ a = Mul(x, w) y = Neg(a) }}")
    assert len(proto.graph.initializer) == 2
    return proto


def sparse_and_dense_weight() -> ModelProto:
    proto = model("g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> { a = Mul(x, w) y = Neg(a) }")
    sparse = proto.graph.sparse_initializer.add()
    sparse.values.CopyFrom(onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [5]))
    sparse.indices.CopyFrom(onnx.helper.make_tensor("", onnx.TensorProto.INT64, [1], [2]))
    sparse.dims.append(4)
    return proto


def input_twice() -> ModelProto:
    return model("g (float[2,4] x, float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")


def cycle() -> ModelProto:
    proto = chain()
    proto.graph.node[1].op_type = "Add"
    proto.graph.node[1].input.append("c")
    return proto


def self_loop() -> ModelProto:
    proto = chain()
    proto.graph.node[1].input[0] = "b"
    return proto


def cycle_through_a_body() -> ModelProto:
    return model(
        """g (float[2,4] x, bool c) => (float[2,4] y) {
            a = If (c) <
                then_branch = t () => (float[2,4] p) { p = Neg(b) },
                else_branch = e () => (float[2,4] r) { r = Neg(x) }
            >
            b = Exp(a)
            y = Abs(b)
        }"""
    )


def missing_input() -> ModelProto:
    proto = chain()
    proto.graph.node[2].input[0] = "nowhere"
    return proto


def missing_capture() -> ModelProto:
    proto = cycle_through_a_body()
    proto.graph.node[0].attribute[0].g.node[0].input[0] = "nowhere"
    return proto


def function_twice() -> ModelProto:
    """The inference of onnx refuses such a model with an error of its checker."""
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = local.Twice(a) }", opsets=[("local", 1)])
    node = onnx.helper.make_node("Add", ["v", "v"], ["r"])
    opset = onnx.helper.make_opsetid("", 17)
    proto.functions.extend([onnx.helper.make_function("local", "Twice", ["v"], ["r"], [node], [opset])] * 2)
    return proto


def missing_output() -> ModelProto:
    proto = chain()
    proto.graph.output[0].name = "nowhere"
    return proto


@dataclass(frozen=True)
class Broken:
    """A broken graph and what is to be said of it.

    Attributes:
        make: Makes it.
        code: The finding's code.
        tensor: A tensor that the finding is about.
        named: What its message names, the tensor where left out.
    """

    make: Callable[[], ModelProto]
    code: str
    tensor: str
    named: str = ""


BROKEN = {
    "two producers": Broken(two_producers, "duplicate-producer", "a"),
    "a node that makes an input": Broken(produced_like_an_input, "duplicate-producer", "x"),
    "a node that makes a weight": Broken(produced_like_a_weight, "duplicate-producer", "b"),
    "a weight listed twice": Broken(weight_twice, "duplicate-producer", "w"),
    "a weight both dense and sparse": Broken(sparse_and_dense_weight, "duplicate-producer", "w"),
    "an input listed twice": Broken(input_twice, "duplicate-producer", "x"),
    "a cycle": Broken(cycle, "cyclic-graph", "b"),
    "a node that reads itself": Broken(self_loop, "cyclic-graph", "b"),
    "a cycle through a body": Broken(cycle_through_a_body, "cyclic-graph", "a"),
    "a function listed twice": Broken(function_twice, "duplicate-function", "y", "local::Twice"),
    "an input that nobody makes": Broken(missing_input, "missing-input", "nowhere"),
    "a capture that nobody makes": Broken(missing_capture, "missing-input", "nowhere"),
    "an output that nobody makes": Broken(missing_output, "missing-input", "nowhere"),
}


@pytest.fixture(params=BROKEN)
def broken(request: pytest.FixtureRequest) -> Broken:
    return BROKEN[request.param]


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_onnx_itself_refuses_each(broken: Broken, tmp_path: Path) -> None:
    assert not passes_full_check(saved(broken.make(), tmp_path / "m.onnx"))
    assert passes_full_check(saved(chain(), tmp_path / "sound.onnx"))


def test_it_is_shown(broken: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proto = broken.make()
    path = saved(proto, tmp_path / "m.onnx")
    assert main(["info", str(path), "--json"]) == 0
    shown = said(capsys)
    assert shown["nodes"] == len(proto.graph.node)
    assert main(["info", str(path)]) == 0
    assert capsys.readouterr().err == ""
    graph = FORMAT.load(path)
    shown_ops = [graph.op(node).removeprefix("local::") for node in range(graph.node_count)]
    assert shown_ops == [node.op_type for node in proto.graph.node]


def test_it_is_told_with_what_is_at_fault(broken: Broken, tmp_path: Path) -> None:
    errors = [finding for finding in found(broken.make(), tmp_path) if finding.is_error]
    (finding,) = (finding for finding in errors if finding.code == broken.code)
    assert broken.tensor in finding.tensors
    assert (broken.named or broken.tensor) in finding.message


def test_check_answers_no(broken: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(broken.make(), tmp_path / "m.onnx")
    spec = tmp_path / "m.cuts.yaml"
    spec.write_text('format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges:\n      - tensor: "a"\n')
    assert main(["check", str(path), "--cuts", str(spec), "--json"]) == 1
    answer = said(capsys)
    assert not answer["valid"]
    assert broken.code in [finding["code"] for finding in answer["diagnostics"]]


@pytest.mark.parametrize("cuts", [(), ("a",)], ids=["no cuts", "one cut"])
def test_it_is_not_split(broken: Broken, tmp_path: Path, cuts: tuple[str, ...]) -> None:
    path = saved(broken.make(), tmp_path / "m.onnx")
    with pytest.raises(InvalidPlan) as refusal:
        split(path, plan(*cuts), tmp_path / "out")
    assert broken.code in [finding.code for finding in refusal.value.diagnostics]
    assert refusal.value.exit_code == 1
    assert not (tmp_path / "out").exists()


def test_a_sound_graph_has_none_of_these_findings(tmp_path: Path) -> None:
    assert not {broken.code for broken in BROKEN.values()} & set(codes(found(chain(), tmp_path)))


def test_a_cycle_is_told_with_its_nodes_in_their_order(tmp_path: Path) -> None:
    (finding,) = (finding for finding in found(cycle(), tmp_path) if finding.code == "cyclic-graph")
    assert sorted(finding.nodes) == [1, 2]
    assert set(finding.tensors) == {"b", "c"}


def test_two_producers_are_both_named(tmp_path: Path) -> None:
    (finding,) = (finding for finding in found(two_producers(), tmp_path) if finding.code == "duplicate-producer")
    assert sorted(finding.nodes) == [0, 2]
