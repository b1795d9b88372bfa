"""The whole drawing in order, for the viewport's base layer and for exported pictures alike."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.detail import Detail, detail_at
from cutter_gui.gui.canvas.paint_edges import paint_labels, paint_wires
from cutter_gui.gui.canvas.paint_nodes import paint_boxes
from cutter_gui.gui.canvas.sheet import Picture

BLEED = 12.0  # scene pixels beyond the visible part that strokes and shadows may reach into it


def paint_graph(
    painter: QPainter, picture: Picture, visible: Rect, scale: float, detail: Detail | None = None
) -> Detail:
    """Draws wires, boxes and labels.

    Args:
        painter: Draws in scene pixels.
        picture: What to draw.
        visible: The part to draw.
        scale: Viewport pixels for one scene pixel.
        detail: How finely; None chooses by zoom and by how much there is.

    Returns:
        The detail drawn.
    """
    left, top, width, height = visible
    around = (left - BLEED, top - BLEED, width + 2 * BLEED, height + 2 * BLEED)
    index = picture.sheet.index
    boxes, wires = index.boxes_in(*around), index.wires_in(*around)
    if detail is None:
        detail = detail_at(scale, len(boxes), len(wires))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    paint_wires(painter, picture, wires, detail, scale)
    if detail >= Detail.LABELS:
        paint_labels(painter, picture, np.unique(picture.scene.wire_tensor[wires]).tolist())
    paint_boxes(painter, picture, boxes, detail, scale)
    return detail
