"""What a layout makes: boxes and wires as arrays, in pixels at 100 % zoom, y downwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Csr, Ints

Floats: TypeAlias = npt.NDArray[np.float32]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Engine = Literal["auto", "graphviz", "layered"]
Direction = Literal["TB", "LR"]
DIRECTIONS: tuple[Direction, ...] = ("TB", "LR")


class BoxKind(IntEnum):
    """What a box stands for; `Scene.box_ref` is a node for NODE and a tensor for all others."""

    NODE = 0
    INPUT = 1  # pill of a graph input
    OUTPUT = 2  # pill of a model output
    STUB = 3  # pill beside a consumer of a hub tensor
    HUB = 4  # pill beside what makes a hub tensor, with the number of its uses
    WEIGHT = 5  # pill of an initializer, drawn only with `LayoutOptions.show_constants`
    GROUP = 6  # a folded group; `Scene.box_ref` is the group


class WireKind(IntEnum):
    """What a wire stands for."""

    EDGE = 0  # an edge of the graph, drawn from end to end
    STUB = 1  # an edge of a hub tensor: from the stub pill to the consumer
    HUB = 2  # from what makes a hub tensor to its pill; no edge of the graph
    OUTPUT = 3  # from a node to the pill of a model output; no edge of the graph


@dataclass(frozen=True)
class LayoutOptions:
    """What to lay out and how.

    Attributes:
        engine: ``auto`` takes what is better for a graph, see `cutter_gui.layout.choose`.
        direction: Where edges run: ``TB``, top to bottom, or ``LR``, left to right.
        hub_threshold: A tensor with more consumers than this is drawn as stubs.
        show_constants: Whether constant nodes and initializers are drawn.
        before: The engine of the picture that this one follows; ``auto`` keeps it where it can. None to choose anew.
    """

    engine: Engine = "auto"
    direction: Direction = "TB"
    hub_threshold: int = 8
    show_constants: bool = False
    before: str | None = None


@dataclass(frozen=True, eq=False)
class SceneFold:
    """What a scene has besides when groups are folded: nodes and edges that share a box or a wire.

    Attributes:
        node_box: [N], the box that each node is in, -1 where it is not drawn.
        edge_wire: [E], the wire that each edge runs in, -1 where it is not drawn.
        wire_tensors: The tensors of each wire, ascending; `Scene.wire_tensor` is the first.
    """

    node_box: Ints
    edge_wire: Ints
    wire_tensors: Csr


@dataclass(frozen=True, eq=False)
class Scene:
    """B boxes and W wires.

    Attributes:
        engine: The engine that made it: ``graphviz`` or ``layered``.
        box_rect: [B, 4] float32, left, top, width, height.
        box_kind: [B] of `BoxKind`.
        box_ref: [B], node or tensor.
        wire_starts: [W + 1], wire w has the points ``wire_starts[w]:wire_starts[w + 1]``.
        wire_points: [P, 2] float32, control points of joined cubic Bezier curves: 3 n + 1 a wire.
        wire_kind: [W] of `WireKind`.
        wire_edge: [W], the graph's edge, -1 where a wire stands for none.
        wire_tensor: [W], the tensor.
        wire_source: [W], the box it starts at.
        wire_target: [W], the box it ends at.
        bounds: Left, top, width, height of everything.
        fold: What is added when groups are folded, else None.
        direction: Where edges run.
    """

    engine: str
    box_rect: Floats
    box_kind: Bytes
    box_ref: Ints
    wire_starts: Ints
    wire_points: Floats
    wire_kind: Bytes
    wire_edge: Ints
    wire_tensor: Ints
    wire_source: Ints
    wire_target: Ints
    bounds: tuple[float, float, float, float]
    fold: SceneFold | None = None
    direction: Direction = "TB"

    @property
    def flow(self) -> int:
        """The axis along which edges run: 0 for x, 1 for y."""
        return 1 if self.direction == "TB" else 0

    @property
    def box_count(self) -> int:
        return len(self.box_kind)

    @property
    def wire_count(self) -> int:
        return len(self.wire_kind)

    def points(self, wire: int) -> Floats:
        """Returns the control points of a wire, [3 n + 1, 2]."""
        return self.wire_points[self.wire_starts[wire] : self.wire_starts[wire + 1]]

    @cached_property
    def node_box(self) -> dict[int, int]:
        """The box of each node that is drawn, by itself or in a folded group."""
        if self.fold is not None:
            return {node: box for node, box in enumerate(self.fold.node_box.tolist()) if box >= 0}
        boxes = np.flatnonzero(self.box_kind == BoxKind.NODE)
        return dict(zip(self.box_ref[boxes].tolist(), boxes.tolist(), strict=True))

    @cached_property
    def edge_wire(self) -> dict[int, int]:
        """The wire of each graph edge that is drawn."""
        if self.fold is not None:
            return {edge: wire for edge, wire in enumerate(self.fold.edge_wire.tolist()) if wire >= 0}
        wires = np.flatnonzero(self.wire_edge >= 0)
        return dict(zip(self.wire_edge[wires].tolist(), wires.tolist(), strict=True))

    @cached_property
    def _tensor_order(self) -> tuple[Ints, Ints]:
        tensors, wires = self.wire_tensor, np.arange(self.wire_count, dtype=np.int32)
        if self.fold is not None:
            rows = self.fold.wire_tensors
            tensors, wires = rows.values, np.repeat(wires, np.diff(rows.starts))
        order = np.argsort(tensors, kind="stable")
        return wires[order], tensors[order]

    def tensors_of(self, wire: int) -> Ints:
        """Returns the tensors that run in a wire: one, unless groups are folded."""
        return self.wire_tensor[wire : wire + 1] if self.fold is None else self.fold.wire_tensors.row(wire)

    @cached_property
    def group_box(self) -> dict[int, int]:
        """The box of each folded group."""
        boxes = np.flatnonzero(self.box_kind == BoxKind.GROUP)
        return dict(zip(self.box_ref[boxes].tolist(), boxes.tolist(), strict=True))

    def wires_of(self, tensor: int) -> Ints:
        """Returns the wires of a tensor, stubs and output wires included."""
        order, tensors = self._tensor_order
        return order[np.searchsorted(tensors, tensor) : np.searchsorted(tensors, tensor, side="right")]

    @cached_property
    def _tensor_boxes(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for box in np.flatnonzero((self.box_kind != BoxKind.NODE) & (self.box_kind != BoxKind.GROUP)).tolist():
            found.setdefault(int(self.box_ref[box]), []).append(box)
        return found

    def boxes_of(self, tensor: int) -> list[int]:
        """Returns the pills of a tensor."""
        return self._tensor_boxes.get(tensor, [])

    def source_box(self, tensor: int, producer: int) -> int:
        """Returns the box a tensor comes from, its producer's or its input's; -1 when it is not drawn."""
        if producer >= 0:
            return self.node_box.get(producer, -1)
        for box in self.boxes_of(tensor):
            if self.box_kind[box] in (BoxKind.INPUT, BoxKind.WEIGHT):
                return box
        return -1


def empty_scene(engine: str, direction: Direction = "TB") -> Scene:
    """Returns a scene with nothing in it."""
    none = np.zeros(0, dtype=np.int32)
    return Scene(
        engine=engine,
        box_rect=np.zeros((0, 4), dtype=np.float32),
        box_kind=np.zeros(0, dtype=np.uint8),
        box_ref=none,
        wire_starts=np.zeros(1, dtype=np.int32),
        wire_points=np.zeros((0, 2), dtype=np.float32),
        wire_kind=np.zeros(0, dtype=np.uint8),
        wire_edge=none,
        wire_tensor=none,
        wire_source=none,
        wire_target=none,
        bounds=(0.0, 0.0, 0.0, 0.0),
        direction=direction,
    )


def turned(scene: Scene) -> Scene:
    """Returns the scene mirrored at the diagonal: what ran from top to bottom runs from left to right."""
    left, top, width, height = scene.bounds
    return replace(
        scene,
        box_rect=np.ascontiguousarray(scene.box_rect[:, [1, 0, 3, 2]]),
        wire_points=np.ascontiguousarray(scene.wire_points[:, ::-1]),
        bounds=(top, left, height, width),
        direction="LR" if scene.direction == "TB" else "TB",
    )
