"""The order of vertices within each layer, for stretches of many thousand vertices.

Terms and steps as in `cutter_gui.layout.ordering`, but for what is left out: the first order is that of a breadth
first walk, layer by layer, sweeps are done a layer at a time in arrays, and there are no transpositions. Crossings are
counted for all layers at once: each pass compares the segments that stand a certain distance apart.

Complexity: O(S (V log V + E)) for S sweeps and, to count, O(E D) for D segments between two layers; layers with more
than `COUNTED_TOGETHER` are counted one by one in O(E log E).
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.layout.ordering import inversions
from cutter_gui.layout.stretches import Doubles, Stretch

SWEEPS = 8
COUNTED_TOGETHER = 256


def ordered_wide(stretch: Stretch) -> Ints:
    """Returns [V], the place of each vertex within its layer, an order with few crossings."""
    sizes = np.diff(stretch.starts)
    first = np.repeat(stretch.starts[:-1], sizes)
    place = (np.arange(stretch.vertex_count) - first).astype(np.float64)
    above, below = _Near(stretch, upwards=True), _Near(stretch, upwards=False)
    best, fewest = place.copy(), -1
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            for layer in range(1, stretch.layer_count):
                above.sort(layer, place)
        else:
            for layer in range(stretch.layer_count - 2, -1, -1):
                below.sort(layer, place)
        found = crossings_wide(stretch, place)
        if fewest < 0 or found < fewest:
            best, fewest = place.copy(), found
        if not fewest:
            break
    return np.asarray(best, dtype=np.int32)


class _Near:
    """The neighbours of each layer's vertices in the layer above or below."""

    def __init__(self, stretch: Stretch, upwards: bool) -> None:
        own, other = (stretch.lower, stretch.upper) if upwards else (stretch.upper, stretch.lower)
        by_own = np.argsort(own, kind="stable")
        self._own, self._other = own[by_own], other[by_own]
        self._starts = stretch.starts.tolist()
        self._segments = np.searchsorted(self._own, stretch.starts).tolist()
        degree = np.bincount(self._own, minlength=stretch.vertex_count)
        self._degree = np.maximum(degree, 1).astype(np.float64)
        self._alone = degree == 0
        self._step = -1 if upwards else 1

    def sort(self, layer: int, place: Doubles) -> None:
        """Sorts one layer by barycenter, in place."""
        start, end = self._starts[layer], self._starts[layer + 1]
        size = end - start
        if size < 2:
            return
        one, two = self._segments[layer], self._segments[layer + 1]
        total = np.bincount(self._own[one:two] - start, weights=place[self._other[one:two]], minlength=size)
        keys = total / self._degree[start:end]
        alone = self._alone[start:end]
        if alone.any():
            before = self._starts[layer + self._step + 1] - self._starts[layer + self._step]
            keys[alone] = place[start:end][alone] * (before / size)
        # Ties keep their order: the vertices are ranked from where they stand.
        standing = np.argsort(place[start:end], kind="stable")
        ranked = standing[np.argsort(keys[standing], kind="stable")]
        place[start + ranked] = np.arange(size)


def crossings_wide(stretch: Stretch, place: Doubles) -> int:
    """Returns the number of crossings of segments between neighbouring layers."""
    layer = np.repeat(np.arange(stretch.layer_count), np.diff(stretch.starts))[stretch.upper]
    order = np.lexsort((place[stretch.lower], place[stretch.upper], layer))
    ends, layer = place[stretch.lower][order].astype(np.int32), layer[order]
    size = np.bincount(layer, minlength=stretch.layer_count)
    total = 0
    for wide in np.flatnonzero(size > COUNTED_TOGETHER).tolist():
        values = ends[layer == wide]
        total += inversions(values.tolist(), int(values.max()) + 1)
    narrow = size[layer] <= COUNTED_TOGETHER
    ends, layer = ends[narrow], layer[narrow]
    for apart in range(1, int(size[size <= COUNTED_TOGETHER].max(initial=1))):
        total += int(np.count_nonzero((ends[:-apart] > ends[apart:]) & (layer[:-apart] == layer[apart:])))
    return total
