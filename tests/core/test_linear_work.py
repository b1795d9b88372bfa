"""The work grows with the size of the graph and no faster: executed bytecodes and memory are counted, not seconds."""

from __future__ import annotations

import pytest

from cutter_gui.core import Cut, CutEdge, Graph, GraphBuilder, Plan, assign_stages, diagnose, stage_contents
from strategies.executed_work import bytecodes, peak

SMALL, LARGE = 300, 1200
SLACK = 1.15


def chain(count: int) -> Graph:
    """A chain of pairs with a hub that feeds every node, a shared weight and a shared constant."""
    builder = GraphBuilder("onnx")
    builder.add_initializer("w", 4)
    builder.add_input("x")
    builder.add_node("Neg", ["x"], ["hub"])
    builder.add_node("Constant", [], ["k"])
    before = "x"
    for index in range(count):
        builder.add_node("Sum", [before, "hub", "w", "k"], [f"t{index}"], name=f"node {index}")
        before = f"t{index}"
    builder.add_output(before)
    for name in ("x", "hub", "k", *(f"t{index}" for index in range(count))):
        builder.set_type(name, 1, (1, 4))
    return builder.build()


def quarters(count: int) -> list[int]:
    return [count * part // 4 for part in (1, 2, 3)]


def complete(count: int) -> Plan:
    """Three cuts that also list every later reader of the hub."""
    return Plan(
        tuple(
            Cut((CutEdge(f"t{at}"), CutEdge("hub", [f"t{later}" for later in range(at + 1, count)])))
            for at in quarters(count)
        )
    )


def out_of_order(count: int) -> Plan:
    return Plan(complete(count).cuts[::-1])


def incomplete(count: int) -> Plan:
    return Plan(tuple(Cut((CutEdge(f"t{at}"),)) for at in quarters(count)))


def with_wrong_names(count: int) -> Plan:
    names = [f"node {at}" for at in range(count)]
    return Plan((Cut((CutEdge("hub", names), *(CutEdge(f"stale {at}") for at in range(count)))),))


def with_repeats(count: int) -> Plan:
    every = [f"t{at}" for at in range(count)]
    return Plan((Cut((CutEdge("hub", every), CutEdge("hub", every), CutEdge(f"t{count - 1}"))),))


def everything(graph: Graph, plan: Plan) -> None:
    staging = assign_stages(graph, plan)
    diagnose(staging)
    stage_contents(staging)


def test_building_a_graph_is_linear():
    assert bytecodes(lambda: chain(LARGE)) < SLACK * LARGE / SMALL * bytecodes(lambda: chain(SMALL))


@pytest.mark.parametrize("plan", [complete, out_of_order, incomplete, with_wrong_names, with_repeats])
def test_stages_findings_and_contents_are_linear(plan):
    small, large = chain(SMALL), chain(LARGE)
    everything(small, plan(SMALL))
    counts = [bytecodes(lambda g=g, n=n: everything(g, plan(n))) for g, n in ((small, SMALL), (large, LARGE))]
    assert counts[1] < SLACK * LARGE / SMALL * counts[0]


@pytest.mark.parametrize("plan", [complete, incomplete])
def test_memory_is_linear(plan):
    small, large = chain(4 * SMALL), chain(4 * LARGE)
    everything(small, plan(4 * SMALL))
    used = [peak(lambda g=g, n=n: everything(g, plan(n))) for g, n in ((small, 4 * SMALL), (large, 4 * LARGE))]
    assert used[1] < 1.5 * LARGE / SMALL * used[0]  # numbers below 257 take no memory, so the small case is lighter
