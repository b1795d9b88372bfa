"""Stages as rows, from top to bottom.

Terms: a *band* lies between two stages; a *lane* runs at the right of all stages and carries a tensor sent past some.

Steps: (1) in each stage its head and below it the nodes, at the left; at the right the Recvs along the top and the
Sends along the bottom, the pair of two neighbours first and at the same place across, so that their wires are straight;
(2) the band below each stage has room for what is written beside its wires; (3) lanes at the right; (4) the lines
within each stage.

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
    NodesBlock,
    Port,
    StageBox,
    Wire,
    WireTarget,
)
from cutter_gui.gui.stages_preview.facts import Facts

HEAD = 320.0  # width of the head and of the nodes
CHANNEL_HEAD = 136.0  # width of the title of a Send or Recv
PORT = 208.0  # width of a tensor in a Send or Recv
CHANNEL = 46.0  # height of a Send or Recv
BUS = 18.0
BETWEEN = 64.0  # least height between the Recvs and the Sends of a stage
WIRE = 84.0  # length of a wire between neighbours, beside what is written along it
GAP = 16.0
LANE = 208.0
LINE = 17.0
APPROACH = 8.0  # at both ends of a wire, where nothing is written; more where wires go across to lanes
STEP, FARTHEST = 6.0, 60.0  # between two such wires, and how far from a stage they stand at most


def arrange_rows(facts: Facts, unfolded: Collection[int]) -> Drawing:
    """Returns the drawing of a plan, with these stages unfolded."""
    lanes = max(facts.lanes.values(), default=-1) + 1
    approach = min(APPROACH + STEP * lanes, FARTHEST)
    band = WIRE + 2 * approach
    head = boxes.head_height(facts)
    widest = max((_width(transfers) for held in facts.contents for transfers in (held.receives, held.sends)), default=0)
    width = HEAD + (PAD + widest + PAD if widest else 0.0)
    channels: list[Channel] = []
    stages: list[StageBox] = []
    inner: list[InnerLine] = []
    boundaries: list[BoundaryHead] = []
    y = MARGIN
    for held in facts.contents:
        stage = held.index
        block = QRectF(MARGIN + PAD, y + head, HEAD - 2 * PAD, 0)
        nodes = boxes.nodes_block(facts, stage, block, unfolded)
        least = (CHANNEL if held.receives else 0) + BETWEEN + (CHANNEL if held.sends else 0)
        height = max(nodes.rect.bottom() + PAD - y, least)
        rect = QRectF(MARGIN, y, width, height)
        own = _channels(facts, stage, rect)
        stages.append(boxes.stage_box(facts, stage, rect, QRectF(MARGIN, y, HEAD, head), nodes))
        channels += own
        inner += _inner(facts, stage, own, nodes)
        if stage + 1 < len(facts.contents):
            place = QRectF(MARGIN + PAD, rect.bottom() + (band - 48) / 2, HEAD - 2 * PAD, 48)
            boundaries.append(BoundaryHead(stage, place, facts.boundary_lines(stage)))
        y = rect.bottom() + band
    wires = _wires(facts, channels, MARGIN + width, approach)
    right = max([MARGIN + width, *(wire.name_rect.right() for wire in wires)]) + MARGIN
    bottom = max((box.rect.bottom() for box in stages), default=0.0) + MARGIN
    return Drawing(tuple(stages), tuple(channels), wires, tuple(inner), tuple(boundaries), right, bottom)


def _width(transfers: Collection[Transfer]) -> float:
    return sum(CHANNEL_HEAD + len(transfer.tensors) * PORT + GAP for transfer in transfers) - GAP if transfers else 0.0


def _channels(facts: Facts, stage: int, box: QRectF) -> list[Channel]:
    """Returns the Recvs and Sends of a stage, that with its neighbour first."""
    held = facts.contents[stage]
    found: list[Channel] = []
    for transfers, is_send, y in ((held.receives, False, box.top()), (held.sends, True, box.bottom() - CHANNEL)):
        x = box.left() + HEAD + PAD
        for transfer in sorted(transfers, key=attrgetter("length")):
            rect = QRectF(x, y, CHANNEL_HEAD + len(transfer.tensors) * PORT, CHANNEL)
            found.append(boxes.channel(facts, transfer, is_send, rect, _ports(facts, transfer, is_send, rect)))
            x = rect.right() + GAP
    return found


def _ports(facts: Facts, transfer: Transfer, is_send: bool, rect: QRectF) -> tuple[Port, ...]:
    ports = []
    for place, tensor in enumerate(transfer.tensors):
        cell = QRectF(rect.left() + CHANNEL_HEAD + place * PORT, rect.top(), PORT, rect.height())
        x = cell.left() + 16
        top, bottom = QPointF(x, cell.top()), QPointF(x, cell.bottom())
        outside, inside = (bottom, top) if is_send else (top, bottom)
        ports.append(Port(tensor, place, facts.name(tensor), cell, outside, inside))
    return tuple(ports)


def _inner(facts: Facts, stage: int, channels: list[Channel], nodes: NodesBlock) -> list[InnerLine]:
    """Returns the lines within a stage."""
    lines: list[InnerLine] = []
    passing: list[tuple[int, Port]] = []
    edge = nodes.rect.right() + PAD + 6
    for channel in channels:
        is_send = channel.target.is_send
        for port in channel.ports:
            for kind in boxes.inner_kinds(facts, stage, port.tensor, is_send):
                if kind is Inside.PASSES:
                    passing.append((port.tensor, port))
                    continue
                bus = port.inside.y() + (-BUS if is_send else BUS)
                low, high = nodes.rect.top() + 8, nodes.rect.bottom() - 8
                level = min(max(bus, low), high)
                points = [QPointF(nodes.rect.right(), level), QPointF(edge, level), QPointF(edge, bus)]
                points += [QPointF(port.inside.x(), bus), port.inside]
                lines.append(InnerLine(stage, port.tensor, kind, tuple(points if is_send else points[::-1])))
    return lines + boxes.passing_lines(stage, channels, passing, across=False, clear=BUS + 8)


def _wires(facts: Facts, channels: list[Channel], right: float, approach: float) -> tuple[Wire, ...]:
    """Returns the wires: straight between neighbours, else over a lane."""
    ports = {
        (channel.transfer, port.tensor, channel.target.is_send): port for channel in channels for port in channel.ports
    }
    wires = []
    for hop in facts.hops:
        transfer, tensor = hop.transfer, hop.tensor
        start, end = ports[transfer, tensor, True].outside, ports[transfer, tensor, False].outside
        if transfer.length == 1:
            points: tuple[QPointF, ...] = (start, end)
            corner, room = QPointF(start.x() + 10, start.y() + approach + (WIRE - 3 * LINE) / 2), PORT - 26
        else:
            lane = facts.lanes[hop]
            x = right + 24 + lane * LANE
            aside = 6 + lane * min(STEP, (approach - APPROACH) / (max(facts.lanes.values()) + 1))
            y0, y1 = start.y() + aside, end.y() - aside
            points = (start, QPointF(start.x(), y0), QPointF(x, y0), QPointF(x, y1), QPointF(end.x(), y1), end)
            corner, room = QPointF(x + 10, (y0 + y1 - 3 * LINE) / 2), LANE - 24
        places = [QRectF(corner.x(), corner.y() + at * LINE, room, LINE) for at in range(3)]
        target = WireTarget(transfer.source, transfer.destination, tensor)
        details = ((facts.type(tensor), places[1]), (facts.size([tensor]), places[2]))
        wires.append(Wire(target, hop, points, facts.name(tensor), places[0], facts.hop_text(hop), details))
    return tuple(wires)
