"""Boxes and pills. All painters draw in scene pixels; the painter carries the camera's transform."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath

from cutter_gui.core.graph import Graph, Ints
from cutter_gui.gui.canvas import body_marks, ink
from cutter_gui.gui.canvas.bulk import draw_rects
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_groups import paint_group
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.palette import Palette, stage_colour, stage_is_hatched, stage_text
from cutter_gui.layout.labels import printable, short_name, uses_text
from cutter_gui.layout.scene import BoxKind

RADIUS = 6.0
STRIPE = 6.0
TEXT_LEFT = 16.0
BADGE = 16.0
PADDING = 10.0


def paint_boxes(painter: QPainter, picture: Picture, boxes: Ints, detail: Detail, scale: float) -> None:
    """Draws boxes and pills."""
    if detail is Detail.OVERVIEW:
        _paint_overview(painter, picture, boxes)
        return
    kinds = picture.scene.box_kind[boxes].tolist()
    for box, kind in zip(boxes.tolist(), kinds, strict=True):
        if kind == BoxKind.NODE:
            paint_node(painter, picture, box, detail, scale)
        elif kind == BoxKind.GROUP:
            paint_group(painter, picture, box, detail, scale)
        else:
            paint_pill(painter, picture, box, detail, scale)


def _paint_overview(painter: QPainter, picture: Picture, boxes: Ints) -> None:
    """Draws plain rectangles, all of a colour at once."""
    stages = picture.box_stage[boxes]
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for stage in np.unique(stages).tolist():
        rects = picture.scene.box_rect[boxes[stages == stage]]
        painter.setBrush(ink.colour(stage_colour(stage) if stage >= 0 else picture.palette.node_plain))
        draw_rects(painter, rects)
        if stage >= 0 and stage_is_hatched(stage):
            painter.setBrush(ink.hatch(picture.palette))
            draw_rects(painter, rects)
    painter.restore()


def box_rect(picture: Picture, box: int) -> QRectF:
    return QRectF(*picture.scene.box_rect[box].tolist())


def paint_node(painter: QPainter, picture: Picture, box: int, detail: Detail, scale: float) -> None:
    """Draws a node: its box, the stripe of its stage, op and name, the mark of bodies, the stage's number."""
    stage = int(picture.box_stage[box])
    rect = box_rect(picture, box)
    paint_empty_node(painter, picture.palette, rect, stage, detail, scale)
    badge = bool(picture.box_badge[box])
    if detail >= Detail.TEXT:
        _paint_node_text(painter, picture, box, rect, badge)
    if badge and detail >= Detail.TEXT:
        centre = QPointF(rect.right() - PADDING - BADGE / 2 + 2, rect.top() + 8 + BADGE / 2 - 1)
        paint_badge(painter, picture, stage, centre)


