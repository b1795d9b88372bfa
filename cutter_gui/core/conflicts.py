"""Plans that contradict themselves: what has to give so that every cut can be completed.

Terms: a listing of cut k wants its producer before boundary k and its consumer behind it. Cut i must *precede* cut j
when a consumer of cut i comes before, or is, a producer of cut j. A plan is *at odds* when a cut must precede itself or
one that stands before it; completing cuts cannot help then. A plan that is not at odds has stages for all its nodes
that please every listing, so completing its cuts one by one ends in a valid plan.

Steps: (1) for each cut one search for all that comes after its consumers tells what it must precede; (2) if some order
of the cuts pleases all of these, it mends the plan; (3) else stages are found that please as many listings as
possible: at each boundary a minimum cut in which listings pull their ends to their sides and give way only where they
must (`sides.Pulls`), bytes deciding between equals; the sides of one boundary hold for all later ones; (4) listings
that these stages do not please move to a cut that they do cross, or leave the plan.

Complexity: O(C (N + E)) for C cuts, and a minimum cut at each boundary over the nodes that are at odds; beyond
`CUT_LIMIT` cuts, and beyond `NODE_LIMIT` nodes at odds, the listings that fail leave the plan. Left out: changing the
order and the listings at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from cutter_gui.core.diagnostic import Fix
from cutter_gui.core.fixes import AddEdges, PlanEdit, RemoveEdge, ReorderCuts, ReplaceEdge, applied, fix
from cutter_gui.core.graph import Bools, Ints
from cutter_gui.core.plan import CutEdge, Plan
from cutter_gui.core.problems_words import cut_shown, sentence, tensor_shown
from cutter_gui.core.sides import Bonds, Pulls, bytes_at, cheapest_sides
from cutter_gui.core.stages import Staging, assign_stages, resolve_edge
from cutter_gui.core.stages_written import entry_of

CUT_LIMIT = 64
NODE_LIMIT = 20_000


class Conflicts:
    """What a plan is at odds about, and what mends that; worked out when first asked for."""

    def __init__(self, staging: Staging, symbols: Mapping[str, int] | None = None) -> None:
        self._staging = staging
        self._symbols = symbols
        self._bonds = Bonds(staging.graph)

    @cached_property
    def fix(self) -> Fix | None:
        """The mend, or None when the plan is not at odds."""
        return self._reordered or self._relisted

    @cached_property
    def _reordered(self) -> Fix | None:
        """The mend that only changes the order of the cuts, if one does."""
        plan = self._staging.plan
        if len(plan.cuts) > CUT_LIMIT:
            return None
        order = _sorted(self._precedence)
        if order is None or order == tuple(range(len(plan.cuts))):
            return None
        title = "Reorder the cuts: " + ", ".join(plan.cuts[index].name or str(index) for index in order)
        return fix(plan, title, [ReorderCuts(order)])

    @cached_property
    def _precedence(self) -> list[set[int]]:
        """For each cut those that it must precede, itself where it is at odds with itself."""
        graph, listings = self._staging.graph, self._staging.listings
        joining = graph.edge_joins[listings.edge]
        producer, cut = graph.tensor_producer[graph.edge_tensor[listings.edge[joining]]], listings.cut[joining]
        result = []
        for index in range(len(self._staging.plan.cuts)):
            after = self._bonds.behind(self._consumers(listings.cut == index))
            result.append(set(cut[after[producer]].tolist()))
        return result

    def _consumers(self, chosen: Bools) -> Bools:
        graph = self._staging.graph
        nodes = np.zeros(graph.node_count, dtype=np.bool_)
        nodes[graph.edge_consumer[self._staging.listings.edge[chosen]]] = True
        return nodes & ~graph.node_constant

    @cached_property
    def stages(self) -> Ints | None:
        """[N], stages that please as many listings as possible; None where that is too much to search."""
        graph, listings = self._staging.graph, self._staging.listings
        count = len(self._staging.plan.cuts)
        if count > CUT_LIMIT:
            return None
        live = ~graph.node_constant
        joining = graph.edge_joins[listings.edge]
        producer = np.where(joining, graph.tensor_producer[graph.edge_tensor[listings.edge]], -1)
        consumer = graph.edge_consumer[listings.edge]
        untouched = live & ~np.isin(self._whole_components, self._whole_components[consumer])
        stage = np.where(live, 0, -1).astype(np.int32)
        settled = np.zeros(graph.node_count, dtype=np.bool_)
        for boundary in range(count):
            first, last = joining & (listings.cut <= boundary), live[consumer] & (listings.cut >= boundary)
            before = self._bonds.before(_mask(producer[first], live))
            behind = self._bonds.behind(_mask(consumer[last], live))
            at_odds = before & behind
            if int(at_odds.sum()) > NODE_LIMIT:
                return None
            wishes = [np.repeat(ends[at], self._strength[at]) for ends, at in ((producer, first), (consumer, last))]
            pulls = Pulls(np.concatenate(wishes), np.arange(sum(map(len, wishes))) < len(wishes[0]))
            settled = cheapest_sides(
                self._bonds,
                (before & ~at_odds) | settled | untouched,
                behind & ~at_odds & ~settled,
                bytes_at(graph, self._symbols),
                pulls,
            )[0]
            stage[live & ~settled] = boundary + 1
        return stage

    @cached_property
    def _strength(self) -> Ints:
        """[L], how strongly a listing pulls: one that sends nothing least, one of a tensor cut whole less than others.

        Of a tensor that is cut whole some edges can leave the cut and the tensor still crosses.
        """
        graph, listings = self._staging.graph, self._staging.listings
        tensor = graph.edge_tensor[listings.edge].astype(np.int64)
        _, place, counts = np.unique(
            listings.cut * np.int64(graph.tensor_count) + tensor, return_inverse=True, return_counts=True
        )
        edges = np.diff(graph.tensor_edges)[tensor]
        whole = (counts[place] == edges) & (edges > 1)
        return np.where(graph.edge_joins[listings.edge], np.where(whole, 2, 3), 1).astype(np.int32)

    @cached_property
    def _whole_components(self) -> Ints:
        """[N], the component of each node when nothing is cut; -1 for constant nodes."""
        return assign_stages(self._staging.graph, Plan()).component

    @cached_property
    def displeased(self) -> Ints:
        """The listings that have to move or to leave."""
        graph, listings, stage = self._staging.graph, self._staging.listings, self.stages
        if stage is None:
            return self._staging.failing
        joining = graph.edge_joins[listings.edge]
        target = stage[graph.edge_consumer[listings.edge]]
        late = joining & (stage[graph.tensor_producer[graph.edge_tensor[listings.edge]]] > listings.cut)
        early = ~graph.node_constant[graph.edge_consumer[listings.edge]] & (target <= listings.cut)
        return np.flatnonzero(late | early).astype(np.int32)

    @cached_property
    def _relisted(self) -> Fix | None:
        """The mend that moves or removes the listings that have to give way."""
        graph, listings, plan = self._staging.graph, self._staging.listings, self._staging.plan
        if not len(self.displeased):
            return None
        groups: dict[tuple[int, int], list[int]] = {}
        for listing in self.displeased.tolist():
            key = int(listings.cut[listing]), int(graph.edge_tensor[listings.edge[listing]])
            groups.setdefault(key, []).append(int(listings.edge[listing]))
        edits: list[PlanEdit] = []
        moves: list[PlanEdit] = []
        words: list[str] = []
        for (cut, tensor), edges in groups.items():
            edits.extend(unlisting(self._staging, applied(plan, edits), cut, tensor, edges))
            name, targets = tensor_shown(graph, tensor), self._moves(tensor, edges)
            moves.extend(targets)
            if targets:
                words.append(f"move {name} from {cut_shown(plan, cut)} to {cut_shown(plan, targets[0].cut)}")
            else:
                words.append(f"take {name} out of {cut_shown(plan, cut)}")
        title = words[0] if len(words) == 1 else f"{words[0]}, and {len(words) - 1} more"
        return fix(plan, sentence(title), [*edits, *moves])

    def _moves(self, tensor: int, edges: list[int]) -> list[AddEdges]:
        """Returns the edits that list edges in the last cut that each crosses in the stages found, if any."""
        graph, listings, stage = self._staging.graph, self._staging.listings, self.stages
        if stage is None:
            return []
        targets: dict[int, list[int]] = {}
        for edge in edges:
            if not graph.edge_joins[edge]:
                continue
            source = int(stage[graph.tensor_producer[tensor]])
            target = int(stage[graph.edge_consumer[edge]])
            there = listings.cut[listings.edge == edge]
            if source < target and not np.any((source <= there) & (there < target)):
                targets.setdefault(target - 1, []).append(edge)
        entries = {cut: entry_of(graph, tensor, members) for cut, members in targets.items()}
        return [AddEdges(cut, entry) for cut, entry in entries.items() if entry is not None]


def unlisting(staging: Staging, plan: Plan, cut: int, tensor: int, edges: list[int]) -> list[PlanEdit]:
    """Returns the edits that take edges of one tensor out of a cut; names that do not exist stay."""
    graph = staging.graph
    entries = plan.cuts[cut].edges
    edits: list[PlanEdit] = []
    for place in reversed(range(len(entries))):
        entry = entries[place]
        if entry.tensor != graph.tensor_names[tensor]:
            continue
        found, unknown = resolve_edge(graph, entry) or ([], [])
        if set(edges).isdisjoint(found):
            continue
        names = [graph.consumer_name(int(graph.edge_consumer[edge])) for edge in found if edge not in edges]
        left = [name for name in [*names, *unknown] if name is not None]
        edits.append(ReplaceEdge(cut, place, CutEdge(entry.tensor, left)) if left else RemoveEdge(cut, place))
    return edits


def _mask(nodes: Ints, live: Bools) -> Bools:
    mask = np.zeros(len(live), dtype=np.bool_)
    mask[nodes] = True
    return mask


def _sorted(precedence: list[set[int]]) -> tuple[int, ...] | None:
    """Returns the cuts in an order that keeps what must precede what, as near to the present one as can be."""
    waiting = [0] * len(precedence)
    for after in precedence:
        for cut in after:
            waiting[cut] += 1
    ready = [cut for cut, count in enumerate(waiting) if not count]
    order: list[int] = []
    while ready:
        cut = heappop(ready)
        order.append(cut)
        for later in precedence[cut]:
            waiting[later] -= 1
            if not waiting[later]:
                heappush(ready, later)
    return tuple(order) if len(order) == len(precedence) else None
