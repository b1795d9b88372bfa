"""Cuts: the dashed line across the graph with its tag, and scissors on every cut edge."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.cut_marks import CutLine, Mark
from cutter_gui.gui.canvas.detail import LABELS_FROM
from cutter_gui.gui.canvas.paint_edges import paint_labels, paint_labels_on_screen
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.canvas.stamps import Stamps

DISC = 9.0
BORDER = 2.0  # room around marks and tags that their border reaches into
BESIDE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
MARKS_FROM = 0.3
TAG_SCALE = 0.62  # tags stay so large when the graph gets smaller
OVERVIEW_OVERHANG = 44.0  # viewport pixels


def paint_cuts(painter: QPainter, picture: Picture, visible: Rect, scale: float, stamps: Stamps | None = None) -> None:
    """Draws the lines, marks and tags of all cuts that touch the visible part.

    Args:
        painter: Draws in scene pixels.
        picture: What is drawn.
        visible: The part to draw.
        scale: Viewport pixels for one scene pixel.
        stamps: On the screen, pictures of marks and tags that are kept.
    """
    drawing = picture.cuts
    if not drawing.lines and not drawing.marks:
        return
    beyond = 40 + OVERVIEW_OVERHANG / scale + 80 / scale
    shown = QRectF(*visible).adjusted(-beyond, -beyond, beyond, beyond)
    lines = [line for line in drawing.lines if line.points and QRectF(*line.bounds).intersects(shown)]
    for line in lines:
        _paint_line(painter, picture, line, scale)
    if scale >= LABELS_FROM:
        for line in lines:
            # A line goes behind the labels in its way: what a cut sends must stay readable.
            near = picture.sheet.labels.near(_as_rect(QRectF(*line.bounds) & shown))
            (paint_labels_on_screen if stamps else paint_labels)(painter, picture, near)
    if scale >= MARKS_FROM:
        x, y = drawing.mark_points.T
        inside = (x >= shown.left()) & (x <= shown.right()) & (y >= shown.top()) & (y <= shown.bottom())
        for at in np.flatnonzero(inside).tolist():
            _paint_mark(painter, picture, drawing.marks[at], stamps)
    for line in drawing.lines:
        if shown.intersects(tag_area(line, scale)):
            _paint_tag(painter, picture, line, scale, stamps)


def _stamp(
    painter: QPainter, stamps: Stamps | None, key: Hashable, area: QRectF, draw: Callable[[QPainter], None]
) -> None:
    """Draws with a painter whose origin is the left top corner of an area, or stamps what was drawn so before."""
    if stamps is not None:
        stamps.paint(painter, key, area, draw)
        return
    painter.save()
    painter.translate(area.topLeft())
    draw(painter)
    painter.restore()


def _as_rect(area: QRectF) -> Rect:
    return area.x(), area.y(), area.width(), area.height()


def _paint_line(painter: QPainter, picture: Picture, line: CutLine, scale: float) -> None:
    active = picture.active_cut in (None, line.cut)
    width = max(2.0 if active else 1.5, 1.2 / scale)
    stretch = max(1.0, 0.5 / scale)
    colour = picture.palette.text if active else picture.palette.text_soft
    painter.setPen(ink.dashed(colour, width, 7 * stretch, 5 * stretch))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    farther = beyond_ends(line, scale)
    (x0, y0), *middle, (x1, y1) = line.points
    out_x, out_y = (farther, 0.0) if line.flow else (0.0, farther)
    painter.drawPath(_smooth(((x0 - out_x, y0 - out_y), *middle, (x1 + out_x, y1 + out_y)), line.flow))


def beyond_ends(line: CutLine, scale: float) -> float:
    """Returns how much farther a line reaches beyond its ends when far away: it must be seen in the overview too."""
    return max(0.0, OVERVIEW_OVERHANG / scale - line.overhang) if line.points else 0.0


def _smooth(points: tuple[tuple[float, float], ...], flow: int) -> QPainterPath:
    """Returns a path through points from left to right, level at each; or from top to bottom, upright at each."""
    path = QPainterPath(QPointF(*points[0]))
    for (x0, y0), (x1, y1) in pairwise(points):
        if flow:
            middle = (x0 + x1) / 2
            path.cubicTo(middle, y0, middle, y1, x1, y1)
        else:
            middle = (y0 + y1) / 2
            path.cubicTo(x0, middle, x1, middle, x1, y1)
    return path


def _paint_mark(painter: QPainter, picture: Picture, mark: Mark, stamps: Stamps | None) -> None:
    active = picture.active_cut is None or picture.active_cut in mark.cuts
    numbers = "·".join(str(cut) for cut in mark.cuts) if mark.shared or len(mark.cuts) > 1 else ""
    room = ink.metrics(ink.LABEL_PIXELS, bold=True).horizontalAdvance(numbers) + 4 if numbers else 0.0
    reach = DISC + BORDER
    area = QRectF(mark.x - reach - room / 2, mark.y - reach, 2 * reach + room, 2 * reach)

    def draw(painter: QPainter) -> None:
        palette = picture.palette
        figure = palette.text if active else palette.text_soft
        rect = QRectF(BORDER, BORDER, 2 * DISC + room, 2 * DISC)
        painter.setPen(ink.pen(figure, 1.4 if active else 1.0))
        painter.setBrush(ink.colour(palette.canvas))
        painter.drawRoundedRect(rect, DISC, DISC)
        paint_scissors(painter, figure, QPointF(reach, reach), 12)
        if numbers:
            painter.setPen(ink.colour(figure))
            painter.setFont(ink.font(ink.LABEL_PIXELS, bold=True))
            painter.drawText(rect.adjusted(2 * DISC - 3, 0, -2, 0), BESIDE, numbers)

    _stamp(painter, stamps, ("mark", numbers, active, picture.palette), area, draw)


def _paint_tag(painter: QPainter, picture: Picture, line: CutLine, scale: float, stamps: Stamps | None) -> None:
    active = picture.active_cut in (None, line.cut)
    size = max(1.0, TAG_SCALE / scale)
    _, _, width, height = line.tag
    text = QCoreApplication.translate("Canvas", "Cut {number}").format(number=line.cut)

    def draw(painter: QPainter) -> None:
        palette = picture.palette
        painter.scale(size, size)
        rect = QRectF(BORDER, BORDER, width, height)
        ground, figure = (palette.text, palette.canvas) if active else (palette.canvas, palette.text)
        painter.setPen(ink.pen(palette.text, 1.4))
        painter.setBrush(ink.colour(ground))
        painter.drawRoundedRect(rect, height / 2, height / 2)
        paint_scissors(painter, figure, QPointF(BORDER + 19, BORDER + height / 2), 15)
        painter.setPen(ink.colour(figure))
        painter.setFont(ink.font(12, bold=True))
        painter.drawText(rect.adjusted(32, 0, -4, 0), BESIDE, text)

    border = BORDER * size
    area = tag_area(line, scale).adjusted(-border, -border, border, border)
    _stamp(painter, stamps, ("tag", text, active, picture.palette), area, draw)


def tag_area(line: CutLine, scale: float) -> QRectF:
    """Returns where the tag of a line is drawn, in scene pixels: it keeps its size when the graph gets smaller."""
    left, top, width, height = line.tag
    size, out = max(1.0, TAG_SCALE / scale), beyond_ends(line, scale)
    wide, high = width * size, height * size
    if line.flow:
        return QRectF(left + out, top + height / 2 - high / 2, wide, high)
    return QRectF(left + width / 2 - wide / 2, top + out, wide, high)


def paint_scissors(painter: QPainter, colour: str, centre: QPointF, size: float) -> None:
    """Draws open scissors that point to the right, ``size`` pixels long."""
    painter.save()
    painter.translate(centre)
    painter.scale(size / 20, size / 20)
    painter.setPen(ink.pen(colour, 2.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for side in (-1, 1):
        painter.drawEllipse(QPointF(-6.6, side * 4.6), 2.9, 2.9)
        painter.drawLine(QPointF(-4.2, side * 3.0), QPointF(9.5, side * -5.6))
    painter.restore()
