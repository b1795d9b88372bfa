"""The cheapest way to complete a cut: a minimum cut, by bytes.

Terms: cut k is incomplete in a component when both ends of one of its edges lie there. To *complete* it is to put each
node of the component on one *side* of boundary k, before it or behind it, and to cut what runs from before to behind.
A side is *fixed* where the plan leaves no choice: producers of edges of cut k and of the cuts before it stand before;
consumers of edges of cut k and of the cuts after it stand behind. No edge may run from behind to before. A tensor
that comes to cross boundary k costs its bytes once, however many consumers it has behind; tensors that cut k lists
already cost nothing.

As a flow network: a node for each node of the component; for each tensor a gate, entered from its producer by an arc
that carries its bytes and left to each consumer by arcs without limit, so that the tensor is paid for once; an arc
without limit from each consumer back to its producer, so that nothing runs backward, and both ways between nodes that
share storage; source and sink stand for the fixed sides and for nodes of other components, whose stages stand.

Steps: (1) fix sides; when a node that must stand behind comes before one that must stand before, there is no
completion; (2) maximum flow by scipy's Dinic; (3) either what the source still reaches stands before and all else
behind, or what still reaches the sink stands behind and all else before: both are minimum cuts, the earliest and the
latest, and the one that can be written and lists fewer edges is taken.

Sizes: scipy computes with 32 bits, so bytes are divided by their greatest common divisor; where their sum is too large
even so, they are rounded to about nine digits. Of equally cheap cuts the one with the fewest tensors is taken where
the digits allow for it.

Complexity: that of Dinic's algorithm, O(V^2 E) at worst and near linear on layered networks; callers bound the size.
Left out: what the completion does to the bytes at other boundaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.stages import Staging

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FLOW_LIMIT = 2**31 - 2
UNKNOWN_BITS = 32


@dataclass(frozen=True)
class Completion:
    """What completes a cut in one component.

    Attributes:
        edges: The entries to add to the cut.
        tensors: The tensors newly cut.
        cost: Bytes of those tensors, symbols at their values.
        before: The nodes of the component that then stand before the boundary.
        count: Number of edges newly cut.
    """

    edges: tuple[CutEdge, ...]
    tensors: tuple[int, ...]
    cost: int
    before: tuple[int, ...]
    count: int


def complete(staging: Staging, cut: int, component: int, symbols: Mapping[str, int] | None = None) -> Completion | None:
    """Returns the cheapest completion of a cut in a component, or None when there is none.

    Args:
        staging: The plan's stages.
        cut: The cut.
        component: A component in which it is incomplete.
        symbols: Values of symbolic dimensions; 1 where not given, as for unknown ones.
    """
    inside = staging.component == component
    before, behind = _fixed(staging, cut, inside)
    sides = _sides(staging, cut, inside, before, behind, symbols or {})
    found = (_completion(staging, cut, inside, side, symbols or {}) for side in sides)
    written = [completion for completion in found if completion is not None]
    return min(written, key=lambda completion: completion.count, default=None)


def cost_of(graph: Graph, tensor: int, symbols: Mapping[str, int]) -> int:
    """Returns the bytes of a tensor, every dimension that is left open at 1 and an unknown type at 4 bytes."""
    elements = 1
    for dim in graph.tensor_shapes[tensor] or ():
        size = symbols.get(dim, 1) if isinstance(dim, str) else 1 if dim is None else dim
        elements *= max(size, 0)
    bits = dtype_of(int(graph.tensor_dtype[tensor])).bits or UNKNOWN_BITS
    return (elements * bits + 7) // 8


def _fixed(staging: Staging, cut: int, inside: Bools) -> tuple[Bools, Bools]:
    """Returns [N] the nodes that must stand before boundary ``cut``, and those that must stand behind it."""
    graph, listings = staging.graph, staging.listings
    before = np.zeros(graph.node_count, dtype=np.bool_)
    behind = before.copy()
    early = listings.edge[graph.edge_joins[listings.edge] & (listings.cut <= cut)]
    before[graph.tensor_producer[graph.edge_tensor[early]]] = True
    late = listings.edge[listings.cut >= cut]
    behind[graph.edge_consumer[late]] = True
    return before & inside, behind & inside


def _sides(
    staging: Staging, cut: int, inside: Bools, before: Bools, behind: Bools, symbols: Mapping[str, int]
) -> tuple[Bools, ...]:
    """Returns for the earliest and the latest minimum cut [N], whether a node stands before; none when no sides fit."""
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    graph = staging.graph
    nodes = np.flatnonzero(inside)
    local = np.full(graph.node_count, -1, dtype=np.int64)
    local[nodes] = np.arange(len(nodes))
    together = local[graph.joins[local[graph.joins[:, 0]] >= 0]]
    producer, consumer, tensor = _edges_at(graph, inside)
    both = inside[producer] & inside[consumer]
    back = np.stack([local[consumer[both]], local[producer[both]]])
    back = np.concatenate([back, together.T, together.T[::-1]], axis=1)

    origin = len(nodes)
    rows = np.concatenate([back[0], np.full(int(before.sum()), origin)])
    columns = np.concatenate([back[1], local[before]])
    reached = breadth_first_order(
        _matrix(rows, columns, np.ones(len(rows)), origin + 1), origin, return_predecessors=False
    )
    if np.any(behind[nodes[reached[reached < origin]]]):
        return ()

    tensors, gate = np.unique(tensor, return_inverse=True)
    paid = _paid(staging, cut, tensors)
    costs = _capacities([cost_of(graph, int(t), symbols) if pay else 0 for t, pay in zip(tensors, paid, strict=True)])
    endless = int(costs.sum()) + 1
    gates = len(nodes) + np.arange(len(tensors))
    source, sink = len(nodes) + len(tensors), len(nodes) + len(tensors) + 1
    stage = staging.node_stage
    makers = graph.tensor_producer[tensors]
    entry = np.where(inside[makers], local[makers], np.where(stage[makers] <= cut, source, -1))
    exits = np.where(inside[consumer], local[consumer], np.where(stage[consumer] > cut, sink, -1))
    charged = paid & (entry >= 0)
    open_exit = (exits >= 0) & charged[gate]
    parts = (
        (entry[charged], gates[charged], costs[charged]),
        (gates[gate[open_exit]], exits[open_exit], np.full(int(open_exit.sum()), endless)),
        (back[0], back[1], np.full(back.shape[1], endless)),
        (np.full(int(before.sum()), source), local[before], np.full(int(before.sum()), endless)),
        (local[behind], np.full(int(behind.sum()), sink), np.full(int(behind.sum()), endless)),
    )
    rows, columns, limits = (np.concatenate(column) for column in zip(*parts, strict=True))
    network = _matrix(rows, columns, limits.astype(np.int32), sink + 1)
    left = network - maximum_flow(network, source, sink).flow
    left.eliminate_zeros()
    from_source = breadth_first_order(left, source, return_predecessors=False)
    to_sink = breadth_first_order(left.T.tocsr(), sink, return_predecessors=False)
    earliest = np.zeros(graph.node_count, dtype=np.bool_)
    earliest[nodes[from_source[from_source < len(nodes)]]] = True
    latest = inside.copy()
    latest[nodes[to_sink[to_sink < len(nodes)]]] = False
    return earliest, latest


def _edges_at(graph: Graph, inside: Bools) -> tuple[Ints, Ints, Ints]:
    """Returns producer, consumer and tensor of the joining edges with an end in the component."""
    joining = np.flatnonzero(graph.edge_joins)
    producer, consumer = graph.tensor_producer[graph.edge_tensor[joining]], graph.edge_consumer[joining]
    touched = inside[producer] | inside[consumer]
    return producer[touched], consumer[touched], graph.edge_tensor[joining[touched]]


def _paid(staging: Staging, cut: int, tensors: Ints) -> Bools:
    """Returns for each tensor whether it is not yet listed in the cut."""
    listings = staging.listings
    there = staging.graph.edge_tensor[listings.edge[listings.cut == cut]]
    return ~np.isin(tensors, there)


def _capacities(costs: list[int]) -> npt.NDArray[np.int64]:
    """Returns costs that keep their order of sums and fit the flow search; fewer tensors win between equal bytes."""
    unit = int(np.gcd.reduce(np.asarray(costs, dtype=np.int64))) or 1 if max(costs, default=0) < 2**62 else 1
    scaled = [cost // unit for cost in costs]
    tied = [cost * (len(costs) + 1) + 1 if whole else 0 for cost, whole in zip(scaled, costs, strict=True)]
    if sum(tied) < FLOW_LIMIT:
        return np.asarray(tied, dtype=np.int64)
    total = sum(scaled)
    if total >= FLOW_LIMIT:
        scaled = [-(-cost * (FLOW_LIMIT - len(costs) - 1) // total) for cost in scaled]
    return np.asarray(scaled, dtype=np.int64)


def _matrix(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], values: npt.ArrayLike, size: int) -> csr_array:
    """Returns a sparse matrix in rows; of equal places one value is kept, for limits must not add up."""
    from scipy.sparse import csr_array

    _, first = np.unique(rows * size + columns, return_index=True)
    return csr_array((np.asarray(values)[first], (rows[first], columns[first])), shape=(size, size))


def _completion(
    staging: Staging, cut: int, inside: Bools, before: Bools, symbols: Mapping[str, int]
) -> Completion | None:
    graph = staging.graph
    edges = np.flatnonzero(graph.edge_joins & ~staging.edge_listed)
    producer, consumer = graph.tensor_producer[graph.edge_tensor[edges]], graph.edge_consumer[edges]
    crossing = edges[inside[producer] & inside[consumer] & before[producer] & ~before[consumer]]
    there = set(staging.listings.edge[staging.listings.cut == cut].tolist())
    entries: list[CutEdge] = []
    by_tensor: dict[int, list[int]] = {}
    for edge in crossing.tolist():
        by_tensor.setdefault(int(graph.edge_tensor[edge]), []).append(edge)
    for tensor, members in by_tensor.items():
        names = [graph.consumer_name(int(graph.edge_consumer[edge])) for edge in members]
        known = [name for name in names if name is not None]
        if there.union(members).issuperset(graph.edges_of(tensor)):
            entries.append(CutEdge(graph.tensor_names[tensor]))
        elif len(known) == len(names):
            entries.append(CutEdge(graph.tensor_names[tensor], known))
        else:
            return None
    listed = {int(graph.edge_tensor[edge]) for edge in there}
    cost = sum(cost_of(graph, tensor, symbols) for tensor in by_tensor if tensor not in listed)
    return Completion(tuple(entries), tuple(by_tensor), cost, tuple(np.flatnonzero(before).tolist()), len(crossing))
