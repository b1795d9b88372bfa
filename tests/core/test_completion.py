"""The cheapest completion of a cut, against brute force on small graphs and networkx on large ones."""

from __future__ import annotations

import random
from itertools import product

import networkx
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import CutEdge, Graph, GraphBuilder, Plan, Staging, assign_stages, diagnose
from cutter_gui.core.completion import complete
from cutter_gui.core.sides import cost_of
from strategies.graphs import careless_plans, models
from strategies.small_graphs import small_graph, small_plan


def first_incomplete(staging: Staging) -> tuple[int, int] | None:
    found = next((f for f in diagnose(staging) if f.code == "incomplete-cut"), None)
    return None if found is None else (found.cut, int(staging.component[found.nodes[0]]))


def links(graph: Graph) -> list[tuple[int, int, int]]:
    """(tensor, producer, consumer) of the joining edges."""
    return [
        (int(graph.edge_tensor[e]), int(graph.tensor_producer[graph.edge_tensor[e]]), int(graph.edge_consumer[e]))
        for e in range(graph.edge_count)
        if graph.edge_joins[e]
    ]


def price(staging: Staging, cut: int, side: dict[int, bool]) -> int | None:
    """Bytes that newly cross boundary ``cut`` when these nodes stand before it (True); None when that is forbidden."""
    graph, listings = staging.graph, staging.listings

    def before(node: int) -> bool:
        return side.get(node, bool(staging.node_stage[node] <= cut))

    for at, edge in zip(listings.cut.tolist(), listings.edge.tolist(), strict=True):
        producer, consumer = int(graph.tensor_producer[graph.edge_tensor[edge]]), int(graph.edge_consumer[edge])
        if graph.edge_joins[edge] and at <= cut and not side.get(producer, True):
            return None
        if at >= cut and side.get(consumer, False):
            return None
    if any(side[a] and not side[p] for _, p, a in links(graph) if p in side and a in side):
        return None
    if any(side.get(a) != side.get(b) for a, b in graph.joins.tolist()):
        return None
    free = {int(graph.edge_tensor[edge]) for edge in listings.edge[listings.cut == cut]}
    crossing = {t for t, p, a in links(graph) if before(p) and not before(a) and (p in side or a in side)}
    return sum(cost_of(graph, tensor, {}) for tensor in crossing - free)


def cheapest(staging: Staging, cut: int, component: int) -> int | None:
    nodes = [node for node, own in enumerate(staging.component.tolist()) if own == component]
    prices = [price(staging, cut, dict(zip(nodes, sides, strict=True))) for sides in product([0, 1], repeat=len(nodes))]
    return min((value for value in prices if value is not None), default=None)


def sides_of(staging: Staging, component: int, before: tuple[int, ...]) -> dict[int, bool]:
    return {node: node in before for node, own in enumerate(staging.component.tolist()) if own == component}


@given(st.data())
def test_no_sides_of_the_nodes_are_cheaper(data):
    graph = data.draw(models(max_nodes=9, min_nodes=4, connected=True)).graph()
    staging = assign_stages(graph, data.draw(careless_plans(graph)))
    place = first_incomplete(staging)
    if place is None:
        return
    cut, component = place
    found, least = complete(staging, cut, component), cheapest(staging, cut, component)
    event(f"can be completed: {least is not None}")
    assert (found is None) == (least is None)
    if found is not None:
        assert price(staging, cut, sides_of(staging, component, found.before)) == least


@given(st.data())
def test_the_mend_of_an_incomplete_cut_completes_it_there(data):
    graph = data.draw(models(max_nodes=10, min_nodes=4, connected=True)).graph()
    staging = assign_stages(graph, data.draw(careless_plans(graph, max_cuts=3)))
    for finding in diagnose(staging):
        if finding.code != "incomplete-cut" or not finding.fixes[0].title.startswith("Also cut"):
            continue
        event("mended")
        component = set((staging.component == staging.component[finding.nodes[0]]).nonzero()[0].tolist())
        for left in diagnose(assign_stages(graph, finding.fixes[0].plan)):
            assert left.code != "incomplete-cut" or left.cut != finding.cut or not component & set(left.nodes)


SIZES = {
    "big": ("float32", (1000,)),
    "small": ("float32", (10,)),
    "left": ("float32", (8,)),
    "right": ("float32", (8,)),
}


def test_a_tensor_with_many_consumers_is_paid_once():
    graph = small_graph(
        *("Neg x -> small", "Neg small -> left", "Neg small -> right"),
        *("Add left right -> big", "Add big small -> y"),
        types=SIZES,
    )
    found = complete(assign_stages(graph, small_plan("small->y")), 0, 0)
    assert found is not None
    assert [graph.tensor_names[t] for t in found.tensors] == ["small"]
    assert found.edges == small_plan("small").cuts[0].edges
    assert found.cost == 0


def test_the_cheapest_set_is_taken_and_told_with_its_bytes():
    graph = small_graph(
        *("Neg x -> a", "Neg a -> small", "Neg small -> big", "Neg a -> c", "Add big c -> d"),
        types={**SIZES, "a": ("float32", (2000,)), "c": ("float32", (2000,))},
    )
    (found,) = diagnose(assign_stages(graph, small_plan("c")))
    assert found.fixes[0].title == "Also cut small in cut 0 (40 B more)"
    assert found.fixes[0].plan == small_plan("c small")


