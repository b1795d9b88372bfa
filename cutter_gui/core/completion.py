"""What completes a cut: the cheapest edges by bytes, and the alternatives.

Terms: cut k leaves a component *joined* where a node that must stand before boundary k and one that must stand behind
it both lie there. Producers of edges of cut k and of the cuts before it must stand before; consumers of edges of cut k
and of the cuts after it must stand behind. To *complete* the cut is to put each node of the component on a side, and to
cut what runs from before to behind; nodes of other components stay in their stages.

A tensor costs its bytes once at each boundary that it newly crosses, however many consumers it has there; it is not
new at cuts that list it. The boundary of another cut may run through the component too: where the edges added to cut
k would have tensors take more hops over it than needed, edges are added to that cut as well. Each boundary can be
settled on its own, within what the ones settled before leave: see `sides`.

Steps: (1) close the sides that must be; when they meet there is no completion; (2) `cheapest_sides` of the free nodes,
the earliest or the latest choice, whichever lists fewer edges; (3) stage the result, price the other boundaries that
run through the component against the cheapest, and add to their cuts where that is less.

Complexity: O(N + E) and a minimum cut over the free nodes; beyond `FREE_LIMIT` of them, the cheaper of the earliest and
the latest sides there are. Left out: moving nodes of other components.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from cutter_gui.core.fixes import AddEdges
from cutter_gui.core.graph import Bools, Ints
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.sides import Bonds, bytes_at, cheapest_sides, cost_of
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.stages_written import entry_of

FREE_LIMIT = 20_000

Choice = Literal["cheapest", "earlier", "later"]


@dataclass(frozen=True)
class Completion:
    """What completes a cut in one component.

    Attributes:
        choice: Which of the alternatives it is; ``earlier`` cuts as early as the plan leaves room for.
        edges: The entries to add to the cut.
        elsewhere: (cut, entry) to add to other cuts.
        tensors: The tensors newly cut.
        cost: Bytes of what newly crosses, once a boundary, symbols at their values.
        before: The nodes of the component that then stand before the boundary.
        count: Number of edges newly cut.
    """

    choice: Choice
    edges: tuple[CutEdge, ...]
    tensors: tuple[int, ...]
    cost: int
    before: tuple[int, ...]
    count: int
    elsewhere: tuple[tuple[int, CutEdge], ...] = field(default=())

    def additions(self, cut: int) -> tuple[AddEdges, ...]:
        """Returns the edits of the plan."""
        own = [AddEdges(cut, edge) for edge in self.edges]
        return (*own, *(AddEdges(at, edge) for at, edge in self.elsewhere))


def complete(staging: Staging, cut: int, component: int, symbols: Mapping[str, int] | None = None) -> Completion | None:
    """Returns the cheapest completion of a cut in a component, or None when there is none.

    Args:
        staging: The plan's stages.
        cut: The cut.
        component: A component that it leaves joined.
        symbols: Values of symbolic dimensions; 1 where not given, as for unknown ones.
    """
    task = _Task(staging, cut, component, symbols or {})
    return None if task.impossible else task.cheapest()


def completions(
    staging: Staging, cut: int, component: int, symbols: Mapping[str, int] | None = None
) -> tuple[Completion, ...]:
    """Returns the cheapest completion and, where they differ, the earliest and the latest there are; see `complete`."""
    task = _Task(staging, cut, component, symbols or {})
    if task.impossible:
        return ()
    first = task.cheapest()
    if first is None:
        return ()
    found = {first.edges: first}
    for choice, side in (("earlier", task.must_before), ("later", ~task.must_behind & ~staging.graph.node_constant)):
        other = task.completion("earlier" if choice == "earlier" else "later", side)
        if other is not None:
            found.setdefault(other.edges, other)
    return tuple(found.values())


class _Task:
    """One cut to complete in one component; see the top of this file."""

    def __init__(self, staging: Staging, cut: int, component: int, symbols: Mapping[str, int]) -> None:
        self._staging, self._cut, self._symbols = staging, cut, symbols
        self._inside = staging.component == component
        self._bonds = Bonds(staging.graph, self._inside)
        self.must_before, self.must_behind = self._sides_at(cut)

    @property
    def impossible(self) -> bool:
        return bool(np.any(self.must_before & self.must_behind))

    def cheapest(self) -> Completion | None:
        sides = self._choices(self._cut, self.must_before, self.must_behind)
        found = [self.completion("cheapest", side) for side in sides]
        written = [completion for completion in found if completion is not None]
        best = min(written, key=lambda completion: completion.count, default=None)
        return None if best is None else self._spread(best)

    def _sides_at(self, boundary: int) -> tuple[Bools, Bools]:
        """Returns [N] all that must stand before a boundary, and all that must stand behind it."""
        graph, listings, inside = self._staging.graph, self._staging.listings, self._inside
        before = np.zeros(graph.node_count, dtype=np.bool_)
        behind = before.copy()
        early = listings.edge[graph.edge_joins[listings.edge] & (listings.cut <= boundary)]
        before[graph.tensor_producer[graph.edge_tensor[early]]] = True
        behind[graph.edge_consumer[listings.edge[listings.cut >= boundary]]] = True
        outside, stage = ~inside & ~graph.node_constant, self._staging.node_stage
        return (
            self._bonds.before(before & inside) | (outside & (stage <= boundary)),
            self._bonds.behind(behind & inside) | (outside & (stage > boundary)),
        )

    def _choices(self, boundary: int, before: Bools, behind: Bools) -> tuple[Bools, ...]:
        """Returns [N] the nodes that stand before, of the cheapest choices."""
        live = ~self._staging.graph.node_constant
        if int((live & ~before & ~behind).sum()) > FREE_LIMIT:
            return (min((before, live & ~behind), key=lambda side: self._price(boundary, side)),)
        return cheapest_sides(
            self._bonds, before, behind, bytes_at(self._staging.graph, self._symbols, self._listed(boundary))
        )

    def _listed(self, cut: int) -> Bools:
        """[T], whether a cut lists any edge of a tensor."""
        graph, listings = self._staging.graph, self._staging.listings
        listed = np.zeros(graph.tensor_count, dtype=np.bool_)
        listed[graph.edge_tensor[listings.edge[listings.cut == cut]]] = True
        return listed

    def _price(self, boundary: int, before: Bools) -> int:
        """Returns the bytes of what newly crosses a boundary and has an end in the component."""
        graph = self._staging.graph
        edges = np.flatnonzero(graph.edge_joins)
        producer, consumer = graph.tensor_producer[graph.edge_tensor[edges]], graph.edge_consumer[edges]
        crossing = before[producer] & ~before[consumer] & (self._inside[producer] | self._inside[consumer])
        tensors = np.unique(graph.edge_tensor[edges[crossing]])
        new = tensors[~self._listed(boundary)[tensors]]
        return sum(cost_of(graph, tensor, self._symbols) for tensor in new.tolist())

    def completion(self, choice: Choice, before: Bools) -> Completion | None:
        """Returns what cuts these sides apart, or None when that cannot be written."""
        graph, inside = self._staging.graph, self._inside
        edges = np.flatnonzero(graph.edge_joins & ~self._staging.edge_listed)
        producer, consumer = graph.tensor_producer[graph.edge_tensor[edges]], graph.edge_consumer[edges]
        crossing = edges[inside[producer] & inside[consumer] & before[producer] & ~before[consumer]]
        entries = self._entries(self._cut, crossing, before)
        if entries is None:
            return None
        return Completion(
            choice,
            entries,
            tuple(np.unique(graph.edge_tensor[crossing]).tolist()),
            self._price(self._cut, before),
            tuple(np.flatnonzero(before & inside).tolist()),
            len(crossing),
        )

    def _entries(self, cut: int, edges: Ints, before: Bools) -> tuple[CutEdge, ...] | None:
        """Returns the entries that add these edges to a cut, or None when one needs a name that there is not.

        A tensor all of whose consumers stand behind is cut whole, whichever of its edges other cuts list.
        """
        graph, listings = self._staging.graph, self._staging.listings
        there = set(listings.edge[listings.cut == cut].tolist())
        by_tensor: dict[int, list[int]] = {}
        for edge in edges.tolist():
            by_tensor.setdefault(int(graph.edge_tensor[edge]), []).append(edge)
        entries = []
        for tensor, members in by_tensor.items():
            all_there = there.union(members).issuperset(graph.edges_of(tensor))
            entry = CutEdge(graph.tensor_names[tensor]) if all_there else entry_of(graph, tensor, members)
            if entry is None and not np.any(before[graph.consumers(tensor)]):
                entry = CutEdge(graph.tensor_names[tensor])
            if entry is None:
                return None
            entries.append(entry)
        return tuple(entries)

    def _spread(self, completion: Completion) -> Completion:
        """Adds to other cuts whose boundaries run through the component where that saves hops."""
        others = self._other_boundaries()
        if not others:
            return completion
        graph, plan = self._staging.graph, self._staging.plan
        for edit in completion.additions(self._cut):
            plan = edit.apply(plan)
        stage = assign_stages(graph, plan).node_stage
        settled = np.zeros(graph.node_count, dtype=np.bool_)
        settled[list(completion.before)] = True
        best: dict[int, Bools] = {}
        for boundary in [*(b for b in reversed(others) if b < self._cut), *(b for b in others if b > self._cut)]:
            before, behind = self._sides_at(boundary)
            nearest = min(best, key=lambda at: abs(at - boundary), default=None)
            limit = settled if nearest is None or (nearest < self._cut) != (boundary < self._cut) else best[nearest]
            if boundary < self._cut:
                behind = behind | (self._inside & ~limit)
            else:
                before = before | (self._inside & limit)
            if np.any(before & behind):
                return completion
            best[boundary] = self._choices(boundary, before, behind)[0 if boundary < self._cut else -1]
        realized = {boundary: self._price(boundary, (stage <= boundary) & (stage >= 0)) for boundary in best}
        least = {boundary: self._price(boundary, side) for boundary, side in best.items()}
        if sum(realized.values()) <= sum(least.values()):
            return replace(completion, cost=completion.cost + sum(realized.values()))
        additions: list[tuple[int, CutEdge]] = []
        for boundary, side in sorted(best.items()):
            entries = self._entries(boundary, self._unlisted(boundary, side), side)
            if entries is None:
                return replace(completion, cost=completion.cost + sum(realized.values()))
            additions.extend((boundary, entry) for entry in entries)
        return replace(completion, cost=completion.cost + sum(least.values()), elsewhere=tuple(additions))

    def _other_boundaries(self) -> list[int]:
        """Returns the cuts between the first and the last that touch the component that do not fail there."""
        graph, listings, inside = self._staging.graph, self._staging.listings, self._inside
        consumer, tensor = graph.edge_consumer[listings.edge], graph.edge_tensor[listings.edge]
        producer = graph.tensor_producer[tensor]
        touching = inside[consumer] | (graph.edge_joins[listings.edge] & inside[producer])
        cuts = listings.cut[touching]
        failing = np.zeros(len(touching), dtype=np.bool_)
        failing[self._staging.failing] = True
        wrong = set(listings.cut[touching & failing].tolist())
        return [cut for cut in range(int(cuts.min()), int(cuts.max()) + 1) if cut != self._cut and cut not in wrong]

    def _unlisted(self, cut: int, before: Bools) -> Ints:
        """Returns the edges that cross these sides, have an end in the component, and are not yet in the cut."""
        graph, listings = self._staging.graph, self._staging.listings
        there = np.zeros(graph.edge_count, dtype=np.bool_)
        there[listings.edge[listings.cut == cut]] = True
        edges = np.flatnonzero(graph.edge_joins & ~there).astype(np.int32)
        producer, consumer = graph.tensor_producer[graph.edge_tensor[edges]], graph.edge_consumer[edges]
        inside = self._inside[producer] | self._inside[consumer]
        crossing: Ints = edges[before[producer] & ~before[consumer] & inside]
        return crossing
