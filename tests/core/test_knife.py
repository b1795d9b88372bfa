"""The cut that a line across the graph makes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Graph, Plan, assign_stages, diagnose
from cutter_gui.core.knife import KnifeCut, knife
from cutter_gui.core.proposal import Refusal
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan

RESIDUAL = small_graph(
    *("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", "Neg d -> e", "Add e d -> f"),
    types={"a": ("float32", (8,)), "b": ("float32", (100,))},
)


def edges(graph: Graph, *pairs: str) -> list[int]:
    """Edges written ``tensor->consumer``."""
    found = []
    for pair in pairs:
        tensor, _, consumer = pair.partition("->")
        node = int(graph.tensor_producer[graph.tensor_index[consumer]])
        edge = graph.edge(graph.tensor_index[tensor], node)
        assert edge is not None, pair
        found.append(edge)
    return found


def test_a_line_across_all_ways_makes_a_complete_cut():
    found = knife(RESIDUAL, Plan(), edges(RESIDUAL, "b->c", "a->d"))
    assert isinstance(found, KnifeCut)
    assert found.is_complete
    assert found.at == 0
    assert found.bytes == found.proposal.bytes == 432
    assert found.proposal.plan == found.as_drawn == small_plan("a->d b")


def test_what_a_line_missed_is_told_and_added():
    found = knife(RESIDUAL, Plan(), edges(RESIDUAL, "b->c"))
    assert isinstance(found, KnifeCut)
    assert not found.is_complete
    assert list(found.missing) == edges(RESIDUAL, "a->d")
    assert found.bytes == 400
    assert found.as_drawn == small_plan("b")
    assert found.proposal.plan == small_plan("a->d b")
    assert found.proposal.bytes == 432


def test_a_line_within_a_later_stage_puts_its_cut_in_between():
    plan = small_plan("a", "d")
    found = knife(RESIDUAL, plan, edges(RESIDUAL, "b->c", "a->d"))
    assert isinstance(found, KnifeCut)
    assert found.at == 1
    assert found.is_complete
    assert found.proposal.plan == small_plan("a", "a->d b", "d")


def test_a_line_that_crosses_one_way_twice_leaves_out_the_fewest_edges():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg a -> p", "Neg p -> q", "Add c q -> d")
    found = knife(graph, Plan(), edges(graph, "a->b", "a->p", "p->q"))
    assert isinstance(found, KnifeCut)
    assert list(found.left_out) in (edges(graph, "p->q"), edges(graph, "a->p"))
    assert found.is_complete
    assert found.proposal.staging.is_valid


@pytest.mark.parametrize(
    ("pairs", "plan", "reason"),
    [
        ([], [], "The line crosses no edge."),
        (["a->b"], ["a"], "All edges that the line crosses run between stages already."),
        (["b->c", "d->e"], ["c a->d"], "The line runs through stages 0 and 1: draw it within one stage."),
    ],
)
def test_a_line_that_makes_no_cut_has_a_reason(pairs, plan, reason):
    found = knife(RESIDUAL, small_plan(*plan), edges(RESIDUAL, *pairs))
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_edges_from_inputs_and_weights_make_no_cut():
    graph = small_graph("Add x w -> a", "Neg a -> b", weights=("w",))
    found = knife(graph, Plan(), range(2))
    assert isinstance(found, Refusal)
    assert "inputs, weights and constants" in found.reason


@given(st.data())
def test_a_line_makes_a_valid_plan_and_is_complete_exactly_when_it_is_valid_as_drawn(data):
    graph = data.draw(models(max_nodes=9, min_nodes=4, connected=True)).graph()
    plan = data.draw(valid_plans(graph, max_cuts=2, constants=False))
    before = assign_stages(graph, plan)
    first, last = before.edge_span
    stage = data.draw(st.integers(0, before.stage_count - 1))
    own = np.flatnonzero(graph.edge_joins & (first == stage) & (last == stage)).tolist()
    if not own:
        return
    line = data.draw(st.lists(st.sampled_from(own), min_size=1, max_size=5, unique=True))
    found = knife(graph, plan, line)
    assert isinstance(found, KnifeCut)
    event(f"complete: {found.is_complete}, left out: {bool(found.left_out)}")
    after = found.proposal.staging
    assert not [f for f in diagnose(after) if f.is_error]
    assert found.at == stage
    assert np.array_equal(np.where(after.node_stage > stage, after.node_stage - 1, after.node_stage), before.node_stage)
    crossing = set(found.proposal.edges)
    assert set(found.crossed) == set(line)
    assert set(found.crossed) - set(found.left_out) <= crossing
    assert set(found.missing) == {e for e in crossing & set(own) if e not in line}
    assert found.as_drawn is not None
    if not found.left_out and stage == 0 and not plan.cuts:
        assert assign_stages(graph, found.as_drawn).is_valid == found.is_complete