def test_only_the_consumers_behind_the_boundary_are_cut():
    graph = small_graph(
        *("Neg x -> small", "Neg small -> b", "Neg small -> big", "Add big b -> c"),
        *("Neg small -> early", "Add early small -> e2", "Add e2 b -> p"),
        types=SIZES,
    )
    found = complete(assign_stages(graph, small_plan("b->c b->p")), 0, 0)
    assert found is not None
    assert found.edges == (CutEdge("small", ["big", "early", "e2"]),)


def test_of_equally_cheap_completions_the_one_with_fewer_edges_is_taken():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg a -> s", "Add s b -> c", "Neg a -> early", "Add early a -> e2")
    found = complete(assign_stages(graph, small_plan("b")), 0, 0)
    assert found is not None
    assert found.edges == (CutEdge("s"),)


def test_no_edge_of_a_completion_runs_backward():
    graph = small_graph(
        *("Neg x -> a", "Neg a -> big", "Neg big -> p", "Neg small0 -> small", "Add p small -> y", "Neg big -> small0"),
        types=SIZES,
    )
    staging = assign_stages(graph, small_plan("p"))
    found = complete(staging, 0, 0)
    assert found is not None
    for _, producer, consumer in links(graph):
        assert producer in found.before or consumer not in found.before


def test_what_must_stand_behind_but_comes_before_cannot_be_completed():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", "Add b a -> e")
    staging = assign_stages(graph, small_plan("a->b c"))
    (found,) = diagnose(staging)
    assert found.code == "incomplete-cut"
    assert complete(staging, 0, 0) is None
    assert [fix.title for fix in found.fixes] == ["Take c out of cut 0", "Take a and c out of cut 0"]


def test_nodes_that_share_storage_cannot_be_parted():
    graph = small_graph("View x -> a", "!add_ a -> b", together=[(0, 1)])
    assert complete(assign_stages(graph, small_plan("a")), 0, 0) is None


def test_a_consumer_without_a_name_that_would_have_to_be_named_leaves_no_mend():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Print a b -> _", "Neg a -> early", "Add early b -> z")
    assert complete(assign_stages(graph, small_plan("b->z")), 0, 0) is not None
    graph = small_graph("Neg x -> a", "Neg a -> b", "Print a b -> _")
    assert complete(assign_stages(graph, small_plan("b")), 0, 0) is None


@pytest.mark.parametrize("scale", [1, 1000, 2**20 + 7, 2**34])
def test_sizes_beyond_32_bits_keep_their_order(scale):
    graph = small_graph(
        *("Neg x -> a", "Neg a -> small", "Neg small -> big", "Neg a -> c", "Add big c -> d"),
        types={
            "a": ("int8", (5 * scale,)),
            "small": ("int8", (3 * scale + 1,)),
            "big": ("int8", (4 * scale,)),
            "c": ("int8", (9 * scale,)),
        },
    )
    found = complete(assign_stages(graph, small_plan("c")), 0, 0)
    assert found is not None
    assert [graph.tensor_names[t] for t in found.tensors] == ["small"]
    assert found.cost == 3 * scale + 1


def test_symbols_take_the_values_given_and_1_otherwise():
    graph = small_graph(
        *("Neg x -> a", "Neg a -> many", "Neg many -> few", "Neg a -> c", "Add few c -> d"),
        types={"many": ("float32", ("batch", 2)), "few": ("float32", (16,)), "a": ("float32", (99,))},
    )
    staging = assign_stages(graph, small_plan("c"))
    names = {
        batch: [graph.tensor_names[t] for t in complete(staging, 0, 0, {"batch": batch}).tensors] for batch in (1, 64)
    }
    assert names == {1: ["many"], 64: ["few"]}
    assert complete(staging, 0, 0).cost == 8
    assert "more)" not in diagnose(staging)[0].fixes[0].title


@pytest.mark.parametrize("seed", range(4))
def test_large_completions_cost_what_networkx_finds(seed):
    rng = random.Random(seed)
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    count = 400
    for node in range(count):
        sources = {f"t{max(0, node - rng.randint(1, 12))}" for _ in range(rng.randint(1, 3))} if node else {"x"}
        builder.add_node("Sum", sorted(sources), [f"t{node}"])
        builder.set_type(f"t{node}", 1, (rng.randint(1, 10**6),))
    graph = builder.build()
    tensor = next(
        t for t in range(1, graph.tensor_count) if graph.tensor_producer[t] > count // 2 and len(graph.consumers(t))
    )
    staging = assign_stages(graph, Plan(small_plan(graph.tensor_names[tensor]).cuts))
    found = complete(staging, 0, 0)
    network = networkx.DiGraph()
    for t, producer, consumer in links(graph):
        if t != tensor:
            network.add_edge(producer, ("gate", t), capacity=cost_of(graph, t, {}))
            network.add_edge(("gate", t), consumer)
        network.add_edge(consumer, producer)
    network.add_edge("source", int(graph.tensor_producer[tensor]))
    for consumer in graph.consumers(tensor).tolist():
        network.add_edge(consumer, "sink")
    assert found is not None
    assert found.cost == networkx.minimum_cut_value(network, "source", "sink")
    assert found.cost == price(staging, 0, sides_of(staging, 0, found.before))
