"""Subgraph bodies and model-local functions as graphs of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import BodyStep, format_for
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.resource_files import resource

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def body_of(path: Path, *way: tuple[int, int]) -> Graph:
    return format_for(path).load_body(path, [BodyStep(*step) for step in way])


def inputs_of(graph: Graph) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in graph.inputs.tolist()]


def outputs_of(graph: Graph) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in graph.outputs.tolist()]


def ops_of(graph: Graph) -> list[str]:
    return [graph.op(node) for node in range(graph.node_count)]


def info(name: str, kind: int = FLOAT, shape: tuple[int, ...] | None = (2, 4)) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def save(path: Path, graph: onnx.GraphProto, functions: tuple[onnx.FunctionProto, ...] = ()) -> Path:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=functions)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """An If in a Loop in the graph: the inner branch reads a tensor of the graph and one of the loop, and a weight."""
    step = helper.make_graph(
        [
            helper.make_node("Add", ["carried", "offset"], ["moved"]),
            helper.make_node("Mul", ["moved", "w"], ["scaled"]),
        ],
        "then",
        [],
        [info("scaled")],
    )
    stay = helper.make_graph([helper.make_node("Identity", ["carried"], ["same"])], "else", [], [info("same")])
    loop = helper.make_graph(
        [
            helper.make_node("If", ["going"], ["next"], then_branch=step, else_branch=stay, name="choice"),
            helper.make_node("Identity", ["going"], ["goes_on"]),
        ],
        "loop",
        [info("round", INT64, ()), info("going", BOOL, ()), info("carried")],
        [info("goes_on", BOOL, ()), info("next")],
    )
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["offset"]),
            helper.make_node("Loop", ["times", "", "x"], ["y"], body=loop, name="turns"),
        ],
        "main",
        [info("x"), info("times", INT64, ())],
        [info("y")],
        initializer=[numpy_helper.from_array(np.ones((2, 4), np.float32), "w")],
    )
    return save(tmp_path / "nested.onnx", graph)


def test_nodes_with_bodies_name_them(nested: Path) -> None:
    graph = format_for(nested).load(nested)
    assert dict(graph.node_bodies) == {1: ("body",)}
    loop = body_of(nested, (1, 0))
    assert loop.node_bodies[0] == ("else_branch", "then_branch")


def test_what_a_body_reads_from_outside_is_among_its_inputs_with_its_type(nested: Path) -> None:
    loop = body_of(nested, (1, 0))
    assert inputs_of(loop) == ["round", "going", "carried", "offset"]
    assert outputs_of(loop) == ["goes_on", "next"]
    assert loop.tensor_shapes[loop.tensor_index["offset"]] == (2, 4)


def test_a_body_within_a_body_is_reached_and_its_types_are_inferred_from_all_around(nested: Path) -> None:
    then = body_of(nested, (1, 0), (0, 1))
    assert ops_of(then) == ["Add", "Mul"]
    assert inputs_of(then) == ["carried", "offset"]
    moved = then.tensor_index["moved"]
    assert (dtype_of(int(then.tensor_dtype[moved])).name, then.tensor_shapes[moved]) == ("float32", (2, 4))
    assert ops_of(body_of(nested, (1, 0), (0, 0))) == ["Identity"]


def test_a_weight_that_a_body_reads_from_outside_is_a_weight_there(nested: Path) -> None:
    then = body_of(nested, (1, 0), (0, 1))
    weight = then.tensor_index["w"]
    assert then.tensor_kind[weight] == TensorKind.INITIALIZER
    assert then.tensor_stored[weight] == 32


def test_a_function_is_the_body_of_its_call_with_the_values_of_the_call(tmp_path: Path) -> None:
    leak = helper.make_node("LeakyRelu", ["a"], ["b"])
    leak.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    function = helper.make_function(
        "local", "Sharp", ["a"], ["c"], [leak, helper.make_node("Neg", ["b"], ["c"])],
        [helper.make_opsetid("", 18)], ["slope"],
    )  # fmt: skip
    graph = helper.make_graph(
        [helper.make_node("Sharp", ["x"], ["y"], domain="local", slope=0.25)], "main", [info("x")], [info("y")]
    )
    path = save(tmp_path / "function.onnx", graph, (function,))
    assert dict(format_for(path).load(path).node_bodies) == {0: ("Sharp",)}
    body = body_of(path, (0, 0))
    assert ops_of(body) == ["LeakyRelu", "Neg"]
    assert body.node_attributes[0] == (("alpha", "0.25"),)
    assert body.tensor_shapes[body.tensor_index["b"]] == (2, 4)
    assert (inputs_of(body), outputs_of(body)) == (["a"], ["c"])


def test_the_bodies_of_the_sample_can_be_opened() -> None:
    path = resource("models", "branches_small.onnx")
    graph = format_for(path).load(path)
    (node,) = graph.node_bodies
    for body in range(len(graph.node_bodies[node])):
        inner = body_of(path, (node, body))
        assert inner.node_count > 0
        assert set(inputs_of(inner)) <= {graph.tensor_names[t] for t in graph.node_captures.row(node).tolist()}


@pytest.mark.parametrize("way", [[(0, 0)], [(1, 1)], [(7, 0)], [(1, 0), (0, 2)]])
def test_a_body_that_is_not_there_is_an_error(nested: Path, way: list[tuple[int, int]]) -> None:
    with pytest.raises(CutterError, match="no such body"):
        body_of(nested, *way)
