"""Where cuts are drawn: a line across the graph for each, and a mark on each edge it cuts.

Terms: the *reach* of a wire is the range of heights a mark may stand at; the *level* of a cut is the height that most
of its wires reach. Where edges run from left to right, read left for up and down for right.

Steps: (1) the level, by sweeping over the ends of all reaches; of the heights that reach it, the one at which a line
from the first to the last wire touches the fewest boxes; (2) each wire gets its mark at the level, or as near to it as
it reaches; (3) marks near the level are joined by a line from left to right, which goes on to the tag; marks far off,
and those of stubs, which stand beside their consumers, stand alone.

Complexity: O(L log L) for the L edges of a cut, and a grid query for each height tried. Left out: lines that bend
around boxes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.curves import point_at_height
from cutter_gui.gui.canvas.edge_labels import EdgeLabels
from cutter_gui.gui.canvas.spatial_index import SceneIndex
from cutter_gui.layout.scene import Scene, WireKind

END_GAP = 14.0  # marks keep so far from the ends of a wire
NEAR_LEVEL = 96.0
OVERHANG = 64.0
OVERHANG_DOWN = 40.0  # of lines that run downwards
TAG_WIDTH = 80.0
TAG_HEIGHT = 26.0
FRACTIONS = (0.66, 0.5, 0.8, 0.35, 0.2)  # below the middle, where wires that fan out stand apart
SAME_PLACE = (36.0, 22.0)  # by axis: marks with numbers are wider than high
TAG_GAP = 12.0
TRIES = 8
MARK_GAP = 13.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """Scissors on a wire.

    Attributes:
        wire: The wire.
        x: Scene position.
        y: Scene position.
        cuts: The cuts it stands for, ascending.
        shared: Whether other cuts have the same edge, so that numbers are needed.
    """

    wire: int
    x: float
    y: float
    cuts: tuple[int, ...]
    shared: bool


@dataclass(frozen=True)
class CutLine:
    """The line of one cut.

    Attributes:
        cut: The cut.
        points: From left to right, or from top to bottom.
        tag: Rectangle of the tag, at the last end; for a cut without a line beside its first mark.
        flow: The axis along which the edges run that it crosses: 1 for y, 0 for x.
    """

    cut: int
    points: tuple[Point, ...]
    tag: Rect
    flow: int = 1

    @property
    def overhang(self) -> float:
        """How far it goes beyond its first and last mark."""
        return OVERHANG if self.flow else OVERHANG_DOWN

    @cached_property
    def bounds(self) -> Rect:
        """The rectangle around its points, a pixel wider at each side."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs) - 1, min(ys) - 1, max(xs) - min(xs) + 2, max(ys) - min(ys) + 2


@dataclass(frozen=True)
class CutDrawing:
    """All marks and lines of a plan."""

    marks: tuple[Mark, ...] = ()
    lines: tuple[CutLine, ...] = ()

    @cached_property
    def mark_points(self) -> npt.NDArray[np.float64]:
        """[M, 2], the places of the marks."""
        return np.array([(mark.x, mark.y) for mark in self.marks], dtype=np.float64).reshape(-1, 2)


def draw_cuts(staging: Staging | None, index: SceneIndex, labels: EdgeLabels) -> CutDrawing:
    """Returns where the cuts of a plan are drawn; see the top of this file."""
    if staging is None or not len(staging.listings.edge):
        return CutDrawing()
    scene = index.scene
    wires_by_cut: dict[int, list[int]] = {}
    cuts_by_wire: dict[int, list[int]] = {}
    for edge, cut in zip(staging.listings.edge.tolist(), staging.listings.cut.tolist(), strict=True):
        wire = scene.edge_wire.get(edge)
        if wire is not None and cut not in cuts_by_wire.setdefault(wire, []):
            wires_by_cut.setdefault(cut, []).append(wire)
            cuts_by_wire[wire].append(cut)
    marks: list[Mark] = []
    lines: list[CutLine] = []
    taken: dict[int, list[float]] = {}
    for cut, wires in sorted(wires_by_cut.items()):
        plain = [wire for wire in wires if scene.wire_kind[wire] == WireKind.EDGE]
        joined: list[Mark] = []
        level = _level(scene, index, plain) if plain else 0.0
        for wire in plain:
            mark = _mark_near(scene, wire, level, cut, taken, len(cuts_by_wire[wire]) > 1)
            marks.append(mark)
            if abs((mark.x, mark.y)[scene.flow] - level) <= NEAR_LEVEL:
                joined.append(mark)
        first_stub = next((wire for wire in wires if scene.wire_kind[wire] == WireKind.STUB), None)
        if joined:
            lines.append(_line(cut, joined, index, labels))
        elif first_stub is not None:
            x, y = _beside_stub(scene, first_stub, len(cuts_by_wire[first_stub]))
            tag = (x - TAG_WIDTH / 2, y - 1.6 * TAG_HEIGHT, TAG_WIDTH, TAG_HEIGHT)
            lines.append(CutLine(cut, (), tag, scene.flow))
    for wire, cuts in cuts_by_wire.items():
        if scene.wire_kind[wire] == WireKind.STUB:
            x, y = _beside_stub(scene, wire, len(cuts))
            marks.append(Mark(wire, x, y, tuple(sorted(cuts)), len(cuts) > 1))
    return CutDrawing(tuple(marks), tuple(lines))


