"""Parts of a layered graph that can be laid out by themselves, each different one once.

Terms: a *waist* is a layer with a single vertex; a *stretch* is a waist, the layers below it and the next waist. All
waists stand at x = 0, one below the other, so what lies in one stretch never concerns another. The blocks of a model
are stretches, and most are alike.

Steps: (1) number the vertices by layer, then by number, so that equal blocks are numbered alike; (2) cut at waists;
(3) stretches with the same layers, sizes and segments are laid out once and get the same positions.

Complexity: O(V + S) and one layout for each different stretch. Left out: stretches that are alike but numbered
differently are laid out twice; widths that differ by one step of 8 pixels make them differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Bools, Ints

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stretch:
    """Layers of vertices, numbered from 0 within the stretch, layer by layer.

    Attributes:
        starts: [L + 1], the vertices of layer i are ``starts[i]:starts[i + 1]``.
        sides: [V, 2] float64, how far each reaches left and right of its middle, pixels.
        is_bend: [V], whether a vertex is the bend of a link rather than a box.
        upper: [S], vertex above each segment, in the layer before that of the lower.
        lower: [S].
        fixed: [V], whether a vertex is a waist and stays at x = 0.
    """

    starts: Ints
    sides: Doubles
    is_bend: Bools
    upper: Ints
    lower: Ints
    fixed: Bools

    @property
    def vertex_count(self) -> int:
        return len(self.sides)

    @property
    def layer_count(self) -> int:
        return len(self.starts) - 1

    @property
    def signature(self) -> bytes:
        """Equal for stretches that are laid out alike."""
        parts = (self.starts, self.sides, self.is_bend, self.upper, self.lower)
        return b"".join([np.int64(len(part)).tobytes() + part.tobytes() for part in parts])


@dataclass(frozen=True, eq=False)
class Cutting:
    """A layered graph cut into stretches.

    Attributes:
        order: [V], the vertices by layer.
        spans: First and last position in ``order``, exclusive, of every stretch that is more than a line.
        layer_starts: [L + 1], positions of the layers.
        sides: [V, 2] float64, by position.
        is_bend: [V], by position.
        upper: [S], position of the vertex above each segment, ascending.
        lower: [S].
    """

    order: Ints
    spans: tuple[tuple[int, int], ...]
    layer_starts: Ints
    sides: Doubles
    is_bend: Bools
    upper: Ints
    lower: Ints

    @classmethod
    def of(cls, layer: Ints, sides: Doubles, is_bend: Bools, upper: Ints, lower: Ints) -> Cutting:
        """Returns the cutting of vertices with these layers and segments between neighbouring layers."""
        count = int(layer.max()) + 1 if len(layer) else 0
        order = np.argsort(layer, kind="stable").astype(np.int32)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(np.bincount(layer, minlength=count))]).astype(np.int32)
        sorted_by = np.lexsort((rank[lower], rank[upper]))
        return cls(
            order,
            tuple(_spans(starts)),
            starts,
            sides[order],
            is_bend[order],
            rank[upper][sorted_by],
            rank[lower][sorted_by],
        )

    def stretches(self) -> Iterator[tuple[int, int, Stretch]]:
        """Yields first and last position, exclusive, and the stretch there."""
        sizes = np.diff(self.layer_starts)
        # All places are looked up at once: one by one, numpy would convert the arrays each time.
        places = np.array(self.spans, dtype=np.int32).reshape(-1, 2)
        layers = np.searchsorted(self.layer_starts, places)
        above = np.searchsorted(self.upper, np.stack([places[:, 0], self.layer_starts[layers[:, 1] - 1]], axis=1))
        for (first, end), (top, bottom), (one, two) in zip(self.spans, layers.tolist(), above.tolist(), strict=True):
            fixed = np.zeros(end - first, dtype=np.bool_)
            fixed[[0, -1]] = sizes[top] == 1, sizes[bottom - 1] == 1
            yield (
                first,
                end,
                Stretch(
                    self.layer_starts[top : bottom + 1] - first,
                    self.sides[first:end],
                    self.is_bend[first:end],
                    self.upper[one:two] - first,
                    self.lower[one:two] - first,
                    fixed,
                ),
            )


def _spans(starts: Ints) -> Iterator[tuple[int, int]]:
    """Yields the positions of the stretches with a layer that is no waist."""
    sizes = np.diff(starts)
    borders = np.flatnonzero(sizes == 1).tolist()
    if len(sizes) and (not borders or borders[0] != 0):
        borders.insert(0, 0)
    if borders and borders[-1] != len(sizes) - 1:
        borders.append(len(sizes) - 1)
    if len(borders) == 1:
        borders.append(borders[0])
    for top, bottom in pairwise(borders):
        if bottom - top > 1 or sizes[top] > 1 or sizes[bottom] > 1:
            yield int(starts[top]), int(starts[bottom + 1])
