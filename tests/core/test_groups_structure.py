"""Groups of graphs whose nodes have no scopes."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import find_groups, places
from cutter_gui.core.groups_structure import Repeat, _segments, find_repeats
from strategies.executed_work import bytecodes


def transformer(layers: int, mask: bool = True) -> Graph:
    """Returns a transformer without a name on any node; each layer has 11 nodes and reads one mask."""
    builder = GraphBuilder("onnx")
    count = 0

    def node(op: str, *inputs: str) -> str:
        nonlocal count
        count += 1
        builder.add_node(op, inputs, [f"{count}"])
        return f"{count}"

    builder.add_input("ids")
    builder.add_input("mask_in")
    hub = node("Cast", "mask_in")
    last = node("LayerNormalization", node("Gather", "ids"))
    for _ in range(layers):
        query, key, value = (node("MatMul", last) for _ in range(3))
        scores = node("Add", node("MatMul", query, key), hub) if mask else node("MatMul", query, key)
        context = node("MatMul", node("Softmax", scores), value)
        middle = node("LayerNormalization", node("Add", context, last))
        last = node("LayerNormalization", node("Add", node("Relu", node("MatMul", middle)), middle))
    builder.add_output(node("Tanh", last))
    return builder.build()


def test_the_layers_of_a_transformer_are_found_without_any_name():
    groups = find_groups(transformer(6))
    assert groups.is_structural
    blocks = [group for group in range(len(groups)) if groups.names[group].startswith("block")]
    assert [groups.names[group] for group in blocks] == [f"block {number}" for number in range(6)]
    assert groups.equal_count[blocks].tolist() == [6] * 6
    assert len({int(groups.node_count[group]) for group in blocks}) == 1


def test_a_block_begins_where_its_attention_begins():
    graph = transformer(4)
    groups = find_groups(graph)
    first = groups.nodes(groups.names.index("block 0"))
    place = places(graph)
    nodes = first[np.argsort(place[first])]
    assert [graph.op(int(node)) for node in nodes[:3]] == ["MatMul", "MatMul", "MatMul"]


def test_a_small_graph_without_scopes_has_no_groups():
    assert len(find_groups(transformer(1))) == 0


def test_a_flat_chain_is_no_row_of_blocks_but_can_be_folded():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    last = "x"
    for number in range(20_000):
        builder.add_node("Relu", [last], [f"{number}"])
        last = f"{number}"
    groups = find_groups(builder.build())
    assert not any(name.startswith("block") for name in groups.names)
    assert len(groups.children(-1)) + len(groups.own_nodes(-1)) <= 400


def test_folding_structural_groups_never_makes_a_cycle():
    graph = transformer(5)
    groups = find_groups(graph)
    owner = groups.at_depth(0)
    folded = nx.DiGraph()
    for tensor, consumer in zip(graph.edge_tensor.tolist(), graph.edge_consumer.tolist(), strict=True):
        producer = int(graph.tensor_producer[tensor])
        if producer >= 0:
            ends = [(int(owner[node]), -1 if owner[node] >= 0 else node) for node in (producer, consumer)]
            if ends[0] != ends[1]:
                folded.add_edge(*ends)
    assert nx.is_directed_acyclic_graph(folded)


@st.composite
def small_dags(draw: st.DrawFn) -> Graph:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number in range(draw(st.integers(2, 14))):
        sources = draw(st.lists(st.integers(-1, number - 1), min_size=1, max_size=3, unique=True))
        builder.add_node("Op", [f"t{at}" if at >= 0 else "x" for at in sources], [f"t{number}"])
    return builder.build()


@settings(max_examples=80, deadline=None)
@given(small_dags())
def test_between_two_segments_at_most_one_tensor_crosses(graph):
    live = np.argsort(places(graph)).astype(np.int32)
    starts = set(_segments(graph, live).tolist())
    place = places(graph).tolist()
    for gap in range(1, graph.node_count):
        crossing = {
            tensor
            for tensor, consumer in zip(graph.edge_tensor.tolist(), graph.edge_consumer.tolist(), strict=True)
            if graph.tensor_producer[tensor] >= 0 and place[graph.tensor_producer[tensor]] < gap <= place[consumer]
        }
        assert (gap in starts) == (len(crossing) <= 1)


def repeats(text: str, sizes: str | None = None) -> list[Repeat]:
    symbols = np.array([ord(letter) for letter in text], np.int32)
    return find_repeats(symbols, np.array([int(size) for size in sizes or "4" * len(text)], np.int32))


def test_repeats_are_found_with_their_shortest_period():
    assert repeats("xABABABy") == [Repeat(1, 2, 3)]
    assert repeats("AAAA") == [Repeat(0, 1, 4)]
    assert repeats("ABCD") == []


def test_several_repeats_are_found_side_by_side():
    assert repeats("AAAxBCBCyDDD") == [Repeat(0, 1, 3), Repeat(4, 2, 2), Repeat(9, 1, 3)]


def test_a_repeat_begins_with_its_largest_segment_where_that_costs_no_copy():
    assert repeats("nABnABn", "1911911") == [Repeat(1, 3, 2)]
    assert repeats("nABnAB", "191191") == [Repeat(0, 3, 2)]


def test_repeats_of_very_few_nodes_are_left_alone():
    assert repeats("AAAAAAAA", "11111111") == []


@settings(max_examples=60, deadline=None)
@given(st.text("ab", min_size=1, max_size=30))
def test_copies_of_a_repeat_are_equal_and_repeats_do_not_overlap(text):
    end = 0
    for repeat in repeats(text):
        assert repeat.first >= end
        assert repeat.copies >= 2
        end = repeat.end
        copies = {text[repeat.first + n * repeat.period :][: repeat.period] for n in range(repeat.copies)}
        assert len(copies) == 1
    assert end <= len(text)


def test_the_work_grows_with_the_graph_and_not_faster():
    small, large = transformer(20), transformer(160)
    find_groups(small)  # what is imported or made once is no part of it
    counts = [bytecodes(lambda graph=graph: find_groups(graph)) for graph in (small, large)]
    assert counts[1] < 1.15 * 8 * counts[0]
