"""DESIGN section 2 read word by word, with sets and dictionaries: slow, and independent of the core's arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from cutter_gui.core import Plan
from strategies.graphs import ModelSpec

Listing = tuple[int, str, int]
"""(cut, tensor, consumer node)."""


@dataclass(frozen=True)
class Reading:
    """What a plan means.

    Attributes:
        stage: Stage of each node that is not constant.
        component: The nodes each such node hangs together with.
        unknown: (cut, tensor, consumer or None) that the model does not have.
        failing: Listings that break rule 4.
        empty: Stages without a component.
    """

    stage: dict[int, int]
    component: dict[int, frozenset[int]]
    unknown: set[tuple[int, str, str | None]]
    failing: set[Listing]
    empty: set[int]

    @property
    def valid(self) -> bool:
        return not (self.unknown or self.failing or self.empty)


def constant_nodes(model: ModelSpec) -> set[int]:
    """Neither it nor any ancestor reads a graph input or is random."""
    producer = producers(model)
    live_inputs = set(model.inputs) - set(model.initializers)

    def ancestors(node: int) -> set[int]:
        found = {node}
        for tensor in model.nodes[node].reads:
            if tensor in producer:
                found |= ancestors(producer[tensor])
        return found

    return {
        node
        for node in range(len(model.nodes))
        if not any(model.nodes[a].volatile or model.nodes[a].reads & live_inputs for a in ancestors(node))
    }


def producers(model: ModelSpec) -> dict[str, int]:
    return {tensor: index for index, node in enumerate(model.nodes) for tensor in node.outputs if tensor}


def read(model: ModelSpec, plan: Plan, nodes_together: Iterable[tuple[int, int]] = ()) -> Reading:
    """Reads a plan; ``nodes_together`` are pairs that share storage that is mutated."""
    producer, constant = producers(model), constant_nodes(model)
    edges = {(tensor, index) for index, node in enumerate(model.nodes) for tensor in node.reads}
    joining = {
        (tensor, node)
        for tensor, node in edges
        if tensor in producer and producer[tensor] not in constant and node not in constant
    }
    listings, unknown = _listings(model, plan, edges, producer)
    cut_edges = {(tensor, node) for _, tensor, node in listings}
    live = [node for node in range(len(model.nodes)) if node not in constant]
    links = [(producer[tensor], node) for tensor, node in joining - cut_edges]
    component = _flood(live, [*links, *nodes_together])
    entering: dict[frozenset[int], set[int]] = {}
    leaving: dict[frozenset[int], set[int]] = {}
    for cut, tensor, node in listings:
        if node in constant:
            continue
        entering.setdefault(component[node], set()).add(cut)
        if (tensor, node) in joining:
            leaving.setdefault(component[producer[tensor]], set()).add(cut)
    stage = {}
    for node in live:
        if component[node] in entering:
            stage[node] = 1 + max(entering[component[node]])
        else:
            stage[node] = min(leaving.get(component[node], {0}))
    failing = {
        (cut, tensor, node)
        for cut, tensor, node in listings
        if (tensor, node) in joining and not (stage[producer[tensor]] <= cut and stage[node] >= cut + 1)
    }
    empty = set(range(len(plan.cuts) + 1)) - set(stage.values()) if plan.cuts else set()
    return Reading(stage, component, unknown, failing, empty)


def _listings(
    model: ModelSpec, plan: Plan, edges: set[tuple[str, int]], producer: dict[str, int]
) -> tuple[set[Listing], set[tuple[int, str, str | None]]]:
    tensors = {*model.inputs, *model.initializers, *producer}
    listings: set[Listing] = set()
    unknown: set[tuple[int, str, str | None]] = set()
    for cut, content in enumerate(plan.cuts):
        for entry in content.edges:
            readers = {node for tensor, node in edges if tensor == entry.tensor}
            if entry.tensor not in tensors:
                unknown.add((cut, entry.tensor, None))
            elif entry.consumers is None:
                listings |= {(cut, entry.tensor, node) for node in readers}
            else:
                for name in entry.consumers:
                    if producer.get(name) in readers:
                        listings.add((cut, entry.tensor, producer[name]))
                    else:
                        unknown.add((cut, entry.tensor, name))
    return listings, unknown


def _flood(nodes: list[int], links: list[tuple[int, int]]) -> dict[int, frozenset[int]]:
    component = {node: frozenset([node]) for node in nodes}
    for first, second in links:
        joined = component[first] | component[second]
        component.update(dict.fromkeys(joined, joined))
    return component


def valid_orders(model: ModelSpec, plan: Plan) -> list[tuple[int, ...]]:
    """Returns every order of the cuts that makes the plan valid."""
    return [
        order
        for order in permutations(range(len(plan.cuts)))
        if read(model, replace(plan, cuts=tuple(plan.cuts[index] for index in order))).valid
    ]
