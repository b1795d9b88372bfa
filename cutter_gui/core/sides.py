"""Which nodes stand before a boundary and which behind it: what is forced, and the cheapest choice of the rest.

Terms: a *side* is one of before and behind. Nodes are *bound*: where one stands before a boundary, so do all whose
output it reads, for no edge runs backward; all it shares storage with; and every reader that has no name (a node
without outputs) of what it reads, since such a reader can only be cut together with all others. A set is *closed* when
it keeps these bonds. Sides are written as two closed sets of nodes, before and behind; nodes in neither are free.

Steps of `cheapest_sides`: a flow network with a node for each free node; for each tensor that free nodes make or read a
gate, entered from its producer by an arc that carries its bytes and left to each consumer by arcs without limit, so
that a tensor is paid for once however many consumers are behind; an arc without limit along each bond; source and
sink in place of all that is before and behind. Either what the source still reaches at the maximum flow stands before
and all else behind, or what still reaches the sink stands behind and all else before: both are minimum cuts, the
earliest and the latest. Between cuts of equal bytes one with the fewest tensors is taken. Free nodes that no bond and
no tensor ties to either side stand before in both.

*Pulls* make some wishes soft: a node that is pulled to a side may stand on the other one, but any number of bytes is
cheaper than one pull that gives way.

Complexity: O(N + E) for closures, in scipy's compiled search; the network holds the free nodes only, of which models
that are mostly a chain leave few. Left out: more than one boundary at a time. That is no loss: what must stand
before only grows and what must stand behind only shrinks from one boundary to the next, so the cheapest choices of all
boundaries can be nested, and together they are as cheap as any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.flow import TOTAL_LIMIT, endless, minimum_cut
from cutter_gui.core.graph import Bools, Graph, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers: TypeAlias = npt.NDArray[np.int64]
Costs: TypeAlias = "Callable[[Ints], Numbers]"

UNKNOWN_BITS = 32


@dataclass(frozen=True, eq=False)
class Pulls:
    """Wishes for sides: node and side (True for before) of each; a node may be pulled several times, both ways."""

    nodes: Ints
    before: Bools


def cost_of(graph: Graph, tensor: int, symbols: Mapping[str, int]) -> int:
    """Returns the bytes of a tensor, every dimension that is left open at 1 and an unknown type at 4 bytes."""
    elements = 1
    for dim in graph.tensor_shapes[tensor] or ():
        size = symbols.get(dim, 1) if isinstance(dim, str) else 1 if dim is None else dim
        elements *= max(size, 0)
    bits = dtype_of(int(graph.tensor_dtype[tensor])).bits or UNKNOWN_BITS
    return (elements * bits + 7) // 8


def bytes_at(graph: Graph, symbols: Mapping[str, int] | None, listed: Bools | None = None) -> Costs:
    """Returns what tensors cost where they cross: their bytes; nothing where ``listed`` [T] holds them."""

    def costs(tensors: Ints) -> Numbers:
        sizes = [
            0 if listed is not None and listed[tensor] else min(cost_of(graph, tensor, symbols or {}), TOTAL_LIMIT)
            for tensor in tensors.tolist()
        ]
        return np.asarray(sizes, dtype=np.int64)

    return costs


def edges_between(graph: Graph, before: Bools) -> int:
    """Returns how many joining edges run from nodes [N] that stand before to nodes that do not."""
    producer = graph.tensor_producer[graph.edge_tensor]
    return int((graph.edge_joins & before[producer] & ~before[graph.edge_consumer]).sum())


@dataclass(frozen=True, eq=False)
class Bonds:
    """What the nodes of a graph bind each other to; see the top of this file.

    Attributes:
        graph: The graph.
        inside: [N], the nodes whose bonds count; or None for all.
        whole: [T], tensors that may cross no boundary, so that producer and consumers stay together; or None.
    """

    graph: Graph
    inside: Bools | None = None
    whole: Bools | None = None

    @cached_property
    def arcs(self) -> tuple[Numbers, Numbers]:
        """Tails and heads: where the tail stands before, so does the head. Numbers from N on stand for tensors."""
        graph = self.graph
        edges = np.flatnonzero(graph.edge_joins)
        tensor, consumer = graph.edge_tensor[edges], graph.edge_consumer[edges].astype(np.int64)
        producer = graph.tensor_producer[tensor].astype(np.int64)
        joins = graph.joins.astype(np.int64)
        tails, heads = [consumer, joins[:, 0], joins[:, 1]], [producer, joins[:, 1], joins[:, 0]]
        nameless = ~self._named[consumer]
        if np.any(nameless):
            held = np.isin(tensor, tensor[nameless])
            tails += [consumer[held], graph.node_count + tensor[nameless].astype(np.int64)]
            heads += [graph.node_count + tensor[held].astype(np.int64), consumer[nameless]]
        if self.whole is not None:
            held = self.whole[tensor]
            tails.append(producer[held])
            heads.append(consumer[held])
        tail, head = np.concatenate(tails), np.concatenate(heads)
        if self.inside is None:
            return tail, head
        counts = np.concatenate([self.inside, np.ones(graph.tensor_count, dtype=np.bool_)])
        both = counts[tail] & counts[head]
        return tail[both], head[both]

    @cached_property
    def _named(self) -> Bools:
        """[N], whether a node has an output to be named by."""
        outputs = self.graph.node_outputs
        rows = np.repeat(np.arange(self.graph.node_count), np.diff(outputs.starts))
        return np.asarray(np.bincount(rows[outputs.values >= 0], minlength=self.graph.node_count) > 0)

    @cached_property
    def _forward(self) -> csr_array:
        return _rows(*self.arcs, self.graph.node_count + self.graph.tensor_count)

    @cached_property
    def _backward(self) -> csr_array:
        return _rows(self.arcs[1], self.arcs[0], self.graph.node_count + self.graph.tensor_count)

    def before(self, nodes: Bools) -> Bools:
        """Returns [N] all that stands before a boundary where these nodes [N] do."""
        return self._closure(self._forward, nodes)

    def behind(self, nodes: Bools) -> Bools:
        """Returns [N] all that stands behind a boundary where these nodes [N] do."""
        return self._closure(self._backward, nodes)

    def _closure(self, arcs: csr_array, nodes: Bools) -> Bools:
        if not np.any(nodes):
            return np.zeros(self.graph.node_count, dtype=np.bool_)
        order, _ = _search(arcs, np.flatnonzero(nodes))
        closed = np.zeros(arcs.shape[0] + 1, dtype=np.bool_)
        closed[order] = True
        return closed[: self.graph.node_count]

    def way(self, behind: Bools, before: Bools) -> tuple[int, ...]:
        """Returns a shortest way by which nodes that stand behind force one of those that are to stand before.

        Args:
            behind: [N], where the way may start.
            before: [N], where it may end.

        Returns:
            The nodes of the way, in the direction of the edges; empty when there is none.
        """
        if not np.any(behind):
            return ()
        order, previous = _search(self._backward, np.flatnonzero(behind))
        ends = order[order < self.graph.node_count]
        ends = ends[before[ends]]
        if not len(ends):
            return ()
        at, start = int(ends[0]), self._backward.shape[0]
        found: list[int] = []
        while at != start:
            if at < self.graph.node_count:
                found.append(at)
            at = int(previous[at])
        return tuple(reversed(found))


def _rows(tails: Numbers, heads: Numbers, size: int) -> csr_array:
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(size, size)).tocsr()


def _search(arcs: csr_array, starts: npt.NDArray[np.intp]) -> tuple[Ints, Ints]:
    """Searches breadth first from several nodes at once, by way of one more node before them; see scipy's search."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    size = arcs.shape[0]
    indices = np.concatenate([arcs.indices, starts.astype(arcs.indices.dtype)])
    rows = np.append(arcs.indptr, arcs.indptr[-1] + len(starts))
    searched = csr_array((np.ones(len(indices), dtype=np.int8), indices, rows), shape=(size + 1, size + 1))
    order, previous = breadth_first_order(searched, size, return_predecessors=True)
    return order, previous


