"""From stages to a plan: the cuts that put every node into the stage wanted for it.

Terms: an edge *crosses* cut k when it runs from a stage <= k to a later one. A *piece* is a set of nodes that hang
together by edges that cross nothing; it lies in one stage. An *anchor* is a cut edge from a graph input, an initializer
or a constant node: it sends nothing, but puts the piece it enters into the stage behind its cut.

Steps: (1) of what the plan lists keep all that still crosses its cut; add what newly crosses a cut, what a new cut is
crossed by, and what would be listed nowhere; (2) stage the result; where rule 3 of DESIGN section 2 gives other stages
than those wanted, list every edge in every cut it crosses, which is enough for each piece that any edge enters or
leaves; (3) pieces that nothing enters get the anchor they need and lose those that put them elsewhere. Entries stay as
they are written wherever they still say the right thing.

Complexity: O(N + E + L), a few times. Left out: whether the stages make sense, which callers see to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from cutter_gui.core.fixes import union
from cutter_gui.core.graph import Bools, Graph, Ints, TensorKind
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.problems_words import node_shown, tensor_shown
from cutter_gui.core.stages import Staging, assign_stages, resolve, resolve_edge


@dataclass(frozen=True)
class Refusal:
    """Why something asked for cannot be done.

    Attributes:
        reason: One plain sentence.
        nodes: The nodes concerned; a way through the graph, in the direction of its edges, where there is one.
    """

    reason: str
    nodes: tuple[int, ...] = ()


def write_stages(
    graph: Graph, wanted: Ints, plan: Plan, stood: Ints | None = None, fresh: Collection[int] = ()
) -> Staging | Refusal:
    """Writes the plan that gives every node the stage wanted for it.

    Args:
        graph: The graph.
        wanted: [N], a stage for each node, -1 for constant ones; no edge may run backward, and nodes that share storage
            have the same. Unnamed consumers of a tensor stand no later than the others (`sides.Bonds`).
        plan: The plan to change, with as many cuts as are wanted; what it says rightly is kept as it is written.
        stood: [N], the stages so far, in the numbering that is wanted; -1 where there are none to speak of.
        fresh: Cuts to be listed in full.

    Returns:
        The stages of the new plan, or why there is none. Names of the plan that do not exist stay in it.
    """
    empty = sorted(set(range(plan.stage_count)) - set(wanted.tolist()))
    if empty and plan.cuts:
        return Refusal(f"Stage {empty[0]} would be empty.")
    writer = _Writer(graph, wanted, plan)
    attempts = [writer.changes(stood, fresh)] if stood is not None else []
    for pairs in (*attempts, writer.everything()):
        written = writer.write(pairs)
        if isinstance(written, Refusal):
            return written
        staging = assign_stages(graph, written)
        if np.array_equal(staging.node_stage, wanted) and not len(staging.failing):
            return staging
    anchored = writer.with_anchors(staging)
    if isinstance(anchored, Refusal):
        return anchored
    staging = assign_stages(graph, anchored)
    wrong = np.flatnonzero(staging.node_stage != wanted)
    if len(wrong) or len(staging.failing):
        shown = node_shown(graph, int(wrong[0])) if len(wrong) else "a node"
        return Refusal(f"No cut puts {shown} into the stage wanted for it.", tuple(wrong[:1].tolist()))
    return staging


def with_boundary(staging: Staging, at: int, before: Bools, name: str | None = None) -> Staging | Refusal:
    """Divides a stage of a valid plan by a new cut, listed in full.

    Args:
        staging: The stages so far.
        at: The stage to divide, which is the position of the new cut.
        before: [N], the nodes of that stage that stand before the new boundary; those of others do not matter.
        name: The new cut's name.
    """
    stage, plan = staging.node_stage, staging.plan
    shifted = np.where(stage > at, stage + 1, stage).astype(np.int32)
    wanted = np.where((stage == at) & ~before, at + 1, shifted).astype(np.int32)
    roomy = replace(plan, cuts=(*plan.cuts[:at], Cut((), name), *plan.cuts[at:]))
    return write_stages(staging.graph, wanted, roomy, shifted, fresh={at})


class _Writer:
    """Writes cuts from sets of edges; see the top of this file."""

    def __init__(self, graph: Graph, wanted: Ints, plan: Plan) -> None:
        self._graph, self._wanted, self._plan = graph, wanted, plan
        self._listings = resolve(graph, plan)
        joining = graph.edge_joins
        self._first = np.where(joining, wanted[graph.tensor_producer[graph.edge_tensor]], 0)
        self._last = np.where(joining, wanted[graph.edge_consumer], 0)
        self._crossing = np.flatnonzero(self._last > self._first)
        edge, cut = self._listings.edge, self._listings.cut
        crosses = (self._first[edge] <= cut) & (self._last[edge] > cut)
        copied = ~joining[edge] & (
            (cut < wanted[graph.edge_consumer[edge]]) | graph.node_constant[graph.edge_consumer[edge]]
        )
        self._kept = [set(edge[(crosses | copied) & (cut == k)].tolist()) for k in range(len(plan.cuts))]

    def everything(self) -> list[set[int]]:
        """Returns for each cut all edges that cross it, and the anchors that may stay."""
        full = [set(kept) for kept in self._kept]
        for edge in self._crossing.tolist():
            for cut in range(self._first[edge], self._last[edge]):
                full[cut].add(edge)
        return full

    def changes(self, stood: Ints, fresh: Collection[int]) -> list[set[int]]:
        """Returns for each cut the edges it keeps and those it did not have to list so far."""
        graph = self._graph
        before = stood[graph.tensor_producer[graph.edge_tensor[self._crossing]]]
        behind = stood[graph.edge_consumer[self._crossing]]
        there = np.zeros(graph.edge_count, dtype=np.bool_)
        for kept in self._kept:
            there[list(kept)] = True
        result = [set(kept) for kept in self._kept]
        for edge, source, target in zip(self._crossing.tolist(), before.tolist(), behind.tolist(), strict=True):
            for cut in range(self._first[edge], self._last[edge]):
                if cut in fresh or not source <= cut < target or not there[edge]:
                    result[cut].add(edge)
        return result

    def write(self, edges: list[set[int]]) -> Plan | Refusal:
        """Returns the plan that lists these edges in each cut."""
        cuts = []
        for index, cut in enumerate(self._plan.cuts):
            written = self._cut(index, cut, edges[index])
            if isinstance(written, Refusal):
                return written
            cuts.append(written)
        return replace(self._plan, cuts=tuple(cuts))

    def _cut(self, index: int, cut: Cut, edges: set[int]) -> Cut | Refusal:
        listings = self._listings
        listed = set(listings.edge[listings.cut == index].tolist())
        if listed == edges:
            return cut
        kept = tuple(left for entry in cut.edges for left in self._narrowed(entry, edges))
        added: list[CutEdge] = []
        by_tensor: dict[int, list[int]] = {}
        for edge in sorted(edges):
            by_tensor.setdefault(int(self._graph.edge_tensor[edge]), []).append(edge)
        changed = {int(self._graph.edge_tensor[edge]) for edge in listed ^ edges}
        for tensor, members in by_tensor.items():
            if tensor not in changed:
                continue
            entry = entry_of(self._graph, tensor, members)
            if entry is None:
                return nameless(self._graph, tensor)
            if not listed.issuperset(members):
                added.append(entry)
        return replace(cut, edges=union(kept, added))

    def _narrowed(self, entry: CutEdge, edges: set[int]) -> Iterable[CutEdge]:
        """Yields what remains of an entry when only these edges are cut; names that do not exist stay."""
        found = resolve_edge(self._graph, entry)
        if found is None or not found[0] or edges.issuperset(found[0]):
            yield entry
        elif entry.consumers is None:
            members = [edge for edge in found[0] if edge in edges]
            names = [self._graph.consumer_name(int(self._graph.edge_consumer[edge])) for edge in members]
            if names and None not in names:
                yield CutEdge(entry.tensor, [name for name in names if name is not None])
        else:
            names = []
            for name in entry.consumers:
                edge = resolve_edge(self._graph, CutEdge(entry.tensor, [name]))
                if edge is None or not edge[0] or edges.issuperset(edge[0]):
                    names.append(name)
            if names:
                yield CutEdge(entry.tensor, [name for name in names if name is not None])

    def with_anchors(self, staging: Staging) -> Plan | Refusal:
        """Returns the plan with every crossing edge listed, and anchors where stages still differ from those wanted."""
        graph, wanted, edges = self._graph, self._wanted, self.everything()
        wrong = np.unique(staging.component[np.flatnonzero(staging.node_stage != wanted)])
        free = np.flatnonzero(~graph.edge_joins & ~graph.node_constant[graph.edge_consumer])
        into = staging.component[graph.edge_consumer[free]]
        for component in wrong.tolist():
            inside = staging.component == component
            stage = int(wanted[np.flatnonzero(inside)[0]])
            own = free[into == component]
            for kept in edges:
                kept.difference_update(own.tolist())
            if stage and not self._leaves(inside, stage):
                anchor = self._anchor(own, inside)
                if not anchor:
                    node = int(np.flatnonzero(inside)[0])
                    return Refusal(
                        f"Nothing runs from an earlier stage to {node_shown(graph, node)}, so it cannot be put into "
                        f"stage {stage}.",
                        (node,),
                    )
                edges[stage - 1].update(anchor)
        return self.write(edges)

    def _leaves(self, inside: Bools, stage: int) -> bool:
        """Whether an edge that crosses leaves the piece, which then needs no anchor."""
        graph = self._graph
        return bool(np.any(inside[graph.tensor_producer[graph.edge_tensor[self._crossing]]])) or stage == 0

    def _anchor(self, own: Ints, inside: Bools) -> list[int]:
        """Returns edges from inputs, weights or constants into a piece that can be cut without touching another."""
        graph = self._graph
        from_inputs_first = np.argsort(graph.tensor_kind[graph.edge_tensor[own]] != TensorKind.INPUT, kind="stable")
        for edge in own[from_inputs_first].tolist():
            if graph.consumer_name(int(graph.edge_consumer[edge])) is not None:
                return [edge]
        for tensor in np.unique(graph.edge_tensor[own]).tolist():
            if np.all(inside[graph.consumers(tensor)]):
                return list(graph.edges_of(tensor))
        return []


def entry_of(graph: Graph, tensor: int, edges: Collection[int]) -> CutEdge | None:
    """Returns the entry that cuts these edges of a tensor, or None when one of them goes to a node without a name."""
    if len(edges) == len(graph.edges_of(tensor)):
        return CutEdge(graph.tensor_names[tensor])
    names = [graph.consumer_name(int(graph.edge_consumer[edge])) for edge in edges]
    if None in names:
        return None
    return CutEdge(graph.tensor_names[tensor], [name for name in names if name is not None])


def nameless(graph: Graph, tensor: int) -> Refusal:
    """Returns the refusal to cut a tensor from some of its consumers where one of them has no name."""
    nodes = tuple(node for node in graph.consumers(tensor).tolist() if graph.consumer_name(node) is None)
    return Refusal(
        f"{tensor_shown(graph, tensor)} is read by a node without outputs, which has no name as a consumer: it can "
        "only be cut from all its readers.",
        nodes,
    )
