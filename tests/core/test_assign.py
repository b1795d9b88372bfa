"""Nodes put into stages by number."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from cutter_gui.core import Plan, assign_stages
from cutter_gui.core.assign import assign_nodes
from cutter_gui.core.proposal import Proposal, Refusal
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d")
FORK = small_graph("Neg x -> a", "Neg a -> b", "Neg a -> c", "Add b c -> d")


def stages(found: Proposal | Refusal) -> list[int]:
    assert isinstance(found, Proposal), found
    assert found.staging.is_valid
    return found.staging.node_stage.tolist()


def test_a_node_in_a_new_stage_takes_all_that_comes_after_it_along():
    found = assign_nodes(CHAIN, Plan(), {2: 1})
    assert stages(found) == [0, 0, 1, 1]
    assert found.plan == small_plan("b")


def test_other_nodes_stay_where_they_are():
    found = assign_nodes(FORK, small_plan("b c"), {1: 1})
    assert stages(found) == [0, 1, 0, 1]
    assert found.plan == small_plan("c a->b")


def test_a_node_that_goes_to_an_earlier_stage_takes_all_that_comes_before_it_along():
    assert stages(assign_nodes(CHAIN, small_plan("a"), {2: 0})) == [0, 0, 0, 1]


def test_several_stages_are_given_at_once():
    found = assign_nodes(CHAIN, small_plan("a"), {1: 1, 3: 2})
    assert stages(found) == [0, 1, 1, 2]
    assert found.plan == small_plan("a", "c")


def test_from_one_stage_to_a_later_one_and_back_is_refused_with_the_way():
    found = assign_nodes(CHAIN, small_plan("a"), {0: 0, 1: 1, 3: 0})
    assert isinstance(found, Refusal)
    assert found.nodes == (1, 2, 3)
    assert found.reason == "b cannot be in stage 1 while d is in stage 0: d comes after b, through c."


def test_shared_storage_cannot_be_in_two_stages():
    graph = small_graph("View x -> a", "!add_ a -> b", "Neg b -> c", together=[(0, 1)])
    found = assign_nodes(graph, Plan(), {0: 0, 1: 1})
    assert isinstance(found, Refusal)
    assert "held together" in found.reason


def test_a_stage_that_would_be_empty_is_named():
    found = assign_nodes(CHAIN, small_plan("a", "b"), {1: 2})
    assert isinstance(found, Refusal)
    assert found.reason == "Stage 1 would be empty."


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({}, "No nodes are chosen."),
        ({1: 3}, "There are 2 stages; the next new one is stage 2, not 3."),
        ({1: -1}, "Stages are numbered from 0."),
    ],
)
def test_what_makes_no_sense_is_refused(wishes, reason):
    found = assign_nodes(CHAIN, small_plan("a"), wishes)
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_constant_nodes_belong_to_no_stage():
    graph = small_graph("Constant -> k", "Add x k -> a", "Add a k -> b")
    found = assign_nodes(graph, Plan(), {0: 1})
    assert isinstance(found, Refusal)
    assert "constant" in found.reason
    assert stages(assign_nodes(graph, Plan(), {0: 1, 2: 1})) == [-1, 0, 1]


def test_a_branch_that_reads_only_inputs_is_put_behind_by_cutting_an_input():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> c", inputs=("x", "y"))
    found = assign_nodes(graph, small_plan("a"), {2: 1})
    assert stages(found) == [0, 1, 1]
    assert found.plan == small_plan("a y")


def test_a_random_node_without_inputs_and_readers_cannot_be_put_behind():
    graph = small_graph("Neg x -> a", "Neg a -> b", "!RandomUniform -> r")
    found = assign_nodes(graph, small_plan("a"), {2: 1})
    assert isinstance(found, Refusal)
    assert found.reason == "Nothing runs from an earlier stage to r, so it cannot be put into stage 1."


def test_a_reader_without_a_name_stands_no_later_than_the_others():
    graph = small_graph("Neg x -> a", "Print a -> _", "Neg a -> b", "Neg b -> c")
    assert stages(assign_nodes(graph, small_plan("b"), {1: 1})) == [0, 1, 1, 1]


@given(st.data())
def test_wishes_are_granted_exactly_when_stages_without_a_backward_edge_exist(data):
    graph = data.draw(models(max_nodes=6, min_nodes=3, connected=True)).graph()
    plan = data.draw(valid_plans(graph, max_cuts=2))
    before = assign_stages(graph, plan)
    live = [n for n in range(graph.node_count) if not graph.node_constant[n]]
    assume(live)
    wishes = data.draw(
        st.dictionaries(st.sampled_from(live), st.integers(0, before.stage_count), min_size=1, max_size=3)
    )
    count = max(before.stage_count, max(wishes.values()) + 1)
    ends = [
        (int(graph.tensor_producer[graph.edge_tensor[e]]), int(graph.edge_consumer[e]))
        for e in np.flatnonzero(graph.edge_joins)
    ]
    choices = []
    for labels in product(range(count), repeat=len(live)):
        stage = dict(zip(live, labels, strict=True))
        if all(stage[n] == s for n, s in wishes.items()) and all(stage[p] <= stage[c] for p, c in ends):
            choices.append(stage)
    found = assign_nodes(graph, plan, wishes)
    event(f"granted: {isinstance(found, Proposal)}")
    if isinstance(found, Proposal):
        after = dict(enumerate(found.staging.node_stage.tolist()))
        assert found.staging.is_valid
        stage = {n: after[n] for n in live}
        assert stage in choices
        moved = [sum(c[n] != before.node_stage[n] for n in live) for c in choices]
        assert sum(stage[n] != before.node_stage[n] for n in live) == min(moved)
    elif found.nodes and "comes after" in found.reason:
        assert not choices
        assert wishes[found.nodes[0]] > wishes[found.nodes[-1]]
        for first, second in zip(found.nodes, found.nodes[1:], strict=False):
            assert (first, second) in ends
    elif "would be empty" not in found.reason:
        assert "Nothing runs from an earlier stage" in found.reason
