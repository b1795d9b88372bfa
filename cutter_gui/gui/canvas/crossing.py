"""Which edges a straight line crosses.

Steps: (1) the wires near the line, from the grid; (2) each as a polyline; (3) the segments that the line intersects,
by the signs of four turns, all at once. Complexity: linear in the points of the wires near the line. Left out: lines
that only touch the end of a wire.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas.curves import Points, evaluated, pieces_of
from cutter_gui.gui.canvas.sheet import Sheet

STEPS = 10  # segments a piece of a wire


def wires_crossed(sheet: Sheet, x0: float, y0: float, x1: float, y1: float) -> Ints:
    """Returns the wires that the line from one scene point to another crosses, ascending."""
    near = np.zeros(sheet.scene.wire_count, dtype=np.bool_)
    near[sheet.index.wires_in(min(x0, x1), min(y0, y1), max(abs(x1 - x0), 1.0), max(abs(y1 - y0), 1.0))] = True
    pieces, wire = pieces_of(sheet.scene)
    chosen = near[wire]
    if not np.any(chosen):
        return np.zeros(0, dtype=np.int32)
    lines = evaluated(pieces[chosen], STEPS)
    crossed = _intersects(lines[:, :-1], lines[:, 1:], np.array([x0, y0]), np.array([x1, y1])).any(axis=1)
    found: Ints = np.unique(wire[chosen][crossed]).astype(np.int32)
    return found


def edges_crossed(sheet: Sheet, x0: float, y0: float, x1: float, y1: float) -> list[int]:
    """Returns the edges of the graph whose wires a line crosses; all those of a wire that carries several."""
    return edges_of_wires(sheet, wires_crossed(sheet, x0, y0, x1, y1))


def edges_of_wires(sheet: Sheet, wires: Ints) -> list[int]:
    """Returns the edges that run in some wires, ascending."""
    scene = sheet.scene
    if scene.fold is not None:
        inside: list[int] = np.flatnonzero(np.isin(scene.fold.edge_wire, wires)).tolist()
        return inside
    edges = scene.wire_edge[wires]
    return sorted(edges[edges >= 0].tolist())


def _intersects(start: Points, end: Points, first: Points, last: Points) -> Points:
    """Returns for each segment whether it crosses the one from ``first`` to ``last``."""

    def turn(a: Points, b: Points, c: Points) -> Points:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    apart = turn(start, end, first) * turn(start, end, last) <= 0
    across = turn(first, last, start) * turn(first, last, end) <= 0
    # Two segments on one straight line have no turns at all; they run along each other and do not cross.
    level = (np.abs(turn(start, end, first)) < 1e-9) & (np.abs(turn(start, end, last)) < 1e-9)
    return np.asarray(apart & across & ~level)
