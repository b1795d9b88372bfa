"""Previews: what would be cut and sent, over the graph, and a card that says it in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.ghost import Ghost
from cutter_gui.gui.canvas.paint_cuts import paint_cuts, paint_scissors
from cutter_gui.gui.canvas.paint_edges import paint_curve
from cutter_gui.gui.canvas.paint_nodes import RADIUS, box_rect
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.palette import stage_colour, stage_text
from cutter_gui.layout.scene import BoxKind

TINT = 0.30
CARD_WIDTH = 300.0
PAD = 12.0
LINE = 18.0
OFFSET = 18.0
CHIP = 16.0


def paint_ghost(painter: QPainter, picture: Picture, ghost: Ghost, visible: Rect, scale: float) -> None:
    """Draws the part of a preview that lies in the graph, in scene pixels."""
    palette, scene = picture.palette, picture.scene
    if ghost.staging is None:
        for node in ghost.nodes:
            box = scene.node_box.get(node, -1)
            if box >= 0:
                painter.setPen(ink.pen(palette.error, max(2.2, 1.5 / scale)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box_rect(picture, box), RADIUS, RADIUS)
        return
    after = replace(picture, staging=ghost.staging, active_cut=ghost.cut)
    _tint_boxes(painter, after, visible)
    added = set(ghost.added)
    crossing = {scene.edge_wire[edge]: edge in added for edge in ghost.edges if edge in scene.edge_wire}
    near = set(picture.sheet.index.wires_in(*visible).tolist())
    for wire, is_added in crossing.items():
        if wire in near:
            width = max(2.2, 1.5 / scale)
            pen = ink.dashed(palette.warning, width, 6, 3) if is_added else ink.pen(palette.accent, width)
            paint_curve(painter, scene.points(wire), pen, size=1.2)
    paint_cuts(painter, after, visible, scale)


def _tint_boxes(painter: QPainter, after: Picture, visible: Rect) -> None:
    """Colours boxes by the stage they would be in."""
    boxes = after.sheet.index.boxes_in(*visible)
    kinds = after.scene.box_kind[boxes]
    boxes = boxes[(kinds == BoxKind.NODE) | (kinds == BoxKind.GROUP)]
    stages = after.box_stage[boxes]
    painter.setPen(Qt.PenStyle.NoPen)
    for stage in np.unique(stages[stages >= 0]).tolist():
        tint = ink.colour(stage_colour(stage))
        tint = tint.fromRgbF(tint.redF(), tint.greenF(), tint.blueF(), TINT)
        painter.setBrush(tint)
        for box in boxes[stages == stage].tolist():
            painter.drawRoundedRect(box_rect(after, box), RADIUS, RADIUS)


def paint_line(painter: QPainter, picture: Picture, line: QLineF) -> None:
    """Draws the knife, in viewport pixels."""
    palette = picture.palette
    painter.setPen(ink.pen(palette.canvas, 5.0))
    painter.drawLine(line)
    painter.setPen(ink.dashed(palette.accent, 2.2, 7, 4))
    painter.drawLine(line)
    painter.save()
    painter.translate(line.p2())
    painter.rotate(-line.angle())
    paint_scissors(painter, palette.accent, QPointF(6, 0), 18)
    painter.restore()


def paint_band(painter: QPainter, picture: Picture, band: QRectF) -> None:
    """Draws the rubber band, in viewport pixels."""
    fill = ink.colour(picture.palette.accent)
    painter.setBrush(fill.fromRgbF(fill.redF(), fill.greenF(), fill.blueF(), 0.10))
    painter.setPen(ink.dashed(picture.palette.accent, 1.5, 5, 3))
    painter.drawRect(band)


def card_rect(ghost: Ghost, anchor: QPointF, width: float, height: float) -> QRectF:
    """Returns where the card of a preview stands: beside the pointer, whole in the viewport."""
    rows = 1 + len(ghost.lines)
    verdict = _verdict_height(ghost)
    tall = 2 * PAD + rows * LINE + verdict + (6 if ghost.lines else 0)
    left = anchor.x() + OFFSET
    if left + CARD_WIDTH > width - 8:
        left = anchor.x() - OFFSET - CARD_WIDTH
    top = anchor.y() + OFFSET
    if top + tall > height - 8:
        top = anchor.y() - OFFSET - tall
    return QRectF(max(8.0, left), max(8.0, top), CARD_WIDTH, tall)


def _verdict_height(ghost: Ghost) -> float:
    if not ghost.verdict:
        return 0.0
    measures = ink.metrics(12)
    room = QRectF(0, 0, CARD_WIDTH - 2 * PAD, 1000)
    return measures.boundingRect(room, int(Qt.TextFlag.TextWordWrap), ghost.verdict).height() + 6


def paint_card(
    painter: QPainter, picture: Picture, ghost: Ghost, anchor: QPointF, width: float, height: float
) -> QRectF:
    """Draws what a preview says, in viewport pixels, and returns where."""
    palette = picture.palette
    rect = card_rect(ghost, anchor, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.shadow))
    painter.drawRoundedRect(rect.translated(0, 3).adjusted(-1, 0, 1, 1), 8, 8)
    painter.setPen(ink.pen(palette.error if ghost.refused else palette.accent, 1.4))
    painter.setBrush(ink.colour(palette.panel))
    painter.drawRoundedRect(rect, 8, 8)
    inner = rect.adjusted(PAD, PAD, -PAD, -PAD)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    row = QRectF(inner.left(), inner.top(), inner.width(), LINE)
    if ghost.staging is not None and ghost.cut >= 0:
        row = _paint_stages(painter, ghost.cut, row)
    painter.setFont(ink.font(13, bold=True))
    painter.setPen(ink.colour(palette.error if ghost.refused else palette.text))
    painter.drawText(row, flags, ink.elided(ghost.title, 13, row.width(), bold=True))
    top = inner.top() + LINE + (4 if ghost.lines else 0)
    for line in ghost.lines:
        area = QRectF(inner.left(), top, inner.width(), LINE)
        detail = ink.metrics(11).horizontalAdvance(line.detail)
        name_room = max(40.0, area.width() - detail - 10)
        painter.setFont(ink.font(11, mono=True))
        painter.setPen(ink.colour(palette.text))
        painter.drawText(area, flags, ink.elided(line.name, 11, name_room, mono=True))
        painter.setFont(ink.font(11))
        painter.setPen(ink.colour(palette.text_soft))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, line.detail)
        top += LINE
    if ghost.verdict:
        painter.setFont(ink.font(12))
        colour = palette.text_soft if ghost.refused else palette.warning if ghost.added else palette.success
        painter.setPen(ink.colour(colour))
        area = QRectF(inner.left(), top + 4, inner.width(), inner.bottom() - top)
        painter.drawText(area, int(Qt.TextFlag.TextWordWrap), ghost.verdict)
    return rect


def _paint_stages(painter: QPainter, cut: int, row: QRectF) -> QRectF:
    """Draws the two stages a cut stands between, and returns the rest of the row."""
    x = row.left()
    painter.setFont(ink.font(11, bold=True))
    for stage in (cut, cut + 1):
        wide = max(CHIP, ink.metrics(11, bold=True).horizontalAdvance(str(stage)) + 8)
        chip = QRectF(x, row.center().y() - CHIP / 2, wide, CHIP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colour(stage_colour(stage)))
        painter.drawRoundedRect(chip, CHIP / 2, CHIP / 2)
        painter.setPen(ink.colour(stage_text(stage)))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, str(stage))
        x = chip.right() + 4
    return row.adjusted(x + 4 - row.left(), 0, 0, 0)
