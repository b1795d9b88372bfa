"""Groups from scopes, and what holds for every hierarchy of groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import DEEPEST, MOST_CHILDREN, Groups, find_groups, no_groups


def scoped(*scopes: str, ops: str = "") -> Graph:
    """Returns a chain of nodes in these scopes, written with slashes; ``-`` is no scope."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    before = "x"
    for number, scope in enumerate(scopes):
        path = () if scope == "-" else tuple(scope.split("/"))
        builder.add_node(ops[number] if ops else "Relu", [before], [f"t{number}"], scope=path)
        before = f"t{number}"
    return builder.build()


def tree(groups: Groups) -> dict[str, int]:
    return {"/".join(groups.path(group)): int(groups.node_count[group]) for group in range(len(groups))}


def test_scopes_become_a_tree_with_the_number_of_nodes_within():
    groups = find_groups(scoped("a/b", "a/b", "a/c", "a/c", "a", "d", "d"))
    assert tree(groups) == {"a": 5, "a/b": 2, "a/c": 2, "d": 2}
    assert groups.own_nodes(0).tolist() == [4]
    assert groups.nodes(0).tolist() == [0, 1, 2, 3, 4]
    assert groups.children(-1) == [0, 3]
    assert not groups.is_structural


def test_a_group_of_one_node_is_no_group():
    groups = find_groups(scoped("a/b", "a", "a", "c", "d/e/f", "d"))
    assert tree(groups) == {"a": 3, "d": 2}
    assert groups.node_group.tolist() == [0, 0, 0, -1, 1, 1]


def test_a_group_that_holds_only_one_other_becomes_one_with_it():
    groups = find_groups(scoped("model/encoder/a", "model/encoder/a", "model/encoder/b", "model/encoder/b", "-"))
    assert tree(groups) == {"model/encoder": 4, "model/encoder/a": 2, "model/encoder/b": 2}


def test_nodes_between_two_nodes_of_a_group_belong_to_it():
    groups = find_groups(scoped("a", "a", "-", "-", "a", "-"))
    assert tree(groups) == {"a": 5}
    assert groups.own_nodes(-1).tolist() == [5]


def test_a_node_that_reads_from_two_groups_stays_outside():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for name in ("a", "b"):
        builder.add_node("Relu", ["x"], [f"{name}0"], scope=(name,))
        builder.add_node("Relu", [f"{name}0"], [f"{name}1"], scope=(name,))
    builder.add_node("Add", ["a1", "b1"], ["sum"])
    builder.add_node("Mul", ["sum", "a1"], ["a2"], scope=("a",))
    assert tree(find_groups(builder.build())) == {"a": 3, "b": 2}


def test_what_a_converter_put_behind_a_semicolon_is_not_part_of_a_scope():
    groups = find_groups(scoped("model/conv", "model/conv", "model/add;model/conv"))
    assert tree(groups) == {"model": 3, "model/conv": 2}


def test_children_stand_in_the_order_of_the_graph_whatever_their_names():
    assert find_groups(scoped("z", "z", "a", "a", "m", "m")).names == ("z", "a", "m")


def test_constant_nodes_count_but_make_no_group_by_themselves():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Constant", [], ["c"], scope=("a",))
    builder.add_node("Add", ["x", "c"], ["y"], scope=("a",))
    builder.add_node("Constant", [], ["d"], scope=("b",))
    builder.add_node("Add", ["y", "d"], ["z"], scope=("b",))
    builder.add_node("Relu", ["z"], ["r"], scope=("b",))
    assert tree(find_groups(builder.build())) == {"b": 3}


def test_weight_bytes_of_a_group_count_a_shared_weight_once():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_initializer("w", 100)
    builder.add_initializer("v", 20)
    builder.add_node("MatMul", ["x", "w"], ["a"], scope=("one",))
    builder.add_node("MatMul", ["a", "w"], ["b"], scope=("one",))
    builder.add_node("MatMul", ["b", "v"], ["c"], scope=("two",))
    builder.add_node("MatMul", ["c", "w"], ["d"], scope=("two",))
    groups = find_groups(builder.build())
    assert dict(zip(groups.names, groups.weight_bytes.tolist(), strict=True)) == {"one": 100, "two": 120}


