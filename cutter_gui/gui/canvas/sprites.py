"""Pictures of empty boxes, drawn once for a zoom and stamped many at a time.

Boxes have few sizes and stages, so a view of hundreds of boxes needs a handful of pictures. They stand on whole device
pixels, which keeps their borders crisp.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas.bulk import draw_pieces
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_nodes import paint_empty_node, paint_empty_pill
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.layout.scene import BoxKind

BLEED = 4.0  # scene pixels around a box that its border and shadow may cover


class Sprites:
    """The pictures for one zoom; another zoom or palette starts anew."""

    def __init__(self) -> None:
        self.ratio = 1.0
        self._made_for: tuple[object, ...] = ()
        self._atlas = QPixmap()
        self._known: dict[tuple[int, int, int, int], tuple[float, float, float, float]] = {}

    def paint(self, painter: QPainter, picture: Picture, boxes: Ints, camera: Camera, detail: Detail) -> None:
        """Draws boxes without their texts; the painter draws in viewport pixels."""
        if not len(boxes):
            return
        unit = camera.scale * self.ratio
        scene = picture.scene
        rects = scene.box_rect[boxes].astype(np.float64)
        keys = np.stack(
            [_look(scene.box_kind[boxes]), rects[:, 2], rects[:, 3], picture.box_stage[boxes]], axis=1
        ).astype(np.int64)
        packed = ((keys[:, 0] * 8192 + keys[:, 1]) * 8192 + keys[:, 2]) * 65536 + keys[:, 3] + 1
        _, first, which = np.unique(packed, return_index=True, return_inverse=True)
        wanted = [(int(a), int(b), int(c), int(d)) for a, b, c, d in keys[first].tolist()]
        made_for = (unit, picture.palette, detail >= Detail.TEXT)
        if made_for != self._made_for or any(key not in self._known for key in wanted):
            kept = [key for key in self._known if key not in wanted] if made_for == self._made_for else []
            self._draw([*kept, *wanted], picture, detail, unit, camera.scale)
            self._made_for = made_for
        source = np.array([self._known[key] for key in wanted])[which.reshape(-1)]
        corner = np.round((rects[:, :2] - (camera.x, camera.y)) * unit) - np.ceil(BLEED * unit)
        painter.save()
        painter.scale(1 / self.ratio, 1 / self.ratio)
        draw_pieces(painter, self._atlas, source, corner)
        painter.restore()

    def _draw(
        self, keys: list[tuple[int, int, int, int]], picture: Picture, detail: Detail, unit: float, scale: float
    ) -> None:
        """Draws the pictures into one pixmap, one below the other."""
        around = float(np.ceil(BLEED * unit))
        sizes = [(np.ceil(key[1] * unit) + 2 * around, np.ceil(key[2] * unit) + 2 * around) for key in keys]
        height = int(sum(size[1] for size in sizes))
        self._atlas = QPixmap(int(max(size[0] for size in sizes)), height)
        self._atlas.fill(Qt.GlobalColor.transparent)
        self._known = {}
        painter = QPainter(self._atlas)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = 0.0
        for key, size in zip(keys, sizes, strict=True):
            look, wide, high, stage = key
            painter.save()
            painter.setClipRect(QRectF(0, top, *size))
            painter.translate(around, top + around)
            painter.scale(unit, unit)
            rect = QRectF(0, 0, wide, high)
            if look == 0:
                paint_empty_node(painter, picture.palette, rect, stage, detail, scale)
            else:
                paint_empty_pill(painter, picture.palette, rect, look == 2, scale)
            painter.restore()
            self._known[key] = (0.0, top, float(size[0]), float(size[1]))
            top += size[1]
        painter.end()


def _look(kinds: np.typing.NDArray[np.uint8]) -> np.typing.NDArray[np.int64]:
    """Returns 0 for nodes, 1 for pills, 2 for those of hubs."""
    hub = (kinds == BoxKind.STUB) | (kinds == BoxKind.HUB)
    return np.where(kinds == BoxKind.NODE, 0, np.where(hub, 2, 1)).astype(np.int64)
