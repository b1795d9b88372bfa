"""What lies over the graph: hover, selection, focus, and the path of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.hub_curves import hub_curves
from cutter_gui.gui.canvas.paint_edges import curve_path, paint_curve
from cutter_gui.gui.canvas.paint_found import NOTHING_FOUND, Found, paint_found
from cutter_gui.gui.canvas.paint_groups import paint_group
from cutter_gui.gui.canvas.paint_nodes import RADIUS, box_rect, paint_node
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.layout.scene import BoxKind, WireKind

CHECK = 14.0


@dataclass(frozen=True)
class Overlay:
    """What is shown over the graph.

    Attributes:
        selection: The selection.
        hover_tensor: The tensor under the pointer, -1 for none.
        hover_box: The box under the pointer, -1 for none.
        focus_box: The box the keyboard is at, -1 for none.
        path_nodes: Nodes of a problem's path.
        path_tensors: Tensors of a problem's path.
        found: What a search found.
    """

    selection: Selection = NOTHING
    hover_tensor: int = -1
    hover_box: int = -1
    focus_box: int = -1
    path_nodes: tuple[int, ...] = field(default=())
    path_tensors: tuple[int, ...] = field(default=())
    found: Found = NOTHING_FOUND


def paint_overlay(
    painter: QPainter, picture: Picture, overlay: Overlay, visible: Rect, detail: Detail, scale: float
) -> None:
    """Draws the overlay in scene pixels, as far as it is visible."""
    palette, selection = picture.palette, overlay.selection
    paint_found(painter, picture, overlay.found, visible, scale)
    selected = -1 if selection.tensor is None else selection.tensor
    if overlay.hover_tensor >= 0 and overlay.hover_tensor != selected:
        _paint_tensor(painter, picture, overlay.hover_tensor, visible, palette.accent, "", scale, width=2.0)
    if overlay.hover_box >= 0:
        _outline(painter, picture, overlay.hover_box, palette.edge, 1.4, scale)
    if overlay.path_nodes or overlay.path_tensors:
        _paint_path(painter, picture, overlay.path_nodes, overlay.path_tensors, detail, scale)
    if selected >= 0:
        _paint_selected_tensor(painter, picture, selected, visible, detail, scale)
    if selection.node is not None:
        box = picture.scene.node_box.get(selection.node, -1)
        if box >= 0:
            _outline(painter, picture, box, palette.accent, 2.2, scale)
    if selection.group is not None:
        _paint_selected_group(painter, picture, selection.group, scale)
    if overlay.focus_box >= 0:
        rect = box_rect(picture, overlay.focus_box).adjusted(-5, -5, 5, 5)
        painter.setPen(ink.dashed(palette.accent, max(1.6, 1.2 / scale), 3, 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, RADIUS + 4, RADIUS + 4)


def _paint_tensor(
    painter: QPainter,
    picture: Picture,
    tensor: int,
    visible: Rect,
    colour: str,
    halo: str,
    scale: float,
    width: float,
) -> None:
    scene = picture.scene
    line = max(width, 1.5 / scale)
    shown = np.intersect1d(scene.wires_of(tensor), picture.sheet.index.wires_in(*visible))
    for control in hub_curves(picture, tensor, shown):
        painter.setPen(ink.pen(colour, max(1.4, 1.2 / scale)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(curve_path(control, 0.0))
    wires = shown.tolist()
    if halo:
        for wire in wires:
            pen = ink.pen(halo, (width + 6) * max(1.0, 0.6 / scale))
            paint_curve(painter, scene.points(wire), pen, arrow=False, size=1.2)
    for wire in wires:
        kind = scene.wire_kind[wire]
        pen = ink.dashed(colour, line, 5, 3) if kind in (WireKind.STUB, WireKind.HUB) else ink.pen(colour, line)
        paint_curve(painter, scene.points(wire), pen, arrow=kind != WireKind.HUB, size=1.2)


def _outline(painter: QPainter, picture: Picture, box: int, colour: str, width: float, scale: float) -> None:
    rect = box_rect(picture, box)
    is_box = picture.scene.box_kind[box] in (BoxKind.NODE, BoxKind.GROUP)
    radius = RADIUS if is_box else rect.height() / 2
    painter.setPen(ink.pen(colour, max(width, 1.5 / scale)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, radius, radius)


def _paint_selected_tensor(
    painter: QPainter, picture: Picture, tensor: int, visible: Rect, detail: Detail, scale: float
) -> None:
    """Lifts a tensor above the rest, with its consumers and whether the active cut has them."""
    palette, scene = picture.palette, picture.scene
    _paint_tensor(painter, picture, tensor, visible, palette.accent, palette.accent_soft, scale, width=2.4)
    shown = set(picture.sheet.index.boxes_in(*visible).tolist())
    for box in shown.intersection(scene.boxes_of(tensor)):
        _outline(painter, picture, box, palette.accent, 1.8, scale)
    source = picture.sheet.source_box(tensor)
    if source in shown:
        _outline(painter, picture, source, palette.accent, 1.4, scale)
    chosen = picture.cut_consumers(tensor)
    node_box = scene.node_box
    consuming = {node_box[node] for node in picture.graph.consumers(tensor).tolist() if node in node_box}
    for box in sorted(shown & consuming):
        node, group = picture.sheet.box_node(box), picture.sheet.box_group(box)
        if group >= 0:
            _paint_consuming_group(
                painter, picture, box, picture.sheet.consumers_in(tensor, group), chosen, detail, scale
            )
            continue
        if node < 0 or picture.graph.edge(tensor, node) is None:
            continue
        if detail > Detail.OVERVIEW:
            paint_node(painter, picture, box, detail, scale)
        _outline(painter, picture, box, palette.accent, 2.0, scale)
        if picture.active_cut is not None and detail >= Detail.TEXT:
            _paint_check(painter, picture, box_rect(picture, box), node in chosen)


def _paint_consuming_group(
    painter: QPainter,
    picture: Picture,
    box: int,
    inside: list[int],
    chosen: set[int],
    detail: Detail,
    scale: float,
) -> None:
    """Lifts a folded group with consumers of the selected tensor inside."""
    if not inside:
        return
    if detail > Detail.OVERVIEW:
        paint_group(painter, picture, box, detail, scale)
    _outline(painter, picture, box, picture.palette.accent, 2.0, scale)
    if picture.active_cut is not None and detail >= Detail.TEXT:
        _paint_check(painter, picture, box_rect(picture, box), chosen.issuperset(inside))


def _paint_selected_group(painter: QPainter, picture: Picture, group: int, scale: float) -> None:
    """Outlines a folded group, or frames what an open one contains."""
    boxes = picture.sheet.group_boxes(group).tolist()
    if len(boxes) == 1:
        _outline(painter, picture, boxes[0], picture.palette.accent, 2.2, scale)
        return
    scene = picture.scene
    beside = np.isin(scene.wire_target, boxes) & (scene.wire_kind == WireKind.STUB)
    frame = QRectF()
    for box in [*boxes, *scene.wire_source[beside].tolist()]:
        frame = frame.united(box_rect(picture, box))
    if not frame.isNull():
        painter.setPen(ink.dashed(picture.palette.accent, max(1.6, 1.2 / scale), 6, 4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame.adjusted(-24, -14, 24, 18), 12, 12)


def check_rect(rect: QRectF) -> QRectF:
    """Returns where a consumer's check box is."""
    return QRectF(rect.right() - CHECK - 8, rect.bottom() - CHECK - 6, CHECK, CHECK)


