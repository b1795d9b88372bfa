"""A border pushed past nodes; the plan follows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Plan, assign_stages, diagnose
from cutter_gui.core.move_boundary import move_boundary
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.traffic import balance
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", "Neg d -> e")


def plan_after(plan: Plan, boundary: int, nodes: list[int], direction: str) -> Plan:
    found = move_boundary(CHAIN, plan, boundary, nodes, direction)
    assert isinstance(found, Proposal), found
    assert found.staging.is_valid
    assert found.cut == boundary
    return found.plan


def test_pushed_down_the_border_takes_in_the_nodes_it_passes_and_pushed_up_gives_them_away():
    assert plan_after(small_plan("b"), 0, [2, 3], "down") == small_plan("d")
    assert plan_after(small_plan("d"), 0, [2, 3], "up") == small_plan("b")


def test_a_border_stops_where_a_stage_would_be_left_empty():
    found = move_boundary(CHAIN, small_plan("a", "c"), 0, [1, 2], "down")
    assert isinstance(found, Refusal)
    assert found.reason == "Stage 1 would be empty."


def test_a_border_that_is_passed_gives_way():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg a -> p", "Neg p -> q", "Add c q -> d")
    found = move_boundary(graph, small_plan("a", "b p"), 0, [4], "down")
    assert isinstance(found, Proposal)
    assert found.staging.node_stage.tolist() == [0, 1, 2, 0, 0, 2]
    assert found.plan == small_plan("a->b q", "b q")


def test_other_cuts_keep_what_they_list_as_it_is_written():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add b a -> c", "Neg c -> d")
    found = move_boundary(graph, small_plan("a->c,b", "c"), 1, [1], "up")
    assert isinstance(found, Refusal)
    found = move_boundary(graph, small_plan("a->c,b", "c"), 1, [2], "up")
    assert isinstance(found, Proposal)
    assert found.plan == small_plan("a->c,b", "a->c b")


def test_a_plan_that_is_not_valid_has_no_borders_to_move():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add b a -> c")
    found = move_boundary(graph, small_plan("b"), 0, [2], "down")
    assert isinstance(found, Refusal)
    assert "mend it" in found.reason


def test_the_figures_follow():
    graph = small_graph(
        *("MatMul x w0 -> a", "MatMul a w1 -> b", "MatMul b w2 -> c"),
        weights={"w0": 100, "w1": 200, "w2": 400},
        types={"a": ("float32", (2,)), "b": ("float32", (8,))},
    )
    found = move_boundary(graph, small_plan("a"), 0, [1], "down")
    assert isinstance(found, Proposal)
    figures = balance(found.staging)
    assert figures.nodes == (2, 1)
    assert figures.weight_bytes == (300, 400)
    assert figures.tensors == (1,)
    assert figures.boundary_bytes == (found.bytes,) == (32,)


@pytest.mark.parametrize("direction", ["up", "down"])
@given(data=st.data())
def test_only_what_must_move_moves_and_the_plan_stays_valid(direction, data):
    graph = data.draw(models(max_nodes=9, min_nodes=4, connected=True)).graph()
    plan = data.draw(valid_plans(graph, max_cuts=3).filter(lambda plan: plan.cuts))
    before = assign_stages(graph, plan)
    boundary = data.draw(st.integers(0, len(plan.cuts) - 1))
    nodes = data.draw(st.lists(st.integers(0, graph.node_count - 1), max_size=3))
    found = move_boundary(graph, plan, boundary, nodes, direction)
    event(type(found).__name__)
    if isinstance(found, Refusal):
        assert "would be empty" in found.reason or "Nothing runs" in found.reason
        return
    assert not [f for f in diagnose(found.staging) if f.is_error]
    forced = {n for n in nodes if not graph.node_constant[n]}
    ends = [
        (int(graph.tensor_producer[graph.edge_tensor[e]]), int(graph.edge_consumer[e]))
        for e in np.flatnonzero(graph.edge_joins)
    ]
    for _ in range(graph.node_count):
        forced |= {p for p, c in ends if c in forced} if direction == "down" else {c for p, c in ends if p in forced}
    for n in range(graph.node_count):
        old = int(before.node_stage[n])
        moved = min(old, boundary) if direction == "down" else max(old, boundary + 1)
        assert found.staging.node_stage[n] == (moved if n in forced else old)
