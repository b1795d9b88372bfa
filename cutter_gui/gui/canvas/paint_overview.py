"""The graph from far away: wires as lines, boxes as rectangles or pixels.

Steps: (1) wires: all pieces as lines in one call, smoothed where they are few; where they are many, those shorter than
a pixel are left out, since a box stands there; (2) boxes: rectangles, all of a colour at once; where they are many and
smaller than two pixels, pixels of an image.

Complexity: linear in what is visible, in arrays. Left out: smooth edges of pixels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.bulk import draw_lines, draw_rects
from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.palette import stage_colour, stage_is_hatched

SMOOTH_UP_TO = 3000  # lines
PLAIN_UP_TO = 12_000
RECTS_UP_TO = 8000  # boxes that are rectangles however small they are
SMALL = 2.0  # pixels below which boxes are pixels
FAINT = 0.35

Doubles = npt.NDArray[np.float64]


def paint_overview(
    painter: QPainter, picture: Picture, boxes: Ints, pieces: Ints, camera: Camera, area: Rect, ratio: float
) -> None:
    """Draws wires and boxes; the painter draws in viewport pixels.

    Args:
        painter: Where to draw.
        picture: What to draw.
        boxes: The boxes in sight.
        pieces: The pieces of wires in sight.
        camera: The view.
        area: The part of the viewport to draw.
        ratio: Device pixels for one viewport pixel.
    """
    view = _View(camera, area, ratio)
    painter.save()
    painter.translate(area[0], area[1])
    painter.scale(1 / ratio, 1 / ratio)
    index = picture.sheet.index
    if len(pieces) > PLAIN_UP_TO:
        pieces = pieces[index.piece_reach[pieces] * (camera.scale * ratio) >= 1]
    lines = view.lines(index.piece_ends[pieces])
    rects = view.rects(picture.scene.box_rect[boxes])
    tiny = len(rects) > RECTS_UP_TO and float(np.median(rects[:, 3])) < SMALL
    line = QPen(ink.mixed(picture.palette.edge, picture.palette.canvas, FAINT), 0)
    painter.setPen(line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(lines) <= SMOOTH_UP_TO)
    draw_lines(painter, lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if tiny:
        image = np.zeros((view.height, view.width), dtype=np.uint32)
        _set_boxes(image, rects, _box_colours(picture, boxes))
        whole = QImage(image.data, view.width, view.height, QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(QPointF(0, 0), whole)
    else:
        _paint_rects(painter, picture, boxes, rects)
    painter.restore()


class _View:
    """From the scene to device pixels of the part that is drawn."""

    def __init__(self, camera: Camera, area: Rect, ratio: float) -> None:
        self._unit = camera.scale * ratio
        self._x = camera.x + area[0] / camera.scale
        self._y = camera.y + area[1] / camera.scale
        self.width, self.height = max(int(np.ceil(area[2] * ratio)), 1), max(int(np.ceil(area[3] * ratio)), 1)

    def lines(self, ends: npt.NDArray[np.float32]) -> Doubles:
        """Returns [M, 4], cut off not far outside, where coordinates would grow too large to draw."""
        found = (ends.astype(np.float64) - (self._x, self._y, self._x, self._y)) * self._unit
        far = 4.0 * max(self.width, self.height)
        upright = np.abs(found[:, 0] - found[:, 2]) < 1
        found[upright, 1] = np.clip(found[upright, 1], -far, far)
        found[upright, 3] = np.clip(found[upright, 3], -far, far)
        return found

    def rects(self, rects: npt.NDArray[np.float32]) -> Doubles:
        """Returns [B, 4], no side shorter than a pixel."""
        found = rects.astype(np.float64)
        found[:, :2] = (found[:, :2] - (self._x, self._y)) * self._unit
        found[:, 2:] = np.maximum(found[:, 2:] * self._unit, 1.0)
        return found


def _paint_rects(painter: QPainter, picture: Picture, boxes: Ints, rects: Doubles) -> None:
    stages = picture.box_stage[boxes]
    painter.setPen(Qt.PenStyle.NoPen)
    for stage in np.unique(stages).tolist():
        chosen = rects[stages == stage]
        painter.setBrush(ink.colour(stage_colour(stage) if stage >= 0 else picture.palette.node_plain))
        draw_rects(painter, chosen)
        if stage >= 0 and stage_is_hatched(stage):
            painter.setBrush(ink.hatch(picture.palette))
            draw_rects(painter, chosen)


def _box_colours(picture: Picture, boxes: Ints) -> npt.NDArray[np.uint32]:
    stages = picture.box_stage[boxes]
    highest = int(stages.max(initial=0))
    names = [stage_colour(stage) for stage in range(highest + 1)] + [picture.palette.node_plain]
    table = np.array([ink.colour(name).rgba() for name in names], dtype=np.uint32)
    return table[stages]


def _set_boxes(image: npt.NDArray[np.uint32], rects: Doubles, colours: npt.NDArray[np.uint32]) -> None:
    """Sets the pixels of boxes that are a pixel or two high."""
    height, width = image.shape
    left, top = np.floor(rects[:, 0]).astype(np.int64), np.floor(rects[:, 1]).astype(np.int64)
    wide = np.clip(np.round(rects[:, 2]).astype(np.int64), 1, width)
    tall = 1 if float(np.median(rects[:, 3])) < 1.5 else 2
    for step in range(int(wide.max(initial=1))):
        for row in range(tall):
            x, y = left + step, top + row
            inside = (step < wide) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
            image[y[inside], x[inside]] = colours[inside]