def _paint_check(painter: QPainter, picture: Picture, rect: QRectF, checked: bool) -> None:
    palette = picture.palette
    box = check_rect(rect)
    painter.setPen(ink.pen(palette.node, 4.0))
    painter.setBrush(ink.colour(palette.node))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(ink.pen(palette.accent, 1.5))
    painter.setBrush(ink.colour(palette.accent if checked else palette.node))
    painter.drawRoundedRect(box, 3, 3)
    if checked:
        painter.setPen(ink.pen(palette.accent_text, 2.0))
        x, y = box.left(), box.top()
        painter.drawPolyline([QPointF(x + 3, y + 7.2), QPointF(x + 6, y + 10.2), QPointF(x + 11, y + 4)])


def _paint_path(
    painter: QPainter, picture: Picture, nodes: Sequence[int], tensors: Sequence[int], detail: Detail, scale: float
) -> None:
    """Draws the path of a problem in red, with a sign on its first and last node."""
    palette, scene, graph = picture.palette, picture.scene, picture.graph
    members = set(nodes)
    for tensor in tensors:
        for wire in scene.wires_of(tensor).tolist():
            consumer = picture.sheet.box_node(int(scene.wire_target[wire]))
            if members and int(graph.tensor_producer[tensor]) in members and consumer not in members:
                continue
            control = scene.points(wire)
            paint_curve(
                painter, control, ink.pen(palette.error_soft, 8.0 * max(1.0, 0.6 / scale)), arrow=False, size=1.2
            )
            paint_curve(painter, control, ink.pen(palette.error, max(2.2, 1.5 / scale)), size=1.2)
    boxes = [scene.node_box[node] for node in nodes if node in scene.node_box]
    for box in boxes:
        _outline(painter, picture, box, palette.error, 2.2, scale)
    if detail >= Detail.BOXES:
        for box in {*boxes[:1], *boxes[-1:]}:
            _paint_sign(painter, picture, box_rect(picture, box).topLeft(), max(1.0, 0.5 / scale))


def _paint_sign(painter: QPainter, picture: Picture, at: QPointF, size: float) -> None:
    """Draws an exclamation mark on a red disc."""
    palette = picture.palette
    painter.setPen(ink.pen(palette.canvas, 1.5))
    painter.setBrush(ink.colour(palette.error))
    painter.drawEllipse(at, 9 * size, 9 * size)
    painter.setPen(ink.pen(palette.canvas, 2.2 * size))
    painter.drawLine(QPointF(at.x(), at.y() - 4.5 * size), QPointF(at.x(), at.y() + 0.8 * size))
    painter.drawPoint(QPointF(at.x(), at.y() + 4.4 * size))
