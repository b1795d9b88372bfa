"""The knife: the cut that a line drawn across the graph makes.

Terms: the line *crosses* edges; those that join nodes of one stage are *cut*, those that run between stages cross a
boundary already, and those from inputs, weights and constants send nothing. The producers of edges that are cut are to
stand before the new boundary, their consumers behind it.

Steps: (1) the stage that the edges cut lie in tells where among the cuts the new one falls; when they lie in several,
the line is drawn across a border and there is no cut; (2) where a line crosses one path twice its wishes are at odds
and the fewest of them give way (`sides.Pulls`); (3) what must then stand on a side does, and nodes that remain free
take the cheapest sides; (4) the line is complete when that cuts no edge that it did not cross.

Complexity: O(N + E), and a minimum cut over the free nodes. Left out: geometry; the canvas knows which edges a line
crosses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.mend import settled
from cutter_gui.core.plan import Cut, Plan
from cutter_gui.core.problems_words import counted
from cutter_gui.core.proposal import Proposal, Refusal, proposal, without_empty_cuts
from cutter_gui.core.sides import Bonds, Pulls, bytes_at, cheapest_sides, cost_of, edges_between
from cutter_gui.core.stages import Staging
from cutter_gui.core.stages_written import entry_of, with_boundary


@dataclass(frozen=True, eq=False)
class KnifeCut:
    """What a line makes.

    Attributes:
        at: The position of the new cut among the cuts, which is the stage that it divides.
        crossed: The edges cut by the line itself.
        tensors: Their tensors.
        bytes: Bytes of these, each once, open dimensions at the values given or 1.
        missing: The edges that completing it adds.
        left_out: Edges crossed that cannot be in the cut together with the others.
        proposal: The plan with the complete cut.
        as_drawn: The plan with a cut of just what was crossed, valid only when nothing is missing; None when that
            cannot be written because a consumer has no name.
    """

    at: int
    crossed: tuple[int, ...]
    tensors: tuple[int, ...]
    bytes: int
    missing: tuple[int, ...]
    left_out: tuple[int, ...]
    proposal: Proposal
    as_drawn: Plan | None

    @property
    def is_complete(self) -> bool:
        return not self.missing


def knife(
    graph: Graph, plan: Plan, edges: Iterable[int], symbols: Mapping[str, int] | None = None
) -> KnifeCut | Refusal:
    """Returns the cut that a line across these edges makes.

    Args:
        graph: The graph.
        plan: The plan so far; cuts without edges are left out and the new one takes their place, and what is wrong
            with it is mended first.
        edges: Numbers of the edges crossed, in any order.
        symbols: Values of symbolic dimensions; 1 where not given.

    Returns:
        The cut, or why there is none.
    """
    filled, name = without_empty_cuts(plan)
    base = settled(graph, filled, symbols)
    if isinstance(base, Refusal):
        return base
    staging, mended = base
    drawn = np.unique(np.fromiter(edges, dtype=np.int64)).astype(np.int32)
    first, last = (span[drawn] for span in staging.edge_span)
    crossed = drawn[graph.edge_joins[drawn] & (first == last)]
    if not len(crossed):
        return Refusal(_nothing(graph, drawn))
    stages = np.unique(first[graph.edge_joins[drawn] & (first == last)]).tolist()
    if len(stages) > 1:
        return Refusal(f"The line runs through {counted('stage', stages)}: draw it within one stage.")
    at = stages[0]
    before = _sides(staging, crossed, symbols)
    if before is None:
        return Refusal("Nothing remains to cut: the line crosses only edges whose ends cannot be parted.")
    written = with_boundary(staging, at, before, name)
    if isinstance(written, Refusal):
        return written
    parted = before[graph.tensor_producer[graph.edge_tensor]] & ~before[graph.edge_consumer] & graph.edge_joins
    added = parted & (staging.edge_span[0] == at) & (staging.edge_span[1] == at)
    added[crossed] = False
    tensors = np.unique(graph.edge_tensor[crossed[parted[crossed]]]).tolist()
    return KnifeCut(
        at,
        tuple(crossed.tolist()),
        tuple(tensors),
        sum(cost_of(graph, tensor, symbols or {}) for tensor in tensors),
        tuple(np.flatnonzero(added).tolist()),
        tuple(crossed[~parted[crossed]].tolist()),
        proposal(written, at, symbols, mended),
        _as_drawn(staging, at, drawn[graph.edge_joins[drawn]], name),
    )


def _nothing(graph: Graph, drawn: Ints) -> str:
    if not len(drawn):
        return "The line crosses no edge."
    if np.any(graph.edge_joins[drawn]):
        return "All edges that the line crosses run between stages already."
    return "The line crosses only edges from inputs, weights and constants, which each stage gets for itself."


def _sides(staging: Staging, crossed: Ints, symbols: Mapping[str, int] | None) -> Bools | None:
    """Returns [N] the nodes that stand before the new boundary, or None when none of the edges can be cut."""
    graph, stage = staging.graph, staging.node_stage
    at = int(stage[graph.edge_consumer[crossed[0]]])
    live = ~graph.node_constant
    bonds = Bonds(graph, live & (stage == at))
    producers, consumers = graph.tensor_producer[graph.edge_tensor[crossed]], graph.edge_consumer[crossed]
    ends = np.zeros((2, graph.node_count), dtype=np.bool_)
    ends[0, producers] = ends[1, consumers] = True
    before, behind = bonds.before(ends[0]), bonds.behind(ends[1])
    at_odds = before & behind
    choices = cheapest_sides(
        bonds,
        (before & ~at_odds) | (live & (stage < at)),
        (behind & ~at_odds) | (stage > at),
        bytes_at(graph, symbols),
        Pulls(np.concatenate([producers, consumers]), np.arange(2 * len(crossed)) < len(crossed)),
    )
    kept = [int((side[producers] & ~side[consumers]).sum()) for side in choices]
    best = min(zip(choices, kept, strict=True), key=lambda choice: (-choice[1], edges_between(graph, choice[0])))
    return best[0] if best[1] else None


def _as_drawn(staging: Staging, at: int, edges: Ints, name: str | None) -> Plan | None:
    graph, plan = staging.graph, staging.plan
    by_tensor: dict[int, list[int]] = {}
    for edge in edges.tolist():
        by_tensor.setdefault(int(graph.edge_tensor[edge]), []).append(edge)
    entries = [entry_of(graph, tensor, members) for tensor, members in by_tensor.items()]
    cut = Cut(tuple(entry for entry in entries if entry is not None), name)
    return None if None in entries else replace(plan, cuts=(*plan.cuts[:at], cut, *plan.cuts[at:]))
