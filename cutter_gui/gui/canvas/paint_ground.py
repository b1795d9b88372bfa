"""The dotted ground: dots that keep about the same distance on the screen at every zoom."""

from __future__ import annotations

from math import ceil

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.bulk import draw_rects
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.palette import Palette

SPACING = 24.0
DOT = 1.8  # viewport pixels
DOT_AREA = 2.2
STRIP = 64  # device pixels, about the height of a strip
KEPT = 16  # strips


def dot_spacing(scale: float) -> float:
    """Returns the distance of dots in viewport pixels, 16 to 32."""
    spacing = SPACING * scale
    while spacing < 16:
        spacing *= 2
    while spacing >= 32:
        spacing /= 2
    return spacing


def paint_broken_edges(painter: QPainter, palette: Palette, width: int, height: int, ratio: float) -> None:
    """Draws the last row and column of device pixels where a viewport ends within one, as 1.5 a pixel may have it."""
    right, bottom = width * ratio, height * ratio
    if right != int(right):
        painter.fillRect(QRectF(int(right) / ratio, 0, 1, height + 1), ink.colour(palette.canvas))
    if bottom != int(bottom):
        painter.fillRect(QRectF(0, int(bottom) / ratio, width + 1, 1), ink.colour(palette.canvas))


class Ground:
    """Draws the ground; keeps strips of it, since copying them is faster than a tiled brush or a thousand dots."""

    def __init__(self) -> None:
        self._strips: dict[tuple[str, str, int, float, int], QPixmap] = {}

    def paint(
        self, painter: QPainter, palette: Palette, camera: Camera, width: float, height: float, ratio: float
    ) -> None:
        """Fills the viewport; the painter draws in viewport pixels.

        Args:
            painter: Where to draw.
            palette: Colours.
            camera: The view.
            width: Of the viewport.
            height: Of the viewport.
            ratio: Device pixels for one viewport pixel.
        """
        # A whole number of device pixels between dots, so that all are equally crisp.
        device = max(round(dot_spacing(camera.scale) * ratio), 4)
        step = device / ratio
        wide, high = ceil(width * ratio), ceil(height * ratio)
        strip = self._strip((palette.canvas, palette.dot, device, ratio, wide + device))
        x, y = (round((step / 2 - (at * camera.scale) % step) * ratio) % device for at in (camera.x, camera.y))
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        for top in range(y - device, high, strip.height()):
            painter.drawPixmap(x - device, top, strip)
        painter.restore()

    def _strip(self, key: tuple[str, str, int, float, int]) -> QPixmap:
        """Returns some rows of dots on their ground, in device pixels; the first dot is at the left and at the top."""
        if key not in self._strips:
            if len(self._strips) >= KEPT:
                del self._strips[next(iter(self._strips))]
            self._strips[key] = _drawn(*key)
        return self._strips[key]


def _drawn(canvas: str, dot: str, spacing: int, ratio: float, width: int) -> QPixmap:
    rows, columns = ceil(STRIP / spacing), ceil(width / spacing)
    side = max(round(DOT * ratio), 1)
    pixmap = QPixmap(columns * spacing, rows * spacing)
    pixmap.fill(ink.colour(canvas))
    x, y = np.meshgrid(np.arange(columns) * spacing, np.arange(rows) * spacing)
    painter = QPainter(pixmap)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.mixed(canvas, dot, min(DOT_AREA * ratio**2 / side**2, 1.0)))
    draw_rects(painter, np.stack([x, y, np.full_like(x, side), np.full_like(x, side)], axis=2).reshape(-1, 4))
    painter.end()
    return pixmap