def test_equal_groups_are_recognised_by_ops_and_wiring_not_by_names():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    last = "x"
    for block in range(4):
        builder.add_node("MatMul", [last], [f"p{block}"], scope=("layers", str(block)))
        # Block 3 has the same ops, but reads its inputs the other way round.
        inputs = [f"p{block}", last] if block < 3 else [last, f"p{block}"]
        builder.add_node("Add", inputs, [f"q{block}"], scope=("layers", str(block)))
        last = f"q{block}"
    groups = find_groups(builder.build())
    equal = {groups.names[at]: int(groups.equal_count[at]) for at in range(len(groups))}
    assert equal == {"layers": 1, "0": 3, "1": 3, "2": 3, "3": 1}


@pytest.mark.parametrize("different", ["attribute", "weight", "op"])
def test_groups_that_differ_in_one_thing_are_not_equal(different):
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for block in range(2):
        odd = block == 1
        builder.add_initializer(f"w{block}", 16)
        builder.set_type(f"w{block}", 1, (4, 2 if odd and different == "weight" else 1))
        axis = (("axis", "1" if odd and different == "attribute" else "0"),)
        op = "Sigmoid" if odd and different == "op" else "Relu"
        builder.add_node("MatMul", ["x", f"w{block}"], [f"p{block}"], scope=(f"b{block}",))
        builder.add_node(op, [f"p{block}"], [f"q{block}"], scope=(f"b{block}",), attributes=axis)
    assert find_groups(builder.build()).equal_count.tolist() == [1, 1]


def test_a_crowded_group_is_divided_until_no_unfolding_shows_too_much():
    graph = scoped(*["flat"] * 30_000)
    groups = find_groups(graph)
    for group in range(-1, len(groups)):
        assert len(groups.children(group)) + len(groups.own_nodes(group)) <= MOST_CHILDREN
    assert groups.node_count[0] == graph.node_count


def test_gathered_groups_are_named_by_the_first_and_the_last_in_them():
    groups = find_groups(scoped(*[f"layer.{number // 2}" for number in range(1000)]))
    assert groups.names[groups.children(-1)[0]] == "layer.0 … 14"


def test_scopes_may_be_very_deep():
    groups = find_groups(scoped(*["/".join(f"s{n}" for n in range(5000))] * 3))
    assert int(groups.depth.max()) < DEEPEST


def test_a_graph_without_nodes_has_no_groups():
    graph = GraphBuilder("onnx").build()
    assert len(find_groups(graph)) == len(no_groups(graph)) == 0
    assert no_groups(graph).own_nodes(-1).tolist() == []


def test_the_span_of_values_in_a_group_passes_over_nodes_without_one():
    groups = find_groups(scoped("a/b", "a/b", "a", "c", "c"))
    low, high = groups.spans(np.array([-1, 3, 5, -1, -1], np.int32))
    assert low.tolist() == [3, 3, -1]
    assert high.tolist() == [5, 3, -1]


scope = st.lists(st.sampled_from("ab;"), max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(scope, st.integers(0, 4), st.booleans()), min_size=1, max_size=40))
def test_every_hierarchy_is_a_forest_in_which_counts_add_up(nodes):
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number, (path, back, constant) in enumerate(nodes):
        inputs = [] if constant else [f"t{number - back}" if number >= back > 0 else "x"]
        builder.add_node("Relu", inputs, [f"t{number}"], scope=path)
    graph = builder.build()
    groups = find_groups(graph)
    live = ~graph.node_constant
    for group in range(len(groups)):
        parent = int(groups.parent[group])
        assert parent < group
        assert groups.depth[group] == (groups.depth[parent] + 1 if parent >= 0 else 0)
        members = groups.nodes(group).tolist()
        assert len(members) == groups.node_count[group]
        assert live[members].sum() >= 2
        inner = [node for child in groups.children(group) for node in groups.nodes(child).tolist()]
        assert sorted([*inner, *groups.own_nodes(group).tolist()]) == members
        assert all(group in groups.ancestors(int(groups.node_group[node])) for node in members)
        assert groups.at_depth(int(groups.depth[group]))[members].tolist() == [group] * len(members)
        names = [groups.names[child] for child in groups.children(group)]
        assert len(names) == len(set(names))
    outside = groups.own_nodes(-1).tolist()
    assert sorted([*outside, *np.flatnonzero(groups.node_group >= 0).tolist()]) == list(range(graph.node_count))
