"""The layout engine for large graphs: layers, few crossings, straight edges, in nearly linear time.

Terms: a *vertex* is a box or a *bend*, the place where a link passes through a layer; the *span* of a link is the
number of layers it goes down; a link is *long* when its bends are not worth their cost, and goes *beside* the boxes in
a *lane* of its own; a *stretch* is a part between two layers of one vertex.

Steps: (1) layers are longest paths (`cutter_gui.layout.layers`), rows of many small pieces folded into shelves
(`cutter_gui.layout.shelves`); (2) links get bends, short ones first, until the budget of bends is used up; the rest
are long; (3) the layers are cut into stretches, and of equal ones only the first is laid out
(`cutter_gui.layout.stretches`); (4) within a stretch the vertices of each layer are ordered for few crossings and get
x for straight edges: exactly (`ordering`, `alignment`) or, for stretches of many thousand vertices and once
`CAREFUL_IN_ALL` have had that care, in arrays (`ordering_wide`, `relaxation`); (5) layers get y from their highest
cell; (6) routes go through the bends with vertical tangents, straight across a layer and curved between layers, so
that they touch no box; long ones go from their source to a lane outside all layers they pass, down, and back.

Complexity: O((V + K) log V) for V vertices and K links with a fixed number of sweeps; bends are at most
`BENDS_PER_BOX` times the boxes and links, so V is linear in the graph. No recursion; the same graph gives the same
picture.

Left out: network simplex ranking and ports inside the ordering.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Bools, Ints
from cutter_gui.layout.alignment import aligned
from cutter_gui.layout.ordering import Levels, ordered
from cutter_gui.layout.ordering_wide import ordered_wide
from cutter_gui.layout.placement import NODE_GAP, Doubles, Placement, Routes
from cutter_gui.layout.relaxation import relaxed
from cutter_gui.layout.rows import row_heights
from cutter_gui.layout.shelves import shelved
from cutter_gui.layout.sketch import Sketch
from cutter_gui.layout.stretches import Cutting, Stretch

BENDS_PER_BOX = 2
BENDS_ALWAYS = 2000
BEND_WIDTH = 8.0
LANE_STEP = 12.0
CAREFUL_UP_TO = 2500  # vertices of a stretch
CAREFUL_IN_ALL = 20_000


@dataclass(frozen=True, eq=False)
class Bends:
    """The vertices of a graph in layers.

    Attributes:
        layer: [V], boxes first, then bends.
        sides: [V, 2] float64, how far each reaches left and right of its middle.
        first_bend: [K], the first bend of each link; those of one link are numbered on downwards; -1 without any.
        through: [K], whether the link runs through its bends (short) rather than beside (long) or upwards.
        upper: [S], vertex above each segment of a link that runs through.
        lower: [S].
    """

    layer: Ints
    sides: Doubles
    first_bend: Ints
    through: Bools
    upper: Ints
    lower: Ints


def place(sketch: Sketch, progress: Progress = no_progress) -> Placement:
    """Returns positions of the cells and routes of the links; see the top of this file."""
    progress("Arranging in layers", 0.1)
    layer = shelved(sketch)
    bends = _bend(sketch, layer)
    x = _across(sketch, bends, progress)
    progress("Routing edges", 0.8)
    count = int(layer.max()) + 1
    top, height = row_heights(sketch, x[: sketch.box_count], layer, count)
    center = np.empty((sketch.box_count, 2), dtype=np.float64)
    center[:, 0] = x[: sketch.box_count]
    center[:, 1] = top[layer] + height[layer] / 2
    lanes = _lanes(sketch, bends, x, count)
    return Placement("layered", center, _routes(sketch, bends, x, top, height, lanes))


def _bend(sketch: Sketch, layer: Ints) -> Bends:
    """Splits links at the layers they pass, within the budget; step 2."""
    source, target = sketch.link_source, sketch.link_target
    span = layer[target] - layer[source]
    down = span > 0
    count = np.where(down, span - 1, 0)
    budget = BENDS_ALWAYS + BENDS_PER_BOX * (sketch.box_count + len(source))
    shortest = np.argsort(count, kind="stable")
    fits = np.zeros(len(source), dtype=np.bool_)
    fits[shortest] = np.cumsum(count[shortest]) <= budget
    through = down & fits
    count = np.where(through, count, 0)
    ends = sketch.box_count + np.cumsum(count)
    first = np.where(count > 0, ends - count, -1).astype(np.int32)
    link = np.repeat(np.arange(len(source)), count)
    step = np.arange(len(link)) - np.repeat(np.cumsum(count) - count, count)
    bend = sketch.box_count + np.arange(len(link))
    # Segments: from each bend to what is below it, and from each source to what is below it.
    is_last = step == count[link] - 1
    below_bend = np.where(is_last, target[link], bend + 1)
    chosen = np.flatnonzero(through)
    below_source = np.where(count[chosen] > 0, first[chosen], target[chosen])
    return Bends(
        layer=np.concatenate([layer, layer[source[link]] + 1 + step]).astype(np.int32),
        sides=np.concatenate([sketch.sides.astype(np.float64), np.full((len(link), 2), BEND_WIDTH / 2)]),
        first_bend=first,
        through=through,
        upper=np.concatenate([source[chosen], bend]).astype(np.int32),
        lower=np.concatenate([below_source, below_bend]).astype(np.int32),
    )


def _across(sketch: Sketch, bends: Bends, progress: Progress) -> Doubles:
    """Returns [V], the x of every vertex; steps 3 and 4."""
    is_bend = np.arange(len(bends.layer)) >= sketch.box_count
    cutting = Cutting.of(bends.layer, bends.sides, is_bend, bends.upper, bends.lower)
    x = np.zeros(len(bends.layer), dtype=np.float64)
    known: dict[bytes, Doubles] = {}
    cared_for = 0
    for first, end, stretch in cutting.stretches():
        progress("Untangling the layers", 0.2 + 0.6 * end / len(x))
        signature = stretch.signature
        if signature not in known:
            careful = stretch.vertex_count <= min(CAREFUL_UP_TO, CAREFUL_IN_ALL - cared_for)
            cared_for += stretch.vertex_count if careful else 0
            known[signature] = _placed(stretch, careful)
        x[cutting.order[first:end]] = known[signature]
    return x


def _placed(stretch: Stretch, careful: bool) -> Doubles:
    if not careful:
        return relaxed(stretch, ordered_wide(stretch), NODE_GAP)
    levels = ordered(Levels.of(stretch.starts.tolist(), stretch.upper, stretch.lower))
    return aligned(levels, stretch.sides, stretch.is_bend, stretch.fixed, NODE_GAP)


def _lanes(sketch: Sketch, bends: Bends, x: Doubles, layer_count: int) -> dict[int, float]:
    """Returns the x of the lane of each long link: outside every layer it passes, no two in one place."""
    layer = bends.layer
    long = np.flatnonzero(~bends.through & (layer[sketch.link_target] > layer[sketch.link_source]))
    if not len(long):
        return {}
    right = np.full(layer_count, -np.inf)
    np.maximum.at(right, layer, x + bends.sides[:, 1])
    tables = _range_maxima(right)
    upper, lower = layer[sketch.link_source[long]], layer[sketch.link_target[long]]
    lanes: dict[int, float] = {}
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    used = 0
    for index in np.lexsort((lower, upper)).tolist():
        start, end = int(upper[index]), int(lower[index])
        while busy and busy[0][0] <= start:
            heappush(free, heappop(busy)[1])
        if free:
            lane = heappop(free)
        else:
            lane, used = used, used + 1
        heappush(busy, (end, lane))
        level = (end - start + 1).bit_length() - 1
        outside = max(tables[level][start], tables[level][end - (1 << level) + 1])
        lanes[int(long[index])] = float(outside + NODE_GAP + lane * LANE_STEP)
    return lanes


def _range_maxima(values: Doubles) -> list[Doubles]:
    """Returns tables of maxima over 1, 2, 4, ... values from each place: any range is the greater of two of them."""
    tables = [values]
    length = 1
    while 2 * length <= len(values):
        last = tables[-1]
        tables.append(np.maximum(last[:-length], last[length:]))
        length *= 2
    return tables


def _routes(sketch: Sketch, bends: Bends, x: Doubles, top: Doubles, height: Doubles, lanes: dict[int, float]) -> Routes:
    """Returns the curves; step 6."""
    links = len(sketch.link_source)
    source, target, layer = sketch.link_source, sketch.link_target, bends.layer
    half = sketch.size[:, 1].astype(np.float64) / 2
    middle = top + height / 2
    passed = np.where(bends.first_bend >= 0, layer[target] - layer[source] - 1, 0) * bends.through
    drawn = bends.through.copy()
    lane_links = np.array(sorted(lanes), dtype=np.int64)
    drawn[lane_links] = True
    passed[lane_links] = 1
    stops = np.where(drawn, 2 + 2 * passed, 0)
    starts = np.cumsum(stops) - stops
    points = np.zeros((int(stops.sum()), 2), dtype=np.float64)
    shown = np.flatnonzero(drawn)
    points[starts[shown], 0] = x[source[shown]]
    points[starts[shown], 1] = middle[layer[source[shown]]] + half[source[shown]]
    ends = starts[shown] + stops[shown] - 1
    points[ends, 0] = x[target[shown]]
    points[ends, 1] = middle[layer[target[shown]]] - half[target[shown]]
    bent = np.flatnonzero(bends.through & (passed > 0))
    link = np.repeat(bent, passed[bent])
    step = np.arange(len(link)) - np.repeat(np.cumsum(passed[bent]) - passed[bent], passed[bent])
    bend = bends.first_bend[link] + step
    at = starts[link] + 1 + 2 * step
    row = layer[bend]
    points[at, 0] = points[at + 1, 0] = x[bend]
    points[at, 1], points[at + 1, 1] = top[row], top[row] + height[row]
    at = starts[lane_links] + 1
    points[at, 0] = points[at + 1, 0] = [lanes[int(one)] for one in lane_links]
    points[at, 1] = top[layer[source[lane_links]] + 1]
    last = layer[target[lane_links]] - 1
    points[at + 1, 1] = top[last] + height[last]
    return Routes.through(links, np.repeat(np.arange(links), stops), points)
