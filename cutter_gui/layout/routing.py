"""Curves for links between boxes that stand in rows: down from a box, along a free lane, down into another.

Terms: a *row* is the boxes of one layer; a link is *short* when no row lies between its ends; a *lane* is the x at
which a longer link passes all rows between.

Steps: (1) short links are plain curves; (2) longer ones, those that pass fewer rows first, take the lane nearest to
both ends that no box of the rows between covers and no link of another tensor holds; lanes beside the boxes in the way
are tried, nearest first, so that one is always found.

Complexity: O(R (B log B)) for R longer links that pass up to B boxes: for small graphs. Left out: lanes that change
from row to row.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cutter_gui.layout.placement import Doubles, Routes, vertical_curve
from cutter_gui.layout.sketch import Sketch

CLEARANCE = 16.0  # between a lane and a box
APART = 12.0  # between two lanes

Stop = tuple[float, float]


def routed(sketch: Sketch, center: Doubles) -> Routes:
    """Returns a route for every link that runs downwards.

    Args:
        sketch: What was placed; its cells are what routes go around.
        center: [B, 2], where, boxes of one layer at one height.
    """
    heights, row = np.unique(np.round(center[:, 1]), return_inverse=True)
    cell = sketch.cell.astype(np.float64)
    low, high = center - cell / 2, center + cell / 2
    top, bottom = np.full(len(heights), np.inf), np.full(len(heights), -np.inf)
    np.minimum.at(top, row, low[:, 1])
    np.maximum.at(bottom, row, high[:, 1])
    half = sketch.size[:, 1].astype(np.float64) / 2
    rows: list[list[list[float]]] = [[] for _ in range(len(sketch.link_source))]
    between = row[sketch.link_target] - row[sketch.link_source] - 1
    taken = _Lanes()
    for link in np.argsort(between, kind="stable").tolist():
        source, target = int(sketch.link_source[link]), int(sketch.link_target[link])
        if between[link] < 0:
            continue
        start = (float(center[source, 0]), float(center[source, 1] + half[source]))
        end = (float(center[target, 0]), float(center[target, 1] - half[target]))
        if between[link] == 0:
            rows[link] = vertical_curve(start, end)
            continue
        above, below = float(top[row[source] + 1]), float(bottom[row[target] - 1])
        passed = (row > row[source]) & (row < row[target])
        blocked = np.stack([low[passed, 0] - CLEARANCE, high[passed, 0] + CLEARANCE], axis=1)
        lane = taken.take(start[0], end[0], above, below, blocked, int(sketch.link_tensor[link]))
        rows[link] = curve_through(start, [(lane, above, below)], end)
    return Routes.from_rows(rows)


class _Lanes:
    """The lanes in use."""

    def __init__(self) -> None:
        self._used: list[tuple[float, float, float, int]] = []

    def take(self, start: float, end: float, above: float, below: float, blocked: Doubles, tensor: int) -> float:
        """Returns the free x nearest to both ends, and keeps it.

        Args:
            start: x of the source.
            end: x of the target.
            above: Where the lane begins.
            below: Where it ends.
            blocked: [M, 2], intervals of x that boxes cover.
            tensor: The link's tensor; links of one tensor may share a lane.
        """
        others = [
            (x - APART, x + APART) for x, a, b, owner in self._used if a < below and above < b and owner != tensor
        ]
        closed = np.concatenate([blocked, np.asarray(others, dtype=np.float64).reshape(-1, 2)])
        tried = np.concatenate([[start, end], closed.ravel()])
        cost = np.abs(tried - start) + np.abs(tried - end) + 1e-3 * np.abs(tried - start)
        for x in tried[np.argsort(cost, kind="stable")].tolist():
            if not np.any((closed[:, 0] < x) & (x < closed[:, 1])):
                self._used.append((x, above, below, tensor))
                return float(x)
        raise AssertionError("the outermost sides are always free")


def curve_through(start: Stop, passed: list[tuple[float, float, float]], end: Stop) -> list[list[float]]:
    """Returns a curve through (x, top, bottom) places, vertical at each; runs at one x become one straight piece."""
    stops = [start]
    for at, above, below in passed:
        stops += [(at, above), (at, below)]
    stops.append(end)
    merged = [stops[0]]
    for before, stop, after in zip(stops[:-2], stops[1:-1], stops[2:], strict=True):
        if not (abs(before[0] - stop[0]) < 0.5 and abs(after[0] - stop[0]) < 0.5):
            merged.append(stop)
    merged.append(stops[-1])
    curve = [[start[0], start[1]]]
    for one, two in pairwise(merged):
        curve += vertical_curve(one, two)[1:]
    return curve
