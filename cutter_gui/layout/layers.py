"""An order of the boxes that breaks cycles, and longest path layers along it.

Terms: a box is *free* when every link into it comes from a box already in the order.

Steps: (1) Kahn's algorithm, lowest number first; (2) when nothing is free but boxes remain, a cycle holds them: the
lowest box remaining is taken as free, and the links into it that come later run upwards; (3) along the order, a box's
layer is one below the lowest of its sources, upward links ignored; (4) boxes without sources move down to just above
their highest target, so that inputs stand by their readers.

Complexity: O(B + K), iterative. Left out: a smallest set of upward links, which is NP-hard; graphs of models have none.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints


def order_breaking_cycles(count: int, source: Ints, target: Ints) -> Ints:
    """Returns [B], the place of each box in an order in which all links run forwards, but for cycles.

    Args:
        count: Number of boxes.
        source: [K], box.
        target: [K], box; links from a box to itself are ignored.
    """
    real = source != target
    starts, heads = _rows(count, source[real], target[real])
    waiting: list[int] = np.bincount(target[real], minlength=count).tolist()
    ready = [box for box in range(count - 1, -1, -1) if waiting[box] == 0]
    place = [-1] * count
    placed = 0
    lowest = 0
    while placed < count:
        if not ready:
            while place[lowest] >= 0:
                lowest += 1
            ready.append(lowest)
        box = ready.pop()
        if place[box] >= 0:
            continue
        place[box] = placed
        placed += 1
        for at in range(starts[box + 1] - 1, starts[box] - 1, -1):
            head = heads[at]
            waiting[head] -= 1
            if waiting[head] == 0 and place[head] < 0:
                ready.append(head)
    return np.asarray(place, dtype=np.int32)


def longest_path_layers(count: int, source: Ints, target: Ints) -> Ints:
    """Returns [B], the layer of each box, from 0; see the top of this file."""
    if not count:
        return np.zeros(0, dtype=np.int32)
    place = order_breaking_cycles(count, source, target)
    down = place[source] < place[target]
    starts, heads = _rows(count, source[down], target[down])
    layer = [0] * count
    for box in np.argsort(place).tolist():
        below = layer[box] + 1
        for at in range(starts[box], starts[box + 1]):
            if layer[heads[at]] < below:
                layer[heads[at]] = below
    result = np.asarray(layer, dtype=np.int32)
    highest_target = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    np.minimum.at(highest_target, source[down], result[target[down]])
    without_sources = np.bincount(target[down], minlength=count) == 0
    moved = without_sources & (highest_target < np.iinfo(np.int32).max)
    result[moved] = highest_target[moved] - 1
    return np.asarray(result - result.min(), dtype=np.int32)


def _rows(count: int, source: Ints, target: Ints) -> tuple[list[int], list[int]]:
    """Returns the targets of each box as row starts and values."""
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(count + 1))
    return starts.tolist(), target[order].tolist()
