"""What crosses the boundaries of a settled plan, and what is copied instead.

``unknown-type``, ``unsendable-type``, ``crosses-several-boundaries``, ``shared-weight``; `problems_quantized` adds
``quantized-boundary``. Everything here reads the very contents that a split writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cutter_gui.core.contents import StageContents, stage_contents
from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.dtypes import UNKNOWN, dtype_of
from cutter_gui.core.fixes import AddEdges, PlanEdit, SetTransport, fix
from cutter_gui.core.format import Form
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.problems_quantized import quantized_boundaries
from cutter_gui.core.problems_sendable import is_stopped, sendable_instead
from cutter_gui.core.problems_words import (
    FIX_LIMIT,
    counted,
    cut_shown,
    listed,
    node_names,
    shown,
    tensor_shown,
)
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import bytes_text

WEIGHTS_SHOWN = 20


def boundary_problems(staging: Staging, form: Form, symbols: Mapping[str, int] | None = None) -> Iterator[Diagnostic]:
    """Yields what is to be said about a plan without a failing listing."""
    contents = stage_contents(staging)
    sent = list(dict.fromkeys(tensor for stage in contents for move in stage.sends for tensor in move.tensors))
    yield from _types(staging, sent, form, symbols)
    yield from quantized_boundaries(staging, sent)
    if not staging.empty:
        yield from _several_boundaries(staging)
    yield from _shared_weights(staging.graph, contents)


def _types(staging: Staging, sent: list[int], form: Form, symbols: Mapping[str, int] | None) -> Iterator[Diagnostic]:
    graph = staging.graph
    if graph.carries_any_type:
        return
    stopped = [tensor for tensor in sent if is_stopped(graph, tensor, form)]
    fixes = sendable_instead(staging, form, symbols) if stopped and not staging.empty else ()
    for tensor in sent:
        name, dtype = graph.tensor_names[tensor], dtype_of(int(graph.tensor_dtype[tensor]))
        if dtype.code == UNKNOWN:
            yield Diagnostic(
                "unknown-type",
                Severity.ERROR,
                f"The element type of {shown(name)}, which crosses a boundary, is not known; "
                f"give it, as in --type {shown(name)}=float32[1,16].",
                tensors=(name,),
                fixes=fixes,
            )
        elif not dtype.sendable:
            needed = form != "plain"
            yield Diagnostic(
                "unsendable-type",
                Severity.ERROR if needed else Severity.WARNING,
                f"{shown(name)} is of type {dtype.name}, which Send and Recv do not take; "
                + ("cut elsewhere, or write the plain form only." if needed else "the plain form passes it on."),
                tensors=(name,),
                fixes=fixes if needed else (),
            )


def _several_boundaries(staging: Staging) -> Iterator[Diagnostic]:
    """Yields a finding for each tensor with an edge that crosses more boundaries than list it."""
    graph, plan = staging.graph, staging.plan
    first, last = staging.edge_span
    times = np.bincount(staging.listings.edge, minlength=graph.edge_count)
    edges = np.flatnonzero(last - first > times)
    if not len(edges):
        return
    listed_in: dict[int, set[int]] = {}
    for edge, cut in zip(staging.listings.edge.tolist(), staging.listings.cut.tolist(), strict=True):
        listed_in.setdefault(edge, set()).add(cut)
    groups: dict[int, list[int]] = {}
    for edge in edges.tolist():
        groups.setdefault(int(graph.edge_tensor[edge]), []).append(edge)
    for place, (tensor, members) in enumerate(groups.items()):
        source = int(first[members[0]])
        targets = sorted({int(last[edge]) for edge in members})
        cuts = sorted(set().union(*(listed_in.get(edge, set()) for edge in members)))
        where = listed([cut_shown(plan, cut) for cut in cuts])
        way = (
            f"relayed through {counted('stage', range(source + 1, targets[-1]))}"
            if plan.transport == "relay"
            else "sent there directly"
        )
        nodes = [int(graph.edge_consumer[edge]) for edge in members]
        missing = {edge: set(range(source, int(last[edge]))) - listed_in.get(edge, set()) for edge in members}
        yield Diagnostic(
            "crosses-several-boundaries",
            Severity.INFO,
            f"{tensor_shown(graph, tensor)} runs from stage {source} to {counted('stage', targets)} but is listed only "
            f"in {where}; it is {way}.",
            tensors=(graph.tensor_names[tensor],),
            nodes=tuple(nodes),
            node_names=node_names(graph, nodes),
            fixes=_listing_fixes(staging, tensor, missing) if place < FIX_LIMIT else (),
        )


def _listing_fixes(staging: Staging, tensor: int, missing: dict[int, set[int]]) -> tuple[Fix, ...]:
    """Returns the mends: list the edges in every cut they cross; or send directly.

    Args:
        staging: The plan's stages.
        tensor: The tensor.
        missing: For each of its edges the cuts that it crosses without being listed.
    """
    graph, plan = staging.graph, staging.plan
    name = graph.tensor_names[tensor]
    by_cut: dict[int, list[int]] = {}
    for edge, cuts in missing.items():
        for cut in cuts:
            by_cut.setdefault(cut, []).append(edge)
    edits: list[PlanEdit] = []
    for cut, edges in sorted(by_cut.items()):
        consumers = [graph.consumer_name(int(graph.edge_consumer[edge])) for edge in edges]
        if len(edges) == len(graph.edges_of(tensor)):
            edits.append(AddEdges(cut, CutEdge(name)))
        elif None not in consumers:
            edits.append(AddEdges(cut, CutEdge(name, [consumer for consumer in consumers if consumer is not None])))
        else:
            return ()
    where = listed([cut_shown(plan, cut) for cut in sorted(by_cut)])
    fixes = [fix(plan, f"List {shown(name)} in {where} too", edits)]
    if plan.transport == "relay":
        fixes.append(fix(plan, "Send between stages directly", [SetTransport("direct")]))
    return tuple(fixes)


def _shared_weights(graph: Graph, contents: tuple[StageContents, ...]) -> Iterator[Diagnostic]:
    """Yields a finding for each of the largest weights that several stages hold, and one for the rest."""
    copies = _copies(graph, contents)
    ranked = sorted(copies, key=lambda tensor: (-_weight_bytes(graph, tensor), tensor))
    for tensor in ranked[:WEIGHTS_SHOWN]:
        size = bytes_text(_weight_bytes(graph, tensor))
        yield Diagnostic(
            "shared-weight",
            Severity.INFO,
            f"Weight {tensor_shown(graph, tensor)} ({size}) is used by {counted('stage', copies[tensor])}; "
            "each gets a copy.",
            tensors=(graph.tensor_names[tensor],),
        )
    rest = ranked[WEIGHTS_SHOWN:]
    if rest:
        size = bytes_text(sum(_weight_bytes(graph, tensor) for tensor in rest))
        yield Diagnostic(
            "shared-weight",
            Severity.INFO,
            f"{len(rest)} more weights ({size} in all) are used by several stages; each stage gets a copy.",
            tensors=tuple(graph.tensor_names[tensor] for tensor in rest),
        )


def _copies(graph: Graph, contents: tuple[StageContents, ...]) -> dict[int, list[int]]:
    """Returns the stages of each weight that several hold: initializers, and outputs of nodes that hold a weight."""
    sourceless = graph.node_constant & (np.diff(graph.node_edges.starts) == 0)
    stages: dict[int, list[int]] = {}
    for stage in contents:
        held = stage.nodes[sourceless[stage.nodes]]
        outputs = [int(tensor) for node in held.tolist() for tensor in graph.node_outputs.row(node) if tensor >= 0]
        for tensor in (*stage.weights.tolist(), *outputs):
            stages.setdefault(tensor, []).append(stage.index)
    return {tensor: used for tensor, used in stages.items() if len(used) > 1 and _weight_bytes(graph, tensor)}


def _weight_bytes(graph: Graph, tensor: int) -> int:
    return graph.tensor_bytes(tensor) or 0
