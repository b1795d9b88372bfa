"""The heights of rows, and the room between them.

A gap is wider where a tensor fans out below it or links run far sideways, so that curves do not lie flat and a cut has
room to be drawn. Where edges will run from left to right types stand along them, and the gap has room for the longest.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.layout.placement import Doubles, layer_gap
from cutter_gui.layout.sketch import Sketch

FAN = 3  # links of one tensor that make a fan
FAN_ROOM = 28.0
SLANT = 0.06  # of how far the farthest link runs sideways
SLANT_ROOM = 40.0


def row_heights(sketch: Sketch, x: Doubles, row: Ints, count: int) -> tuple[Doubles, Doubles]:
    """Returns top and height of each row, on the 4 pixel grid.

    Args:
        sketch: The boxes and links.
        x: [B], the middle of each box.
        row: [B].
        count: Number of rows.
    """
    height = np.zeros(count, dtype=np.float64)
    np.maximum.at(height, row, sketch.cell[:, 1].astype(np.float64))
    height = np.ceil(height / 4) * 4
    gap = np.full(count, float(layer_gap(sketch)))
    if sketch.room_after is not None:
        np.maximum.at(gap, row, sketch.room_after.astype(np.float64))
    source, target = sketch.link_source, sketch.link_target
    near = row[target] == row[source] + 1
    sideways = np.zeros(count, dtype=np.float64)
    np.maximum.at(sideways, row[source[near]], np.abs(x[target[near]] - x[source[near]]))
    fan = np.zeros(count, dtype=np.bool_)
    if len(source):
        uses = np.bincount(sketch.link_tensor)
        fan[row[source[uses[sketch.link_tensor] >= FAN]]] = True
    gap += np.minimum(sideways * SLANT, SLANT_ROOM) + np.where(fan, FAN_ROOM, 0.0)
    gap = np.ceil(gap / 4) * 4
    top = np.concatenate([[0.0], np.cumsum(height + gap)[:-1]])
    return top, height
