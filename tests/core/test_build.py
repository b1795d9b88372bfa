"""The graph builder: constant nodes, order, and what is wrong with a graph itself."""

import numpy as np
import pytest

from cutter_gui.core import GraphBuilder, Severity, TensorKind
from strategies.small_graphs import small_graph


def constant(graph):
    return [graph.consumer_name(node) for node in np.flatnonzero(graph.node_constant)]


def test_constant_nodes_and_arithmetic_on_weights_are_constant():
    graph = small_graph("Constant -> c", "Add c w -> d", "Neg d -> e", "Add x e -> y", weights=["w"])
    assert constant(graph) == ["c", "d", "e"]


def test_what_reads_a_graph_input_is_not_constant_nor_is_what_comes_after():
    graph = small_graph("Shape x -> s", "Neg s -> t")
    assert constant(graph) == []


def test_a_graph_input_with_an_initializer_leaves_its_readers_constant():
    graph = small_graph("Neg w -> a", inputs=["x", "w"], weights=["w"])
    assert constant(graph) == ["a"]


def test_random_nodes_and_what_comes_after_them_are_not_constant():
    graph = small_graph("!RandomNormal -> r", "Neg r -> a", "Constant -> c")
    assert constant(graph) == ["c"]


def test_a_body_that_captures_a_graph_input_makes_its_node_not_constant():
    graph = small_graph("Constant -> c", "If c [x] -> a", "If c [c] -> b")
    assert constant(graph) == ["c", "b"]


def test_nodes_that_share_mutated_storage_are_not_constant_though_they_read_only_weights():
    graph = small_graph("View w -> v", "!Add_ w -> m", "Neg v -> n", weights=["w"], together=[(0, 1)])
    assert constant(graph) == []


def test_unsorted_nodes_get_a_topological_order():
    graph = small_graph("Neg b -> c", "Neg x -> a", "Neg a -> b")
    assert graph.order.tolist() == [1, 2, 0]
    assert graph.problems == ()


def test_a_cycle_is_reported_in_the_direction_of_its_edges():
    graph = small_graph("Neg x -> a", "Add a d -> b", "Neg b -> c", "Neg c -> d", "Neg d -> y")
    (problem,) = graph.problems
    assert problem.code == "cyclic-graph"
    assert problem.severity is Severity.ERROR
    names = list(problem.node_names)
    assert sorted(names) == ["b", "c", "d"]
    assert "".join(names) in "bcdbcd"
    assert len(graph.order) == 1


def test_a_node_that_reads_its_own_output_is_a_cycle_of_one():
    (problem,) = small_graph("Add x a -> a").problems
    assert problem.code == "cyclic-graph"
    assert problem.nodes == (0,)
    assert "a cycle of 1 node:" in problem.message


def test_two_producers_of_one_tensor_are_reported_with_both_nodes():
    (problem,) = small_graph("Neg x -> a", "Abs x -> a").problems
    assert problem.code == "duplicate-producer"
    assert problem.tensors == ("a",)
    assert problem.nodes == (0, 1)


def test_a_node_that_lists_an_output_twice_is_reported_once():
    (problem,) = small_graph("Split x -> a a").problems
    assert problem.code == "duplicate-producer"
    assert problem.nodes == (0,)
    assert "two outputs of one node" in problem.message


@pytest.mark.parametrize("weights", [(), ("x",)])
def test_a_node_that_produces_a_graph_input_or_initializer_is_reported(weights):
    (problem,) = small_graph("Neg y -> x", inputs=["x", "y"], weights=weights).problems
    assert problem.code == "duplicate-producer"
    assert problem.nodes == (0,)


@pytest.mark.parametrize("add", [lambda b: b.add_initializer("a", 4), lambda b: b.add_input("a")])
def test_the_order_of_adding_does_not_hide_a_second_producer(add):
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Neg", ["x"], ["a"])
    add(builder)
    graph = builder.build()
    (problem,) = graph.problems
    assert problem.code == "duplicate-producer"
    kind, producer = graph.tensor_kind[graph.tensor_index["a"]], graph.tensor_producer[graph.tensor_index["a"]]
    assert (kind == TensorKind.PRODUCED) == (producer >= 0)


def test_an_initializer_added_after_the_input_of_its_name_wins_as_well():
    builder = GraphBuilder("onnx")
    builder.add_input("w")
    builder.add_initializer("w", 8)
    graph = builder.build()
    assert graph.inputs.tolist() == []
    assert graph.tensor_kind.tolist() == [TensorKind.INITIALIZER]


def test_a_tensor_that_nothing_produces_is_reported_with_its_readers():
    graph = small_graph("Neg x -> a", "Add a gone -> b", "Neg gone -> c")
    (problem,) = graph.problems
    assert problem.code == "missing-input"
    assert problem.tensors == ("gone",)
    assert problem.node_names == ("b", "c")


def test_a_model_output_that_nothing_produces_is_reported():
    (problem,) = small_graph("Neg x -> a", outputs=["gone"]).problems
    assert problem.code == "missing-input"
    assert "it is a model output" in problem.message


def test_messages_stay_one_short_line_whatever_the_names():
    (problem,) = small_graph("Neg x -> a", outputs=["line\nbreak" * 1000]).problems
    assert "\n" not in problem.message
    assert len(problem.message) < 300
    assert problem.tensors == ("line\nbreak" * 1000,)


def test_an_empty_graph_can_be_built():
    graph = small_graph(inputs=())
    assert (graph.node_count, graph.edge_count, graph.tensor_count) == (0, 0, 0)


def test_the_fingerprint_is_of_structure_and_not_of_weights_or_node_names():
    plain = small_graph("Neg x -> a", "Add a w -> b", weights={"w": 4})
    assert plain.fingerprint == small_graph("n: Neg x -> a", "Add a w -> b", weights={"w": 8}).fingerprint
    for other in (
        small_graph("Abs x -> a", "Add a w -> b", weights={"w": 4}),
        small_graph("Neg x -> a", "Add w a -> b", weights={"w": 4}),
        small_graph("Neg x -> a", "Add a w -> b", weights={"w": 4}, outputs=["b"]),
        small_graph("Neg x -> a", "Add a w -> b", weights={"w": 4}, inputs=["x", "z"]),
    ):
        assert plain.fingerprint != other.fingerprint
