"""Graphs to draw, and what must not be in a scene."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph
from cutter_gui.layout import BoxKind, Scene, WireKind


def overlaps(scene: Scene) -> list[tuple[int, int]]:
    rects = scene.box_rect.astype(np.float64)
    low, high = rects[:, :2] + 0.5, rects[:, :2] + rects[:, 2:] - 0.5
    meet = np.all((low[:, None] < high[None]) & (low[None] < high[:, None]), axis=2)
    return [(a, b) for a, b in np.argwhere(meet).tolist() if a < b]


def detached(scene: Scene) -> list[int]:
    """Returns the wires that do not start and end on the border of their boxes."""
    wrong = []
    for wire in range(scene.wire_count):
        points = scene.points(wire)
        for end, box in ((points[0], scene.wire_source[wire]), (points[-1], scene.wire_target[wire])):
            left, top, width, height = scene.box_rect[box].tolist()
            inside = left - 0.5 <= end[0] <= left + width + 0.5 and top - 0.5 <= end[1] <= top + height + 0.5
            on_border = min(
                abs(end[0] - left), abs(end[0] - left - width), abs(end[1] - top), abs(end[1] - top - height)
            )
            if not inside or on_border > 0.5:
                wrong.append(wire)
    return wrong


def through_boxes(scene: Scene, *, ends: bool = False) -> list[tuple[int, int]]:
    """Returns (wire, box) where a wire runs through a node; ``ends`` whether also one of its own."""
    t = np.linspace(0, 1, 25)[:, None]
    nodes = np.flatnonzero(scene.box_kind == BoxKind.NODE)
    rects = scene.box_rect[nodes]
    found = set()
    for wire in np.flatnonzero(scene.wire_kind == WireKind.EDGE).tolist():
        control = scene.points(wire).astype(np.float64)
        for at in range(0, len(control) - 1, 3):
            a, b, c, d = control[at : at + 4]
            line = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
            inside = (
                (line[:, None, 0] > rects[None, :, 0] + 1)
                & (line[:, None, 0] < rects[None, :, 0] + rects[None, :, 2] - 1)
                & (line[:, None, 1] > rects[None, :, 1] + 1)
                & (line[:, None, 1] < rects[None, :, 1] + rects[None, :, 3] - 1)
            )
            for box in nodes[inside.any(axis=0)].tolist():
                if ends or box not in (scene.wire_source[wire], scene.wire_target[wire]):
                    found.add((wire, box))
    return sorted(found)


def node_graph(edges: list[tuple[int, int]], count: int) -> Graph:
    """Returns a graph with one output a node and these edges, cycles and loops included."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for node in range(count):
        sources = sorted({a for a, b in edges if b == node})
        builder.add_node("Op", [f"t{a}" for a in sources] or ["x"], [f"t{node}"])
    builder.add_output(f"t{count - 1}")
    return builder.build()


@st.composite
def any_drawn_graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 14))
    node = st.integers(0, count - 1)
    return node_graph(draw(st.lists(st.tuples(node, node), max_size=30)), count)
