"""Where the type of a tensor is written beside the edge that leaves its producer.

A label stands to the right of the port its tensor leaves from, below the box, and is as wide as the room up to the next
port in that row allows: shape, dtype and bytes, which are counted with the values of symbols, or shape and dtype, or
nothing. It gives way to boxes and to wires of other tensors. Where edges run from left to right it stands right of
the box, below its edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from PySide6.QtCore import QCoreApplication

from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.units import tensor_size_text, type_text
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.curves import evaluated
from cutter_gui.gui.canvas.spatial_index import SceneIndex
from cutter_gui.gui.panels.sizes import total_text
from cutter_gui.layout.scene import Floats, WireKind

HEIGHT = 18.0
OFFSET_X = 12.0
OFFSET_Y = 13.0  # its middle is that of the gap between two rows, where the line of a cut runs
BELOW = 10.0  # the edge, where edges run from left to right
PADDING = 8.0
CLEARANCE = 16.0
AROUND = 6.0  # free of wires of other tensors
WIDEST = 200.0
STEPS = 12  # lines a piece of a wire, to tell whether it touches a label


class EdgeLabels:
    """The labels of a scene.

    Args:
        graph: The graph.
        index: Its scene.
        symbols: Values of symbols that bytes are counted with.
    """

    def __init__(self, graph: Graph, index: SceneIndex, symbols: Mapping[str, int] | None = None) -> None:
        self._graph = graph
        self._symbols = symbols or {}
        self._scene = index.scene
        self._index = index
        self._texts: dict[int, str] = {}
        self._rects: dict[int, Rect | None] = {}

    @cached_property
    def _anchors(self) -> tuple[Ints, Floats, Floats, Ints]:
        """The tensors that may have a label, where it starts [A, 2], its room [A], and its wire [A]."""
        scene = self._scene
        wires = np.flatnonzero((scene.wire_kind == WireKind.EDGE) | (scene.wire_kind == WireKind.OUTPUT))
        first = np.full(self._graph.tensor_count, -1, dtype=np.int64)
        first[scene.wire_tensor[wires][::-1]] = wires[::-1]  # the first of each tensor is set last
        wires = first[first >= 0]
        start = scene.wire_points[scene.wire_starts[wires]]
        source = scene.box_rect[scene.wire_source[wires]]
        if not scene.flow:
            return self._anchors_beside(wires, start, source)
        bottom = source
        start = np.stack([start[:, 0], bottom[:, 1] + bottom[:, 3]], axis=1) + np.array([OFFSET_X, OFFSET_Y])
        order = np.lexsort((start[:, 0], start[:, 1]))
        wires, start = wires[order], start[order]
        room = np.full(len(wires), WIDEST)
        if len(wires) > 1:
            same_row = np.abs(np.diff(start[:, 1])) < HEIGHT
            gap = np.diff(start[:, 0]) - CLEARANCE
            room[:-1] = np.where(same_row, np.minimum(np.maximum(gap, 0), WIDEST), WIDEST)
        return scene.wire_tensor[wires], start.astype(np.float32), room.astype(np.float32), wires.astype(np.int32)

    def _anchors_beside(self, wires: Ints, start: Floats, source: Floats) -> tuple[Ints, Floats, Floats, Ints]:
        """Returns the anchors where edges run from left to right; of ports close above each other the last has one."""
        scene = self._scene
        start = np.stack([source[:, 0] + source[:, 2] + OFFSET_X, start[:, 1] + BELOW], axis=1)
        order = np.lexsort((start[:, 1], scene.wire_source[wires]))
        wires, start = wires[order], start[order]
        room = np.full(len(wires), WIDEST, dtype=np.float32)
        close = (np.diff(start[:, 1]) < HEIGHT) & (np.diff(scene.wire_source[wires]) == 0)
        room[:-1][close] = 0.0
        return scene.wire_tensor[wires], start.astype(np.float32), room, wires.astype(np.int32)

    @cached_property
    def _place(self) -> Ints:
        """[T], where a tensor stands among the anchors, -1 for none."""
        tensors = self._anchors[0]
        place = np.full(self._graph.tensor_count, -1, dtype=np.int32)
        place[tensors] = np.arange(len(tensors))
        return place

    def text(self, tensor: int) -> str:
        """Returns what fits beside a tensor's first edge, empty when nothing does."""
        if tensor not in self._texts:
            self._texts[tensor] = self._fitting(tensor)
        return self._texts[tensor]

    def _fitting(self, tensor: int) -> str:
        at, graph = int(self._place[tensor]), self._graph
        if at < 0:
            return ""
        together = self._scene.tensors_of(int(self._anchors[3][at])).tolist()
        if len(together) == 1 and graph.tensor_shapes[tensor] is None and not graph.tensor_dtype[tensor]:
            return ""
        room = float(self._anchors[2][at])
        x, y = self._anchors[1][at].tolist()
        for text in self._choices(tensor, together):
            if _width(text) <= room and self._is_free(tensor, x, y, _width(text)):
                return text
        return ""

    def _choices(self, tensor: int, together: list[int]) -> Iterator[str]:
        """Yields what may be written, the longest first: with bytes, or without."""
        graph, symbols = self._graph, self._symbols
        if len(together) > 1:
            short, size = _count_text(len(together)), total_text(graph, together, symbols)
        else:
            short, size = type_text(graph, tensor), tensor_size_text(graph, tensor, symbols)
        if size != "?":
            yield f"{short} · {size}"
        yield short

    def _is_free(self, tensor: int, x: float, y: float, width: float) -> bool:
        if len(self._index.boxes_in(x, y, width, HEIGHT)):
            return False
        right, bottom = x + width + AROUND, y + HEIGHT
        pieces = self._index.pieces_in(x, y, right - x, HEIGHT)
        pieces = pieces[self._scene.wire_tensor[self._index.piece_wire[pieces]] != tensor]
        lines = evaluated(self._index.piece_points[pieces], STEPS)
        low, high = np.minimum(lines[:, :-1], lines[:, 1:]), np.maximum(lines[:, :-1], lines[:, 1:])
        beside = (high[:, :, 0] <= x) | (low[:, :, 0] >= right) | (high[:, :, 1] <= y) | (low[:, :, 1] >= bottom)
        return bool(np.all(beside))

    def rect(self, tensor: int) -> Rect | None:
        """Returns the label's rectangle in the scene, None when it has none."""
        if tensor not in self._rects:
            text, found = self.text(tensor), None
            if text:
                x, y = self._anchors[1][self._place[tensor]].tolist()
                found = x, y, _width(text), HEIGHT
            self._rects[tensor] = found
        return self._rects[tensor]

    def near(self, area: Rect) -> list[int]:
        """Returns the tensors whose labels may touch a rectangle."""
        tensors, start, room, _ = self._anchors
        left, top, width, height = area
        touch = (start[:, 0] <= left + width) & (start[:, 0] + room >= left)
        touch &= (start[:, 1] <= top + height) & (start[:, 1] + HEIGHT >= top)
        found: list[int] = tensors[touch].tolist()
        return found

    def tensor_at(self, x: float, y: float) -> int:
        """Returns the tensor whose label is at a point, -1 for none."""
        for tensor in self.near((x, y, 0.0, 0.0)):
            rect = self.rect(tensor)
            if rect is not None and x <= rect[0] + rect[2]:
                return tensor
        return -1


def _count_text(count: int) -> str:
    return QCoreApplication.translate("Canvas", "{count} tensors").format(count=count)


def _width(text: str) -> float:
    return ink.metrics(ink.LABEL_PIXELS).horizontalAdvance(text) + 2 * PADDING
