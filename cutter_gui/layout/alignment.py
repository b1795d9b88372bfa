"""The x of every vertex of a stretch once its layers are ordered: long edges straight, boxes balanced.

Terms: a *bend* is a vertex of a long link; an *inner* segment joins two bends; a *run* is a chain of linked vertices
at one x, one a layer.

Steps: (1) a linear program, as dot solves one (Gansner, Koutsofios, North and Vo, 1993, section 4): least weighted sum
of how far segments run sideways, inner ones heaviest so that long links are straight, neighbours in a layer keeping
their distance, waists at 0; rows are kept narrow with a small weight; (2) of the many solutions a balanced one: each
run moves to the middle of what it is linked to, as far as its neighbours let it.

Complexity: that of the dual simplex method of HiGHS, for stretches of some thousand vertices; larger ones go to
`cutter_gui.layout.relaxation`. The same stretch gives the same positions.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cutter_gui.core.graph import Bools, Ints
from cutter_gui.layout.ordering import Levels
from cutter_gui.layout.stretches import Doubles

WEIGHTS = (1.0, 2.0, 8.0)  # of segments with no bend, one and two at their ends
CHAIN_WEIGHTS = (1.0, 2.0, 4.0)  # without a bend: where neither, one or both ends have no other segment on that side
NARROW = 0.02  # weight of the width of a layer
BALANCE_SWEEPS = 4
STRAIGHT = 0.01
SETTLED = 0.5


def aligned(levels: Levels, sides: Doubles, is_bend: Bools, fixed: Bools, gap: float) -> Doubles:
    """Returns [V] float64, the x of the middle of each vertex.

    Args:
        levels: The vertices, ordered.
        sides: [V, 2], how far each reaches left and right of its middle.
        is_bend: [V].
        fixed: [V], the vertices that stay at 0.
        gap: Free room between neighbours.
    """
    if not len(sides):
        return np.zeros(0, dtype=np.float64)
    x = _straightened(levels, sides, is_bend, fixed, gap)
    if not np.any(fixed):
        x -= (float(x.min()) + float(x.max())) / 2
    return _balanced(levels, np.floor(x + STRAIGHT).tolist(), sides, fixed, gap)


def _straightened(levels: Levels, sides: Doubles, is_bend: Bools, fixed: Bools, gap: float) -> Doubles:
    """Solves the linear program; step 1."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    count = len(sides)
    heads, tails = _segments(levels)
    weight = segment_weights(heads, tails, is_bend)
    rows = len(heads)
    # Variables: x of each vertex, then how far each segment runs sideways: no less than the difference, both ways.
    cost = np.concatenate([np.zeros(count), weight])
    for layer in levels.layers:
        cost[layer[-1]] += NARROW
        cost[layer[0]] -= NARROW
    beside = [pair for layer in levels.layers for pair in pairwise(layer)]
    pairs = len(beside)
    left, right = np.array(beside, dtype=np.int64).reshape(-1, 2).T
    row = np.concatenate([np.repeat(np.arange(rows), 3), rows + np.repeat(np.arange(rows), 3)])
    slack = count + np.arange(rows)
    column = np.concatenate([np.stack([heads, tails, slack], 1).ravel(), np.stack([tails, heads, slack], 1).ravel()])
    values = np.tile([1.0, -1.0, -1.0], 2 * rows)
    row = np.concatenate([row, 2 * rows + np.repeat(np.arange(pairs), 2)])
    column = np.concatenate([column, np.stack([left, right], 1).ravel()])
    values = np.concatenate([values, np.tile([1.0, -1.0], pairs)])
    limit = np.concatenate([np.zeros(2 * rows), -(sides[left, 1] + sides[right, 0] + gap)])
    free = np.full((count + rows, 2), np.inf)
    free[:, 0] = np.where(np.arange(count + rows) < count, -np.inf, 0.0)
    still = np.flatnonzero(fixed) if np.any(fixed) else np.array([levels.layers[0][0]])
    free[still] = 0.0
    matrix = csr_matrix((values, (row, column)), shape=(2 * rows + pairs, count + rows))
    # The stubs know no sparse matrices here; the documentation of linprog does.
    found = linprog(cost, A_ub=matrix, b_ub=limit, bounds=free, method="highs-ds")  # type: ignore[call-overload]
    assert found.x is not None, found.message
    return np.asarray(found.x[:count], dtype=np.float64)


def segment_weights(upper: Ints, lower: Ints, is_bend: Bools) -> Doubles:
    """Returns [S], how much each segment is kept straight: inner ones most, then those of chains."""
    bends = is_bend[upper].astype(np.int64) + is_bend[lower]
    leaves = np.bincount(upper, minlength=len(is_bend))[upper] == 1
    enters = np.bincount(lower, minlength=len(is_bend))[lower] == 1
    chain = np.array(CHAIN_WEIGHTS)[leaves.astype(np.int64) + enters]
    return np.asarray(np.where(bends, np.array(WEIGHTS)[bends], chain), dtype=np.float64)


def _segments(levels: Levels) -> tuple[Ints, Ints]:
    heads = [head for head, tails in enumerate(levels.below) for _ in tails]
    tails = [tail for tails in levels.below for tail in tails]
    return np.array(heads, dtype=np.int32), np.array(tails, dtype=np.int32)


def _balanced(levels: Levels, x: list[float], sides: Doubles, fixed: Bools, gap: float) -> Doubles:
    """Returns positions with runs moved towards what they are linked to; step 2."""
    runs = _runs(levels, x)
    left, right = _neighbours(levels)
    to_left, to_right = sides.T.tolist()
    run_of = [0] * len(x)
    for number, run in enumerate(runs):
        for vertex in run:
            run_of[vertex] = number
    still = {run_of[vertex] for vertex in np.flatnonzero(fixed).tolist()}
    movable = [number for number in range(len(runs)) if number not in still]
    for sweep in range(BALANCE_SWEEPS):
        moved = False
        for number in movable if sweep % 2 == 0 else reversed(movable):
            run = runs[number]
            low, high = float("-inf"), float("inf")
            for vertex in run:
                if left[vertex] >= 0:
                    low = max(low, x[left[vertex]] + to_right[left[vertex]] + to_left[vertex] + gap)
                if right[vertex] >= 0:
                    high = min(high, x[right[vertex]] - to_left[right[vertex]] - to_right[vertex] - gap)
            linked = [
                x[other]
                for vertex in run
                for other in (*levels.above[vertex], *levels.below[vertex])
                if run_of[other] != number
            ]
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


def _runs(levels: Levels, x: list[float]) -> list[list[int]]:
    """Returns chains of linked vertices at one x, from the top."""
    run_of = [-1] * len(x)
    runs: list[list[int]] = []
    for layer in levels.layers:
        for vertex in layer:
            for other in levels.above[vertex]:
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
