"""The dotted ground: dots that keep about the same distance on the screen at every zoom."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.palette import Palette

SPACING = 24.0


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
    # The tile is a whole number of device pixels, so that all dots are equally crisp.
    device = max(round(dot_spacing(camera.scale) * ratio), 4)
    step = device / ratio
    scale = camera.scale
    offset = QPointF((camera.x * scale) % step, (camera.y * scale) % step)
    painter.drawTiledPixmap(QRectF(0, 0, width, height), _tile(palette, device, ratio), offset)


@lru_cache(maxsize=64)
def _tile(palette: Palette, device: int, ratio: float) -> QPixmap:
    tile = QPixmap(device, device)
    tile.fill(ink.colour(palette.canvas))
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.dot))
    radius = 0.75 * ratio
    painter.drawEllipse(QPointF(device / 2, device / 2), radius, radius)
    painter.end()
    tile.setDevicePixelRatio(ratio)
    return tile
