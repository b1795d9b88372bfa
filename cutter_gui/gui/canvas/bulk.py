"""Many lines, rectangles, pictures or triangles in one call: Qt reads them straight from a numpy array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QByteArray, QDataStream, QLineF, QRectF
from PySide6.QtGui import QPainter, QPainterPath, QPixmap

Array = npt.NDArray[np.floating]


def draw_lines(painter: QPainter, lines: Array) -> None:
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


def draw_rects(painter: QPainter, rects: Array) -> None:
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


def draw_pieces(painter: QPainter, pixmap: QPixmap, source: Array, at: Array) -> None:
    """Draws pieces of a pixmap, each pixel on one pixel of the device.

    Args:
        painter: Where to draw, in device pixels.
        pixmap: Its device pixel ratio is 1.
        source: [M, 4], left, top, width, height in the pixmap.
        at: [M, 2], whole numbers, where the left top corner of each comes.
    """
    fragments = np.zeros((len(source), 10), dtype=np.float64)
    # The fields of QPainter::PixmapFragment: the middle, the source rectangle, scales, rotation, opacity.
    fragments[:, :2] = at + source[:, 2:] / 2
    fragments[:, 2:6] = source
    fragments[:, [6, 7, 9]] = 1.0
    if len(fragments):
        first = shiboken6.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment)
        painter.drawPixmapFragments(first, len(fragments), pixmap)
        shiboken6.invalidate(first)


def polygons(corners: Array) -> QPainterPath:
    """Returns a path of closed polygons.

    Args:
        corners: [M, C, 2], the corners of each.
    """
    count, size = corners.shape[:2]
    # The form in which QDataStream writes a path: a number, then type, x and y of each element, start and fill rule.
    elements = np.zeros((count, size), dtype=[("type", ">i4"), ("x", ">f8"), ("y", ">f8")])
    elements["type"][:, 1:] = 1
    elements["x"], elements["y"] = corners[:, :, 0], corners[:, :, 1]
    head, tail = np.array([count * size], dtype=">i4"), np.array([0, 1], dtype=">i4")
    stream = QDataStream(QByteArray(head.tobytes() + elements.tobytes() + tail.tobytes()))
    path = QPainterPath()
    if count:
        stream >> path
    return path
