"""Which boxes and wires lie in a part of the scene: a grid over their rectangles.

Terms: a *cell* is a square of the grid; an item is listed in every cell that its rectangle touches, unless it touches
so many that it is cheaper to look at it always.

Steps: (1) for each item the range of cells; (2) (cell, item) pairs, sorted by cell, rows of cells after each other, so
that a row of a query is one range; (3) a query takes the ranges of its rows and keeps the items that really touch it.
Where a query covers a good part of the grid, or many rows of it, or the items are few, it compares all rectangles
instead: four comparisons of whole arrays take less time than some ranges to join.

Complexity: O(N log N) to build, O(rows + found) for a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Ints
from cutter_gui.gui.canvas.curves import Points, distances, evaluated, pieces_of
from cutter_gui.layout.scene import Floats, Scene

CELL = 256.0
CELLS_PER_ITEM = 64
FEW = 12_000  # items that are compared all, whatever is asked
ITEMS_PER_ROW = 3000  # a row of a query takes as long as to compare so many
SHARE_OF_ALL = 8
CURVE_STEPS = 16


class GridIndex:
    """A grid over N rectangles.

    Args:
        low: [N, 2] float32, left and top.
        high: [N, 2] float32, right and bottom.
    """

    def __init__(self, low: Floats, high: Floats) -> None:
        self._low, self._high = low, high
        if not len(low):
            return
        # Columns of their own: comparing reads them from end to end.
        self._left, self._top = np.ascontiguousarray(low[:, 0]), np.ascontiguousarray(low[:, 1])
        self._right, self._bottom = np.ascontiguousarray(high[:, 0]), np.ascontiguousarray(high[:, 1])
        self._origin = low.min(axis=0)
        self._all_low, self._all_high = self._origin, high.max(axis=0)
        first = np.floor((low - self._origin) / CELL).astype(np.int64)
        last = np.floor((high - self._origin) / CELL).astype(np.int64)
        self._columns = int(last[:, 0].max()) + 1
        self._rows = int(last[:, 1].max()) + 1
        span = last - first + 1
        count = span[:, 0] * span[:, 1]
        self._large = np.flatnonzero(count > CELLS_PER_ITEM).astype(np.int32)
        count[self._large] = 0
        item = np.repeat(np.arange(len(low)), count)
        step = np.arange(len(item)) - np.repeat(np.cumsum(count) - count, count)
        row = first[item, 1] + step // span[item, 0]
        column = first[item, 0] + step % span[item, 0]
        cell = row * self._columns + column
        order = np.argsort(cell, kind="stable")
        self._cell, self._item = cell[order], item[order].astype(np.int32)

    def query(self, left: float, top: float, width: float, height: float) -> Ints:
        """Returns the items that touch a rectangle, ascending."""
        low, high = np.array([left, top]), np.array([left + width, top + height])
        if not len(self._low):
            return np.zeros(0, dtype=np.int32)
        if len(self._low) <= FEW:
            return self._all_touching(low, high)
        first = np.maximum(np.floor((low - self._origin) / CELL), 0).astype(np.int64)
        last = np.minimum(np.floor((high - self._origin) / CELL), np.array([self._columns - 1, self._rows - 1])).astype(
            np.int64
        )
        if np.any(last < first):
            return np.zeros(0, dtype=np.int32)
        if last[1] - first[1] > len(self._low) / ITEMS_PER_ROW:
            return self._all_touching(low, high)
        rows = np.arange(first[1], last[1] + 1) * self._columns
        starts = np.searchsorted(self._cell, rows + first[0])
        ends = np.searchsorted(self._cell, rows + last[0], side="right")
        found = [self._item[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        if sum(map(len, found)) > len(self._low) / SHARE_OF_ALL:
            return self._all_touching(low, high)
        # An item listed in several cells is found several times; marks are read in order without any sorting.
        touching = np.zeros(len(self._low), dtype=np.bool_)
        touching[self._touching(np.concatenate([self._large, *found]), low, high)] = True
        return np.flatnonzero(touching).astype(np.int32)

    def _all_touching(self, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]) -> Ints:
        """Looks at every item: where many are in sight that is faster than to collect them."""
        if self._all_low[0] >= low[0] and self._all_low[1] >= low[1] and np.all(self._all_high <= high):
            return np.arange(len(self._low), dtype=np.int32)
        touch = self._left <= _at_most(high[0])
        touch &= self._right >= -_at_most(-low[0])
        touch &= self._top <= _at_most(high[1])
        touch &= self._bottom >= -_at_most(-low[1])
        return np.flatnonzero(touch).astype(np.int32)

    def _touching(self, items: Ints, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]) -> Ints:
        touch = self._left[items] <= _at_most(high[0])
        touch &= self._right[items] >= -_at_most(-low[0])
        touch &= self._top[items] <= _at_most(high[1])
        touch &= self._bottom[items] >= -_at_most(-low[1])
        return items[touch]


def _at_most(value: np.float64) -> np.float32:
    """Returns the largest number of 32 bits up to a value: comparing with it is exact and needs no longer numbers."""
    near = np.float32(value)
    return near if near <= value else np.nextafter(near, np.float32(-np.inf))


@dataclass(frozen=True, eq=False)
class SceneIndex:
    """Culling and hit testing of a scene."""

    scene: Scene

    @cached_property
    def _boxes(self) -> GridIndex:
        rects = self.scene.box_rect
        return GridIndex(rects[:, :2], rects[:, :2] + rects[:, 2:])

    @cached_property
    def _pieces(self) -> tuple[Points, Ints]:
        return pieces_of(self.scene)

    @cached_property
    def _wires(self) -> GridIndex:
        pieces, _ = self._pieces
        return GridIndex(pieces.min(axis=1), pieces.max(axis=1))

    @property
    def piece_points(self) -> Points:
        """[Q, 4, 2], the control points of the pieces of all wires."""
        return self._pieces[0]

    @property
    def piece_wire(self) -> Ints:
        """[Q], the wire of each piece."""
        return self._pieces[1]

    @cached_property
    def piece_is_last(self) -> npt.NDArray[np.bool_]:
        """[Q], whether a piece is the last of its wire."""
        wire = self.piece_wire
        return np.r_[wire[1:] != wire[:-1], np.ones(min(len(wire), 1), dtype=np.bool_)]

    @cached_property
    def piece_ends(self) -> Floats:
        """[Q, 4], x and y of the first and the last point of each piece."""
        return np.ascontiguousarray(self.piece_points[:, [0, 3]].reshape(-1, 4))

    @cached_property
    def piece_reach(self) -> Floats:
        """[Q], the longer side of the rectangle around the ends of each piece."""
        ends = self.piece_ends
        return np.maximum(np.abs(ends[:, 2] - ends[:, 0]), np.abs(ends[:, 3] - ends[:, 1]))

    def pieces_in(self, left: float, top: float, width: float, height: float) -> Ints:
        """Returns the pieces of wires that may touch a rectangle, ascending."""
        return self._wires.query(left, top, width, height)

    def boxes_in(self, left: float, top: float, width: float, height: float) -> Ints:
        """Returns the boxes that touch a rectangle, ascending."""
        return self._boxes.query(left, top, width, height)

    def wires_in(self, left: float, top: float, width: float, height: float) -> Ints:
        """Returns the wires of which some piece may touch a rectangle, ascending."""
        seen = np.zeros(self.scene.wire_count, dtype=np.bool_)
        seen[self._pieces[1][self._wires.query(left, top, width, height)]] = True
        return np.flatnonzero(seen).astype(np.int32)

    def box_at(self, x: float, y: float) -> int:
        """Returns the uppermost box at a point, -1 for none."""
        found = self.boxes_in(x, y, 0, 0)
        return int(found[-1]) if len(found) else -1

    def wire_at(self, x: float, y: float, reach: float) -> int:
        """Returns the wire nearest to a point within ``reach``, -1 for none; of equally near ones the first."""
        found = self._wires.query(x - reach, y - reach, 2 * reach, 2 * reach)
        if not len(found):
            return -1
        pieces, wire = self._pieces
        apart = distances(evaluated(pieces[found], CURVE_STEPS), x, y)
        nearest = int(np.argmin(apart))
        return int(wire[found[nearest]]) if apart[nearest] <= reach else -1
