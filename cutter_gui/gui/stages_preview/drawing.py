"""What the Stages preview draws, as plain places and texts, whether stages stand in columns or in rows.

Places are in scene pixels. Whatever can be pointed at has a target, which stays the same when the plan changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import TypeAlias

from PySide6.QtCore import QPointF, QRectF

from cutter_gui.core.contents import StageContents, Transfer
from cutter_gui.core.hops import Hop

NODE_ROW = 20.0  # height of a node in an unfolded stage
TITLE = 50.0  # height of the first line of a stage's head
NODES_HEAD = 34.0  # height of the head of the nodes of a stage


class Inside(Enum):
    """What a line within a stage is."""

    READ = auto()  # from a Recv to the nodes
    MADE = auto()  # from the nodes to a Send
    PASSES = auto()  # from a Recv to a Send


@dataclass(frozen=True)
class StageTarget:
    stage: int


@dataclass(frozen=True)
class NodesTarget:
    """The head of a stage's nodes, which folds and unfolds them."""

    stage: int


@dataclass(frozen=True)
class NodeTarget:
    stage: int
    node: int


@dataclass(frozen=True)
class EndTarget:
    """An input or output of the model, at the stage that has it."""

    stage: int
    tensor: int
    is_input: bool


@dataclass(frozen=True)
class ChannelTarget:
    """A Send or a Recv."""

    source: int
    destination: int
    is_send: bool


@dataclass(frozen=True)
class WireTarget:
    """A tensor between a Send and its Recv."""

    source: int
    destination: int
    tensor: int


Target: TypeAlias = "StageTarget | NodesTarget | NodeTarget | EndTarget | ChannelTarget | WireTarget"


@dataclass(frozen=True, eq=False)
class EndLine:
    """A model input or output in the head of a stage; ``text`` is empty for the line that counts the rest."""

    target: EndTarget | None
    rect: QRectF
    text: str
    kind: str


