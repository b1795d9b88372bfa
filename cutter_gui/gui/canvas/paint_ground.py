"""The dotted ground: dots that keep about the same distance on the screen at every zoom."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.bulk import draw_rects
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.palette import Palette

SPACING = 24.0
DOT = 1.8  # viewport pixels
DOT_AREA = 2.2


def dot_spacing(scale: float) -> float:
    """Returns the distance of dots in viewport pixels, 16 to 32."""
    spacing = SPACING * scale
    while spacing < 16:
        spacing *= 2
    while spacing >= 32:
        spacing /= 2
    return spacing


def paint_ground(
    painter: QPainter, palette: Palette, camera: Camera, width: float, height: float, ratio: float
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
    painter.fillRect(QRectF(0, 0, width, height), ink.colour(palette.canvas))
    # A whole number of device pixels between dots, so that all are equally crisp.
    device = max(round(dot_spacing(camera.scale) * ratio), 4)
    step = device / ratio
    side = max(round(DOT * ratio), 1) / ratio
    x = np.arange(step / 2 - (camera.x * camera.scale) % step, width, step)
    y = np.arange(step / 2 - (camera.y * camera.scale) % step, height, step)
    dots = np.empty((len(y), len(x), 4))
    dots[:, :, 0], dots[:, :, 1], dots[:, :, 2:] = x, y[:, None], side
    dots[:, :, :2] = np.round(dots[:, :, :2] * ratio) / ratio
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.mixed(palette.canvas, palette.dot, min(DOT_AREA / side**2, 1.0)))
    draw_rects(painter, dots.reshape(-1, 4))
    painter.restore()
