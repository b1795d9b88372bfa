"""Small pictures that a view shows again and again, drawn once for a zoom and stamped on whole device pixels.

A stamp is made when it is wanted for the second time: a view that zooms wants each only once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

KEPT = 200


class Stamps:
    """The stamps of one canvas."""

    def __init__(self) -> None:
        self._known: dict[Hashable, QPixmap | None] = {}

    def paint(self, painter: QPainter, key: Hashable, area: QRectF, draw: Callable[[QPainter], None]) -> None:
        """Draws a picture.

        Args:
            painter: Where to draw.
            key: Tells pictures apart that look different at one zoom.
            area: What the picture covers, in the painter's coordinates.
            draw: Draws it with a painter of the same coordinates, whose origin is the left top corner of the area.
        """
        unit, ratio = painter.transform().m11(), painter.device().devicePixelRatio()
        size = round(area.width() * unit * ratio, 2), round(area.height() * unit * ratio, 2)
        whole = (key, size)
        found = self._known.get(whole)
        if found is None and whole in self._known:
            self._known[whole] = found = _drawn(area, unit * ratio, draw)
        if found is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[whole] = None
            painter.save()
            painter.translate(area.topLeft())
            draw(painter)
            painter.restore()
            return
        at = painter.transform().map(area.topLeft()) * ratio
        painter.save()
        painter.resetTransform()
        painter.scale(1 / ratio, 1 / ratio)
        painter.drawPixmap(QPointF(round(at.x()), round(at.y())), found)
        painter.restore()


def _drawn(area: QRectF, unit: float, draw: Callable[[QPainter], None]) -> QPixmap:
    pixmap = QPixmap(ceil(area.width() * unit), ceil(area.height() * unit))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(unit, unit)
    draw(painter)
    painter.end()
    return pixmap
