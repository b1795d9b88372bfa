"""The mark of a node with subgraph bodies: a box within a box, at the right end of the line of its name.

It has a shape of its own beside the triangle of folded groups: a body opens in the place of the graph, not within it.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.palette import Palette

SIDE = 10.0
INNER = 4.0
RIGHT, BASELINE = 9.0, 35.0  # from the right and the top side of the node's box
ROOM = SIDE + 4.0  # what the name leaves for it


def paint_body_mark(painter: QPainter, palette: Palette, rect: QRectF) -> None:
    """Draws the mark in the box of a node."""
    outer = QRectF(rect.right() - RIGHT - SIDE, rect.top() + BASELINE - SIDE + 1, SIDE, SIDE)
    painter.setPen(ink.pen(palette.text_soft, 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(outer, 2, 2)
    inner = QRectF(0, 0, INNER, INNER)
    inner.moveCenter(outer.center())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.text_soft))
    painter.drawRect(inner)
