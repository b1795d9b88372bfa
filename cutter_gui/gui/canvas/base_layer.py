"""The base layer: ground, wires, boxes and labels, kept as a pixmap until something of them changes."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPixmap

from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_ground import paint_ground
from cutter_gui.gui.canvas.render import paint_graph
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.palette import Palette


def look_through(painter: QPainter, camera: Camera) -> None:
    """Lets a painter of the viewport draw in scene pixels."""
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)


class BaseLayer:
    """Draws the base layer, and keeps it."""

    def __init__(self) -> None:
        self._pixmap: QPixmap | None = None
        self._detail = Detail.OVERVIEW

    @property
    def detail(self) -> Detail:
        """How finely the layer was drawn."""
        return self._detail

    def invalidate(self) -> None:
        """Has the layer drawn anew when it is next asked for."""
        self._pixmap = None

    def pixmap(
        self, picture: Picture | None, palette: Palette, camera: Camera, width: int, height: int, ratio: float
    ) -> QPixmap:
        """Returns the layer for a viewport.

        Args:
            picture: What to draw, None for the ground alone.
            palette: Colours of the ground.
            camera: The view.
            width: Of the viewport.
            height: Of the viewport.
            ratio: Device pixels for one viewport pixel.
        """
        device = (max(round(width * ratio), 1), max(round(height * ratio), 1))
        kept = self._pixmap
        if kept is not None and (kept.width(), kept.height()) == device and kept.devicePixelRatio() == ratio:
            return kept
        fresh = QPixmap(*device)
        fresh.setDevicePixelRatio(ratio)
        painter = QPainter(fresh)
        try:
            paint_ground(painter, palette, camera, width, height, ratio)
            if picture is not None:
                look_through(painter, camera)
                self._detail = paint_graph(painter, picture, camera.visible(width, height), camera.scale)
        finally:
            painter.end()
        self._pixmap = fresh
        return fresh