@dataclass(frozen=True, eq=False)
class NodesBlock:
    """The nodes of a stage: a head, and when unfolded its Recvs, nodes and Sends in the order in which they run."""

    stage: int
    rect: QRectF
    title: str
    ops: tuple[str, ...]
    entries: tuple[int | ChannelTarget, ...]
    unfolded: bool

    @property
    def head(self) -> QRectF:
        return QRectF(self.rect.left(), self.rect.top(), self.rect.width(), NODES_HEAD)

    def row(self, at: int) -> QRectF:
        """Returns the place of a node, by its place in the list."""
        return QRectF(self.rect.left(), self.rect.top() + NODES_HEAD + at * NODE_ROW, self.rect.width(), NODE_ROW)

    def rows_in(self, area: QRectF) -> range:
        """Returns the places in the list that an area shows."""
        if not self.unfolded or not self.rect.intersects(area):
            return range(0)
        top = self.rect.top() + NODES_HEAD
        first = max(0, int((area.top() - top) // NODE_ROW))
        return range(first, min(len(self.entries), max(first, int((area.bottom() - top) // NODE_ROW) + 1)))

    def listed_at(self, point: QPointF) -> NodeTarget | ChannelTarget | None:
        """Returns what the list has at a point."""
        if not self.unfolded or not self.rect.contains(point) or point.y() < self.head.bottom():
            return None
        at = int((point.y() - self.rect.top() - NODES_HEAD) // NODE_ROW)
        return self.target(at) if at < len(self.entries) else None

    def target(self, at: int) -> NodeTarget | ChannelTarget:
        """Returns what stands at a place in the list."""
        entry = self.entries[at]
        return entry if isinstance(entry, ChannelTarget) else NodeTarget(self.stage, entry)

    def place(self, node: int) -> int | None:
        """Returns the place of a node in the list."""
        return next((at for at, entry in enumerate(self.entries) if entry == node), None)


@dataclass(frozen=True, eq=False)
class StageBox:
    """A stage."""

    contents: StageContents
    rect: QRectF
    head: QRectF
    title: str
    lines: tuple[str, ...]
    share: float
    ends: tuple[EndLine, ...]
    nodes: NodesBlock
    empty: bool

    @property
    def title_rect(self) -> QRectF:
        """The first line of its head."""
        return QRectF(self.head.left(), self.head.top(), self.head.width(), TITLE)


@dataclass(frozen=True, eq=False)
class Port:
    """A tensor in a Send or Recv: its row, and the point where the wire begins or ends."""

    tensor: int
    place: int
    name: str
    rect: QRectF
    outside: QPointF
    inside: QPointF


@dataclass(frozen=True, eq=False)
class Channel:
    """A Send or a Recv of a stage."""

    target: ChannelTarget
    transfer: Transfer
    rect: QRectF
    title: str
    detail: str
    ports: tuple[Port, ...]

    @property
    def stage(self) -> int:
        """The stage that it is a node of."""
        return self.transfer.source if self.target.is_send else self.transfer.destination

    @property
    def head(self) -> QRectF:
        """Where its title, rank and tag stand."""
        head = QRectF(self.rect)
        if self.is_upright:
            head.setBottom(min((port.rect.top() for port in self.ports), default=head.bottom()))
        else:
            head.setRight(min((port.rect.left() for port in self.ports), default=head.right()))
        return head

    @property
    def is_upright(self) -> bool:
        """Whether its tensors stand below each other, as in columns."""
        return all(port.outside.y() == port.inside.y() for port in self.ports)

    @property
    def peer(self) -> int:
        """The stage at the other end."""
        return self.transfer.destination if self.target.is_send else self.transfer.source


@dataclass(frozen=True, eq=False)
class Wire:
    """A tensor on its way from a Send to a Recv: a line with a name and, beside or below it, what it carries."""

    target: WireTarget
    hop: Hop
    points: tuple[QPointF, ...]
    name: str
    name_rect: QRectF
    note: str
    details: tuple[tuple[str, QRectF], ...]


@dataclass(frozen=True, eq=False)
class InnerLine:
    """A tensor within a stage."""

    stage: int
    tensor: int
    kind: Inside
    points: tuple[QPointF, ...]


@dataclass(frozen=True, eq=False)
class BoundaryHead:
    """What crosses a boundary, all together."""

    boundary: int
    rect: QRectF
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything that is drawn."""

    stages: tuple[StageBox, ...]
    channels: tuple[Channel, ...]
    wires: tuple[Wire, ...]
    inner: tuple[InnerLine, ...]
    boundaries: tuple[BoundaryHead, ...]
    width: float
    height: float

    def fixed_targets(self) -> Iterator[tuple[Target, QRectF]]:
        """Yields all that can be pointed at, with its place, but for the nodes of unfolded stages."""
        for channel in self.channels:
            yield channel.target, channel.head
        for wire in self.wires:
            yield wire.target, wire.name_rect
        for box in self.stages:
            for end in box.ends:
                if end.target is not None:
                    yield end.target, end.rect
            yield NodesTarget(box.contents.index), box.nodes.head
            yield StageTarget(box.contents.index), box.title_rect

    def rect_of(self, target: Target) -> QRectF | None:
        """Returns where something is drawn; None when it is not."""
        if isinstance(target, NodeTarget):
            if not 0 <= target.stage < len(self.stages):
                return None
            block = self.stages[target.stage].nodes
            at = block.place(target.node)
            return None if at is None else block.row(at)
        return next((rect for other, rect in self.fixed_targets() if other == target), None)

    def at(self, point: QPointF, reach: float) -> Target | None:
        """Returns what is drawn at a point; wires are met within a reach of their line."""
        for box in self.stages:
            if box.rect.contains(point):
                return self._within(box, point)
        for wire in self.wires:
            rects = (wire.name_rect, *(rect for _, rect in wire.details))
            if any(rect.contains(point) for rect in rects) or _near(wire.points, point, reach):
                return wire.target
        return None

    def _within(self, box: StageBox, point: QPointF) -> Target | None:
        stage = box.contents.index
        for channel in self.channels:
            if channel.stage == stage and channel.rect.contains(point):
                transfer = channel.transfer
                for port in channel.ports:
                    if port.rect.contains(point):
                        return WireTarget(transfer.source, transfer.destination, port.tensor)
                return channel.target
        listed = box.nodes.listed_at(point)
        if listed is not None:
            return listed
        if box.nodes.head.contains(point):
            return NodesTarget(stage)
        for end in box.ends:
            if end.target is not None and end.rect.contains(point):
                return end.target
        return StageTarget(stage)


def _near(points: tuple[QPointF, ...], point: QPointF, reach: float) -> bool:
    """Whether a point is within reach of a line whose pieces run along the axes."""
    for start, end in pairwise(points):
        area = QRectF(start, end).normalized().adjusted(-reach, -reach, reach, reach)
        if area.contains(point):
            return True
    return False
