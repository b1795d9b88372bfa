"""Boxes of folded groups: a node's box on another, with a fold mark, what is inside, and the stages it lies in."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from cutter_gui.gui.canvas import ink, texts
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.palette import stage_colour, stage_is_hatched

RADIUS = 6.0
STRIPE = 6.0
BEHIND = 4.0  # how far the box behind looks out
MARK = 7.0


def paint_group(painter: QPainter, picture: Picture, box: int, detail: Detail, scale: float) -> None:
    """Draws the box of a folded group."""
    palette = picture.palette
    rect = QRectF(*picture.scene.box_rect[box].tolist())
    low, high = picture.stage_span(box)
    border = ink.pen(palette.node_border, max(1.0, 1.0 / scale))
    painter.setPen(border)
    painter.setBrush(ink.colour(palette.field))
    painter.drawRoundedRect(rect.adjusted(BEHIND, BEHIND, -BEHIND, BEHIND), RADIUS, RADIUS)
    fill = ink.colour(palette.node)
    if detail < Detail.TEXT and low >= 0:
        fill = ink.mixed(palette.node, stage_colour(low), 0.45)
    painter.setBrush(fill)
    painter.drawRoundedRect(rect, RADIUS, RADIUS)
    _paint_stripe(painter, picture, rect, low, high)
    if detail < Detail.TEXT:
        return
    group = picture.sheet.box_group(box)
    left, room = rect.left() + 16, rect.width() - 26
    room -= _paint_stages(painter, picture, rect, low, high)
    title = ink.elided(texts.group_name(picture.sheet.groups, group), ink.OP_PIXELS, room - MARK - 8, True)
    painter.setPen(ink.colour(palette.text))
    painter.setFont(ink.font(ink.OP_PIXELS, bold=True))
    painter.drawText(QPointF(left, rect.top() + 19), title)
    after = left + ink.metrics(ink.OP_PIXELS, bold=True).horizontalAdvance(title) + 7
    _paint_mark(painter, QPointF(after, rect.top() + 14.5), palette.text_soft)
    painter.setPen(ink.colour(palette.text_soft))
    painter.setFont(ink.font(ink.NAME_PIXELS))
    inside = ink.elided(texts.group_content(picture.sheet.groups, group), ink.NAME_PIXELS, rect.width() - 26)
    painter.drawText(QPointF(left, rect.top() + 35), inside)


def _paint_mark(painter: QPainter, at: QPointF, colour: str) -> None:
    """Draws a triangle that points to the right: there is something to open."""
    path = QPainterPath(at + QPointF(0, -MARK / 2))
    path.lineTo(at + QPointF(MARK * 0.8, 0))
    path.lineTo(at + QPointF(0, MARK / 2))
    path.closeSubpath()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(colour))
    painter.drawPath(path)


def _paint_stripe(painter: QPainter, picture: Picture, rect: QRectF, low: int, high: int) -> None:
    """Draws the stripe at the left, from the colour of the first stage to that of the last."""
    from cutter_gui.gui.canvas.paint_nodes import stripe_path

    path = stripe_path(rect.height()).translated(rect.topLeft())
    stages = [low] if low == high else [low, high]
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    for at, stage in enumerate(stages):
        height = rect.height() / len(stages)
        painter.setClipRect(QRectF(rect.left() - 2, rect.top() + at * height - (1 - at), STRIPE + 4, height + 1))
        painter.setBrush(ink.colour(stage_colour(stage) if stage >= 0 else picture.palette.node_plain))
        painter.drawPath(path)
        if stage >= 0 and stage_is_hatched(stage):
            painter.setBrush(ink.hatch(picture.palette))
            painter.drawPath(path)
    painter.restore()


def _paint_stages(painter: QPainter, picture: Picture, rect: QRectF, low: int, high: int) -> float:
    """Draws the numbers of the stages at the right; returns how wide they are."""
    from cutter_gui.gui.canvas.paint_nodes import BADGE, paint_badge

    if low < 0:
        return 0.0
    y = rect.top() + 7 + BADGE / 2
    x = rect.right() - 8 - BADGE / 2
    paint_badge(painter, picture, high, QPointF(x, y))
    if high == low:
        return BADGE + 4
    between = BADGE / 2 + 4
    if high > low + 1:
        painter.setPen(ink.colour(picture.palette.text_soft))
        painter.setFont(ink.font(ink.LABEL_PIXELS))
        painter.drawText(QRectF(x - BADGE / 2 - 12, y - 8, 12, 16), Qt.AlignmentFlag.AlignCenter, "–")
        between = BADGE / 2 + 12
    paint_badge(painter, picture, low, QPointF(x - between - BADGE / 2, y))
    return 2 * BADGE + between
