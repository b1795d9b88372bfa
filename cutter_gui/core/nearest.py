"""The nearest of many names, for "did you mean".

Terms: the likeness of two names is difflib's ratio, twice the characters in matching blocks over the sum of lengths.
The *bag bound* is the same with the characters they share in any order: never less, and cheap for all names at once.

Steps: (1) count the characters of every name, folded to 64 classes, in one numpy pass; (2) for a query take the
`CANDIDATES` names of the highest bag bound; (3) compare those exactly; of names as alike the first comes first.

Complexity: O(characters) once, O(names) a query, plus a bounded number of exact comparisons of clipped names. Left
out: names whose words are reordered, which come out as unlike.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

CLASSES = 64
CANDIDATES = 48
LIKENESS = 0.6
COMPARED = 160


class NearestName:
    """Finds the nearest of the given names; those must not change."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._clipped = [_clipped(name) for name in names]
        self._lengths = np.fromiter((len(name) for name in self._clipped), dtype=np.int64, count=len(names))
        owner = np.repeat(np.arange(len(names)) * CLASSES, self._lengths)
        folded = owner + _classes("".join(self._clipped))
        counts = np.bincount(folded, minlength=len(names) * CLASSES)
        self._bags = counts.reshape(-1, CLASSES).astype(np.int16)

    def find(self, name: str) -> int | None:
        """Returns the index of the nearest name, or None when no name is like it."""
        return next(iter(self.nearest(name, 1)), None)

    def nearest(self, name: str, count: int) -> list[int]:
        """Returns the indices of the nearest names, at most so many, the most alike first; none that is not like it."""
        if not len(self._names):
            return []
        name = _clipped(name)
        bag = np.bincount(_classes(name), minlength=CLASSES).astype(np.int16)
        shared = np.minimum(self._bags, bag).sum(axis=1, dtype=np.int64)
        bound = 2 * shared / np.maximum(self._lengths + len(name), 1)
        likely = np.argsort(-bound, kind="stable")[:CANDIDATES]
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(name)
        best: list[tuple[float, int]] = []  # minus likeness, index
        for index in likely.tolist():
            if bound[index] < (LIKENESS if len(best) < count else -best[-1][0]):
                break
            matcher.set_seq1(self._clipped[index])
            likeness = matcher.ratio()
            if likeness >= LIKENESS:
                best = sorted([*best, (-likeness, index)])[:count]
        return [index for _, index in best]


def _clipped(name: str) -> str:
    return name if len(name) <= COMPARED else name[: COMPARED // 2] + name[-COMPARED // 2 :]


def _classes(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return (codes % CLASSES).astype(np.int64)
