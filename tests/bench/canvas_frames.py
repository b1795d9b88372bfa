"""Frames of a canvas of 1600×1000 while it zooms and moves, against one array-drawn pass of the same visible things.

The pass draws what is visible without any of the canvas: the ground filled with its dots, every piece of a wire as
lines, arrow heads, every box and label as a rectangle, every text once, the lines, marks and tags of cuts, and the
minimap, each kind in as few calls as Qt allows, into a pixmap of the same size. Drawing is the work of one thread, so
both are given in milliseconds of processor time, which other programs that run meanwhile do not lengthen. Glyphs of a
new size are made by who draws first: that is the frame on the way to one place and the pass on the way to the other,
and no two zooms of these ways are the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QApplication

from cutter_gui.core.graph import Graph
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.bulk import draw_lines, draw_rects, polygons
from cutter_gui.gui.canvas.camera import Camera, fitted
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_cuts import DISC, MARKS_FROM, tag_area
from cutter_gui.gui.canvas.paint_ground import dot_spacing
from cutter_gui.gui.canvas.paint_nodes import short_op
from cutter_gui.gui.canvas.paint_screen import ARROWS_FROM, Visible, _arrows, curve_lines, visible_things
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.layout.labels import short_name
from cutter_gui.layout.scene import BoxKind, Scene

WIDTH, HEIGHT = 1600, 1000
ZOOMS = 28
MOVES = 3
PLACES = 6  # with the moves, 24 frames at each step of zoom: the 95th percentile of fewer is just the worst


def measure_frames(source: GraphCanvas, graph: Graph, scene: Scene) -> dict[str, object]:
    """Returns the milliseconds of frames and passes, by step of zoom."""
    canvas = GraphCanvas()
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    canvas.show_graph(graph, scene, source.sheet.hierarchy if source.sheet else None)
    canvas.show_staging(source._picture.staging, source._picture.active_cut)
    QApplication.processEvents()
    _show_whole(canvas)
    canvas.viewport().repaint()
    frames: list[list[float]] = [[] for _ in range(ZOOMS + 1)]
    passes: list[list[float]] = [[] for _ in range(ZOOMS + 1)]
    ground = QPixmap(WIDTH, HEIGHT)
    for place, step in _journey(canvas, graph):
        if place % 2:
            passes[step].append(_one_pass(canvas, ground))
        begun = time.process_time()
        canvas.viewport().repaint()
        frames[step].append((time.process_time() - begun) * 1000)
        if not place % 2:
            passes[step].append(_one_pass(canvas, ground))
    canvas.close()
    return {"frames": frames, "passes": passes}


def _show_whole(canvas: GraphCanvas) -> None:
    """Shows the whole graph, however thin it is then."""
    canvas._set_camera(fitted(canvas._picture.scene.bounds, WIDTH, HEIGHT))


def _journey(canvas: GraphCanvas, graph: Graph) -> Iterator[tuple[int, int]]:
    """Goes from the whole graph to single nodes, moving about on the way; yields the place and the step of zoom."""
    random = np.random.default_rng(1)
    boxes = np.flatnonzero(canvas._picture.scene.box_kind == BoxKind.NODE)
    for place, box in enumerate(random.choice(boxes, PLACES).tolist()):
        _show_whole(canvas)
        fit = canvas._camera.scale
        factor = ((1.5 + 0.05 * place) / fit) ** (1 / ZOOMS)
        left, top, width, height = canvas._picture.scene.box_rect[box].tolist()
        for step in range(ZOOMS + 1):
            yield place, step
            for move in range(MOVES):
                canvas.pan(*((23, -11), (-40, 17), (5, 31))[move])
                yield place, step
            x, y = canvas._camera.to_view(left + width / 2, top + height / 2)
            canvas.pan(WIDTH / 2 - x, HEIGHT / 2 - y)
            canvas.zoom_at(factor, QPointF(WIDTH / 2, HEIGHT / 2))


def _one_pass(canvas: GraphCanvas, ground: QPixmap) -> float:
    """Returns the milliseconds of drawing what is visible from arrays; finding out what is visible is not counted."""
    picture, camera = canvas._picture, canvas._camera
    seen = visible_things(picture, camera.visible(WIDTH, HEIGHT), camera.scale)
    begun = time.process_time()
    painter = QPainter(ground)
    painter.fillRect(QRectF(0, 0, WIDTH, HEIGHT), QColor("#fcfcfd"))
    _draw_dots(painter, camera)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, seen.detail > Detail.OVERVIEW)
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    _draw_shapes(painter, canvas, seen)
    if seen.detail >= Detail.TEXT:
        _draw_texts(painter, canvas, seen)
    _draw_cuts(painter, canvas)
    if canvas._minimap.isVisible():
        painter.resetTransform()
        painter.drawPixmap(canvas._minimap.pos(), canvas._minimap._pixmap)
    painter.end()
    return (time.process_time() - begun) * 1000


def _draw_dots(painter: QPainter, camera: Camera) -> None:
    step = float(round(dot_spacing(camera.scale)))
    x, y = np.meshgrid(
        np.arange(-(camera.x * camera.scale) % step, WIDTH, step),
        np.arange(-(camera.y * camera.scale) % step, HEIGHT, step),
    )
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#e3e6ee"))
    draw_rects(painter, np.stack([x, y, np.full_like(x, 2), np.full_like(x, 2)], axis=2).reshape(-1, 4))


def _draw_cuts(painter: QPainter, canvas: GraphCanvas) -> None:
    drawing, scale = canvas._picture.cuts, canvas._camera.scale
    left, top, width, height = canvas._camera.visible(WIDTH, HEIGHT)
    painter.setPen(QPen(QColor("#1b1f2a"), max(1.4, 1 / scale)))
    painter.setBrush(QColor("#ffffff"))
    for line in drawing.lines:
        points = np.array(line.points).reshape(-1, 2)
        draw_lines(painter, np.concatenate([points[:-1], points[1:]], axis=1))
        area = tag_area(line, scale)
        if area.intersects(QRectF(left, top, width, height)):
            painter.drawRect(area)
            text = ink.static_text(f"Cut {line.cut}", 12, area.width(), bold=True)
            painter.setFont(ink.font(12, bold=True))
            painter.drawStaticText(area.topLeft(), text.text)
    if scale >= MARKS_FROM and len(drawing.mark_points):
        marks = drawing.mark_points
        inside = (marks[:, 0] >= left) & (marks[:, 0] <= left + width)
        inside &= (marks[:, 1] >= top) & (marks[:, 1] <= top + height)
        discs = np.full((int(inside.sum()), 4), 2 * DISC)
        discs[:, :2] = marks[inside] - DISC
        draw_rects(painter, discs)


def _draw_shapes(painter: QPainter, canvas: GraphCanvas, seen: Visible) -> None:
    picture, scale = canvas._picture, canvas._camera.scale
    index = picture.sheet.index
    painter.setPen(QPen(QColor("#8a93a5"), max(1.4, 1 / scale) if seen.detail else 0))
    if seen.detail is Detail.OVERVIEW:
        draw_lines(painter, index.piece_ends[seen.pieces])
        painter.setPen(Qt.PenStyle.NoPen)
    else:
        none = np.zeros(len(seen.pieces), dtype=np.bool_)
        draw_lines(painter, curve_lines(index.piece_points[seen.pieces], scale, none))
        if scale >= ARROWS_FROM:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor("#8a93a5"))
            painter.drawPath(polygons(_arrows(index.piece_points[seen.pieces][index.piece_is_last[seen.pieces]])))
        painter.setPen(QPen(QColor("#cbd1dd"), max(1.0, 1 / scale)))
    painter.setBrush(QColor("#ffffff"))
    draw_rects(painter, picture.scene.box_rect[seen.boxes])


def _draw_texts(painter: QPainter, canvas: GraphCanvas, seen: Visible) -> None:
    picture = canvas._picture
    scene, graph, labels = picture.scene, picture.graph, picture.sheet.labels
    painter.setPen(QColor("#1b1f2a"))
    for box in seen.boxes.tolist():
        left, top, width, _ = scene.box_rect[box].tolist()
        ref = int(scene.box_ref[box])
        if scene.box_kind[box] == BoxKind.NODE:
            for text, size, bold in ((short_op(graph, ref), 13, True), (short_name(graph.node_label(ref)), 11, False)):
                painter.setFont(ink.font(size, bold=bold))
                painter.drawStaticText(QPointF(left + 16, top), ink.static_text(text, size, width, bold=bold).text)
    if seen.detail >= Detail.LABELS:
        painter.setFont(ink.font(ink.LABEL_PIXELS))
        for tensor in np.unique(scene.wire_tensor[picture.sheet.index.piece_wire[seen.pieces]]).tolist():
            rect = labels.rect(tensor)
            if rect is not None:
                painter.drawRect(QRectF(*rect))
                text = ink.static_text(labels.text(tensor), ink.LABEL_PIXELS, rect[2])
                painter.drawStaticText(QPointF(rect[0], rect[1]), text.text)
