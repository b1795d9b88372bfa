"""Edges, consumers and their names (DESIGN, section 1)."""

from cutter_gui.core import TensorKind
from strategies.small_graphs import small_graph


def test_a_consumer_that_reads_a_tensor_in_two_slots_is_one_edge():
    graph = small_graph("Mul x x -> y")
    assert graph.edge_count == 1
    assert graph.consumers(graph.tensor_index["x"]).tolist() == [0]


def test_a_slot_and_a_capture_of_one_tensor_are_one_edge_that_is_not_only_captured():
    graph = small_graph("If x [x w] -> y", weights=["w"])
    captured = {graph.tensor_names[graph.edge_tensor[e]]: bool(graph.edge_captured[e]) for e in range(graph.edge_count)}
    assert captured == {"x": False, "w": True}


def test_a_consumer_is_named_by_its_first_output_that_is_not_empty():
    graph = small_graph("Neg x -> a", "Split a -> _ b c")
    assert graph.consumer_name(0) == "a"
    assert graph.consumer_name(1) == "b"


def test_a_node_without_outputs_has_no_name_as_a_consumer_but_a_label():
    graph = small_graph("Print x -> _", "show: Print x -> _")
    assert graph.consumer_name(0) is None
    assert graph.node_label(0) == "Print 0"
    assert graph.node_label(1) == "show"


def test_an_omitted_input_reads_nothing():
    graph = small_graph("Clip x _ top -> y", weights=["top"])
    assert graph.edge_count == 2
    assert "" not in graph.tensor_index


def test_names_are_compared_whole():
    graph = small_graph("Neg x -> y", "Neg x1 -> z", inputs=["x", "x1"])
    assert graph.consumers(graph.tensor_index["x"]).tolist() == [0]
    assert graph.consumers(graph.tensor_index["x1"]).tolist() == [1]


def test_an_input_with_an_initializer_counts_as_an_initializer():
    graph = small_graph("Add x w -> y", inputs=["x", "w"], weights=["w"])
    assert graph.tensor_kind[graph.tensor_index["w"]] == TensorKind.INITIALIZER
    assert [graph.tensor_names[i] for i in graph.inputs] == ["x"]


def test_the_edge_between_a_tensor_and_a_node_is_found_or_none():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add a x -> c")
    a = graph.tensor_index["a"]
    assert [graph.edge_consumer[graph.edge(a, node)] for node in (1, 2)] == [1, 2]
    assert graph.edge(a, 0) is None


def test_bytes_of_a_tensor_follow_from_type_and_shape():
    graph = small_graph(
        "Neg x -> a",
        "Neg a -> b",
        "Neg b -> c",
        types={"x": ("int4", (3,)), "a": ("float32", ("batch", 4)), "b": ("float32", None), "c": ("string", (2,))},
    )
    sizes = {name: graph.tensor_bytes(index, {"batch": 2}) for name, index in graph.tensor_index.items()}
    assert sizes == {"x": 2, "a": 32, "b": None, "c": None}
    assert graph.tensor_bytes(graph.tensor_index["a"]) is None
