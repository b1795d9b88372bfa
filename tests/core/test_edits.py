"""Edits of a plan: each gives a new plan and leaves the old one alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core import Cut, CutEdge, Plan, assign_stages, edits
from strategies.graphs import arbitrary_plans, models
from strategies.small_graphs import small_graph, small_plan

FAN = small_graph("Neg x -> t", "Neg t -> a", "Neg t -> b", "Neg t -> c")
PRINTED = small_graph("Neg x -> t", "Neg t -> a", "Print t -> _")


def test_a_cut_is_added_at_the_end_or_before_a_position():
    plan = small_plan("a", "b")
    assert edits.add_cut(plan) == small_plan("a", "b", "")
    assert edits.add_cut(plan, 0, Cut((CutEdge("z"),))) == small_plan("z", "a", "b")
    assert plan == small_plan("a", "b")


def test_a_cut_is_removed():
    assert edits.remove_cut(small_plan("a", "b", "c"), 1) == small_plan("a", "c")


def test_a_cut_is_named_and_its_name_taken_away():
    named = edits.rename_cut(small_plan("a", "b"), 1, "after layer 0")
    assert [cut.name for cut in named.cuts] == [None, "after layer 0"]
    assert edits.rename_cut(named, 1, "") == small_plan("a", "b")


@pytest.mark.parametrize(("source", "target", "expected"), [(0, 2, "bca"), (2, 0, "cab"), (1, 1, "abc")])
def test_a_cut_moved_stands_at_its_target_afterwards(source, target, expected):
    assert edits.move_cut(small_plan("a", "b", "c"), source, target) == small_plan(*expected)


def test_cuts_are_put_into_a_new_order():
    assert edits.reorder_cuts(small_plan("a", "b", "c"), (2, 0, 1)) == small_plan("c", "a", "b")


def test_the_transport_stays_through_edits():
    plan = small_plan("a", "b", transport="direct")
    for edited in (edits.add_cut(plan), edits.remove_cut(plan, 0), edits.move_cut(plan, 0, 1)):
        assert edited.transport == "direct"


def test_toggling_a_tensor_puts_all_its_edges_in_and_then_all_out():
    plan = edits.toggle_tensor(small_plan("u"), 0, "t")
    assert plan == small_plan("u t")
    assert edits.toggle_tensor(plan, 0, "t") == small_plan("u")


def test_toggling_a_tensor_of_which_some_edges_are_listed_takes_those_out():
    assert edits.toggle_tensor(small_plan("t->a u t->b"), 0, "t") == small_plan("u")


def test_removing_a_tensor_works_for_names_that_no_longer_exist():
    assert edits.remove_tensor(small_plan("gone u gone->a"), 0, "gone") == small_plan("u")


def test_toggling_consumers_adds_them_in_graph_order_and_all_of_them_are_written_without_names():
    plan = small_plan("")
    for node, expected in ((3, "t->c"), (1, "t->a,c"), (2, "t"), (1, "t->b,c"), (2, "t->c"), (3, "")):
        plan = edits.toggle_consumer(FAN, plan, 0, "t", node)
        assert plan == small_plan(expected)


def test_toggling_a_consumer_keeps_the_place_of_the_tensor_and_joins_its_entries():
    plan = edits.toggle_consumer(FAN, small_plan("t->a u t->b v"), 0, "t", 1)
    assert plan == small_plan("t->b u v")


def test_toggling_a_consumer_keeps_names_that_are_unknown():
    plan = edits.toggle_consumer(FAN, small_plan("t->gone,a"), 0, "t", 2)
    assert plan == small_plan("t->a,b,gone")


def test_a_node_that_does_not_read_the_tensor_cannot_be_toggled():
    with pytest.raises(ValueError, match="node 0 does not read t"):
        edits.toggle_consumer(FAN, small_plan(""), 0, "t", 0)


def test_a_consumer_without_outputs_can_only_be_cut_with_all_others():
    with pytest.raises(ValueError, match="cannot be named"):
        edits.toggle_consumer(PRINTED, small_plan(""), 0, "t", 2)
    assert edits.toggle_consumer(PRINTED, small_plan("t->a"), 0, "t", 2) == small_plan("t")


def test_is_listed_tells_whether_a_cut_has_any_edge_of_a_tensor():
    plan = small_plan("t->a", "u")
    assert edits.is_listed(plan, 0, "t")
    assert not edits.is_listed(plan, 1, "t")


@given(st.data())
def test_toggling_a_consumer_twice_gives_the_same_edges_again(data):
    graph = data.draw(models()).graph()
    plan = data.draw(arbitrary_plans(graph, unknown=False).filter(lambda plan: plan.cuts))
    edge = data.draw(st.integers(0, graph.edge_count - 1)) if graph.edge_count else None
    if edge is None:
        return
    cut = data.draw(st.integers(0, len(plan.cuts) - 1))
    tensor, node = graph.tensor_names[graph.edge_tensor[edge]], int(graph.edge_consumer[edge])
    once = edits.toggle_consumer(graph, plan, cut, tensor, node)
    twice = edits.toggle_consumer(graph, once, cut, tensor, node)
    assert listed(graph, once) ^ listed(graph, plan) == {(cut, edge)}
    assert listed(graph, twice) == listed(graph, plan)


def listed(graph, plan: Plan) -> set[tuple[int, int]]:
    listings = assign_stages(graph, plan).listings
    return set(zip(listings.cut.tolist(), listings.edge.tolist(), strict=True))
