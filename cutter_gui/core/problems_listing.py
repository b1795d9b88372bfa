"""What the entries of a plan amount to, one by one.

``duplicate-edge``, ``nothing-reads``, ``sends-nothing``, ``into-constant``, ``inside-subgraph``. One pass over the
listings; a finding is for one tensor in one cut, and for one tensor where the cut does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.fixes import PlanEdit, RemoveEdge, ReplaceEdge, fix, union
from cutter_gui.core.graph import TensorKind
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.problems_words import (
    FIX_LIMIT,
    cut_shown,
    node_names,
    nodes_listed,
    sentence,
    tensor_shown,
)
from cutter_gui.core.stages import Staging, resolve_edge


def listing_problems(staging: Staging) -> Iterator[Diagnostic]:
    """Yields what is odd about single entries, none of it an error."""
    yield from _duplicates(staging)
    yield from _unread(staging)
    yield from _without_transfer(staging)
    yield from _inside_bodies(staging)


def _duplicates(staging: Staging) -> Iterator[Diagnostic]:
    groups: dict[tuple[int, int], dict[int, None]] = {}
    for cut, tensor, node in staging.listings.repeated:
        groups.setdefault((cut, tensor), {})[node] = None
    for place, ((cut, tensor), nodes) in enumerate(groups.items()):
        into = nodes_listed(staging.graph, tuple(nodes))
        yield Diagnostic(
            "duplicate-edge",
            Severity.WARNING,
            f"{sentence(cut_shown(staging.plan, cut))} lists {tensor_shown(staging.graph, tensor)} -> {into} "
            "more than once.",
            tensors=(staging.graph.tensor_names[tensor],),
            nodes=tuple(nodes),
            node_names=node_names(staging.graph, nodes),
            cut=cut,
            fixes=(_without_repeats(staging, cut, tensor),) if place < FIX_LIMIT else (),
        )


def _without_repeats(staging: Staging, cut: int, tensor: int) -> Fix:
    """Returns the mend that leaves one entry of the tensor in the cut, with each edge once."""
    name = staging.graph.tensor_names[tensor]
    edges = staging.plan.cuts[cut].edges
    places = [place for place, edge in enumerate(edges) if edge.tensor == name]
    (joined,) = union((), [edges[place] for place in places])
    edits: list[PlanEdit] = [RemoveEdge(cut, place) for place in reversed(places[1:])]
    edits.append(ReplaceEdge(cut, places[0], _each_once(staging, joined)))
    return fix(staging.plan, f"List {tensor_shown(staging.graph, tensor)} once", edits)


def _each_once(staging: Staging, entry: CutEdge) -> CutEdge:
    """Returns an entry without the consumers that are one node under another of its outputs."""
    if entry.consumers is None:
        return entry
    names: list[str] = []
    seen: set[int] = set()
    for name in entry.consumers:
        found = resolve_edge(staging.graph, CutEdge(entry.tensor, (name,)))
        edges = found[0] if found else []
        if not seen.issuperset(edges) or not edges:
            names.append(name)
        seen.update(edges)
    return CutEdge(entry.tensor, names)


def _unread(staging: Staging) -> Iterator[Diagnostic]:
    for place, (cut, tensor) in enumerate(dict.fromkeys(staging.listings.unread)):
        name = staging.graph.tensor_names[tensor]
        fixes: tuple[Fix, ...] = ()
        if place < FIX_LIMIT:
            edges = staging.plan.cuts[cut].edges
            edits = [RemoveEdge(cut, at) for at in reversed(range(len(edges))) if edges[at].tensor == name]
            title = f"Take {tensor_shown(staging.graph, tensor)} out of {cut_shown(staging.plan, cut)}"
            fixes = (fix(staging.plan, title, edits),)
        yield Diagnostic(
            "nothing-reads",
            Severity.WARNING,
            f"{sentence(cut_shown(staging.plan, cut))} cuts {tensor_shown(staging.graph, tensor)}, "
            "but no node reads it.",
            tensors=(name,),
            cut=cut,
            fixes=fixes,
        )


def _without_transfer(staging: Staging) -> Iterator[Diagnostic]:
    graph, listings = staging.graph, staging.listings
    tensor, consumer = graph.edge_tensor[listings.edge], graph.edge_consumer[listings.edge]
    ignored = graph.node_constant[consumer]
    copied = ~graph.edge_joins[listings.edge] & ~ignored & (graph.tensor_kind[tensor] != TensorKind.MISSING)
    for cut, index, nodes in _grouped(staging, np.flatnonzero(copied)):
        kind = TensorKind(int(graph.tensor_kind[index]))
        what = {TensorKind.INPUT: "a graph input", TensorKind.INITIALIZER: "an initializer"}.get(kind, "constant")
        yield Diagnostic(
            "sends-nothing",
            Severity.INFO,
            f"{tensor_shown(graph, index)}, cut by {cut_shown(staging.plan, cut)}, is {what}: nothing is sent, "
            "each stage that reads it gets its own copy.",
            tensors=(graph.tensor_names[index],),
            nodes=nodes,
            node_names=node_names(graph, nodes),
            cut=cut,
        )
    for cut, index, nodes in _grouped(staging, np.flatnonzero(ignored)):
        into = nodes_listed(graph, nodes)
        yield Diagnostic(
            "into-constant",
            Severity.INFO,
            f"{sentence(cut_shown(staging.plan, cut))} cuts {tensor_shown(graph, index)} from {into}, which is "
            "constant and copied wherever it is needed: the entry has no effect.",
            tensors=(graph.tensor_names[index],),
            nodes=nodes,
            node_names=node_names(graph, nodes),
            cut=cut,
        )


def _inside_bodies(staging: Staging) -> Iterator[Diagnostic]:
    graph, listings = staging.graph, staging.listings
    at = np.flatnonzero(graph.edge_captured[listings.edge] & graph.edge_joins[listings.edge])
    merged: dict[int, dict[int, None]] = {}
    for _, tensor, nodes in _grouped(staging, at):
        merged.setdefault(tensor, {}).update(dict.fromkeys(nodes))
    for tensor, readers in merged.items():
        into = nodes_listed(graph, tuple(readers))
        yield Diagnostic(
            "inside-subgraph",
            Severity.INFO,
            f"{tensor_shown(graph, tensor)} is read only inside a subgraph body of {into}: the stage of that node "
            "receives it.",
            tensors=(graph.tensor_names[tensor],),
            nodes=tuple(readers),
            node_names=node_names(graph, readers),
        )


def _grouped(staging: Staging, at: Iterable[int]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yields (cut, tensor, consumers) of the given listings, in plan order."""
    graph, listings = staging.graph, staging.listings
    at = np.asarray(at, dtype=np.intp)
    edges = listings.edge[at]
    groups: dict[tuple[int, int], list[int]] = {}
    for cut, tensor, node in zip(
        listings.cut[at].tolist(), graph.edge_tensor[edges].tolist(), graph.edge_consumer[edges].tolist(), strict=True
    ):
        groups.setdefault((cut, tensor), []).append(node)
    for (cut, tensor), nodes in groups.items():
        yield cut, tensor, tuple(nodes)
