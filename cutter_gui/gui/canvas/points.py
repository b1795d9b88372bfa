"""Where to click to hit a thing: for tests and for assistive programs, which act by real clicks."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect

from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.curves import polyline
from cutter_gui.gui.canvas.hit import HitKind, hit_at
from cutter_gui.gui.canvas.sheet import Picture

STEPS = 32  # places tried a piece of a wire


def node_point(picture: Picture, camera: Camera, node: int) -> QPoint:
    """Returns a viewport point where a click hits a node.

    Raises:
        KeyError: The node is not drawn.
    """
    left, top, width, height = picture.scene.box_rect[picture.scene.node_box[node]].tolist()
    return QPointF(*camera.to_view(left + width / 2, top + height / 2)).toPoint()


def edge_point(picture: Picture, camera: Camera, viewport: QRect, tensor: int, consumer: int) -> QPoint:
    """Returns a viewport point where a click hits an edge.

    Of the points in sight it takes one that only this edge covers, else one where the tensor is hit.

    Raises:
        KeyError: The edge is not drawn.
    """
    edge = picture.graph.edge(tensor, consumer)
    if edge is None:
        raise KeyError((tensor, consumer))
    wire = picture.scene.edge_wire[edge]
    line = polyline(picture.scene.points(wire), STEPS)[::-1].tolist()
    points = [QPointF(*camera.to_view(x, y)).toPoint() for x, y in line]
    in_sight = [point for point in points if viewport.adjusted(2, 2, -2, -2).contains(point)]
    hits = [(point, hit_at(picture, *camera.to_scene(point.x(), point.y()), camera.scale)) for point in in_sight]
    own = [point for point, hit in hits if hit.wire == wire]
    same = [point for point, hit in hits if hit.kind is HitKind.EDGE and hit.tensor == tensor]
    candidates = own or same or in_sight or points
    return candidates[len(candidates) // 2]
