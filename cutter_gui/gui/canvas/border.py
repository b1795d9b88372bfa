"""The line of a cut as something to take hold of: where it is, and which nodes it is pushed past."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cutter_gui.gui.canvas.cut_marks import CutLine
from cutter_gui.gui.canvas.paint_cuts import beyond_ends, tag_area
from cutter_gui.gui.canvas.sheet import Picture

GRIP = 6.0  # viewport pixels from the middle of the line


def cut_at(picture: Picture, x: float, y: float, scale: float) -> int:
    """Returns the cut whose line or tag is at a scene point, -1 for none."""
    for line in picture.cuts.lines:
        if tag_area(line, scale).contains(x, y) or (line.points and _on_line(line, x, y, scale)):
            return line.cut
    return -1


def _on_line(line: CutLine, x: float, y: float, scale: float) -> bool:
    beyond, across = beyond_ends(line, scale), 1 - line.flow
    place, level = (x, y) if line.flow else (y, x)
    inside = line.points[0][across] - beyond <= place <= line.points[-1][across] + beyond
    return inside and abs(level_at(line, place) - level) <= GRIP / scale


def level_at(line: CutLine, x: float) -> float:
    """Returns the height of a line at a place; beyond its ends that of the end.

    Where edges run from left to right the place is from the top and the height from the left.
    """
    points = line.points if line.flow else tuple(point[::-1] for point in line.points)
    if x <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1 and x1 > x0:
            # The line is drawn as curves that are level at each point; this is their usual approximation.
            t = (x - x0) / (x1 - x0)
            return y0 + (y1 - y0) * t * t * (3 - 2 * t)
    return points[-1][1]


def nodes_passed(picture: Picture, cut: int, shift: float) -> list[int]:
    """Returns the nodes that the line of a cut passes when it is pushed.

    Args:
        picture: What is drawn.
        cut: The cut.
        shift: How far along the edges it is pushed, in scene pixels; negative for back.
    """
    line = next((line for line in picture.cuts.lines if line.cut == cut and line.points), None)
    staging, scene = picture.staging, picture.scene
    if line is None or staging is None or not shift:
        return []
    down = shift > 0
    nodes = np.array(list(scene.node_box), dtype=np.int32)
    rects = scene.box_rect[np.array(list(scene.node_box.values()), dtype=np.int32)]
    stage = staging.node_stage[nodes]
    wanted = (stage > cut) if down else (stage <= cut) & (stage >= 0)
    centres = rects[:, :2] + rects[:, 2:] / 2
    middles = centres[:, scene.flow]
    levels = np.array([level_at(line, x) for x in centres[:, 1 - scene.flow].tolist()], dtype=np.float32)
    if down:
        wanted &= (middles > levels) & (middles < levels + shift)
    else:
        wanted &= (middles < levels) & (middles > levels + shift)
    passed: list[int] = nodes[wanted].tolist()
    return passed


def nodes_beside(picture: Picture, cut: int, steps: int) -> list[int]:
    """Returns the nodes nearest to the border of a cut, from the border on.

    Args:
        picture: What is drawn.
        cut: The cut.
        steps: How many; below the border, for a negative number above it.
    """
    if picture.staging is None or not steps:
        return []
    stage, graph = picture.staging.node_stage, picture.graph
    order = graph.order
    if steps > 0:
        beside: list[int] = order[stage[order] > cut][:steps].tolist()
        return beside
    above: list[int] = order[(stage[order] <= cut) & (stage[order] >= 0)][steps:][::-1].tolist()
    return above