def _beside_stub(scene: Scene, wire: int, cuts: int) -> Point:
    """Returns the middle of a mark at the far end of a stub's pill; more cuts need more room for their numbers."""
    left, top, width, height = scene.box_rect[scene.wire_source[wire]].tolist()
    start, end = scene.points(wire)[[0, -1], 1 - scene.flow].tolist()
    if not scene.flow:
        return left + width / 2, (top - MARK_GAP if end > start else top + height + MARK_GAP)
    out = MARK_GAP + (cuts - 1) * 9.0
    return (left - out if end > start else left + width + out), top + height / 2


def _reach(scene: Scene, wire: int) -> tuple[float, float]:
    """Returns the heights between which a mark may stand on a wire."""
    points = scene.points(wire)
    top, bottom = float(points[0, scene.flow]), float(points[-1, scene.flow])
    if bottom < top:  # an upward wire: its marks stand by its lower start
        return top, top + END_GAP
    gap = min(END_GAP, (bottom - top) / 2)
    return top + gap, bottom - gap


def _level(scene: Scene, index: SceneIndex, wires: list[int]) -> float:
    """Returns the height of a cut's line; step 1."""
    reaches = np.array([_reach(scene, wire) for wire in wires])
    events = np.concatenate([reaches[:, 0], reaches[:, 1]])
    change = np.repeat([1, -1], len(wires))
    order = np.lexsort((-change, events))
    depth = np.cumsum(change[order])
    at = int(np.argmax(depth))
    low, high = float(events[order[at]]), float(events[order[min(at + 1, len(order) - 1)]])
    crossing = [wire for wire, (a, b) in zip(wires, reaches.tolist(), strict=True) if a <= low <= b]
    best: float = (low + high) / 2
    fewest: int | None = None
    for fraction in FRACTIONS if len(crossing) > 1 else (0.5, *FRACTIONS):
        y = low + fraction * (high - low)
        xs = [point_at_height(scene.points(wire), y, scene.flow)[1 - scene.flow] for wire in crossing]
        start, length = min(xs) - OVERHANG, max(xs) - min(xs) + 2 * OVERHANG
        band = (start, y - 4, length, 8) if scene.flow else (y - 4, start, 8, length)
        touched = len(index.boxes_in(*band))
        if fewest is None or touched < fewest:
            best, fewest = y, touched
        if not touched:
            break
    return best


def _mark_near(scene: Scene, wire: int, level: float, cut: int, taken: dict[int, list[float]], shared: bool) -> Mark:
    """Returns the mark of a cut on a wire, below those of earlier cuts that would cover it."""
    low, high = _reach(scene, wire)
    y = min(max(level, low), high)
    others = taken.setdefault(wire, [])
    apart = SAME_PLACE[scene.flow]
    while any(abs(y - other) < apart for other in others):
        y += apart
    others.append(y)
    x, y = point_at_height(scene.points(wire), y, scene.flow)
    return Mark(wire, x, y, (cut,), shared)


def _line(cut: int, marks: list[Mark], index: SceneIndex, labels: EdgeLabels) -> CutLine:
    """Returns the line through marks, and a place for its tag beside boxes and labels."""
    if not index.scene.flow:
        return _line_down(cut, marks, index, labels)
    points = sorted((mark.x, mark.y) for mark in marks)
    left, right = points[0], points[-1]
    x, y = right[0] + OVERHANG + TAG_GAP, right[1] - TAG_HEIGHT / 2
    for _ in range(TRIES):
        ends = [area[0] + area[2] for area in _in_the_way(index, labels, (x, y, TAG_WIDTH, TAG_HEIGHT))]
        if not ends:
            break
        x = max(ends) + TAG_GAP
    whole = ((left[0] - OVERHANG, left[1]), *points, (x, right[1]))
    return CutLine(cut, whole, (x, y, TAG_WIDTH, TAG_HEIGHT))


def _line_down(cut: int, marks: list[Mark], index: SceneIndex, labels: EdgeLabels) -> CutLine:
    """Returns the line through marks from top to bottom, its tag below."""
    points = sorted(((mark.x, mark.y) for mark in marks), key=lambda point: point[::-1])
    top, bottom = points[0], points[-1]
    x, y = bottom[0] - TAG_WIDTH / 2, bottom[1] + OVERHANG_DOWN
    for _ in range(TRIES):
        ends = [area[1] + area[3] for area in _in_the_way(index, labels, (x, y, TAG_WIDTH, TAG_HEIGHT))]
        if not ends:
            break
        y = max(ends) + TAG_GAP
    whole = ((top[0], top[1] - OVERHANG_DOWN), *points, (bottom[0], y))
    return CutLine(cut, whole, (x, y, TAG_WIDTH, TAG_HEIGHT), flow=0)


def _in_the_way(index: SceneIndex, labels: EdgeLabels, area: Rect) -> list[Rect]:
    """Returns the rectangles of boxes and labels that a rectangle touches."""
    left, top, width, height = area
    found: list[Rect] = [tuple(index.scene.box_rect[box].tolist()) for box in index.boxes_in(*area)]
    for tensor in labels.near(area):
        rect = labels.rect(tensor)
        if rect is None:
            continue
        apart = rect[0] > left + width or rect[0] + rect[2] < left or rect[1] > top + height or rect[1] + rect[3] < top
        if not apart:
            found.append(rect)
    return found
