"""The layout engine for large graphs: layers, few crossings, straight edges, in nearly linear time.

Terms: a *vertex* is a box or a *bend*, the place where a link passes through a layer; the *span* of a link is the
number of layers it goes down; a link is *long* when its bends are not worth their cost, and goes *beside* the boxes in
a *lane* of its own.

Steps: (1) layers are longest paths (`cutter_gui.layout.layers`); (2) links get bends, short ones first, until the
budget of bends is used up; the rest are long; (3) `cutter_gui.layout.ordering` orders the vertices of each layer;
(4) `cutter_gui.layout.alignment` gives them x; (5) layers get y from their highest cell; (6) routes go through the
bends with vertical tangents, straight across a layer and curved between layers, so that they touch no box; long ones go
from their source to a lane outside all layers they pass, down, and back.

Complexity: O((V + K) log V) for V vertices and K links with a fixed number of sweeps; bends are at most
`BENDS_PER_BOX` times the boxes and links, so V is linear in the graph. No recursion; the same graph gives the same
picture.

Left out: network simplex ranking, transposition of neighbours, ports inside the ordering, and laying out repeated
blocks once.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Bools, Ints
from cutter_gui.layout.alignment import aligned
from cutter_gui.layout.ordering import Levels, ordered
from cutter_gui.layout.placement import NODE_GAP, Doubles, Placement, Routes
from cutter_gui.layout.routing import curve_through
from cutter_gui.layout.rows import row_heights
from cutter_gui.layout.sketch import Sketch

BENDS_PER_BOX = 2
BENDS_ALWAYS = 2000
BEND_WIDTH = 8.0
LANE_STEP = 12.0


@dataclass(frozen=True, eq=False)
class Bends:
    """The vertices of a graph in layers.

    Attributes:
        layer: [V], boxes first, then bends.
        width: [V] float64.
        first_bend: [K], the first bend of each link; those of one link are numbered on downwards; -1 without any.
        through: [K], whether the link runs through its bends (short) rather than beside (long) or upwards.
        upper: [S], vertex above each segment of a link that runs through.
        lower: [S].
    """

    layer: Ints
    width: Doubles
    first_bend: Ints
    through: Bools
    upper: Ints
    lower: Ints


def place(sketch: Sketch, progress: Progress = no_progress) -> Placement:
    """Returns positions of the cells and routes of the links; see the top of this file."""
    progress("Arranging in layers", 0.1)
    bends = _bend(sketch)
    levels = Levels.of(bends.layer, bends.upper, bends.lower)
    levels = ordered(levels, progress)
    progress("Aligning the layers", 0.6)
    x = aligned(levels, bends.width, NODE_GAP, sketch.box_count)
    x[: sketch.box_count] = np.round(x[: sketch.box_count])
    top, height = row_heights(sketch, x[: sketch.box_count], sketch.layer, len(levels.layers))
    center = np.empty((sketch.box_count, 2), dtype=np.float64)
    center[:, 0] = x[: sketch.box_count]
    center[:, 1] = top[sketch.layer] + height[sketch.layer] / 2
    progress("Routing edges", 0.8)
    lanes = _lanes(sketch, bends, x, len(levels.layers))
    return Placement("layered", center, _routes(sketch, bends, x, top, height, lanes))


def _bend(sketch: Sketch) -> Bends:
    """Splits links at the layers they pass, within the budget; steps 1 and 2."""
    source, target, layer = sketch.link_source, sketch.link_target, sketch.layer
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
        width=np.concatenate([sketch.cell[:, 0].astype(np.float64), np.full(len(link), BEND_WIDTH)]),
        first_bend=first,
        through=through,
        upper=np.concatenate([source[chosen], bend]).astype(np.int32),
        lower=np.concatenate([below_source, below_bend]).astype(np.int32),
    )


def _lanes(sketch: Sketch, bends: Bends, x: Doubles, layer_count: int) -> dict[int, float]:
    """Returns the x of the lane of each long link: outside every layer it passes, no two in one place."""
    long = np.flatnonzero(~bends.through & (sketch.layer[sketch.link_target] > sketch.layer[sketch.link_source]))
    if not len(long):
        return {}
    right = np.full(layer_count, -np.inf)
    np.maximum.at(right, bends.layer, x + bends.width / 2)
    tables = _range_maxima(right)
    upper, lower = sketch.layer[sketch.link_source[long]], sketch.layer[sketch.link_target[long]]
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
    rows: list[list[list[float]]] = []
    tops, bottoms, xs = top.tolist(), (top + height).tolist(), x.tolist()
    sources, targets, layer = sketch.link_source.tolist(), sketch.link_target.tolist(), sketch.layer.tolist()
    half = (sketch.size[:, 1] / 2).tolist()
    first = bends.first_bend.tolist()
    for link, through in enumerate(bends.through.tolist()):
        source, target = sources[link], targets[link]
        upper, lower = layer[source], layer[target]
        if not through and link not in lanes:
            rows.append([])
            continue
        if through:
            places = xs[first[link] : first[link] + lower - upper - 1] if lower - upper > 1 else []
            passed = [(at, tops[upper + 1 + n], bottoms[upper + 1 + n]) for n, at in enumerate(places)]
        else:
            passed = [(lanes[link], tops[upper + 1], bottoms[lower - 1])]
        start = (tops[upper] + bottoms[upper]) / 2 + half[source]
        end = (tops[lower] + bottoms[lower]) / 2 - half[target]
        rows.append(curve_through((xs[source], start), passed, (xs[target], end)))
    return Routes.from_rows(rows)
