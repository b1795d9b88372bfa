"""The edges of a hub tensor drawn whole, as a hover or a selection shows them.

A curve goes from the hub's maker to a *trunk*, a vertical line beside all boxes it passes, and from the trunk a
*branch* to each stub: where it goes is seen without hiding the graph. Where edges run from left to right all is worked
out with x and y exchanged.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas.curves import Points
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.layout.placement import vertical_curve
from cutter_gui.layout.scene import WireKind

TRUNK_GAP = 36.0  # between a trunk and the boxes
BEND = 40.0  # height of the curve from the maker to a trunk
CORNER = 16.0
ROW = 30.0  # boxes whose middles differ less stand in one row


def hub_curves(picture: Picture, tensor: int, shown: Ints) -> list[Points]:
    """Returns the trunks of a hub and the branches to its stubs; nothing for other tensors.

    Args:
        picture: What is drawn.
        tensor: The tensor.
        shown: The wires whose branches are wanted; trunks are always whole.
    """
    scene = picture.scene
    wires = scene.wires_of(tensor)
    stubs = wires[scene.wire_kind[wires] == WireKind.STUB]
    source = picture.sheet.source_box(tensor)
    if source < 0 or not len(stubs):
        return []
    flow = scene.flow
    box_rect = scene.box_rect if flow else scene.box_rect[:, [1, 0, 3, 2]]
    pills = box_rect[scene.wire_source[stubs]].astype(np.float64)
    heights = pills[:, 1] + pills[:, 3] / 2
    ends = scene.wire_points[scene.wire_starts[stubs + 1] - 1, 1 - flow]
    faces_right = ends > pills[:, 0]
    left, top, width, height = box_rect[source].tolist()
    start = (left + width / 2, top + height)
    # Boxes that stand beside the maker may reach farther: the curve does not turn before it has passed them.
    middles = box_rect[:, 1] + box_rect[:, 3] / 2
    row = box_rect[np.abs(middles - top - height / 2) < ROW]
    past = float((row[:, 1] + row[:, 3]).max())
    turn = past + BEND
    first, last = min(top, float(heights.min())), max(turn, float(heights.max()))
    begin, length = scene.bounds[1 - flow], scene.bounds[3 - flow]
    band = (begin, first, length, last - first) if flow else (first, begin, last - first, length)
    beside = box_rect[picture.sheet.index.boxes_in(*band)]
    outer = (float((beside[:, 0] + beside[:, 2]).max()) + TRUNK_GAP, float(beside[:, 0].min()) - TRUNK_GAP)
    curves: list[list[list[float]]] = []
    for right in (False, True):
        side = faces_right == right
        if not np.any(side):
            continue
        trunk = outer[int(right)]
        whole = [[*start], [*start], [start[0], past]] if past > start[1] else []
        curves.append([*whole, *vertical_curve((start[0], past), (trunk, turn))])
        highest, lowest = float(heights[side].min()) + CORNER, float(heights[side].max()) - CORNER
        curves.append(vertical_curve((trunk, min(highest, turn)), (trunk, max(lowest, turn))))
        wanted = np.flatnonzero(side & np.isin(stubs, shown))
        for at in wanted.tolist():
            edge = pills[at, 0] if right else pills[at, 0] + pills[at, 2]
            y = float(heights[at])
            corner = y - CORNER if y > turn else y + CORNER
            inward = trunk + CORNER if right else trunk - CORNER
            curves.append([[trunk, corner], [trunk, y], [trunk, y], [inward, y], [inward, y], [edge, y], [edge, y]])
    return [np.asarray(curve, dtype=np.float32)[:, :: 1 if flow else -1] for curve in curves]
