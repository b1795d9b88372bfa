"""What a search found: marked boxes, and the rest dimmed when the search asks for a kind of thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.bulk import draw_rects
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.layout.scene import BoxKind

RADIUS = 9.0
AROUND = 4.0
DIM = 0.78  # how much of the ground covers what was not found
ROUND_AT_MOST = 1500  # marks in sight that are drawn with round corners


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes:
        nodes: The nodes.
        tensors: The tensors.
        dims: Whether the rest steps back.
    """

    nodes: Ints
    tensors: Ints
    dims: bool = False

    def boxes(self, sheet: Sheet) -> Ints:
        """Returns the boxes of what was found, in folded groups too."""
        scene = sheet.scene
        marked = np.zeros(scene.box_count + 1, dtype=np.bool_)
        marked[_node_boxes(sheet)[self.nodes]] = True
        for tensor in self.tensors.tolist():
            marked[scene.boxes_of(tensor)] = True
            marked[sheet.source_box(tensor)] = True
        return np.flatnonzero(marked[:-1]).astype(np.int32)


NOTHING_FOUND = Found(np.zeros(0, np.int32), np.zeros(0, np.int32))


def _node_boxes(sheet: Sheet) -> Ints:
    """Returns [N], the box of each node, -1 for those that are not drawn."""
    scene = sheet.scene
    if scene.fold is not None:
        return scene.fold.node_box
    found = np.full(sheet.graph.node_count, -1, dtype=np.int32)
    boxes = np.flatnonzero(scene.box_kind == BoxKind.NODE)
    found[scene.box_ref[boxes]] = boxes
    return found


def paint_found(painter: QPainter, picture: Picture, found: Found, visible: Rect, scale: float) -> None:
    """Draws the marks."""
    if not len(found.nodes) and not len(found.tensors):
        return
    palette, scene = picture.palette, picture.scene
    in_sight = picture.sheet.index.boxes_in(*visible)
    marked = np.isin(in_sight, found.boxes(picture.sheet))
    painter.setPen(Qt.PenStyle.NoPen)
    if found.dims:
        veil = QColor(palette.canvas)
        veil.setAlphaF(DIM)
        painter.setBrush(veil)
        grown = scene.box_rect[in_sight[~marked]] + np.array([-2, -2, 4, 4 + 2], dtype=np.float32)
        draw_rects(painter, np.ascontiguousarray(grown))
    hits = in_sight[marked]
    around = max(AROUND, 2.5 / scale)
    pen = ink.pen(palette.accent, max(1.6, 1.4 / scale))
    pen.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for left, top, width, height in scene.box_rect[hits[:ROUND_AT_MOST]].tolist():
        rect = QRectF(left, top, width, height).adjusted(-around, -around, around, around)
        painter.drawRoundedRect(rect, RADIUS, RADIUS)
