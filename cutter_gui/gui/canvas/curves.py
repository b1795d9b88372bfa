"""Points on the wires of a scene: cubic Bezier curves, evaluated many at once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Ints
from cutter_gui.layout.scene import Floats, Scene

Points = npt.NDArray[np.float32]


@lru_cache(maxsize=16)
def _weights(steps: int) -> Floats:
    """[steps + 1, 4], Bernstein's weights of the control points."""
    t = np.linspace(0.0, 1.0, steps + 1, dtype=np.float32)
    u = 1 - t
    return np.stack([u**3, 3 * u * u * t, 3 * u * t * t, t**3], axis=1)


def pieces_of(scene: Scene) -> tuple[Points, Ints]:
    """Returns the Bezier pieces of all wires, [Q, 4, 2], and the wire of each, [Q]."""
    counts = np.maximum((np.diff(scene.wire_starts) - 1) // 3, 0)
    wire = np.repeat(np.arange(scene.wire_count, dtype=np.int32), counts)
    step = np.arange(len(wire)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = scene.wire_starts[wire] + 3 * step
    return scene.wire_points[first[:, None] + np.arange(4)], wire


def evaluated(pieces: Points, steps: int) -> Points:
    """Returns [Q, steps + 1, 2], points on each piece at even parameters."""
    return np.asarray(np.einsum("sk,qkd->qsd", _weights(steps), pieces), dtype=np.float32)


def dashes(pieces: Points, dash: float, gap: float, steps: int = 12) -> Points:
    """Returns the dashes along pieces, each piece beginning with one.

    Args:
        pieces: [Q, 4, 2].
        dash: Length of a dash.
        gap: Between two dashes.
        steps: Lines that stand for a piece; a dash is straight.

    Returns:
        [M, 4], x and y of both ends of each dash.
    """
    if not len(pieces):
        return np.zeros((0, 4), dtype=np.float32)
    points = evaluated(pieces, steps)
    # Places along all pieces, one behind the other and an emptiness between two: so that one search finds them all.
    length = np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0)).astype(np.float64)
    along = np.concatenate([np.zeros((len(pieces), 1)), np.cumsum(length, axis=1)], axis=1)
    start = np.cumsum(along[:, -1] + 1) - (along[:, -1] + 1)
    along += start[:, None]
    count = np.ceil((along[:, -1] - start) / (dash + gap)).astype(np.int64)
    piece = np.repeat(np.arange(len(pieces)), count)
    first = start[piece] + (np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)) * (dash + gap)
    ends = np.stack([first, np.minimum(first + dash, along[piece, -1])], axis=1)
    x, y = (np.interp(ends, along.ravel(), points[:, :, axis].ravel()) for axis in (0, 1))
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1).astype(np.float32)


def polyline(control: Points, steps: int = 12) -> Points:
    """Returns points along one wire.

    Args:
        control: [3 n + 1, 2].
        steps: Points a piece.
    """
    count = (len(control) - 1) // 3
    if count < 1:
        return control
    pieces = control[(3 * np.arange(count))[:, None] + np.arange(4)]
    points = evaluated(pieces, steps)
    return np.concatenate([points[:, :-1].reshape(-1, 2), points[-1, -1:]])


def distances(lines: Points, x: float, y: float) -> Floats:
    """Returns the distance of a point to each of many polylines.

    Args:
        lines: [Q, S, 2].
        x: Point.
        y: Point.
    """
    start, along = lines[:, :-1], np.diff(lines, axis=1)
    to = np.array([x, y], dtype=np.float32) - start
    length = np.maximum((along * along).sum(axis=2), 1e-9)
    t = np.clip((to * along).sum(axis=2) / length, 0, 1)
    gap = to - t[:, :, None] * along
    return np.asarray(np.sqrt((gap * gap).sum(axis=2)).min(axis=1), dtype=np.float32)


def point_at_height(control: Points, level: float, axis: int = 1) -> tuple[float, float]:
    """Returns the first point of a wire at a height; its nearest end when it does not reach there.

    Args:
        control: [3 n + 1, 2].
        level: The height; with axis 0 the place from the left.
        axis: 1 for y, 0 for x.
    """
    line = polyline(control, 24)
    levels = line[:, axis]
    crossing = np.flatnonzero((levels[:-1] <= level) & (levels[1:] >= level))
    if not len(crossing):
        end = int(np.argmin(np.abs(levels - level)))
        return float(line[end, 0]), float(line[end, 1])
    at = int(crossing[0])
    rise = float(levels[at + 1] - levels[at])
    t = (level - float(levels[at])) / rise if rise > 1e-6 else 0.5
    beside = float(line[at, 1 - axis] + t * (line[at + 1, 1 - axis] - line[at, 1 - axis]))
    return (beside, level) if axis else (level, beside)
