"""Many lines or rectangles in one call: Qt reads them straight from a numpy array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter


def draw_lines(painter: QPainter, lines: npt.NDArray[np.floating]) -> None:
    """Draws lines with the painter's pen.

    Args:
        painter: Where to draw.
        lines: [M, 4], x and y of both ends.
    """
    values = np.ascontiguousarray(lines, dtype=np.float64)
    if len(values):
        # The wrapper points into `values`, which must outlive it, and address 0 must never be wrapped.
        first = shiboken6.wrapInstance(values.ctypes.data, QLineF)
        painter.drawLines(first, len(values))
        shiboken6.invalidate(first)


def draw_rects(painter: QPainter, rects: npt.NDArray[np.floating]) -> None:
    """Draws rectangles with the painter's pen and brush.

    Args:
        painter: Where to draw.
        rects: [M, 4], left, top, width, height.
    """
    values = np.ascontiguousarray(rects, dtype=np.float64)
    if len(values):
        first = shiboken6.wrapInstance(values.ctypes.data, QRectF)
        painter.drawRects(first, len(values))
        shiboken6.invalidate(first)