def paint_empty_node(
    painter: QPainter, palette: Palette, rect: QRectF, stage: int, detail: Detail, scale: float
) -> None:
    """Draws the box of a node with the stripe of its stage, without texts."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.shadow))
    painter.drawRoundedRect(rect.translated(0, 1.5), RADIUS, RADIUS)
    fill = ink.colour(palette.node)
    if detail < Detail.TEXT and stage >= 0:
        fill = ink.mixed(palette.node, stage_colour(stage), 0.45)
    painter.setPen(ink.pen(palette.node_border, max(1.0, 1.0 / scale)))
    painter.setBrush(fill)
    painter.drawRoundedRect(rect, RADIUS, RADIUS)
    painter.setPen(Qt.PenStyle.NoPen)
    stripe = stripe_path(rect.height()).translated(rect.topLeft())
    painter.setBrush(ink.colour(stage_colour(stage) if stage >= 0 else palette.node_plain))
    painter.drawPath(stripe)
    if stage >= 0 and stage_is_hatched(stage):
        painter.setBrush(ink.hatch(palette))
        painter.drawPath(stripe)


def _paint_node_text(painter: QPainter, picture: Picture, box: int, rect: QRectF, badge: bool) -> None:
    palette, graph = picture.palette, picture.graph
    node = int(picture.scene.box_ref[box])
    room = rect.width() - TEXT_LEFT - PADDING
    op_room = room - (BADGE if badge else 0)
    painter.setPen(ink.colour(palette.text))
    painter.setFont(ink.font(ink.OP_PIXELS, bold=True))
    op = ink.elided(short_op(graph, node), ink.OP_PIXELS, op_room, True)
    painter.drawText(QPointF(rect.left() + TEXT_LEFT, rect.top() + 19), op)
    painter.setPen(ink.colour(palette.text_soft))
    painter.setFont(ink.font(ink.NAME_PIXELS))
    has_bodies = node in graph.node_bodies
    name_room = room - (body_marks.ROOM if has_bodies else 0)
    name = ink.elided(short_name(graph.node_label(node)), ink.NAME_PIXELS, name_room)
    painter.drawText(QPointF(rect.left() + TEXT_LEFT, rect.top() + 35), name)
    if has_bodies:
        body_marks.paint_body_mark(painter, palette, rect)


def short_op(graph: Graph, node: int) -> str:
    """Returns the op without its domain, fit for one line."""
    return printable(graph.short_op(node))


@lru_cache(maxsize=16)
def stripe_path(height: float) -> QPainterPath:
    """The left end of a box of this height, rounded at the left."""
    path = QPainterPath()
    path.moveTo(STRIPE, 0)
    path.lineTo(RADIUS, 0)
    path.quadTo(0, 0, 0, RADIUS)
    path.lineTo(0, height - RADIUS)
    path.quadTo(0, height, RADIUS, height)
    path.lineTo(STRIPE, height)
    path.closeSubpath()
    return path.translated(-0.5, 0)


def paint_badge(painter: QPainter, picture: Picture, stage: int, centre: QPointF) -> None:
    """Draws a stage's number on a disc of its colour."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(stage_colour(stage)))
    painter.drawEllipse(centre, BADGE / 2, BADGE / 2)
    if stage_is_hatched(stage):
        painter.setPen(ink.pen(picture.palette.text, 1.2, style=Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, BADGE / 2 + 1.5, BADGE / 2 + 1.5)
    painter.setPen(ink.colour(stage_text(stage)))
    painter.setFont(ink.font(ink.LABEL_PIXELS if stage < 100 else 8, bold=True))
    painter.drawText(
        QRectF(centre.x() - BADGE, centre.y() - BADGE / 2, 2 * BADGE, BADGE), Qt.AlignmentFlag.AlignCenter, str(stage)
    )


def pill_text(graph: Graph, kind: int, tensor: int, room: float) -> str:
    """Returns what a pill says within a width: a name, for a hub with the number of its uses."""
    name = short_name(graph.tensor_names[tensor], 40)
    if kind not in (BoxKind.STUB, BoxKind.HUB):
        return ink.elided(name, ink.NAME_PIXELS, room, False, True)
    uses = f" ··· {uses_text(len(graph.consumers(tensor)))}"
    left = room - ink.metrics(ink.LABEL_PIXELS).horizontalAdvance(uses)
    return ink.elided(name, ink.LABEL_PIXELS, left) + uses


def paint_pill(painter: QPainter, picture: Picture, box: int, detail: Detail, scale: float) -> None:
    """Draws a graph input, a model output, or the pill of a hub tensor."""
    palette, scene = picture.palette, picture.scene
    kind, tensor = int(scene.box_kind[box]), int(scene.box_ref[box])
    rect = box_rect(picture, box)
    is_stub = kind in (BoxKind.STUB, BoxKind.HUB)
    paint_empty_pill(painter, palette, rect, is_stub, scale)
    if detail < Detail.TEXT:
        return
    painter.setPen(ink.colour(palette.text_soft if is_stub else palette.text))
    size = ink.LABEL_PIXELS if is_stub else ink.NAME_PIXELS
    painter.setFont(ink.font(size, mono=not is_stub))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, pill_text(picture.graph, kind, tensor, rect.width() - 14))


def paint_empty_pill(painter: QPainter, palette: Palette, rect: QRectF, is_stub: bool, scale: float) -> None:
    """Draws a pill without its text."""
    width = max(1.0, 1.0 / scale)
    painter.setPen(ink.dashed(palette.edge, width, 3, 2) if is_stub else ink.pen(palette.edge, width))
    painter.setBrush(QBrush(ink.colour(palette.canvas if is_stub else palette.field)))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
