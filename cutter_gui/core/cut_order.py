"""Whether the cuts of a plan, put into some other order, make a valid plan.

Terms: a cut *enters* a component by an edge whose consumer lies in it and *leaves* it by one whose producer does. The
components do not depend on the order of the cuts; only their stages do.

Two facts carry the search. (a) Rule 4 holds for an order if and only if, for each component, every cut that enters it
comes before every cut that leaves it: a component that is entered lies just behind the last cut that does so, one that
is not lies just before the first cut that leaves it. (b) Whether stage i holds a component is known once the cuts at
positions 0 to i are placed: one of them was the last to enter some component at position i - 1, or is the first to
leave, at position i, one that nothing enters; components that no cut touches are in stage 0.

Steps: (1) reduce components to their distinct (cuts that enter, cuts that leave) pairs; (2) place cuts one after the
other, depth first, the lowest position first, each only when all that must precede it are placed (a) and when the
stage before it is not empty (b); (3) remember the sets of placed cuts that led nowhere.

Complexity: O(L) for L listings, then O(C) a step for C cuts where no stage is in danger of staying empty, which is the
rule. In the worst case the sets are exponentially many; the search gives up after `BUDGET` placements. Left out: the
order with the fewest moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cutter_gui.core.stages import Staging

BUDGET = 8_000


@dataclass
class _Component:
    """One kind of component: the cuts that enter it and leave it, and how many of each are not or already placed."""

    entering: frozenset[int]
    leaving: frozenset[int]
    to_enter: int = field(init=False)
    left: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.to_enter = len(self.entering)


def valid_order(staging: Staging) -> tuple[int, ...] | None:
    """Returns present positions of the cuts in an order that makes the plan valid, or None.

    Names of the plan are taken to exist and the graph to be sound.
    """
    if not staging.plan.cuts:
        return ()
    if len(staging.component_stage) < staging.stage_count:
        return None
    kinds = _kinds(staging)
    if any(kind.entering & kind.leaving for kind in kinds):
        return None
    return _Search(kinds, len(staging.plan.cuts)).run()


def _kinds(staging: Staging) -> list[_Component]:
    graph, listings = staging.graph, staging.listings
    count = len(staging.component_stage)
    entering: dict[int, set[int]] = {}
    leaving: dict[int, set[int]] = {}
    consumer = graph.edge_consumer[listings.edge]
    enters = ~graph.node_constant[consumer]
    leaves = graph.edge_joins[listings.edge]
    producer = graph.tensor_producer[graph.edge_tensor[listings.edge[leaves]]]
    for nodes, cuts, found in (
        (consumer[enters], listings.cut[enters], entering),
        (producer, listings.cut[leaves], leaving),
    ):
        for component, cut in np.unique(np.stack([staging.component[nodes], cuts]), axis=1).T.tolist():
            found.setdefault(component, set()).add(cut)
    touched = sorted(entering.keys() | leaving.keys())
    kinds = {(frozenset(entering.get(c, ())), frozenset(leaving.get(c, ()))) for c in touched}
    if len(touched) < count:
        kinds.add((frozenset(), frozenset()))
    return [_Component(a, b) for a, b in kinds]


class _Search:
    """The depth-first placing of cuts; see the top of this file."""

    def __init__(self, kinds: list[_Component], count: int) -> None:
        self._count = count
        self._entered = [[kind for kind in kinds if cut in kind.entering] for cut in range(count)]
        self._left = [[kind for kind in kinds if cut in kind.leaving] for cut in range(count)]
        self._untouched = any(not kind.entering and not kind.leaving for kind in kinds)
        self._hopeless: set[tuple[int, bool]] = set()

    def run(self) -> tuple[int, ...] | None:
        order: list[int] = []
        filled = [self._untouched]  # whether stage i holds a component because of what precedes position i
        following = [0]  # the next cut to try at each position
        placed = 0
        budget = BUDGET
        while following:
            if len(order) == self._count and filled[-1]:
                return tuple(order)
            cut = self._next(following[-1], placed, filled[-1]) if len(order) < self._count else None
            if cut is None:
                self._hopeless.add((placed, filled[-1]))
                following.pop()
                filled.pop()
                if order:
                    undone = order.pop()
                    placed &= ~(1 << undone)
                    self._undo(undone)
                continue
            budget -= 1
            if not budget:
                return None
            following[-1] = cut + 1
            last_entry = self._place(cut)
            if (placed | 1 << cut, last_entry) in self._hopeless:
                self._undo(cut)
                continue
            order.append(cut)
            placed |= 1 << cut
            filled.append(last_entry)
            following.append(0)
        return None

    def _next(self, start: int, placed: int, filled: bool) -> int | None:
        """Returns the first cut from ``start`` on that may come next."""
        for cut in range(start, self._count):
            if placed >> cut & 1:
                continue
            left = self._left[cut]
            if any(kind.to_enter for kind in left):
                continue
            if filled or any(not kind.entering and not kind.left for kind in left):
                return cut
        return None

    def _place(self, cut: int) -> bool:
        """Places a cut and returns whether it is the last to enter some component."""
        for kind in self._left[cut]:
            kind.left += 1
        last = False
        for kind in self._entered[cut]:
            kind.to_enter -= 1
            last |= kind.to_enter == 0
        return last

    def _undo(self, cut: int) -> None:
        for kind in self._left[cut]:
            kind.left -= 1
        for kind in self._entered[cut]:
            kind.to_enter += 1
