"""The drawing on the screen: as `render.paint_graph` draws it, but whole kinds of things in one call from arrays.

Terms: a *piece* is one Bezier curve of a wire.

Steps: (1) visible boxes and pieces, from the spatial index; (2) the detail, by zoom; (3) far away, pixels and lines
(`paint_overview`); (4) else curves as lines, many at once, with as many lines a piece as its size on the screen needs;
arrow heads as one path; boxes from an atlas of sprites (`sprites`), then all texts of one font after the other.

Complexity: linear in what is visible. Painters for paper, one call a thing, stand in `paint_edges` and `paint_nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from cutter_gui.core.graph import Bools, Ints
from cutter_gui.gui.canvas import body_marks, ink
from cutter_gui.gui.canvas.box_texts import BoxTexts
from cutter_gui.gui.canvas.bulk import draw_lines, polygons
from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.curves import Points, dashes, evaluated
from cutter_gui.gui.canvas.detail import Detail, detail_at
from cutter_gui.gui.canvas.paint_edges import ARROW_LENGTH, ARROW_WIDTH, WIDTH, paint_labels_on_screen
from cutter_gui.gui.canvas.paint_groups import paint_group
from cutter_gui.gui.canvas.paint_nodes import BADGE, PADDING, TEXT_LEFT, paint_badge
from cutter_gui.gui.canvas.paint_overview import paint_overview
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.canvas.sprites import Sprites
from cutter_gui.layout.scene import BoxKind, WireKind

BLEED = 12.0  # scene pixels beyond the visible part that strokes and shadows may reach into it
ARROWS_FROM = 0.22
LINE_PIXELS = 7.0  # about how long a line of a curve is on the screen
STEPS = (2, 4, 8, 12, 20, 32)
STRAIGHT = 0.25
DASH, DASH_GAP = 4.0, 3.0  # of stubs, in scene pixels


@dataclass(frozen=True, eq=False)
class Visible:
    """What a part of the view shows.

    Attributes:
        boxes: The boxes.
        pieces: The pieces of wires.
        detail: How finely they are drawn.
    """

    boxes: Ints
    pieces: Ints
    detail: Detail


def visible_things(picture: Picture, area: Rect, scale: float, detail: Detail | None = None) -> Visible:
    """Returns what a rectangle of the scene shows, and how finely."""
    left, top, width, height = area
    around = (left - BLEED, top - BLEED, width + 2 * BLEED, height + 2 * BLEED)
    index = picture.sheet.index
    boxes, pieces = index.boxes_in(*around), index.pieces_in(*around)
    return Visible(boxes, pieces, detail_at(scale, len(boxes), len(pieces)) if detail is None else detail)


def paint_screen(
    painter: QPainter, picture: Picture, seen: Visible, camera: Camera, area: Rect, sprites: Sprites, texts: BoxTexts
) -> None:
    """Draws wires, labels and boxes.

    Args:
        painter: Draws in viewport pixels.
        picture: What to draw.
        seen: What of it is visible.
        camera: The view.
        area: The part of the viewport to draw, in viewport pixels.
        sprites: Pictures of boxes, kept from one frame to the next.
        texts: What stands on boxes, kept likewise.
    """
    if seen.detail is Detail.OVERVIEW:
        paint_overview(painter, picture, seen.boxes, seen.pieces, camera, area, sprites.ratio)
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    _paint_wires(painter, picture, seen, camera.scale)
    if seen.detail >= Detail.LABELS:
        wires = picture.sheet.index.piece_wire[seen.pieces]
        paint_labels_on_screen(painter, picture, np.unique(picture.scene.wire_tensor[wires]).tolist())
    painter.restore()
    groups = picture.scene.box_kind[seen.boxes] == BoxKind.GROUP
    sprites.paint(painter, picture, seen.boxes[~groups], camera, seen.detail)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    if seen.detail >= Detail.TEXT:
        _paint_texts(painter, picture, seen.boxes, texts)
    for box in seen.boxes[groups].tolist():
        paint_group(painter, picture, box, seen.detail, camera.scale)
    painter.restore()


def _paint_wires(painter: QPainter, picture: Picture, seen: Visible, scale: float) -> None:
    index, scene, palette = picture.sheet.index, picture.scene, picture.palette
    wire = index.piece_wire[seen.pieces]
    kind = scene.wire_kind[wire]
    dashed = (kind == WireKind.STUB) | (kind == WireKind.HUB)
    pieces = index.piece_points[seen.pieces]
    width = max(WIDTH, 1.0 / scale)
    line = QPen(ink.colour(palette.edge), width)
    # Square ends fill the notches where the lines of a curve meet, and unlike round ones cost nothing.
    line.setCapStyle(Qt.PenCapStyle.FlatCap if width * scale < 2 else Qt.PenCapStyle.SquareCap)
    is_end = index.piece_is_last[seen.pieces] & ~dashed
    painter.setPen(line)
    draw_lines(painter, curve_lines(pieces[~dashed], scale, is_end[~dashed]))
    ends_in_arrow = index.piece_is_last[seen.pieces] & (kind != WireKind.HUB)
    if np.any(dashed):
        line.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(line)
        draw_lines(painter, dashes(_shortened(pieces[dashed], ends_in_arrow[dashed]), DASH, DASH_GAP))
    if scale >= ARROWS_FROM:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colour(palette.edge))
        painter.drawPath(polygons(_arrows(pieces[ends_in_arrow])))


def curve_lines(pieces: Points, scale: float, is_end: Bools) -> Points:
    """Returns pieces as lines.

    Args:
        pieces: [Q, 4, 2].
        scale: Viewport pixels for one scene pixel.
        is_end: [Q], the pieces that end in an arrow head, which the line must not cover.

    Returns:
        [M, 4], x and y of both ends of each line.
    """
    pieces = _shortened(pieces, is_end)
    across = np.ptp(pieces[:, :, 0], axis=1)
    size = (across + np.abs(pieces[:, 3, 1] - pieces[:, 0, 1])) * scale
    steps = np.asarray(STEPS)[np.searchsorted(STEPS[:-1], size / LINE_PIXELS)]
    steps[(across < STRAIGHT) | (np.ptp(pieces[:, :, 1], axis=1) < STRAIGHT)] = 1
    found = []
    for count in np.unique(steps).tolist():
        points = evaluated(pieces[steps == count], count)
        found.append(np.concatenate([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 4))
    return np.concatenate(found) if found else np.zeros((0, 4), dtype=np.float32)


def _shortened(pieces: Points, is_end: Bools) -> Points:
    """Returns pieces that leave room for the arrow heads of those that end in one."""
    pieces = pieces.astype(np.float32, copy=True)
    if np.any(is_end):
        pieces[is_end, 2:] -= _directions(pieces[is_end])[:, None] * ARROW_LENGTH * 0.8
    return pieces


def _directions(pieces: Points) -> Points:
    """Returns [Q, 2], the unit tangent at the end of each piece."""
    along = pieces[:, 3] - pieces[:, 2]
    flat = np.abs(along).sum(axis=1) < STRAIGHT
    along[flat] = pieces[flat, 3] - pieces[flat, 0]
    length = np.hypot(along[:, 0], along[:, 1])
    none = length < STRAIGHT
    along[none], length[none] = (0.0, 1.0), 1.0
    return np.asarray(along / length[:, None], dtype=np.float32)


def _arrows(pieces: Points) -> Points:
    """Returns [Q, 3, 2], the corners of the arrow heads at the ends of pieces."""
    along = _directions(pieces)
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1) * (ARROW_WIDTH / 2)
    tip = pieces[:, 3]
    back = tip - along * ARROW_LENGTH
    return np.stack([tip, back + aside, back - aside], axis=1)


def _paint_texts(painter: QPainter, picture: Picture, boxes: Ints, texts: BoxTexts) -> None:
    """Writes on boxes, one font after the other."""
    scene, palette = picture.scene, picture.palette
    kinds = scene.box_kind[boxes]
    nodes = boxes[kinds == BoxKind.NODE]
    rects = scene.box_rect[nodes].tolist()
    badges = picture.box_badge[nodes].tolist()
    said = [texts.of_node(box, badge) for box, badge in zip(nodes.tolist(), badges, strict=True)]
    painter.setPen(ink.colour(palette.text))
    painter.setFont(ink.font(ink.OP_PIXELS, bold=True))
    for (left, top, _, _), (op, _) in zip(rects, said, strict=True):
        painter.drawStaticText(QPointF(left + TEXT_LEFT, top + 19 - op.ascent), op.text)
    painter.setPen(ink.colour(palette.text_soft))
    painter.setFont(ink.font(ink.NAME_PIXELS))
    for (left, top, _, _), (_, name) in zip(rects, said, strict=True):
        painter.drawStaticText(QPointF(left + TEXT_LEFT, top + 35 - name.ascent), name.text)
    _paint_pill_texts(painter, picture, boxes[(kinds != BoxKind.NODE) & (kinds != BoxKind.GROUP)], texts)
    for box, badge, (left, top, width, _) in zip(nodes.tolist(), badges, rects, strict=True):
        if badge:
            centre = QPointF(left + width - PADDING - BADGE / 2 + 2, top + 8 + BADGE / 2 - 1)
            paint_badge(painter, picture, int(picture.box_stage[box]), centre)
    with_bodies = picture.graph.node_bodies
    if with_bodies:
        for node, rect in zip(scene.box_ref[nodes].tolist(), rects, strict=True):
            if node in with_bodies:
                body_marks.paint_body_mark(painter, palette, QRectF(*rect))


def _paint_pill_texts(painter: QPainter, picture: Picture, pills: Ints, texts: BoxTexts) -> None:
    scene, palette = picture.scene, picture.palette
    is_stub = np.isin(scene.box_kind[pills], (BoxKind.STUB, BoxKind.HUB))
    for chosen, size, mono, colour in (
        (pills[is_stub], ink.LABEL_PIXELS, False, palette.text_soft),
        (pills[~is_stub], ink.NAME_PIXELS, True, palette.text),
    ):
        painter.setPen(ink.colour(colour))
        painter.setFont(ink.font(size, mono=mono))
        for box, (left, top, width, height) in zip(chosen.tolist(), scene.box_rect[chosen].tolist(), strict=True):
            text = texts.of_pill(box)
            painter.drawStaticText(
                QPointF(left + (width - text.width) / 2, top + (height - text.height) / 2), text.text
            )
