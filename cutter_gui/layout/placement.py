"""What an engine gives back, and how it becomes a scene.

Terms: a *route* is the curve of a link as control points; a *port* is where a link meets a box.

Steps: (1) links that leave or enter one box are spread over its edge, those of one tensor leave together, in the order
in which they come in, the one nearest the middle staying where it is; (2) both ends of every route move to their
ports; (3) side pills and their wires are put beside their boxes; (4) everything is gathered into arrays, and
mirrored when the sketch is turned.

Complexity: O((B + K) log K).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Ints
from cutter_gui.layout.scene import BoxKind, Floats, Scene, WireKind, turned
from cutter_gui.layout.sketch import STUB_APART, STUB_GAP, SidePill, Sketch

NODE_GAP = 24
LAYER_GAP = 44
TURNED_LAYER_GAP = 88  # where no type stands along the edges, when these run from left to right
MARGIN = 32
PORT_STEP = 16
STRAIGHT = 0.5
PORT_MARGIN = 16  # ports keep so far from the corners of a box
TURNED_PORT_MARGIN = 8

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Routes:
    """One curve a link: link k has the control points ``starts[k]:starts[k + 1]``, none where it has no route."""

    starts: Ints
    points: Doubles

    @classmethod
    def from_rows(cls, rows: list[list[list[float]]]) -> Routes:
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        flat = [point for row in rows for point in row]
        return cls(starts, np.asarray(flat, dtype=np.float64).reshape(-1, 2))

    @classmethod
    def through(cls, count: int, link: Ints, stops: Doubles) -> Routes:
        """Returns curves through stops, vertical at each; runs of stops at one x become one straight piece.

        Args:
            count: Number of links.
            link: [S], the link of each stop, ascending.
            stops: [S, 2], each link's stops from its source to its target.
        """
        if not len(link):
            return cls(np.zeros(count + 1, dtype=np.int32), np.zeros((0, 2), dtype=np.float64))
        same = link[1:] == link[:-1]
        level = np.abs(np.diff(stops[:, 0])) < STRAIGHT
        between = np.r_[False, same] & np.r_[same, False]
        kept = ~(between & np.r_[False, level] & np.r_[level, False])
        link, stops = link[kept], stops[kept]
        piece = np.flatnonzero(link[1:] == link[:-1])
        one, two = stops[piece], stops[piece + 1]
        pull = _pull(two[:, 1] - one[:, 1], np.abs(two[:, 0] - one[:, 0]))
        lengths = np.bincount(link[piece], minlength=count) * 3
        starts = np.concatenate([[0], np.cumsum(np.where(lengths > 0, lengths + 1, 0))]).astype(np.int32)
        points = np.empty((int(starts[-1]), 2), dtype=np.float64)
        drawn = np.flatnonzero(lengths)
        points[starts[drawn]] = stops[np.searchsorted(link, drawn)]
        # Each piece adds three points; those of one link follow its first.
        at = 3 * np.arange(len(piece)) + 1 + np.cumsum(lengths > 0)[link[piece]] - 1
        points[at] = one + np.stack([np.zeros(len(pull)), pull], axis=1)
        points[at + 1] = two - np.stack([np.zeros(len(pull)), pull], axis=1)
        points[at + 2] = two
        return cls(starts, points)


@dataclass(frozen=True, eq=False)
class Placement:
    """Positions of all cells.

    Attributes:
        engine: Who placed them.
        center: [B, 2] float64.
        routes: A curve from the bottom of its source to the top of its target for each link; none for a link from a
            box to itself, and where the engine has none.
    """

    engine: str
    center: Doubles
    routes: Routes


def make_scene(sketch: Sketch, placement: Placement) -> Scene:
    """Returns the scene of a placement; see the top of this file."""
    center, size = placement.center, sketch.size.astype(np.float64)
    rects = np.concatenate([center - size / 2, size], axis=1)
    routes = _with_every_route(sketch, placement.routes, rects)
    _move_to_ports(sketch, routes, rects)
    pill_rects, pill_kind, pill_ref, side_wires = _place_side_pills(sketch, rects)
    box_rect = np.concatenate([rects, pill_rects]).astype(np.float32)
    link_kind = np.where(sketch.link_edge >= 0, WireKind.EDGE, WireKind.OUTPUT)
    wire_points = np.concatenate([routes.points, side_wires.points]).astype(np.float32)
    wire_starts = np.concatenate([routes.starts, routes.starts[-1] + side_wires.starts[1:]]).astype(np.int32)
    scene = Scene(
        engine=placement.engine,
        box_rect=box_rect,
        box_kind=np.concatenate([sketch.box_kind, pill_kind]).astype(np.uint8),
        box_ref=np.concatenate([sketch.box_ref, pill_ref]).astype(np.int32),
        wire_starts=wire_starts,
        wire_points=wire_points,
        wire_kind=np.concatenate([link_kind, side_wires.kind]).astype(np.uint8),
        wire_edge=np.concatenate([sketch.link_edge, side_wires.edge]).astype(np.int32),
        wire_tensor=np.concatenate([sketch.link_tensor, side_wires.tensor]).astype(np.int32),
        wire_source=np.concatenate([sketch.link_source, side_wires.source]).astype(np.int32),
        wire_target=np.concatenate([sketch.link_target, side_wires.target]).astype(np.int32),
        bounds=_bounds(box_rect, wire_points),
    )
    return turned(scene) if sketch.turned else scene


def layer_gap(sketch: Sketch) -> int:
    """Returns the least room between two layers."""
    return TURNED_LAYER_GAP if sketch.turned else LAYER_GAP


def _bounds(rects: Floats, points: Floats) -> tuple[float, float, float, float]:
    corners = np.concatenate([rects[:, :2], rects[:, :2] + rects[:, 2:], points])
    if not len(corners):
        return (0.0, 0.0, 0.0, 0.0)
    low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    return (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))


def vertical_curve(start: tuple[float, float], end: tuple[float, float]) -> list[list[float]]:
    """Returns the control points of a curve that leaves and arrives vertically, with round corners where it is flat."""
    pull = float(_pull(np.float64(end[1] - start[1]), np.float64(abs(end[0] - start[0]))))
    return [[start[0], start[1]], [start[0], start[1] + pull], [end[0], end[1] - pull], [end[0], end[1]]]


def _pull(drop: Doubles | np.float64, sideways: Doubles | np.float64) -> Doubles:
    """Returns how far the tangents of a curve reach: farther where it is flat."""
    steep = np.minimum(sideways / np.maximum(4 * np.abs(drop), 1.0), 1.0)
    return np.asarray(drop * (0.5 + 0.35 * steep), dtype=np.float64)


def _with_every_route(sketch: Sketch, routes: Routes, rects: Doubles) -> Routes:
    """Returns routes in which links the engine left out have a plain curve."""
    missing = np.flatnonzero(np.diff(routes.starts) == 0)
    if not len(missing):
        return Routes(routes.starts, routes.points.copy())
    lengths = np.diff(routes.starts)
    added: list[list[list[float]]] = []
    for link in missing.tolist():
        left, top, width, height = rects[sketch.link_source[link]].tolist()
        to_left, to_top, to_width, _ = rects[sketch.link_target[link]].tolist()
        start, end = (left + width / 2, top + height), (to_left + to_width / 2, to_top)
        added.append(
            upward_curve(start, end, _right_of_rows(rects, end[1] - LAYER_GAP / 2, start[1] + LAYER_GAP / 2))
            if end[1] <= start[1]
            else vertical_curve(start, end)
        )
    extra = Routes.from_rows(added)
    lengths[missing] = np.diff(extra.starts)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    is_extra = np.zeros(len(lengths), dtype=np.bool_)
    is_extra[missing] = True
    from_extra = np.repeat(is_extra, lengths)
    points = np.empty((int(starts[-1]), 2), dtype=np.float64)
    points[from_extra], points[~from_extra] = extra.points, routes.points
    return Routes(starts, points)


def _right_of_rows(rects: Doubles, top: float, bottom: float) -> float:
    """Returns the right side of all boxes that stand between two heights."""
    between = (rects[:, 1] < bottom) & (rects[:, 1] + rects[:, 3] > top)
    return float((rects[between, 0] + rects[between, 2]).max())


def upward_curve(start: tuple[float, float], end: tuple[float, float], right: float) -> list[list[float]]:
    """Returns a way from the bottom of one box, up a lane at the right, to the top of one above, or of the same."""
    lane, reach = right + NODE_GAP, LAYER_GAP / 2
    third = (end[1] - start[1]) / 3
    return [
        [start[0], start[1]],
        [start[0], start[1] + reach],
        [lane, start[1] + reach],
        [lane, start[1]],
        [lane, start[1] + third],
        [lane, end[1] - third],
        [lane, end[1]],
        [lane, end[1] - reach],
        [end[0], end[1] - reach],
        [end[0], end[1]],
    ]


def _move_to_ports(sketch: Sketch, routes: Routes, rects: Doubles) -> None:
    """Moves the ends of all routes, and the tangents there, to the ports of their boxes."""
    points, first, last = routes.points, routes.starts[:-1], routes.starts[1:] - 1
    if not len(first):
        return
    arrival = points[last - 3, 0]
    margin = TURNED_PORT_MARGIN if sketch.turned else PORT_MARGIN
    x_in = _ports(sketch.link_target, np.arange(len(first), dtype=np.int32), arrival, rects, margin)
    # Links of one tensor leave from one port: they are told apart by where they go, not by where they start.
    departure = _mean_by(sketch.link_tensor, points[first + 3, 0])
    x_out = _ports(sketch.link_source, sketch.link_tensor, departure, rects, margin)
    for ends, tangents, x, y in (
        (first, first + 1, x_out, rects[sketch.link_source, 1] + rects[sketch.link_source, 3]),
        (last, last - 1, x_in, rects[sketch.link_target, 1]),
    ):
        shift = np.stack([x, y], axis=1) - points[ends]
        points[ends] += shift
        points[tangents] += shift


def _mean_by(key: Ints, values: Doubles) -> Doubles:
    """Returns for each entry the mean of the values that share its key."""
    total = np.bincount(key, weights=values)
    return np.asarray(total[key] / np.bincount(key)[key], dtype=np.float64)


def _ports(box: Ints, group: Ints, towards: Doubles, rects: Doubles, margin: int) -> Doubles:
    """Returns the x of each link's port on its box; links of one group on one box share a port.

    Args:
        box: [K], the box.
        group: [K].
        towards: [K], the x at which the link is some way from the box.
        rects: [B, 4].
        margin: How far ports keep from the corners of a box.
    """
    center = rects[box, 0] + rects[box, 2] / 2
    ranked = np.lexsort((group, towards, box))
    boxes, groups = box[ranked], group[ranked]
    # A unit is the links of one group on one box; they follow each other.
    new_box = np.r_[True, boxes[1:] != boxes[:-1]]
    new_unit = new_box | np.r_[True, groups[1:] != groups[:-1]]
    unit = np.cumsum(new_unit) - 1
    of_box = (np.cumsum(new_box) - 1)[new_unit]
    first = np.flatnonzero(np.r_[True, of_box[1:] != of_box[:-1]])
    count = np.diff(np.r_[first, len(of_box)])[of_box]
    index = np.arange(len(of_box)) - first[of_box]
    lead = ranked[new_unit]
    wanted = towards[lead] - center[lead]
    reach = np.maximum(rects[box[lead], 2] / 2 - margin, 0.0)
    step = np.minimum(PORT_STEP, 2 * reach / np.maximum(count - 1, 1))
    # The unit nearest the middle keeps nearly the place it wants, the others stand a step apart.
    nearest = np.lexsort((index, np.abs(wanted), of_box))[first][of_box]
    anchor, pull = index[nearest], wanted[nearest]
    at = np.where(np.abs(pull) > 1, np.clip(pull, -PORT_STEP / 2, PORT_STEP / 2), 0.0)
    at = np.minimum(np.maximum(at, anchor * step - reach), reach - (count - 1 - anchor) * step)
    offset = np.where(count > 1, at + (index - anchor) * step, 0.0)
    result: Doubles = np.empty(len(box), dtype=np.float64)
    result[ranked] = center[ranked] + offset[unit]
    return result


@dataclass(frozen=True, eq=False)
class _SideWires:
    starts: Ints
    points: Doubles
    kind: Ints
    edge: Ints
    tensor: Ints
    source: Ints
    target: Ints


def _place_side_pills(sketch: Sketch, rects: Doubles) -> tuple[Doubles, Ints, Ints, _SideWires]:
    """Returns rects, kinds and tensors of the side pills, and their wires."""
    placed: list[tuple[SidePill, tuple[float, float, float, float], list[list[float]]]] = []
    for pills, sign in ((sketch.left, -1), (sketch.right, 1)):
        stacks: dict[int, int] = {}
        for pill in pills:
            stacks[pill.box] = stacks.get(pill.box, -STUB_APART) + pill.height + STUB_APART
        above: dict[int, int] = {}
        for pill in pills:
            offset = above.get(pill.box, 0) + (pill.height - stacks[pill.box]) / 2
            above[pill.box] = above.get(pill.box, 0) + pill.height + STUB_APART
            placed.append((pill, *_beside(pill, rects[pill.box].tolist(), sign, offset)))
    first = sketch.box_count
    kind, ref, edge, source, target = [], [], [], [], []
    for number, (pill, _, _) in enumerate(placed):
        is_stub = pill.edge >= 0
        kind.append(int(WireKind.STUB if is_stub else WireKind.HUB))
        ref.append(pill.tensor)
        edge.append(pill.edge)
        source.append(first + number if is_stub else pill.box)
        target.append(pill.box if is_stub else first + number)
    routes = Routes.from_rows([curve for _, _, curve in placed])
    numbers = [np.asarray(values, dtype=np.int32) for values in (kind, edge, ref, source, target)]
    box_kind = np.where(numbers[0] == WireKind.STUB, BoxKind.STUB, BoxKind.HUB).astype(np.int32)
    pill_rects = np.asarray([rect for _, rect, _ in placed], dtype=np.float64).reshape(-1, 4)
    wires = _SideWires(routes.starts, routes.points, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    return pill_rects, box_kind, numbers[2], wires


def _beside(
    pill: SidePill, rect: list[float], sign: int, offset: float
) -> tuple[tuple[float, float, float, float], list[list[float]]]:
    """Returns the rect of a pill beside a box and its wire, a stub's towards the box, a hub's away from it.

    Args:
        pill: The pill.
        rect: Of the box.
        sign: -1 for the left side, 1 for the right.
        offset: How far below the middle of the box that of the pill is.
    """
    left, top, width, height = rect
    y = top + height / 2 + offset
    side = left if sign < 0 else left + width
    near = side + sign * STUB_GAP
    x = near - pill.width if sign < 0 else near
    meets = min(max(y, top + 8), top + height - 8)
    middle = (near + side) / 2
    curve = [[near, y], [middle, y], [middle, meets], [side, meets]]
    return (x, y - pill.height / 2, float(pill.width), float(pill.height)), curve if pill.edge >= 0 else curve[::-1]
