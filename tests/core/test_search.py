"""Finding nodes and tensors by what is typed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Graph
from cutter_gui.core.search import SearchIndex, TooComplex
from strategies.executed_work import bytecodes
from strategies.named_layers import graph_of_layers


@pytest.fixture(scope="module")
def graph() -> Graph:
    return graph_of_layers()


@pytest.fixture
def found(graph):
    index = SearchIndex(graph)

    def find(query: str) -> list[str]:
        hits = index.find(query)
        names = []
        for at in range(len(hits)):
            tensor, node = hits.at(at)
            names.append(graph.tensor_names[tensor] if node < 0 else graph.node_names[node])
        return names

    return find


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("sum", ["layer.0/Sum", "layer.1/Sum"]),
        ("op:Add", ["layer.0/Sum", "layer.1/Sum"]),
        ("op:add layer.1", ["layer.1/Sum"]),
        ("name:matmul", ["layer.0/MatMul", "layer.1/MatMul"]),
        ("layer.1.weight", ["layer.1/MatMul"]),
        ("tokens", ["tokens"]),
        ("tensor:4", ["4"]),
        ("attr:axis=-1", ["layer.1/Out"]),
        ("axis=2", ["layer.0/Out"]),
        ("dtype:f16", ["layer.0/MatMul", "layer.1/MatMul"]),
        ("dtype:int64", ["tokens"]),
        ("i64", ["tokens"]),
        ("shape:16x64 op:Softmax", ["layer.0/Out", "layer.1/Out"]),
        ("batch×16×64 sum", ["layer.0/Sum", "layer.1/Sum"]),
        ("shape:batch,16 dtype:i64", ["tokens"]),
        ("/sum$/", ["layer.0/Sum", "layer.1/Sum"]),
        ("name:/^layer.1.*out/", ["layer.1/Out"]),
        ("op:/^(add|matmul)$/ layer.0", ["layer.0/MatMul", "layer.0/Sum"]),
        ("nothing of the kind", []),
        ("", []),
        ("   ", []),
        ("op:", []),
    ],
)
def test_a_query_finds(found, query, names):
    assert found(query) == names


def test_a_tensor_of_exactly_this_name_comes_first(found):
    assert found("1")[0] == "1"


def test_a_dim_is_found_whole_and_not_by_its_digits(found):
    assert found("shape:6") == []
    assert len(found("shape:64")) == 6


def test_only_a_query_for_a_kind_of_thing_filters(graph):
    index = SearchIndex(graph)
    assert index.find("op:Add").filters
    assert not index.find("Add").filters


def test_a_broken_expression_is_an_error_in_one_sentence(graph):
    with pytest.raises(CutterError) as caught:
        SearchIndex(graph).find("/(/")
    assert "\n" not in str(caught.value)
    assert "/(/" in str(caught.value)


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|aa)+$", "(.*a){25}z"])
def test_an_expression_that_would_take_for_ever_is_given_up(expression: str) -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Relu", ["x"], ["y"], name="a" * 80 + "!")
    index = SearchIndex(builder.build())
    with pytest.raises(TooComplex, match="takes too long"):  # without that, the time limit of all tests would end it
        index.find(f"name:/{expression}/")
    assert len(index.find("/a!$/")) == 1


def test_an_expression_that_python_warns_of_is_searched_without_a_word(found) -> None:
    assert found("op:/[[s]oft/") == ["layer.0/Out", "layer.1/Out"]


def test_letters_that_grow_when_made_small_do_not_shift_what_is_found():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number, name in enumerate(("İİİ", "middle", "line\nbreak", "end")):
        builder.add_node("Op", ["x"], [f"t{number}"], name=name)
    graph = builder.build()
    for number, word in enumerate(("İ", "middle", "break", "end")):
        assert SearchIndex(graph).find(f"name:{word}").nodes.tolist() == [number]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab/.", min_size=1, max_size=5), min_size=1, max_size=12), st.text("ab.", min_size=1, max_size=3)
)
def test_a_word_is_found_exactly_in_the_names_that_contain_it(names, word):
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number, name in enumerate(names):
        builder.add_node("Op", ["x"], [f"t{number}"], name=name)
    hits = SearchIndex(builder.build()).find(f"name:{word}")
    assert hits.nodes.tolist() == [number for number, name in enumerate(names) if word in name]


def test_what_is_found_in_many_layers_is_counted_exactly():
    index = SearchIndex(graph_of_layers(200))
    layers = [layer for layer in range(200) if str(layer).startswith("16")]
    assert len(layers) == 11
    nodes = [3 * layer + at for layer in layers for at in range(3)]
    assert index.find("name:layer.16").nodes.tolist() == nodes
    assert index.find("op:Add shape:16x64").nodes.tolist() == list(range(1, 600, 3))
    assert index.find("softmax").nodes.tolist() == list(range(2, 600, 3))
    assert index.find("name:/out$/").nodes.tolist() == list(range(2, 600, 3))


@pytest.mark.parametrize("query", ["layer.1", "op:Add shape:16x64", "softmax", "/out$/"])
def test_the_work_of_a_search_grows_with_the_graph_and_not_faster(query):
    indexes = SearchIndex(graph_of_layers(20)), SearchIndex(graph_of_layers(160))
    for index in indexes:
        assert len(index.find(query))
    counts = [bytecodes(lambda index=index: index.find(query)) for index in indexes]
    assert counts[1] < 1.15 * 8 * counts[0]
