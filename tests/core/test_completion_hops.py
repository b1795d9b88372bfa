"""Completions of cuts among others: what crosses pays at every boundary, against all stages that nodes could have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Plan, Staging, assign_stages, diagnose
from cutter_gui.core.completion import complete, completions
from cutter_gui.core.fixes import applied
from cutter_gui.core.sides import cost_of
from strategies.graphs import careless_plans, models, valid_plans
from strategies.small_graphs import small_graph, small_plan

LIMIT = 20_000


def ends(graph) -> list[tuple[int, int, int]]:
    return [
        (int(graph.edge_tensor[e]), int(graph.tensor_producer[graph.edge_tensor[e]]), int(graph.edge_consumer[e]))
        for e in np.flatnonzero(graph.edge_joins)
    ]


def touching(staging: Staging, component: int) -> set[int]:
    """The cuts that list an edge with an end in the component."""
    graph, inside = staging.graph, staging.component == component
    edge = staging.listings.edge
    entered = inside[graph.edge_consumer[edge]]
    left = graph.edge_joins[edge] & inside[graph.tensor_producer[graph.edge_tensor[edge]]]
    return set(staging.listings.cut[entered | left].tolist())


def price(staging: Staging, component: int, stage: dict[int, int]) -> int:
    """Bytes that newly cross the boundaries of all cuts that touch the component when its nodes have these stages."""
    graph, listings = staging.graph, staging.listings
    cuts, inside = touching(staging, component), staging.component == component
    total = 0
    for cut in range(min(cuts), max(cuts) + 1):
        there = set(graph.edge_tensor[listings.edge[listings.cut == cut]].tolist())
        crossing = {
            tensor
            for tensor, producer, consumer in ends(graph)
            if (inside[producer] or inside[consumer]) and stage[producer] <= cut < stage[consumer]
        }
        total += sum(cost_of(graph, tensor, {}) for tensor in crossing - there)
    return total


def least(staging: Staging, component: int) -> int | None:
    """The least price of any stages of the component's nodes that please every listing; None when none do."""
    graph, listings = staging.graph, staging.listings
    nodes = np.flatnonzero(staging.component == component).tolist()
    cuts = touching(staging, component)
    low, high = dict.fromkeys(nodes, min(cuts)), dict.fromkeys(nodes, max(cuts) + 1)
    for cut, edge in zip(listings.cut.tolist(), listings.edge.tolist(), strict=True):
        producer, consumer = int(graph.tensor_producer[graph.edge_tensor[edge]]), int(graph.edge_consumer[edge])
        if graph.edge_joins[edge] and producer in high:
            high[producer] = min(high[producer], cut)
        if consumer in low:
            low[consumer] = max(low[consumer], cut + 1)
    own = [(p, c) for _, p, c in ends(graph) if p in low and c in low]
    best = None
    for labels in product(*(range(low[n], high[n] + 1) for n in nodes)):
        stage = dict(enumerate(staging.node_stage.tolist())) | dict(zip(nodes, labels, strict=True))
        if all(stage[p] <= stage[c] for p, c in own):
            cost = price(staging, component, stage)
            best = cost if best is None else min(best, cost)
    return best


def without_one_entry(plan: Plan) -> Iterator[Plan]:
    """Yields the plan with one entry of one cut left out, for each entry that is not alone."""
    for index, cut in enumerate(plan.cuts):
        for place in range(len(cut.edges)) if len(cut.edges) > 1 else ():
            kept = replace(cut, edges=cut.edges[:place] + cut.edges[place + 1 :])
            yield replace(plan, cuts=(*plan.cuts[:index], kept, *plan.cuts[index + 1 :]))


def broken_places(staging: Staging) -> Iterator[tuple[int, int]]:
    """Yields cut and component of the incomplete cuts that are all that is wrong in their component."""
    graph, listings = staging.graph, staging.listings
    edge = listings.edge[staging.failing]
    source = staging.component[graph.tensor_producer[graph.edge_tensor[edge]]]
    target = staging.component[graph.edge_consumer[edge]]
    for component in np.unique(source[source == target]).tolist():
        cuts = set(listings.cut[staging.failing][(source == component) | (target == component)].tolist())
        if len(cuts) == 1:
            yield cuts.pop(), component