def cheapest_sides(
    bonds: Bonds, before: Bools, behind: Bools, costs: Costs, pulls: Pulls | None = None
) -> tuple[Bools, Bools]:
    """Finds the cheapest sides of all nodes that are free.

    Args:
        bonds: What nodes are bound to.
        before: [N], nodes that stand before; closed.
        behind: [N], nodes that stand behind; closed, and disjoint from ``before``.
        costs: What tensors cost where they cross.
        pulls: Wishes of free nodes.

    Returns:
        [N] which nodes stand before, in the earliest and in the latest of the cheapest choices.
    """
    graph = bonds.graph
    free = ~before & ~behind & ~graph.node_constant
    nodes = np.flatnonzero(free)
    if not len(nodes):
        return before, before
    count, total = len(nodes), graph.node_count + graph.tensor_count
    local = np.full(total, -1, dtype=np.int64)
    local[nodes] = np.arange(count)
    tails, heads = bonds.arcs
    touching = (local[tails] >= 0) | (local[heads] >= 0)
    tails, heads = tails[touching], heads[touching]
    joints = np.unique(np.concatenate([tails, heads]))
    joints = joints[joints >= graph.node_count]
    local[joints] = count + np.arange(len(joints))
    inner = (local[tails] >= 0) & (local[heads] >= 0)
    bound = (local[tails[inner]], local[heads[inner]])

    gate_of, tensors, (entry, exits, exit_gate) = _gates(graph, free, before, behind, local)
    first_gate = count + len(joints)
    source, sink = first_gate + len(tensors), first_gate + len(tensors) + 1
    wishes, pulled = _wishes(pulls, local, source, sink)
    limits, weight = _limits(costs(tensors), len(pulled))
    unlimited = endless(limits) + weight * len(pulled)
    entry = np.where(entry == BEFORE, source, entry)
    exits = np.where(exits == BEHIND, sink, exits)
    gates = first_gate + gate_of
    parts = (
        (entry, gates, limits),
        (first_gate + exit_gate, exits, np.full(len(exits), unlimited)),
        (*bound, np.full(len(bound[0]), unlimited)),
        (wishes[0], wishes[1], np.full(len(pulled), weight)),
    )
    rows, columns, capacities = (
        np.concatenate([np.asarray(part[at], dtype=np.int64) for part in parts]) for at in range(3)
    )
    from_source, to_sink = minimum_cut(rows, columns, capacities, sink + 1, source, sink)
    apart = _apart(rows, columns, sink + 1, source, sink)[:count]
    earliest, latest = before.copy(), before.copy()
    earliest[nodes] = from_source[:count] | apart
    latest[nodes] = ~to_sink[:count]
    return earliest, latest


