"""Names of a plan that the graph does not have: ``unknown-tensor``, ``unknown-consumer``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from cutter_gui.core.diagnostic import Diagnostic, Fix, LaterFixes, Severity
from cutter_gui.core.fixes import RemoveEdge, ReplaceEdge, fix
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.nearest import NearestName
from cutter_gui.core.problems_words import cut_shown, node_names, nodes_listed, sentence, shown
from cutter_gui.core.stages import Staging, UnknownName

SEARCH_LIMIT = 40
"""How many distinct names are searched for; a spec of another model has no name right."""

PROPOSED = 3
"""How many names are looked for in the place of one; more are no help to choose."""


def unknown_names(staging: Staging) -> Iterator[Diagnostic]:
    """Yields a finding per name of the plan that the graph does not have, in plan order.

    The first `SEARCH_LIMIT` propose other names; those after them can only be left out, until those before are mended.
    """
    search = NameSearch(staging.graph)
    for unknown in staging.listings.unknown:
        if unknown.consumer is None:
            yield _unknown_tensor(staging, unknown, search)
        else:
            yield _unknown_consumer(staging, unknown, unknown.consumer, search)


class NameSearch:
    """The names of a graph, made ready for searching when first needed."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._found: dict[str, tuple[str, ...]] = {}
        self._readers: dict[tuple[int, str], tuple[str, ...]] = {}

    def tensor(self, name: str) -> str | None:
        """Returns the nearest name of a tensor that some node reads."""
        return next(iter(self.tensors(name)), None)

    def tensors(self, name: str) -> tuple[str, ...]:
        """Returns the nearest names of tensors that some node reads, the most alike first."""
        if name not in self._found and len(self._found) < SEARCH_LIMIT:
            names, nearest = self._tensors
            self._found[name] = tuple(names[at] for at in nearest.nearest(name, PROPOSED))
        return self._found.get(name, ())

    def reader(self, tensor: int, name: str) -> str | None:
        """Returns the name to propose among the nodes that read a tensor: the only one, or the nearest."""
        return next(iter(self.readers(tensor, name)), None)

    def readers(self, tensor: int, name: str) -> tuple[str, ...]:
        """Returns the names to propose among the nodes that read a tensor: the only one, or the nearest."""
        if (tensor, name) not in self._readers and len(self._readers) < SEARCH_LIMIT:
            graph = self._graph
            consumers = graph.consumers(tensor).tolist()
            names = [found for found in map(graph.consumer_name, consumers) if found is not None]
            likely = [0] if len(consumers) == len(names) == 1 else NearestName(names).nearest(name, PROPOSED)
            self._readers[tensor, name] = tuple(names[at] for at in likely)
        return self._readers.get((tensor, name), ())

    @cached_property
    def _tensors(self) -> tuple[list[str], NearestName]:
        read = np.flatnonzero(np.diff(self._graph.tensor_edges))
        names = [self._graph.tensor_names[tensor] for tensor in read.tolist()]
        return names, NearestName(names)

    @cached_property
    def nodes_named(self) -> dict[str, list[int]]:
        """Nodes by the name they have in the file."""
        found: dict[str, list[int]] = {}
        for node, name in enumerate(self._graph.node_names):
            if name:
                found.setdefault(name, []).append(node)
        return found

    def outputs_of(self, node_name: str) -> list[str]:
        """Returns the output tensors of the nodes that have a name in the file."""
        graph = self._graph
        rows = [graph.node_outputs.row(node).tolist() for node in self.nodes_named.get(node_name, [])]
        return [graph.tensor_names[tensor] for row in rows for tensor in row if tensor >= 0]


def _unknown_tensor(staging: Staging, unknown: UnknownName, search: NameSearch) -> Diagnostic:
    where = f"{sentence(cut_shown(staging.plan, unknown.cut))} cuts {shown(unknown.tensor)}"
    outputs = search.outputs_of(unknown.tensor)
    if outputs:
        nearest: str | None = outputs[0]
        message = f"{where}, which is the name of a node; its output is {shown(str(nearest))}."
    else:
        nearest = search.tensor(unknown.tensor)
        hint = f"; did you mean {shown(nearest)}?" if nearest is not None else "."
        message = f"{where}, but the model has no tensor of that name{hint}"
    return Diagnostic(
        "unknown-tensor",
        Severity.ERROR,
        message,
        tensors=(unknown.tensor,),
        cut=unknown.cut,
        fixes=LaterFixes(lambda: _tensor_fixes(staging, unknown, nearest)),
    )