@given(st.data())
def test_no_stages_of_the_nodes_send_less_over_any_of_the_boundaries(data):
    graph = data.draw(models(max_nodes=9, min_nodes=6, connected=True)).graph()
    widths = data.draw(st.lists(st.integers(1, 9), min_size=graph.tensor_count, max_size=graph.tensor_count))
    graph = graph.with_types({name: (1, (width,)) for name, width in zip(graph.tensor_names, widths, strict=True)})
    plan = data.draw(valid_plans(graph, 3))
    for damaged in (*without_one_entry(plan), data.draw(careless_plans(graph, 3))):
        staging = assign_stages(graph, damaged)
        for cut, component in broken_places(staging):
            nodes = np.flatnonzero(staging.component == component)
            span = max(touching(staging, component)) - min(touching(staging, component)) + 1
            if (span + 1) ** len(nodes) > LIMIT:
                continue
            best = least(staging, component)
            found = complete(staging, cut, component)
            event(f"boundaries: {span}, possible: {best is not None}")
            assert (found is None) == (best is None)
            if found is not None:
                assert found.cost == best
                after = assign_stages(graph, applied(damaged, found.additions(cut))).node_stage
                assert price(staging, component, dict(enumerate(after.tolist()))) == best


def test_a_tensor_pays_at_every_boundary_that_it_comes_to_cross():
    sizes = {
        "a": ("float32", (10,)),
        "y": ("float32", (1000,)),
        "p": ("float32", (6,)),
        "q": ("float32", (4,)),
        "big": ("float32", (99,)),
    }
    graph = small_graph(
        *("Neg x -> s", "Neg s -> a", "Neg a -> p", "Neg p -> q", "Neg a -> big", "Add big q -> y", "Neg y -> z"),
        types=sizes,
    )
    staging = assign_stages(graph, small_plan("s", "", "big"))
    found = complete(staging, 2, int(staging.component[2]))
    assert found is not None
    assert [graph.tensor_names[tensor] for tensor in found.tensors] == ["q"]
    after = assign_stages(graph, applied(staging.plan, found.additions(2)))
    assert found.cost == price(staging, int(staging.component[2]), dict(enumerate(after.node_stage.tolist())))
    assert not len(after.failing)


def test_the_earliest_and_the_latest_completion_are_offered_beside_the_cheapest():
    sizes = {"p": ("float32", (500,)), "q": ("float32", (2,)), "r": ("float32", (900,)), "a": ("float32", (700,))}
    graph = small_graph(
        *("Neg x -> a", "Neg a -> p", "Neg p -> q", "Neg q -> r", "Neg a -> b", "Add b r -> c"), types=sizes
    )
    staging = assign_stages(graph, small_plan("b"))
    found = completions(staging, 0, 0)
    assert [(f.choice, [graph.tensor_names[t] for t in f.tensors]) for f in found] == [
        ("cheapest", ["q"]),
        ("earlier", ["a"]),
        ("later", ["r"]),
    ]
    assert [f.cost for f in found] == [8, 2800, 3600]
    (finding,) = diagnose(staging)
    assert [fix.title for fix in finding.fixes] == [
        "Also cut q in cut 0 (8 B more)",
        "Cut early: also a in cut 0 (2.7 KiB more)",
        "Cut late: also r in cut 0 (3.5 KiB more)",
        "Take b out of cut 0",
    ]
    for completion in found:
        assert assign_stages(graph, applied(staging.plan, completion.additions(0))).is_valid


def test_symbols_reach_the_mends_that_are_offered():
    sizes = {"p": ("float32", ("n", 2)), "q": ("float32", (16,)), "a": ("float32", (999,))}
    graph = small_graph("Neg x -> a", "Neg a -> p", "Neg p -> q", "Neg a -> b", "Add b q -> c", types=sizes)
    staging = assign_stages(graph, small_plan("b"))
    titles = [diagnose(staging, symbols=symbols)[0].fixes[0].title for symbols in (None, {"n": 1}, {"n": 64})]
    assert titles == [
        "Also cut p in cut 0",
        "Also cut p in cut 0 (8 B more)",
        "Also cut q in cut 0 (64 B more)",
    ]
