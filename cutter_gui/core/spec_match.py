"""Which cuts and edges of an edited plan are those of the plan in the file, so that their comments stay with them.

A cut is the same as one in the file if it has, tried in this order over all cuts: the same name and edges; the same
edges; the same name; most tensors in common. An edge is the same if it is equal, else if it is of the same tensor.
Each is matched once. Time is linear in the edges, but for tensors that several cuts list: those listed by more than
`MANY` of the cuts still open tell nothing about which cut is meant and are left out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from cutter_gui.core.plan import Cut, CutEdge

T = TypeVar("T")
MANY = 16


def match_cuts(old: Sequence[Cut], new: Sequence[Cut]) -> list[int | None]:
    """Returns for each new cut the old one it stems from, or None."""
    matches: list[int | None] = [None] * len(new)
    _match_equal(old, new, matches, lambda cut: cut)
    _match_equal(old, new, matches, lambda cut: cut.edges or None)
    _match_equal(old, new, matches, lambda cut: cut.name)
    _match_overlapping(old, new, matches)
    return matches


def match_edges(old: Sequence[CutEdge], new: Sequence[CutEdge]) -> list[int | None]:
    """Returns for each new edge the old one it stems from, or None."""
    matches: list[int | None] = [None] * len(new)
    _match_equal(old, new, matches, lambda edge: edge)
    _match_equal(old, new, matches, lambda edge: edge.tensor)
    return matches


def match_names(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Returns for each new name its place in the old ones, or None."""
    matches: list[int | None] = [None] * len(new)
    _match_equal(old, new, matches, lambda name: name)
    return matches


def _match_equal(
    old: Sequence[T], new: Sequence[T], matches: list[int | None], key: Callable[[T], Hashable | None]
) -> None:
    """Matches what is still unmatched and has equal keys, in order; a key of None matches nothing."""
    taken = {match for match in matches if match is not None}
    waiting: dict[Hashable, deque[int]] = {}
    for index, item in enumerate(old):
        if index not in taken and (value := key(item)) is not None:
            waiting.setdefault(value, deque()).append(index)
    for index, item in enumerate(new):
        if matches[index] is None and (places := waiting.get(key(item))):
            matches[index] = places.popleft()


def _match_overlapping(old: Sequence[Cut], new: Sequence[Cut], matches: list[int | None]) -> None:
    open_cuts = set(range(len(old))).difference(match for match in matches if match is not None)
    listed_by: dict[str, list[int]] = {}
    for index in sorted(open_cuts):
        for tensor in {edge.tensor for edge in old[index].edges}:
            listed_by.setdefault(tensor, []).append(index)
    for index, cut in enumerate(new):
        if matches[index] is not None:
            continue
        shared: Counter[int] = Counter()
        for tensor in {edge.tensor for edge in cut.edges}:
            cuts = listed_by.get(tensor, [])
            if len(cuts) <= MANY:
                shared.update(place for place in cuts if place in open_cuts)
        if shared:
            best = min(shared, key=lambda place: (-shared[place], place))
            matches[index] = best
            open_cuts.remove(best)
