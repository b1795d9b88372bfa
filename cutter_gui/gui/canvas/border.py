"""The line of a cut as something to take hold of: where it is, and which nodes it is pushed past."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cutter_gui.gui.canvas.cut_marks import OVERHANG, CutLine
from cutter_gui.gui.canvas.paint_cuts import OVERVIEW_OVERHANG, TAG_SCALE
from cutter_gui.gui.canvas.sheet import Picture

GRIP = 6.0  # viewport pixels from the middle of the line


def cut_at(picture: Picture, x: float, y: float, scale: float) -> int:
    """Returns the cut whose line or tag is at a scene point, -1 for none."""
    for line in picture.cuts.lines:
        if _on_tag(line, x, y, scale) or (line.points and _on_line(line, x, y, scale)):
            return line.cut
    return -1


def _beyond(scale: float) -> float:
    return max(0.0, OVERVIEW_OVERHANG / scale - OVERHANG)


def _on_tag(line: CutLine, x: float, y: float, scale: float) -> bool:
    size = max(1.0, TAG_SCALE / scale)
    left, top, width, height = line.tag
    start = left + (_beyond(scale) if line.points else 0.0)
    return start <= x <= start + width * size and abs(y - top - height / 2) <= height * size / 2


def _on_line(line: CutLine, x: float, y: float, scale: float) -> bool:
    beyond = _beyond(scale)
    inside = line.points[0][0] - beyond <= x <= line.points[-1][0] + beyond
    return inside and abs(level_at(line, x) - y) <= GRIP / scale


def level_at(line: CutLine, x: float) -> float:
    """Returns the height of a line at a place; beyond its ends that of the end."""
    if x <= line.points[0][0]:
        return line.points[0][1]
    for (x0, y0), (x1, y1) in pairwise(line.points):
        if x0 <= x <= x1 and x1 > x0:
            # The line is drawn as curves that are level at each point; this is their usual approximation.
            t = (x - x0) / (x1 - x0)
            return y0 + (y1 - y0) * t * t * (3 - 2 * t)
    return line.points[-1][1]


def nodes_passed(picture: Picture, cut: int, shift: float) -> list[int]:
    """Returns the nodes that the line of a cut passes when it is pushed.

    Args:
        picture: What is drawn.
        cut: The cut.
        shift: How far down it is pushed, in scene pixels; negative for up.
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
    middles = rects[:, 1] + rects[:, 3] / 2
    levels = np.array([level_at(line, x) for x in (rects[:, 0] + rects[:, 2] / 2).tolist()], dtype=np.float32)
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
