"""The x of every vertex once the layers are ordered: long edges straight, boxes balanced above their neighbours.

Terms: a *bend* is a vertex of a long link; an *inner segment* joins two bends; a *block* is a chain of vertices, one a
layer, that get the same x; a *conflict* is a segment that crosses an inner segment and gives way to it.

Steps (Brandes and Koepf, 2002): (1) mark conflicts; (2) four times, from above or below and from left or right, align
each vertex with the middle one of its neighbours where that crosses no alignment made before; (3) place the blocks: as
far left as separations allow, then each as far right as the blocks beside it allow, which closes gaps; (4) line up the
four results and take the mean of the middle two, which keeps all separations; (5) a few times, move each straight run
of vertices towards the middle of what it is linked to, as far as its neighbours let it: blocks without a neighbour on
one side would else stay far off.

Complexity: O(V + E), iterative: blocks are placed in topological order instead of by the paper's recursion. Left out:
the classes of the paper, which the second pass of (3) makes unnecessary.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cutter_gui.layout.ordering import Levels
from cutter_gui.layout.placement import Doubles

DRAW_IN_SWEEPS = 8
FEW_SWEEPS = 3
MANY = 30_000
STRAIGHT = 0.01
SETTLED = 0.5


def aligned(levels: Levels, width: Doubles, gap: float, box_count: int) -> Doubles:
    """Returns [V] float64, the x of the middle of each vertex.

    Args:
        levels: The vertices, ordered.
        width: [V], their widths.
        gap: Free room between neighbours.
        box_count: Vertices from this number on are bends.
    """
    if not len(width):
        return np.zeros(0, dtype=np.float64)
    place = levels.places()
    above = [sorted(row, key=place.__getitem__) if len(row) > 1 else row for row in levels.above]
    below = [sorted(row, key=place.__getitem__) if len(row) > 1 else row for row in levels.below]
    conflicts = _conflicts(levels.layers, above, place, box_count)
    widths = width.tolist()
    results = []
    for downwards in (True, False):
        layers = levels.layers if downwards else levels.layers[::-1]
        near = above if downwards else below
        for rightwards in (True, False):
            root = _blocks(layers, near, place, conflicts, rightwards)
            x = _placed(layers, root, widths, gap, rightwards)
            results.append(np.asarray(x, dtype=np.float64))
    return _drawn_in(levels, above, _balanced(results, width).tolist(), widths, gap)


def _conflicts(
    layers: list[list[int]], above: list[list[int]], place: list[int], box_count: int
) -> set[tuple[int, int]]:
    """Returns segments (upper, lower) that cross an inner segment; step 1."""
    marked: set[tuple[int, int]] = set()
    for upper, lower in pairwise(layers):
        if len(upper) < 2 or len(lower) < 2:
            continue
        left, scanned = 0, 0
        for at, vertex in enumerate(lower):
            inner = -1
            if vertex >= box_count and above[vertex] and above[vertex][0] >= box_count:
                inner = place[above[vertex][0]]
            if inner < 0 and at < len(lower) - 1:
                continue
            right = inner if inner >= 0 else len(upper) - 1
            while scanned <= at:
                other = lower[scanned]
                for head in above[other]:
                    is_inner = other >= box_count and head >= box_count
                    if not is_inner and not left <= place[head] <= right:
                        marked.add((head, other))
                scanned += 1
            left = right
    return marked


def _blocks(
    layers: list[list[int]], near: list[list[int]], place: list[int], conflicts: set[tuple[int, int]], rightwards: bool
) -> list[int]:
    """Returns the root of each vertex's block; step 2."""
    root = list(range(len(place)))
    taken = [False] * len(place)
    for layer in layers:
        limit = -1 if rightwards else len(place)
        for vertex in layer if rightwards else reversed(layer):
            neighbours = near[vertex]
            count = len(neighbours)
            if not count:
                continue
            middles = (count // 2,) if count % 2 else (count // 2 - 1, count // 2)
            for middle in middles if rightwards else reversed(middles):
                other = neighbours[middle]
                at = place[other]
                if taken[other] or not (limit < at if rightwards else at < limit):
                    continue
                if conflicts and ((other, vertex) in conflicts or (vertex, other) in conflicts):
                    continue
                root[vertex] = root[other]
                taken[other] = True
                limit = at
                break
    return root


def _placed(layers: list[list[int]], root: list[int], width: list[float], gap: float, rightwards: bool) -> list[float]:
    """Returns the x of each vertex; step 3. Leftwards is rightwards in a mirror."""
    count = len(root)
    after: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    waiting = [0] * count
    for layer in layers:
        sequence = layer if rightwards else layer[::-1]
        for one, two in pairwise(sequence):
            after[root[one]].append((root[two], (width[one] + width[two]) / 2 + gap))
            waiting[root[two]] += 1
    x = [0.0] * count
    order = []
    ready = [block for block in range(count) if root[block] == block and not waiting[block]]
    while ready:
        block = ready.pop()
        order.append(block)
        at = x[block]
        for other, apart in after[block]:
            if x[other] < at + apart:
                x[other] = at + apart
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    for block in reversed(order):
        if after[block]:
            room = min([x[other] - apart for other, apart in after[block]])
            if room > x[block]:
                x[block] = room
    sign = 1.0 if rightwards else -1.0
    return [sign * x[block] for block in root]


def _balanced(results: list[Doubles], width: Doubles) -> Doubles:
    """Returns the mean of the middle two of the four results, lined up with the narrowest; step 4."""
    lows = [float((x - width / 2).min()) for x in results]
    highs = [float((x + width / 2).max()) for x in results]
    narrowest = min(range(4), key=lambda index: highs[index] - lows[index])
    lined = []
    for index, x in enumerate(results):
        leftmost = index % 2 == 0
        shift = lows[narrowest] - lows[index] if leftmost else highs[narrowest] - highs[index]
        lined.append(x + shift)
    ranked = np.sort(np.stack(lined), axis=0)
    return np.asarray((ranked[1] + ranked[2]) / 2, dtype=np.float64)


def _drawn_in(levels: Levels, above: list[list[int]], x: list[float], width: list[float], gap: float) -> Doubles:
    """Returns positions with straight runs moved towards what they are linked to; step 5."""
    runs = _runs(levels, above, x)
    left, right = _neighbours(levels)
    run_of = [0] * len(x)
    for number, run in enumerate(runs):
        for vertex in run:
            run_of[vertex] = number
    for sweep in range(DRAW_IN_SWEEPS if len(x) < MANY else FEW_SWEEPS):
        moved = False
        for number in range(len(runs)) if sweep % 2 == 0 else range(len(runs) - 1, -1, -1):
            run = runs[number]
            low, high = float("-inf"), float("inf")
            linked: list[float] = []
            for vertex in run:
                if left[vertex] >= 0:
                    low = max(low, x[left[vertex]] + (width[left[vertex]] + width[vertex]) / 2 + gap)
                if right[vertex] >= 0:
                    high = min(high, x[right[vertex]] - (width[right[vertex]] + width[vertex]) / 2 - gap)
            for vertex in (run[0], run[-1]):
                linked += [x[other] for other in levels.above[vertex] if run_of[other] != number]
                linked += [x[other] for other in levels.below[vertex] if run_of[other] != number]
            if linked and low <= high:
                linked.sort()
                middle = (linked[(len(linked) - 1) // 2] + linked[len(linked) // 2]) / 2
                at = min(max(middle, low), high)
                moved = moved or abs(at - x[run[0]]) > SETTLED
                for vertex in run:
                    x[vertex] = at
        if not moved:
            break
    return np.asarray(x, dtype=np.float64)


def _runs(levels: Levels, above: list[list[int]], x: list[float]) -> list[list[int]]:
    """Returns chains of linked vertices at one x, from the top."""
    run_of = [-1] * len(x)
    runs: list[list[int]] = []
    for layer in levels.layers:
        for vertex in layer:
            for other in above[vertex]:
                number = run_of[other]
                if abs(x[other] - x[vertex]) < STRAIGHT and runs[number][-1] == other:
                    run_of[vertex] = number
                    runs[number].append(vertex)
                    x[vertex] = x[other]
                    break
            else:
                run_of[vertex] = len(runs)
                runs.append([vertex])
    return runs


def _neighbours(levels: Levels) -> tuple[list[int], list[int]]:
    """Returns the vertex left and right of each, -1 for none."""
    left, right = [-1] * len(levels.above), [-1] * len(levels.above)
    for layer in levels.layers:
        for one, two in pairwise(layer):
            right[one], left[two] = two, one
    return left, right
