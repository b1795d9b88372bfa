"""Frames of a canvas of 1600×1000 while it zooms and moves, against one array-drawn pass of the same visible things.

The pass draws what is visible without any of the canvas: the ground filled, every piece of a wire as lines, every box
as a rectangle, every text and label once, each kind in as few calls as Qt allows, into a pixmap of the same size.
Drawing is the work of one thread, so both are given in milliseconds of processor time, which other programs that run
meanwhile do not lengthen.
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
from cutter_gui.gui.canvas.bulk import draw_lines, draw_rects
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_nodes import short_op
from cutter_gui.gui.canvas.paint_screen import Visible, curve_lines, visible_things
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.layout.labels import short_name
from cutter_gui.layout.scene import BoxKind, Scene

WIDTH, HEIGHT = 1600, 1000
ZOOMS = 28
MOVES = 3
PLACES = 2


def measure_frames(source: GraphCanvas, graph: Graph, scene: Scene) -> dict[str, object]:
    """Returns the milliseconds of frames and passes, by step of zoom."""
    canvas = GraphCanvas()
    canvas.resize(WIDTH, HEIGHT)
    canvas.show()
    canvas.show_graph(graph, scene, source.sheet.hierarchy if source.sheet else None)
    canvas.show_staging(source._picture.staging, source._picture.active_cut)
    QApplication.processEvents()
    canvas.fit()
    canvas.viewport().repaint()
    frames: list[list[float]] = [[] for _ in range(ZOOMS + 1)]
    passes: list[list[float]] = [[] for _ in range(ZOOMS + 1)]
    ground = QPixmap(WIDTH, HEIGHT)
    for step in _journey(canvas, graph):
        begun = time.process_time()
        canvas.viewport().repaint()
        frames[step].append((time.process_time() - begun) * 1000)
        passes[step].append(_one_pass(canvas, ground))
    canvas.close()
    return {"frames": frames, "passes": passes}


def _journey(canvas: GraphCanvas, graph: Graph) -> Iterator[int]:
    """Goes from the whole graph to single nodes, moving about on the way; yields the step of zoom."""
    random = np.random.default_rng(1)
    boxes = np.flatnonzero(canvas._picture.scene.box_kind == BoxKind.NODE)
    for box in random.choice(boxes, PLACES).tolist():
        canvas.fit()
        fit = canvas._camera.scale
        factor = (1.5 / fit) ** (1 / ZOOMS)
        left, top, width, height = canvas._picture.scene.box_rect[box].tolist()
        for step in range(ZOOMS + 1):
            yield step
            for move in range(MOVES):
                canvas.pan(*((23, -11), (-40, 17), (5, 31))[move])
                yield step
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
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, seen.detail > Detail.OVERVIEW)
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    _draw_shapes(painter, canvas, seen)
    if seen.detail >= Detail.TEXT:
        _draw_texts(painter, canvas, seen)
    painter.end()
    return (time.process_time() - begun) * 1000


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
