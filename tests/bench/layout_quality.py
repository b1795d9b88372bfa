"""Crossings, overlaps and widths of drawings, measured on what is drawn: curves as polylines, boxes as rectangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cutter_gui.layout.scene import BoxKind, Scene, WireKind
from cutter_gui.layout.sketch import Sketch

Lines = list[npt.NDArray[np.float64]]

STEPS = 12
INCH = 72


def curve_lines(points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Returns points along joined cubic Bezier curves, [3 n + 1, 2] control points."""
    t = np.linspace(0, 1, STEPS + 1)[:, None, None]
    a, b, c, d = (points[at : len(points) - 3 + at : 3].astype(np.float64) for at in range(4))
    line = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return np.asarray(line.transpose(1, 0, 2).reshape(-1, 2))


def scene_lines(scene: Scene) -> Lines:
    """Returns the edges that a scene draws whole, by number of the edge; output wires and stubs are left out."""
    wires = np.flatnonzero((scene.wire_kind == WireKind.EDGE) & (scene.wire_source != scene.wire_target))
    return [curve_lines(scene.points(wire)) for wire in wires[np.argsort(scene.wire_edge[wires])].tolist()]


def dot_lines(sketch: Sketch) -> Lines:
    """Returns the same edges as Graphviz dot draws them, with its own splines and without any limit of time."""
    import pygraphviz

    text = [
        f"digraph {{ graph [splines=true nodesep={24 / INCH:.4f} ranksep={44 / INCH:.4f}];",
        'node [shape=box fixedsize=true label=""]; edge [arrowhead=none];',
    ]
    for box, (width, height) in enumerate(sketch.cell.tolist()):
        text.append(f"{box} [width={width / INCH:.5f} height={height / INCH:.5f}];")
    pairs = list(zip(sketch.link_source.tolist(), sketch.link_target.tolist(), strict=True))
    text.extend(f"{source} -> {target} [key={link}];" for link, (source, target) in enumerate(pairs))
    drawing = pygraphviz.AGraph(string="\n".join([*text, "}"]))
    drawing.layout(prog="dot")
    found: dict[int, npt.NDArray[np.float64]] = {}
    for edge in (drawing.get_edge(*ends) for ends in drawing.edges(keys=True)):
        link = int(edge.key)
        if sketch.link_edge[link] >= 0 and edge[0] != edge[1]:
            parts = [part for part in edge.attr["pos"].replace("\\\n", "").split() if part[0] not in "es"]
            found[int(sketch.link_edge[link])] = curve_lines(np.array([part.split(",") for part in parts], np.float64))
    drawing.close()
    return [found[edge] for edge in sorted(found)]


def crossings(lines: Lines) -> int:
    """Returns in how many points edges cross, those that only touch or run along each other left out."""
    owner = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    order = np.argsort(np.minimum(start[:, 1], end[:, 1]), kind="stable")
    owner, start, end = owner[order], start[order], end[order]
    low, high = np.minimum(start, end), np.maximum(start, end)
    total = 0
    for at in range(len(owner)):
        last = int(np.searchsorted(low[:, 1], high[at, 1], side="right"))
        near = at + 1 + np.flatnonzero((low[at + 1 : last, 0] < high[at, 0]) & (high[at + 1 : last, 0] > low[at, 0]))
        near = near[owner[near] != owner[at]]
        if len(near):
            one = _side(start[at], end[at], start[near]) * _side(start[at], end[at], end[near])
            two = _side(start[near], end[near], start[at]) * _side(start[near], end[near], end[at])
            total += int(((one < 0) & (two < 0)).sum())
    return total


def _side(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], p: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    cross = (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0])
    return np.sign(np.where(np.abs(cross) < 1e-6, 0, cross))


def overlaps(scene: Scene) -> int:
    """Returns how many pairs of nodes overlap."""
    rects = scene.box_rect[scene.box_kind == BoxKind.NODE].astype(np.float64)
    order = np.argsort(rects[:, 1], kind="stable")
    low, high = rects[order, :2] + 0.5, rects[order, :2] + rects[order, 2:] - 0.5
    total = 0
    for at in range(len(order)):
        last = int(np.searchsorted(low[:, 1], high[at, 1]))
        beside = (low[at + 1 : last, 0] < high[at, 0]) & (high[at + 1 : last, 0] > low[at, 0])
        total += int(beside.sum())
    return total
