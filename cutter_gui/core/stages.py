"""From a plan to stages: the assignment and its validity (DESIGN, section 2).

Terms: a *listing* is one edge in one cut (the same edge may be listed by several cuts); an edge *joins* when it starts
at a node that is not constant and ends at one; a *component* is a set of nodes held together by joining edges that no
cut lists, or by shared storage. A cut edge *enters* the component of its consumer and *leaves* that of its producer;
one from a graph input, an initializer or a constant node only enters.

Steps: (1) resolve the plan's names to listings; (2) take all listed edges away and number the connected components;
(3) a component's stage is 1 + the highest cut that enters it, else the lowest cut that leaves it, else 0; (4) every
listing of cut k must run from a stage <= k to a stage >= k + 1, and every stage needs a component.

Complexity: O(N + E + L) for L listings; the components come from scipy's compiled search. Left out: saying what is
wrong and mending it, which `cutter_gui.core.problems` does from the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.plan import Cut, CutEdge, Plan


@dataclass(frozen=True)
class UnknownName:
    """A name in the plan that the graph does not have.

    Attributes:
        cut: Index of the cut.
        edge: Index of the CutEdge within the cut.
        tensor: The tensor of that CutEdge.
        consumer: The consumer name that is unknown; None when the tensor is.
    """

    cut: int
    edge: int
    tensor: str
    consumer: str | None


@dataclass(frozen=True, eq=False)
class Listings:
    """The plan's names resolved to edges.

    Attributes:
        edge: [L], the edge of each listing, in plan order; an edge is listed once per cut.
        cut: [L], the cut of each listing.
        repeated: (cut, tensor, consumer node) listed more than once within one cut.
        unread: (cut, tensor) cut whole though nothing reads it.
        unknown: Names the graph does not have.
    """

    edge: Ints
    cut: Ints
    repeated: tuple[tuple[int, int, int], ...]
    unread: tuple[tuple[int, int], ...]
    unknown: tuple[UnknownName, ...]


def resolve_edge(graph: Graph, cut_edge: CutEdge) -> tuple[list[int], list[str]] | None:
    """Returns the edges that a CutEdge names and the consumer names that are unknown.

    Returns:
        None when the tensor does not exist.
    """
    tensor = graph.tensor_index.get(cut_edge.tensor)
    if tensor is None:
        return None
    if cut_edge.consumers is None:
        return list(graph.edges_of(tensor)), []
    readers = graph.consumers(tensor)
    outputs = np.asarray([graph.tensor_index.get(name, -1) for name in cut_edge.consumers])
    nodes = np.where(outputs >= 0, graph.tensor_producer[outputs], -1)
    at = np.searchsorted(readers, nodes)
    known = at < len(readers)
    known[known] = readers[at[known]] == nodes[known]
    edges: list[int] = (int(graph.tensor_edges[tensor]) + at[known]).tolist()
    return edges, [name for name, found in zip(cut_edge.consumers, known.tolist(), strict=True) if not found]


def resolve(graph: Graph, plan: Plan) -> Listings:
    """Resolves the names of a plan; see `Listings`."""
    edges: list[int] = []
    cuts: list[int] = []
    repeated: list[tuple[int, int, int]] = []
    unread: list[tuple[int, int]] = []
    unknown: list[UnknownName] = []
    for k, cut in enumerate(plan.cuts):
        seen: set[int] = set()
        for position, cut_edge in enumerate(cut.edges):
            found = resolve_edge(graph, cut_edge)
            if found is None:
                unknown.append(UnknownName(k, position, cut_edge.tensor, None))
                continue
            listed, missing = found
            unknown.extend(UnknownName(k, position, cut_edge.tensor, name) for name in missing)
            if not listed and not missing:
                unread.append((k, graph.tensor_index[cut_edge.tensor]))
            for edge in listed:
                if edge in seen:
                    repeated.append((k, int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])))
                else:
                    seen.add(edge)
                    edges.append(edge)
                    cuts.append(k)
    return Listings(
        np.asarray(edges, dtype=np.int32),
        np.asarray(cuts, dtype=np.int32),
        tuple(repeated),
        tuple(unread),
        tuple(unknown),
    )


@dataclass(frozen=True, eq=False)
class Staging:
    """A graph, a plan, and the stages that follow.

    Attributes:
        graph: The graph.
        plan: The plan.
        listings: The plan's edges.
        component: [N], component of each node, -1 for constant nodes.
        component_stage: [C], stage of each component.
        node_stage: [N], stage of each node, -1 for constant nodes, which are copied where they are used.
        failing: [F], listings that break rule 4.
        empty: Stages without a component.
    """

    graph: Graph
    plan: Plan
    listings: Listings
    component: Ints
    component_stage: Ints
    node_stage: Ints
    failing: Ints
    empty: tuple[int, ...]

    @property
    def stage_count(self) -> int:
        return self.plan.stage_count

    @property
    def is_valid(self) -> bool:
        """Whether the plan obeys rule 4, all its names exist, and the graph itself is sound."""
        return not (
            len(self.failing)
            or self.empty
            or self.listings.unknown
            or any(problem.is_error for problem in self.graph.problems)
        )

    @cached_property
    def edge_listed(self) -> Bools:
        """[E], whether some cut lists the edge."""
        listed = np.zeros(self.graph.edge_count, dtype=np.bool_)
        listed[self.listings.edge] = True
        return listed

    @cached_property
    def edge_span(self) -> tuple[Ints, Ints]:
        """[E] first and last stage of each joining edge; both -1 for other edges."""
        graph = self.graph
        first = np.full(graph.edge_count, -1, dtype=np.int32)
        last = first.copy()
        real = graph.edge_joins
        first[real] = self.node_stage[graph.tensor_producer[graph.edge_tensor[real]]]
        last[real] = self.node_stage[graph.edge_consumer[real]]
        return first, last

    @cached_property
    def tensor_rank(self) -> npt.NDArray[np.int64]:
        """[T], position at which the plan first lists the tensor; a large number for those it does not list."""
        rank = np.full(self.graph.tensor_count, np.iinfo(np.int64).max, dtype=np.int64)
        tensors = self.graph.edge_tensor[self.listings.edge]
        np.minimum.at(rank, tensors, np.arange(len(tensors)))
        return rank

    def cuts_of_edge(self, edge: int) -> list[int]:
        """Returns the cuts that list an edge, ascending."""
        return sorted(self.listings.cut[self.listings.edge == edge].tolist())

    def tensors_of_cut(self, cut: int) -> Iterator[tuple[CutEdge, list[int]]]:
        """Yields the CutEdges of a cut, each with the edges it resolves to."""
        for cut_edge in self.plan.cuts[cut].edges:
            found = resolve_edge(self.graph, cut_edge)
            yield cut_edge, found[0] if found else []


def assign_stages(graph: Graph, plan: Plan) -> Staging:
    """Assigns every node its stage; see the top of this file.

    The assignment is total: an invalid plan has stages too, so that they can be shown; `Staging.is_valid` tells.
    """
    listings = resolve(graph, plan)
    listed = np.zeros(graph.edge_count, dtype=np.bool_)
    listed[listings.edge] = True
    component = _components(graph, graph.edge_joins & ~listed)
    component_stage = _component_stages(graph, plan, listings, component)
    node_stage = np.full(graph.node_count, -1, dtype=np.int32)
    placed = component >= 0
    node_stage[placed] = component_stage[component[placed]]
    occupied = np.bincount(component_stage, minlength=plan.stage_count)
    empty = tuple(np.flatnonzero(occupied == 0).tolist()) if plan.cuts else ()
    failing = _failing(graph, listings, node_stage)
    return Staging(graph, plan, listings, component, component_stage, node_stage, failing, empty)


def _components(graph: Graph, kept: Bools) -> Ints:
    """Numbers the connected components of the kept edges, in order of their first node."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = graph.node_count
    component = np.full(count, -1, dtype=np.int32)
    live = ~graph.node_constant
    if not np.any(live):
        return component
    rows = np.concatenate([graph.tensor_producer[graph.edge_tensor[kept]], graph.joins[:, 0]])
    columns = np.concatenate([graph.edge_consumer[kept], graph.joins[:, 1]])
    matrix = coo_array((np.ones(len(rows), np.int32), (rows, columns)), shape=(count, count))
    _, labels = connected_components(matrix, directed=False)
    _, first, inverse = np.unique(labels[live], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    component[live] = rank[inverse.ravel()]
    return component


def _component_stages(graph: Graph, plan: Plan, listings: Listings, component: Ints) -> Ints:
    """Applies rule 3 to every component."""
    count = int(component.max()) + 1 if len(component) else 0
    entering = np.full(count, -1, dtype=np.int32)
    leaving = np.full(count, len(plan.cuts), dtype=np.int32)
    consumer = graph.edge_consumer[listings.edge]
    enters = ~graph.node_constant[consumer]
    np.maximum.at(entering, component[consumer[enters]], listings.cut[enters])
    leaves = graph.edge_joins[listings.edge]
    producer = graph.tensor_producer[graph.edge_tensor[listings.edge[leaves]]]
    np.minimum.at(leaving, component[producer], listings.cut[leaves])
    stage = np.where(entering >= 0, entering + 1, np.where(leaving < len(plan.cuts), leaving, 0))
    return stage.astype(np.int32)


def _failing(graph: Graph, listings: Listings, node_stage: Ints) -> Ints:
    """Returns the listings that do not run from a stage <= k to a stage >= k + 1."""
    bound = graph.edge_joins[listings.edge]
    tensor = graph.edge_tensor[listings.edge]
    source = node_stage[graph.tensor_producer[tensor]]
    target = node_stage[graph.edge_consumer[listings.edge]]
    wrong = bound & ((source > listings.cut) | (target <= listings.cut))
    return np.flatnonzero(wrong).astype(np.int32)


def cut_name(cut: Cut, index: int) -> str:
    """Returns how messages call a cut: ``cut 0``, with its name where it has one."""
    return f"cut {index} ({cut.name})" if cut.name else f"cut {index}"