def _apart(rows: Numbers, columns: Numbers, size: int, source: int, sink: int) -> Bools:
    """Returns [V], whether a node of the network hangs together with neither source nor sink."""
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(_rows(rows, columns, size), directed=False)
    return np.asarray((label != label[source]) & (label != label[sink]), dtype=np.bool_)


BEFORE, BEHIND = -2, -3


def _gates(
    graph: Graph, free: Bools, before: Bools, behind: Bools, local: Numbers
) -> tuple[Numbers, Ints, tuple[Numbers, Numbers, Numbers]]:
    """Returns the tensors that cross at a price that is not settled, with where their gates are entered and left."""
    joining = np.flatnonzero(graph.edge_joins)
    tensor, consumer = graph.edge_tensor[joining], graph.edge_consumer[joining]
    producer = graph.tensor_producer[tensor]
    touched = np.zeros(graph.tensor_count, dtype=np.bool_)
    touched[tensor[free[producer] | free[consumer]]] = True
    settled = before[producer] & behind[consumer]
    touched[tensor[settled]] = False  # crosses whatever is chosen
    touched[tensor[behind[producer]]] = False  # cannot cross
    tensors = np.flatnonzero(touched).astype(np.int32)
    makers = graph.tensor_producer[tensors]
    entry = np.where(before[makers], BEFORE, local[makers])
    gate = np.full(graph.tensor_count, -1, dtype=np.int64)
    gate[tensors] = np.arange(len(tensors))
    leaving = (gate[tensor] >= 0) & ~before[consumer]
    exits = np.where(behind[consumer[leaving]], BEHIND, local[consumer[leaving]])
    return np.arange(len(tensors)), tensors, (entry, exits, gate[tensor[leaving]])


def _wishes(pulls: Pulls | None, local: Numbers, source: int, sink: int) -> tuple[tuple[Numbers, Numbers], Numbers]:
    if pulls is None or not len(pulls.nodes):
        none = np.zeros(0, dtype=np.int64)
        return (none, none), none
    nodes, before = local[pulls.nodes], pulls.before
    nodes, before = nodes[nodes >= 0], before[nodes >= 0]
    return (np.where(before, source, nodes), np.where(before, nodes, sink)), nodes


def _limits(costs: Numbers, pulls: int) -> tuple[Numbers, int]:
    """Returns limits that order choices by bytes, then by tensors, and the limit of a pull, which is above them all.

    Where they do not fit beside each other the lowest digits of the bytes are dropped.
    """
    room = TOTAL_LIMIT // (pulls + 1)
    ranked = len(costs) + 1
    total = float(costs.astype(np.float64).sum())
    while total * ranked + ranked > room:
        costs, total = costs >> 1, total / 2
    limits = costs * ranked + 1
    return limits, endless(limits)
