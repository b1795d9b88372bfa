"""The x of the vertices of a stretch that is too large for `cutter_gui.layout.alignment`.

Steps: (1) every layer starts packed, its middle at 0; (2) all even layers, then all odd ones, move at once: each vertex
wants the weighted mean of its neighbours, and the nearest positions that keep order and distances are found by an
isotonic regression (Best and Chakravarti, 1990), one for all layers: numbers far apart keep the layers from meeting.

Complexity: O(I (V + E)) for I rounds, all in arrays. Left out: straight long links, which need the linear program.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.layout.alignment import segment_weights
from cutter_gui.layout.stretches import Doubles, Stretch

ROUNDS = 40
ROUNDING = 0.01
APART = 1e7  # more than any layer is wide


def relaxed(stretch: Stretch, place: Ints, gap: float) -> Doubles:
    """Returns [V] float64, the x of the middle of each vertex.

    Args:
        stretch: The vertices.
        place: [V], the place of each in its layer.
        gap: Free room between neighbours.
    """
    from scipy.optimize import isotonic_regression
    from scipy.sparse import csr_matrix

    count = stretch.vertex_count
    layer = np.repeat(np.arange(stretch.layer_count), np.diff(stretch.starts))
    order = np.lexsort((place, layer))
    sides = stretch.sides[order]
    offset = np.concatenate([[0.0], np.cumsum(sides[:-1, 1] + sides[1:, 0] + gap)])
    first = np.repeat(stretch.starts[:-1], np.diff(stretch.starts))
    last = np.repeat(stretch.starts[1:] - 1, np.diff(stretch.starts))
    offset -= offset[first]
    x = offset - offset[last] / 2
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    heads, tails = rank[stretch.upper], rank[stretch.lower]
    weight = segment_weights(stretch.upper, stretch.lower, stretch.is_bend)
    total = np.bincount(heads, weight, count) + np.bincount(tails, weight, count)
    pull = csr_matrix(
        (np.concatenate([weight, weight]), (np.concatenate([heads, tails]), np.concatenate([tails, heads]))),
        shape=(count, count),
    )
    base = layer * APART - offset
    still = stretch.fixed[order]
    strength = np.maximum(total, 1e-3)
    halves = [np.flatnonzero(layer % 2 == parity) for parity in (0, 1)]
    rows = [pull[half] for half in halves]
    for _ in range(ROUNDS):
        for half, matrix in zip(halves, rows, strict=True):
            linked = total[half] > 0
            wanted = np.where(linked, (matrix @ x) / strength[half], x[half])
            near = isotonic_regression(wanted + base[half], weights=strength[half]).x
            x[half] = np.where(still[half], 0.0, near - base[half])
    found = np.empty(count, dtype=np.float64)
    found[order] = np.floor(x + ROUNDING)  # downwards all of them, so that none come closer
    return found
