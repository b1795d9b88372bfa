"""Stages as columns, from left to right.

Terms: a *gutter* lies between two stages; a *lane* runs above all stages and carries a tensor that is sent past some.

Steps: (1) lanes above, for the tensors sent past a stage; below them the heads of the stages, all of one height;
(2) from there down, at the right of a stage its Sends, at the left of the next its Recvs, the pair of two neighbours
first and at one height, so that their wires are straight; (3) below them the nodes, so that unfolding a stage moves
nothing else; (4) the lines within each stage.

Complexity: linear in the hops and the nodes of unfolded stages.
"""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter

from PySide6.QtCore import QPointF, QRectF

from cutter_gui.core.contents import Transfer
from cutter_gui.gui.stages_preview import boxes
from cutter_gui.gui.stages_preview.boxes import MARGIN, PAD
from cutter_gui.gui.stages_preview.drawing import (
    BoundaryHead,
    Channel,
    Drawing,
    InnerLine,
    Inside,
    Port,
    StageBox,
    Wire,
    WireTarget,
)
from cutter_gui.gui.stages_preview.facts import Facts

CHANNEL = 128.0  # width of a Send or Recv
MIDDLE = 104.0  # between the Recvs and the Sends of a stage
STAGE = 2 * CHANNEL + MIDDLE
WIRE = 240.0  # length of a wire between neighbours, beside what is written along it
PORT = 44.0  # height of a tensor in a Send or Recv
CHANNEL_HEAD = 46.0
GAP = 14.0
LANE = 44.0
BUS = 18.0  # from a Send or Recv to the line that gathers what the nodes read or make
APPROACH = 10.0  # at both ends of a wire, where nothing is written; more where wires go up to lanes
STEP, FARTHEST = 6.0, 60.0  # between two such wires, and how far from a stage they stand at most


def arrange_columns(facts: Facts, unfolded: Collection[int]) -> Drawing:
    """Returns the drawing of a plan, with these stages unfolded."""
    lanes = max(facts.lanes.values(), default=-1) + 1
    top = MARGIN + lanes * LANE + (GAP if lanes else 0)
    approach = min(APPROACH + STEP * lanes, FARTHEST)
    gutter = WIRE + 2 * approach
    head = boxes.head_height(facts)
    zone = top + head + GAP
    channels: list[Channel] = []
    stages: list[StageBox] = []
    inner: list[InnerLine] = []
    for held in facts.contents:
        stage = held.index
        left = MARGIN + stage * (STAGE + gutter)
        own, bottom = _channels(facts, stage, left, zone)
        block = QRectF(left + PAD, bottom + GAP, STAGE - 2 * PAD, 0)
        nodes = boxes.nodes_block(facts, stage, block, unfolded)
        rect = QRectF(left, top, STAGE, nodes.rect.bottom() + PAD - top)
        stages.append(boxes.stage_box(facts, stage, rect, QRectF(left, top, STAGE, head), nodes))
        channels += own
        inner += _inner(facts, stage, own, nodes.rect)
    wires = _wires(facts, channels, approach)
    boundaries = tuple(
        BoundaryHead(
            stage,
            QRectF(MARGIN + stage * (STAGE + gutter) + STAGE + 8, zone, gutter - 16, CHANNEL_HEAD),
            facts.boundary_lines(stage),
        )
        for stage in range(len(facts.contents) - 1)
    )
    width = 2 * MARGIN + len(stages) * STAGE + max(0, len(stages) - 1) * gutter
    height = max((box.rect.bottom() for box in stages), default=0.0) + MARGIN
    return Drawing(tuple(stages), tuple(channels), wires, tuple(inner), boundaries, width, height)


def _channels(facts: Facts, stage: int, left: float, zone: float) -> tuple[list[Channel], float]:
    """Returns the Sends and Recvs of a stage, that with its neighbour first, and where the lower of both ends."""
    held = facts.contents[stage]
    found: list[Channel] = []
    ends = [zone]
    for transfers, is_send, x in ((held.receives, False, left), (held.sends, True, left + STAGE - CHANNEL)):
        y = zone
        for transfer in sorted(transfers, key=attrgetter("length")):
            height = CHANNEL_HEAD + len(transfer.tensors) * PORT
            rect = QRectF(x, y, CHANNEL, height)
            found.append(boxes.channel(facts, transfer, is_send, rect, _ports(facts, transfer, is_send, rect)))
            y += height + GAP
            ends.append(rect.bottom())
    return found, max(ends)


def _ports(facts: Facts, transfer: Transfer, is_send: bool, rect: QRectF) -> tuple[Port, ...]:
    ports = []
    for place, tensor in enumerate(transfer.tensors):
        row = QRectF(rect.left(), rect.top() + CHANNEL_HEAD + place * PORT, rect.width(), PORT)
        left, right = QPointF(row.left(), row.center().y()), QPointF(row.right(), row.center().y())
        outside, inside = (right, left) if is_send else (left, right)
        ports.append(Port(tensor, place, facts.name(tensor), row, outside, inside))
    return tuple(ports)


def _inner(facts: Facts, stage: int, channels: list[Channel], nodes: QRectF) -> list[InnerLine]:
    """Returns the lines within a stage."""
    lines: list[InnerLine] = []
    passing: list[tuple[int, Port]] = []
    for channel in channels:
        is_send = channel.target.is_send
        for port in channel.ports:
            for kind in boxes.inner_kinds(facts, stage, port.tensor, is_send):
                if kind is Inside.PASSES:
                    passing.append((port.tensor, port))
                    continue
                bus = port.inside.x() + (-BUS if is_send else BUS)
                bend, end = QPointF(bus, port.inside.y()), QPointF(bus, nodes.top())
                points = (end, bend, port.inside) if is_send else (port.inside, bend, end)
                lines.append(InnerLine(stage, port.tensor, kind, points))
    return lines + boxes.passing_lines(stage, channels, passing, across=True, clear=BUS + 8)


def _wires(facts: Facts, channels: list[Channel], approach: float) -> tuple[Wire, ...]:
    """Returns the wires: straight between neighbours, else over a lane."""
    ports = {
        (channel.transfer, port.tensor, channel.target.is_send): port for channel in channels for port in channel.ports
    }
    wires = []
    for hop in facts.hops:
        transfer, tensor = hop.transfer, hop.tensor
        start, end = ports[transfer, tensor, True].outside, ports[transfer, tensor, False].outside
        target = WireTarget(transfer.source, transfer.destination, tensor)
        if transfer.destination == transfer.source + 1:
            room = QRectF(start.x() + approach, start.y() - PORT / 2, WIRE, PORT)
            points: tuple[QPointF, ...] = (start, end)
        else:
            lane = facts.lanes[hop]
            y = MARGIN + lane * LANE + LANE / 2
            aside = 8 + lane * min(STEP, (approach - APPROACH) / (max(facts.lanes.values()) + 1))
            x0, x1 = start.x() + aside, end.x() - aside
            points = (start, QPointF(x0, start.y()), QPointF(x0, y), QPointF(x1, y), QPointF(x1, end.y()), end)
            room = QRectF(x0 + 10, y - LANE / 2, min(x1 - x0 - 20, 2 * WIRE), LANE)
        name = QRectF(room.left(), room.top() + 2, room.width(), room.height() / 2 - 3)
        below = QRectF(room.left(), room.center().y() + 3, room.width(), room.height() / 2 - 4)
        text = f"{facts.type(tensor)} · {facts.size([tensor])}"
        wires.append(Wire(target, hop, points, facts.name(tensor), name, facts.hop_text(hop), ((text, below),)))
    return tuple(wires)
