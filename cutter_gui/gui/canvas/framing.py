"""Which view shows what: the one a graph opens with, and the one that brings things into sight."""

from __future__ import annotations

from collections.abc import Iterable

from cutter_gui.gui.canvas.camera import FIT_MARGIN, Camera, Rect, centred, fit_scale, fitted
from cutter_gui.gui.canvas.sheet import Sheet
from cutter_gui.layout.scene import BoxKind

READABLE = 0.62  # the least zoom at which a graph opens and things are revealed
MARGIN = 40.0
THREAD = 48.0  # viewport pixels below which the breadth of a whole graph is no picture
TOP_ROOM = 400.0  # scene pixels from where it begins within which a long graph is centred when it opens


def home(sheet: Sheet, width: float, height: float) -> Camera:
    """Returns the view a graph opens with: whole when it can be read so, else where it begins at a readable zoom."""
    bounds = sheet.scene.bounds
    view = fitted(bounds, width, height)
    if view.scale >= READABLE:
        return view
    across = (bounds[0], 0, bounds[2], 1) if sheet.scene.flow else (0, bounds[1], 1, bounds[3])
    scale = min(max(fit_scale(across, width, height), READABLE), 1.0)
    if sheet.scene.flow:
        return Camera(scale, _first_middle(sheet, width / scale) - width / scale / 2, bounds[1])
    return Camera(scale, bounds[0], _first_middle(sheet, height / scale) - height / scale / 2)


def fitting(sheet: Sheet, width: float, height: float, present: Camera) -> Camera:
    """Returns the view that shows the whole graph; for one so long that it would be a thread, its breadth at first.

    Asked for again from there, it is the whole.

    Args:
        sheet: What is shown.
        width: Of the viewport.
        height: Of the viewport.
        present: The view now; what is in its middle stays there as far as it can.
    """
    bounds = sheet.scene.bounds
    whole = fitted(bounds, width, height)
    flow = sheet.scene.flow
    if bounds[3 - flow] * whole.scale >= THREAD:
        return whole
    across = (bounds[0], 0, bounds[2], 1) if flow else (0, bounds[1], 1, bounds[3])
    scale = min(fit_scale(across, width, height), READABLE)
    half_x, half_y = width / scale / 2, height / scale / 2
    x, y = bounds[0] + bounds[2] / 2, bounds[1] + bounds[3] / 2
    if flow:
        now = present.y + height / present.scale / 2
        y = min(max(now, bounds[1] + half_y - FIT_MARGIN / scale), bounds[1] + bounds[3] - half_y + FIT_MARGIN / scale)
    else:
        now = present.x + width / present.scale / 2
        x = min(max(now, bounds[0] + half_x - FIT_MARGIN / scale), bounds[0] + bounds[2] - half_x + FIT_MARGIN / scale)
    view = centred(x, y, scale, width, height)
    near = abs(present.x - view.x) * scale < 1 and abs(present.y - view.y) * scale < 1
    return whole if near and abs(present.scale / scale - 1) < 1e-3 else view


def _first_middle(sheet: Sheet, room: float) -> float:
    """Returns the middle of what stands first, across the edges; where that has no room, of the box nearest to it."""
    # Outputs may stand at the top of what is only a branch: the eye looks for where things begin.
    flow, across = sheet.scene.flow, 1 - sheet.scene.flow
    rects = sheet.scene.box_rect[sheet.scene.box_kind != BoxKind.OUTPUT]
    if not len(rects):
        return 0.0
    top = rects[rects[:, flow] <= rects[:, flow].min() + TOP_ROOM]
    low, high = float(top[:, across].min()), float((top[:, across] + top[:, across + 2]).max())
    middle = (low + high) / 2
    if high - low <= room:
        return middle
    # Few boxes far apart may leave the middle empty: a graph must never open on nothing.
    middles = top[:, across] + top[:, across + 2] / 2
    return float(middles[int((abs(middles - middle) + top[:, flow] - top[:, flow].min()).argmin())])


def revealing(
    view: Camera, sheet: Sheet, nodes: Iterable[int], tensors: Iterable[int], width: float, height: float
) -> Camera | None:
    """Returns the view that brings nodes and tensors into sight.

    Tensors are their pills, their producer and their consumers. What does not fit at half the readable zoom is shown
    from its beginning.

    Returns:
        None when everything is in sight already, or nothing of it is drawn.
    """
    boxes = _boxes_of(sheet, nodes, tensors)
    if not boxes:
        return None
    bounds = _bounds(sheet, boxes)
    if _contains(view.visible(width, height), bounds) and view.scale >= READABLE / 2:
        return None
    scale = fit_scale(bounds, width, height, max(view.scale, READABLE))
    if scale < READABLE / 2:
        scale, bounds = READABLE, _bounds(sheet, boxes[:1])
    return centred(bounds[0] + bounds[2] / 2, bounds[1] + bounds[3] / 2, scale, width, height)


def _boxes_of(sheet: Sheet, nodes: Iterable[int], tensors: Iterable[int]) -> list[int]:
    scene = sheet.scene
    boxes = [scene.node_box[node] for node in nodes if node in scene.node_box]
    for tensor in tensors:
        source = sheet.source_box(tensor)
        boxes += [source] if source >= 0 else []
        boxes += scene.boxes_of(tensor)
        boxes += [scene.node_box[node] for node in sheet.graph.consumers(tensor).tolist() if node in scene.node_box]
    return boxes


def _bounds(sheet: Sheet, boxes: list[int]) -> Rect:
    rects = sheet.scene.box_rect[boxes]
    low, high = rects[:, :2].min(axis=0) - MARGIN, (rects[:, :2] + rects[:, 2:]).max(axis=0) + MARGIN
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


def _contains(outer: Rect, inner: Rect) -> bool:
    return (
        inner[0] >= outer[0]
        and inner[1] >= outer[1]
        and inner[0] + inner[2] <= outer[0] + outer[2]
        and inner[1] + inner[3] <= outer[1] + outer[3]
    )
