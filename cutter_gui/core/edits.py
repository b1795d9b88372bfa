"""Edits of a plan: each takes a plan and returns a new one."""

from __future__ import annotations

from dataclasses import replace

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import resolve_edge


def add_cut(plan: Plan, at: int | None = None, cut: Cut | None = None) -> Plan:
    """Adds a cut, empty unless given, at the end or before position ``at``."""
    cuts = list(plan.cuts)
    cuts.insert(len(cuts) if at is None else at, cut or Cut())
    return replace(plan, cuts=tuple(cuts))


def remove_cut(plan: Plan, index: int) -> Plan:
    return replace(plan, cuts=plan.cuts[:index] + plan.cuts[index + 1 :])


def rename_cut(plan: Plan, index: int, name: str) -> Plan:
    """Names a cut; an empty name takes the name away."""
    return _with_cut(plan, index, replace(plan.cuts[index], name=name or None))


def move_cut(plan: Plan, source: int, target: int) -> Plan:
    """Moves a cut so that it stands at position ``target`` afterwards."""
    cuts = list(plan.cuts)
    cuts.insert(target, cuts.pop(source))
    return replace(plan, cuts=tuple(cuts))


def reorder_cuts(plan: Plan, order: tuple[int, ...]) -> Plan:
    """Puts the cuts into a new order; ``order`` lists their present positions."""
    return replace(plan, cuts=tuple(plan.cuts[index] for index in order))


def is_listed(plan: Plan, index: int, tensor: str) -> bool:
    """Whether a cut lists any edge of the tensor."""
    return any(edge.tensor == tensor for edge in plan.cuts[index].edges)


def toggle_tensor(plan: Plan, index: int, tensor: str) -> Plan:
    """Takes the tensor's edges out of a cut, or, when the cut lists none of them, puts all of them in."""
    edges = plan.cuts[index].edges
    kept = tuple(edge for edge in edges if edge.tensor != tensor)
    if len(kept) == len(edges):
        kept = (*edges, CutEdge(tensor))
    return _with_cut(plan, index, replace(plan.cuts[index], edges=kept))


def remove_tensor(plan: Plan, index: int, tensor: str) -> Plan:
    """Takes every edge of the tensor, by that name, out of a cut; the name need not exist in the graph."""
    kept = tuple(edge for edge in plan.cuts[index].edges if edge.tensor != tensor)
    return _with_cut(plan, index, replace(plan.cuts[index], edges=kept))


def toggle_consumer(graph: Graph, plan: Plan, index: int, tensor: str, consumer: int) -> Plan:
    """Puts the edge to one consumer into a cut, or takes it out.

    All of the tensor's edges are written without ``consumers``, some with the consumers in graph order; when none is
    left the tensor leaves the cut. Names that the graph does not have stay, for they are reported and can be mended.

    Args:
        graph: The graph.
        plan: The plan.
        index: The cut.
        tensor: Name of a tensor of the graph.
        consumer: Number of a node that reads it and has an output to be named by.

    Raises:
        ValueError: The node does not read the tensor, or has no output and so no name as a consumer.
    """
    number = graph.tensor_index[tensor]
    if graph.edge(number, consumer) is None:
        raise ValueError(f"node {consumer} does not read {tensor}")
    chosen: set[int] = set()
    unknown: list[str] = []
    for cut_edge in plan.cuts[index].edges:
        found = resolve_edge(graph, cut_edge) if cut_edge.tensor == tensor else None
        if found is not None:
            chosen.update(int(graph.edge_consumer[edge]) for edge in found[0])
            unknown.extend(found[1])
    chosen ^= {consumer}
    everyone = [int(node) for node in graph.consumers(number)]
    if not chosen and not unknown:
        replacement: tuple[CutEdge, ...] = ()
    elif len(chosen) == len(everyone):
        replacement = (CutEdge(tensor),)
    else:
        names = [graph.consumer_name(node) for node in everyone if node in chosen]
        if None in names:
            raise ValueError(f"a consumer of {tensor} has no output and cannot be named apart from the others")
        replacement = (CutEdge(tensor, [*(name for name in names if name is not None), *unknown]),)
    edges: list[CutEdge] = []
    for cut_edge in plan.cuts[index].edges:
        if cut_edge.tensor != tensor:
            edges.append(cut_edge)
        else:
            edges.extend(replacement)
            replacement = ()
    edges.extend(replacement)
    return _with_cut(plan, index, replace(plan.cuts[index], edges=tuple(edges)))


def _with_cut(plan: Plan, index: int, cut: Cut) -> Plan:
    return replace(plan, cuts=(*plan.cuts[:index], cut, *plan.cuts[index + 1 :]))
