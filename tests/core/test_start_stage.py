"""Cut before or after a node: the cheapest complete cut through that place, put in at its position."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Cut, Graph, GraphBuilder, Plan, assign_stages, diagnose
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.sides import cost_of
from cutter_gui.core.start_stage import cut_after, cut_before
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan
from strategies.transformers import transformer

RESIDUAL = small_graph(
    *("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", "Neg d -> e", "Add e d -> f"),
    types={"a": ("float32", (8,)), "b": ("float32", (100,))},
)


def node(graph: Graph, tensor: str) -> int:
    return int(graph.tensor_producer[graph.tensor_index[tensor]])


def names(graph: Graph, tensors: tuple[int, ...]) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in tensors]


def test_a_cut_before_a_node_takes_in_the_branch_beside_it():
    found = cut_before(RESIDUAL, Plan(), node(RESIDUAL, "c"))
    assert isinstance(found, Proposal)
    assert names(RESIDUAL, found.tensors) == ["a", "b"]
    assert found.bytes == 4 * 108
    assert found.plan == small_plan("a->d b")
    assert found.staging.is_valid


def test_a_cut_after_a_node_parts_it_from_its_readers():
    found = cut_after(RESIDUAL, Plan(), node(RESIDUAL, "d"))
    assert isinstance(found, Proposal)
    assert found.plan == small_plan("d")
    assert [int(RESIDUAL.edge_consumer[edge]) for edge in found.edges] == [4, 5]


def test_a_new_cut_falls_between_the_cuts_that_are_there():
    plan = small_plan("a", "d")
    found = cut_before(RESIDUAL, plan, node(RESIDUAL, "c"))
    assert isinstance(found, Proposal)
    assert found.cut == 1
    assert found.plan == small_plan("a", "a->d b", "d")
    assert found.staging.is_valid


def test_a_cut_without_edges_gives_its_place_and_name_to_the_new_one():
    plan = Plan((Cut((), "first"), *small_plan("d").cuts))
    found = cut_after(RESIDUAL, plan, node(RESIDUAL, "a"))
    assert isinstance(found, Proposal)
    assert [cut.name for cut in found.plan.cuts] == ["first", None]
    assert found.plan.cuts[0].edges == small_plan("a").cuts[0].edges


def test_the_branch_beside_the_place_is_cut_where_it_is_cheapest():
    sizes = {"p": ("float32", (500,)), "q": ("float32", (2,)), "r": ("float32", (900,))}
    graph = small_graph(
        "Neg x -> a", "Neg a -> p", "Neg p -> q", "Neg q -> r", "Neg a -> b", "Add b r -> c", types=sizes
    )
    found = cut_after(graph, Plan(), node(graph, "b"))
    assert isinstance(found, Proposal)
    assert names(graph, found.tensors) == ["q", "b"]
    assert found.bytes == 16 + 8


def test_symbols_decide_where_the_branch_is_cut():
    sizes = {"a": ("float32", (999,)), "p": ("float32", ("n", 2)), "q": ("float32", (16,))}
    graph = small_graph("Neg x -> a", "Neg a -> p", "Neg p -> q", "Neg a -> b", "Add b q -> c", types=sizes)
    at = node(graph, "b")
    found = [cut_after(graph, Plan(), at, symbols) for symbols in (None, {"n": 64})]
    assert [names(graph, f.tensors) for f in found if isinstance(f, Proposal)] == [["p", "b"], ["q", "b"]]


def test_in_front_of_a_branch_that_reads_only_inputs_the_node_before_it_ends_the_stage():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> c", "Neg c -> d", "Add b d -> e", inputs=("x", "y"))
    found = cut_before(graph, Plan(), node(graph, "c"))
    assert isinstance(found, Proposal)
    assert found.staging.node_stage.tolist() == [0, 0, 1, 1, 1]


def test_a_branch_that_nothing_joins_is_put_behind_by_an_edge_from_an_input():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> c", "Neg c -> d", inputs=("x", "y"))
    found = cut_before(graph, Plan(), node(graph, "c"))
    assert isinstance(found, Proposal)
    assert found.staging.node_stage.tolist() == [0, 0, 1, 1]
    assert found.plan == small_plan("y")
    assert found.bytes == 0


@pytest.mark.parametrize("cut", [cut_before, cut_after])
def test_a_branch_that_has_nothing_to_do_with_the_place_stays_in_its_stage(cut):
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg y -> p", "Neg p -> q", inputs=("x", "y"))
    found = cut(graph, Plan(), node(graph, "b"))
    assert isinstance(found, Proposal)
    assert found.plan == small_plan("a" if cut is cut_before else "b")
    assert found.staging.node_stage[3:].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("cut", "tensor", "plan", "reason"),
    [
        (cut_before, "a", [], "Nothing in the model comes before a, which starts it."),
        (cut_after, "f", ["a"], "Nothing in stage 1 comes after f, which ends it."),
        (cut_before, "b", ["a"], "Nothing in stage 1 comes before b, which starts it."),
    ],
)
def test_where_a_stage_starts_or_ends_already_there_is_a_reason(cut, tensor, plan, reason):
    found = cut(RESIDUAL, small_plan(*plan), node(RESIDUAL, tensor))
    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_shared_storage_is_the_reason_why_no_cut_runs_there():
    graph = small_graph("View x -> a", "Neg a -> b", "!add_ b -> c", together=[(0, 2)])
    found = cut_before(graph, Plan(), node(graph, "b"))
    assert isinstance(found, Refusal)
    assert found.reason == "No cut runs there: a cannot stand before b."
    assert found.nodes == (1, 2, 0)


def test_a_constant_node_is_in_every_stage():
    graph = small_graph("Constant -> k", "Add x k -> a", "Neg a -> b")
    found = cut_before(graph, Plan(), 0)
    assert isinstance(found, Refusal)
    assert "constant" in found.reason


def test_a_plan_that_is_not_complete_is_mended_first_and_that_is_told():
    found = cut_after(RESIDUAL, small_plan("c"), node(RESIDUAL, "d"))
    assert isinstance(found, Proposal)
    assert found.mended == ("Also cut a in cut 0 (32 B more)",)
    assert found.plan == small_plan("c a->d", "d")


def bytes_across(graph: Graph, stage: np.ndarray, boundary: int) -> int:
    crossing = {
        int(graph.edge_tensor[e])
        for e in np.flatnonzero(graph.edge_joins).tolist()
        if stage[graph.tensor_producer[graph.edge_tensor[e]]] <= boundary < stage[graph.edge_consumer[e]]
    }
    return sum(cost_of(graph, tensor, {}) for tensor in crossing)


@given(st.data())
def test_a_proposal_is_valid_divides_one_stage_and_no_other_division_there_is_cheaper(data):
    graph = data.draw(models(max_nodes=9, min_nodes=4, connected=True)).graph()
    plan = data.draw(valid_plans(graph, max_cuts=2))
    before = assign_stages(graph, plan)
    at = data.draw(st.integers(0, graph.node_count - 1))
    starts = data.draw(st.booleans())
    found = (cut_before if starts else cut_after)(graph, plan, at)
    event(type(found).__name__)
    if isinstance(found, Refusal):
        return
    stage = int(before.node_stage[at])
    after = found.staging.node_stage
    assert found.staging.is_valid
    assert not [f for f in diagnose(found.staging) if f.is_error]
    assert found.cut == stage
    assert after[at] == stage + starts
    old = before.node_stage
    assert np.array_equal(np.where(after > stage, after - 1, after), old)
    own = [n for n in range(graph.node_count) if old[n] == stage]
    edges = [e for e in range(graph.edge_count) if graph.edge_joins[e]]
    ends = [(int(graph.tensor_producer[graph.edge_tensor[e]]), int(graph.edge_consumer[e])) for e in edges]
    near = {p if starts else c for p, c in ends if (c if starts else p) == at} & set(own)
    if not near:
        return
    least = None
    for sides in product([0, 1], repeat=len(own)):
        side = dict(zip(own, sides, strict=True))
        if side[at] != starts or any(side[n] == starts for n in near):
            continue
        if any(side[p] > side[c] for p, c in ends if p in side and c in side):
            continue
        labels = np.where(old > stage, old + 1, old)
        labels[own] = stage + np.asarray(sides)
        cost = bytes_across(graph, labels, stage)
        least = cost if least is None else min(least, cost)
    assert found.bytes == least == bytes_across(graph, after, stage)


@pytest.mark.parametrize("layers", [4, 30])
def test_four_stages_of_a_transformer_take_three_uses_and_are_valid_after_each(layers):
    graph = transformer(layers)
    plan, uses = Plan(), 0
    for layer in (layers // 4 - 1, layers // 2 - 1, 3 * layers // 4 - 1):
        found = cut_after(graph, plan, node(graph, f"layer{layer}/out"))
        uses += 1
        assert isinstance(found, Proposal)
        assert found.staging.is_valid
        assert names(graph, found.tensors) == ["mask", f"layer{layer}/out"]
        plan = found.plan
    assert plan.stage_count == 4
    assert not [f for f in diagnose(assign_stages(graph, plan)) if f.is_error]
    assert uses <= 6


def test_a_diamond_ladder_of_free_branches_is_settled_by_one_minimum_cut():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Neg", ["x"], ["a"])
    for branch in range(40):
        for step in range(10):
            builder.add_node("Neg", [f"b{branch}.{step - 1}" if step else "a"], [f"b{branch}.{step}"])
            builder.set_type(f"b{branch}.{step}", 1, (1 + (branch * 7 + step * 13) % 50,))
    builder.add_node("Sum", [f"b{branch}.9" for branch in range(40)], ["y"])
    builder.set_type("a", 1, (10**6,))
    graph = builder.build()
    found = cut_after(graph, Plan(), node(graph, "b0.4"))
    assert isinstance(found, Proposal)
    expected = [min(1 + (branch * 7 + step * 13) % 50 for step in range(10)) for branch in range(40)]
    expected[0] = 1 + 4 * 13 % 50
    assert found.bytes == 4 * sum(expected)
