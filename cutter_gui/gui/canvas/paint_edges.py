"""Wires, their arrow heads, and the types written beside them."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas import edge_labels, ink
from cutter_gui.gui.canvas.bulk import draw_lines
from cutter_gui.gui.canvas.curves import Points
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.layout.scene import WireKind

WIDTH = 1.4
ARROW_LENGTH = 8.0
ARROW_WIDTH = 7.0


def paint_wires(painter: QPainter, picture: Picture, wires: Ints, detail: Detail, scale: float) -> None:
    """Draws wires."""
    if detail is Detail.OVERVIEW:
        _paint_overview(painter, picture, wires, scale)
        return
    palette, scene = picture.palette, picture.scene
    width = max(WIDTH, 1.0 / scale)
    whole, stub = ink.pen(palette.edge, width), ink.dashed(palette.edge, width, 4, 3)
    kinds = scene.wire_kind[wires].tolist()
    for wire, kind in zip(wires.tolist(), kinds, strict=True):
        dashed = kind in (WireKind.STUB, WireKind.HUB)
        paint_curve(painter, scene.points(wire), stub if dashed else whole, arrow=kind != WireKind.HUB)


def _paint_overview(painter: QPainter, picture: Picture, wires: Ints, scale: float) -> None:
    """Draws wires as lines between the ends of their pieces, all at once."""
    scene = picture.scene
    counts = np.maximum((np.diff(scene.wire_starts)[wires] - 1) // 3, 0)
    step = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.repeat(scene.wire_starts[wires], counts) + 3 * step
    lines = np.concatenate([scene.wire_points[first], scene.wire_points[first + 3]], axis=1)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(lines) < 20_000)
    line = QPen(ink.mixed(picture.palette.edge, picture.palette.canvas, 0.35), 0)
    line.setWidthF(1.0 / scale)
    painter.setPen(line)
    draw_lines(painter, lines)
    painter.restore()


def curve_path(control: Points, shorten: float) -> QPainterPath:
    """Returns a wire as a path.

    Args:
        control: [3 n + 1, 2].
        shorten: How much its end and the tangent there are moved back, to leave room for an arrow head.
    """
    points = control.tolist()
    dx, dy = _direction(control)
    for at in (-1, -2):
        points[at] = [points[at][0] - dx * shorten, points[at][1] - dy * shorten]
    path = QPainterPath(QPointF(*points[0]))
    for at in range(1, len(points) - 2, 3):
        path.cubicTo(*points[at], *points[at + 1], *points[at + 2])
    return path


def _direction(control: Points) -> tuple[float, float]:
    """Returns the unit tangent at the end of a wire."""
    end = control[-1]
    for back in control[-2::-1]:
        dx, dy = float(end[0] - back[0]), float(end[1] - back[1])
        length = hypot(dx, dy)
        if length > 0.5:
            return dx / length, dy / length
    return 0.0, 1.0


def paint_curve(painter: QPainter, control: Points, pen: QPen, *, arrow: bool = True, size: float = 1.0) -> None:
    """Draws one wire, with its arrow head or, as a halo below such a one, without."""
    if len(control) < 4:
        return
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(curve_path(control, ARROW_LENGTH * size * 0.8))
    if arrow:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawPolygon(_arrow(control, size))


def _arrow(control: Points, size: float) -> QPolygonF:
    dx, dy = _direction(control)
    x, y = float(control[-1, 0]), float(control[-1, 1])
    back_x, back_y = x - dx * ARROW_LENGTH * size, y - dy * ARROW_LENGTH * size
    half = ARROW_WIDTH / 2 * size
    return QPolygonF(
        [
            QPointF(x, y),
            QPointF(back_x - dy * half, back_y + dx * half),
            QPointF(back_x + dy * half, back_y - dx * half),
        ]
    )


def paint_labels_on_screen(painter: QPainter, picture: Picture, tensors: Iterable[int]) -> None:
    """Draws the types beside the wires of tensors: all pills, then all texts, which are laid out once."""
    palette, labels = picture.palette, picture.sheet.labels
    shown = [(rect, labels.text(tensor)) for tensor in tensors if (rect := labels.rect(tensor)) is not None]
    painter.setPen(ink.pen(palette.pill_border, 1.0))
    painter.setBrush(ink.colour(palette.pill))
    for (left, top, width, height), _ in shown:
        painter.drawRoundedRect(QRectF(left, top, width, height), height / 2, height / 2)
    painter.setPen(ink.colour(palette.text_soft))
    painter.setFont(ink.font(ink.LABEL_PIXELS))
    for (left, top, width, height), said in shown:
        text = ink.static_text(said, ink.LABEL_PIXELS, width)
        painter.drawStaticText(QPointF(left + (width - text.width) / 2, top + (height - text.height) / 2), text.text)


def paint_labels(painter: QPainter, picture: Picture, tensors: Iterable[int]) -> None:
    """Draws the types beside the wires of tensors, as text on paper."""
    palette, labels = picture.palette, picture.sheet.labels
    painter.setFont(ink.font(ink.LABEL_PIXELS))
    border, text_pen = ink.pen(palette.pill_border, 1.0), QPen(ink.colour(palette.text_soft))
    for tensor in tensors:
        rect = labels.rect(tensor)
        if rect is None:
            continue
        painter.setPen(border)
        painter.setBrush(ink.colour(palette.pill))
        painter.drawRoundedRect(QRectF(*rect), edge_labels.HEIGHT / 2, edge_labels.HEIGHT / 2)
        painter.setPen(text_pen)
        painter.drawText(QRectF(*rect), Qt.AlignmentFlag.AlignCenter, labels.text(tensor))
