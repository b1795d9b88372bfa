"""Keeping one's place when the picture becomes another of the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.sheet import Sheet

Point = tuple[float, float]


def kept_view(view: Camera, before: Sheet, after: Sheet, nodes: Sequence[int]) -> Camera:
    """Returns the view in which nodes stand where they stood before, by the top of what they are drawn as."""
    old, new = _anchor(before, nodes), _anchor(after, nodes)
    if old is None or new is None:
        return view
    return replace(view, x=view.x + new[0] - old[0], y=view.y + new[1] - old[1])


def _anchor(sheet: Sheet, nodes: Sequence[int]) -> Point | None:
    boxes = sorted({sheet.scene.node_box[node] for node in nodes if node in sheet.scene.node_box})
    if not boxes:
        return None
    rects = sheet.scene.box_rect[boxes]
    flow, across = sheet.scene.flow, 1 - sheet.scene.flow
    first = float(rects[:, flow].min())
    top = rects[rects[:, flow] <= first + 1]
    middle = float((top[:, across] + top[:, across + 2] / 2).mean())
    return (middle, first) if flow else (first, middle)


def middle_nodes(sheet: Sheet, view: Camera, width: float, height: float) -> list[int]:
    """Returns a node of the box nearest to the middle of the view."""
    scene = sheet.scene
    boxes = np.unique(np.array(list(scene.node_box.values()), dtype=np.int32))
    if not len(boxes):
        return []
    x, y = view.to_scene(width / 2, height / 2)
    middles = scene.box_rect[boxes, :2] + scene.box_rect[boxes, 2:] / 2
    nearest = int(boxes[np.argmin(np.abs(middles - np.array([x, y])).sum(axis=1))])
    return [node for node, box in scene.node_box.items() if box == nearest][:1]


def drawn_in(view: Camera, bounds: Rect, width: float, height: float) -> Camera:
    """Returns the view moved as little as it takes to waste no room: past the edges of what fits, nothing is shown."""
    seen = width / view.scale, height / view.scale
    at = []
    for start, low, length, room in zip((view.x, view.y), bounds[:2], bounds[2:], seen, strict=True):
        spare = length - room
        at.append(low + spare / 2 if spare < 0 else min(max(start, low), low + spare))
    return replace(view, x=at[0], y=at[1])