def _tensor_fixes(staging: Staging, unknown: UnknownName, nearest: str | None) -> tuple[Fix, ...]:
    """Returns the mends of an unknown tensor: another to cut in its place if any, and to take it out."""
    removal = _removal(staging, unknown)
    if nearest is None:
        return (removal,)
    entry = staging.plan.cuts[unknown.cut].edges[unknown.edge]
    edits = [ReplaceEdge(unknown.cut, unknown.edge, replace(entry, tensor=nearest))]
    return fix(staging.plan, f"Cut {shown(nearest)} instead of {shown(unknown.tensor)}", edits), removal


def _removal(staging: Staging, unknown: UnknownName) -> Fix:
    title = f"Take {shown(unknown.tensor)} out of {cut_shown(staging.plan, unknown.cut)}"
    return fix(staging.plan, title, [RemoveEdge(unknown.cut, unknown.edge)])


def _unknown_consumer(staging: Staging, unknown: UnknownName, name: str, search: NameSearch) -> Diagnostic:
    graph = staging.graph
    tensor = graph.tensor_index[unknown.tensor]
    readers = graph.consumers(tensor)
    why, node, proposal = why_no_consumer(graph, tensor, name, search)
    where = sentence(cut_shown(staging.plan, unknown.cut))
    read_by = f"it is read by {nodes_listed(graph, readers.tolist())}" if len(readers) else "no node reads it"
    hint = f"; did you mean {shown(proposal)}?" if proposal is not None else f"; {read_by}."
    nodes = () if node is None else (node,)
    return Diagnostic(
        "unknown-consumer",
        Severity.ERROR,
        f"{where} cuts {shown(unknown.tensor)} from {shown(name)}, but {why}{hint}",
        tensors=(unknown.tensor,),
        nodes=nodes,
        node_names=node_names(graph, nodes),
        cut=unknown.cut,
        fixes=LaterFixes(lambda: _consumer_fixes(staging, unknown, name, proposal)),
    )


def _consumer_fixes(staging: Staging, unknown: UnknownName, name: str, proposal: str | None) -> tuple[Fix, ...]:
    """Returns the mends of an unknown consumer: the name to propose in its place if any, and to leave it out."""
    entry = staging.plan.cuts[unknown.cut].edges[unknown.edge]
    fixes: list[Fix] = []
    if proposal is not None:
        renamed = [proposal if consumer == name else consumer for consumer in entry.consumers or ()]
        edge = replace(entry, consumers=tuple(dict.fromkeys(renamed)))
        title = f"Name {shown(proposal)} instead of {shown(name)}"
        fixes.append(fix(staging.plan, title, [ReplaceEdge(unknown.cut, unknown.edge, edge)]))
    others = [consumer for consumer in entry.consumers or () if consumer != name]
    if others:
        edge = replace(entry, consumers=tuple(others))
        title = f"Leave out {shown(name)}"
        fixes.append(fix(staging.plan, title, [ReplaceEdge(unknown.cut, unknown.edge, edge)]))
    else:
        fixes.append(_removal(staging, unknown))
    return tuple(fixes)


def why_no_consumer(graph: Graph, tensor: int, name: str, search: NameSearch) -> tuple[str, int | None, str | None]:
    """Returns why a name is no consumer of a tensor, the node it belongs to, and the name to propose instead."""
    nearest = search.reader(tensor, name)
    index = graph.tensor_index.get(name)
    if index is not None and graph.tensor_producer[index] >= 0:
        node = int(graph.tensor_producer[index])
        if node == graph.tensor_producer[tensor]:
            return "that node produces it", node, nearest
        return "that node does not read it", node, nearest
    named = search.nodes_named.get(name, [])
    reading = [node for node in named if graph.edge(tensor, node) is not None]
    for node in reading:
        proposal = graph.consumer_name(node)
        if proposal is not None:
            return "that is the name of a node, and consumers are named by an output", node, proposal
    if reading:
        return "that node has no output to be named by: leave out consumers to cut all its edges", reading[0], None
    if named:
        return "the node of that name does not read it", named[0], nearest
    if index is not None:
        what = {TensorKind.INPUT: "a graph input", TensorKind.INITIALIZER: "an initializer"}
        kind = what.get(TensorKind(int(graph.tensor_kind[index])), "a tensor without a producer")
        return f"that is {kind}, not the output of a node", None, nearest
    return "no node has that name", None, nearest
