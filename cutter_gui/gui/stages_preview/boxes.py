"""The box of a stage: what stands in its head, and how high that is; the same in columns and in rows."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QCoreApplication, QPointF, QRectF

from cutter_gui.core.contents import Transfer
from cutter_gui.gui.stages_preview.drawing import (
    NODE_ROW,
    NODES_HEAD,
    TITLE,
    Channel,
    ChannelTarget,
    EndLine,
    EndTarget,
    InnerLine,
    Inside,
    NodesBlock,
    Port,
    StageBox,
)
from cutter_gui.gui.stages_preview.facts import Facts

MARGIN = 32.0
PAD = 12.0
LINE = 19.0
BAR = 14.0  # height of the bar of weights, with what is around it
_SHARES = (0.5, 0.25, 0.75, 0.0, 1.0)  # where lines that pass a stage bend, one after the other
ENDS_SHOWN = 4  # inputs and outputs of the model, each


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPreview", text)


def head_height(facts: Facts) -> float:
    """Returns the height of every head: that of the one that has most to say."""
    most = max((len(_ends(facts, stage.index)) for stage in facts.contents), default=0)
    return TITLE + 2 * LINE + BAR + most * LINE + 8


def nodes_block(facts: Facts, stage: int, rect: QRectF, unfolded: Collection[int]) -> NodesBlock:
    """Returns the nodes of a stage in a place that grows with them."""
    is_unfolded = stage in unfolded
    held = facts.contents[stage]
    count = len(held.nodes)
    entries: tuple[int | ChannelTarget, ...] = ()
    if is_unfolded:
        before = (ChannelTarget(transfer.source, transfer.destination, False) for transfer in held.receives)
        after = (ChannelTarget(transfer.source, transfer.destination, True) for transfer in held.sends)
        entries = (*before, *facts.nodes(stage), *after)
    height = NODES_HEAD + (len(entries) * NODE_ROW + 6 if is_unfolded else 0)
    title = _tr("1 node") if count == 1 else _tr("{} nodes").format(count)
    at = QRectF(rect.left(), rect.top(), rect.width(), max(height, rect.height()))
    return NodesBlock(stage, at, title, facts.ops(stage), entries, is_unfolded)


def stage_box(facts: Facts, stage: int, rect: QRectF, head: QRectF, nodes: NodesBlock) -> StageBox:
    """Returns the box of a stage, its head filled in."""
    held = facts.contents[stage]
    heaviest = max((other.weight_bytes for other in facts.contents), default=0) or 1
    empty = len(held.own_nodes) == 0 and len(facts.contents) > 1
    top = head.top() + TITLE + 2 * LINE + BAR
    ends = tuple(
        EndLine(target, QRectF(head.left() + PAD, top + at * LINE, head.width() - 2 * PAD, LINE), text, kind)
        for at, (target, text, kind) in enumerate(_ends(facts, stage))
    )
    title = _tr("Stage {} is empty").format(stage) if empty else _tr("Stage {}").format(stage)
    return StageBox(held, rect, head, title, facts.stage_lines(stage), held.weight_bytes / heaviest, ends, nodes, empty)


def _ends(facts: Facts, stage: int) -> list[tuple[EndTarget | None, str, str]]:
    """Returns target, name and type of the model's inputs and outputs that a stage has."""
    held = facts.contents[stage]
    lines: list[tuple[EndTarget | None, str, str]] = []
    for tensors, is_input in ((held.inputs.tolist(), True), (list(dict.fromkeys(held.outputs.tolist())), False)):
        lines += [
            (EndTarget(stage, tensor, is_input), facts.name(tensor), facts.type(tensor))
            for tensor in tensors[:ENDS_SHOWN]
        ]
        more = len(tensors) - ENDS_SHOWN
        if more > 0:
            text = _tr("… {} more inputs") if is_input else _tr("… {} more outputs")
            lines.append((None, text.format(more), ""))
    return lines


def channel(facts: Facts, transfer: Transfer, is_send: bool, rect: QRectF, ports: tuple[Port, ...]) -> Channel:
    target = ChannelTarget(transfer.source, transfer.destination, is_send)
    title, detail = facts.channel_title(transfer, is_send), facts.channel_detail(transfer, is_send)
    return Channel(target, transfer, rect, title, detail, ports)


def inner_kinds(facts: Facts, stage: int, tensor: int, is_send: bool) -> tuple[Inside, ...]:
    """Returns what a port of a stage is joined with there; what passes is drawn once, from its Recv."""
    passes = tensor in facts.passing[stage]
    if is_send:
        return () if passes else (Inside.MADE,)
    return (*((Inside.READ,) if tensor in facts.read_in[stage] else ()), *((Inside.PASSES,) if passes else ()))


def passing_lines(
    stage: int, channels: list[Channel], wanted: list[tuple[int, Port]], *, across: bool, clear: float
) -> list[InnerLine]:
    """Returns the lines of tensors that pass a stage, from their Recv to each Send that sends them on.

    Args:
        stage: The stage.
        channels: Its Send and Recv nodes.
        wanted: The tensors that pass, each with its port at the Recv.
        across: Whether the lines run from left to right, else from top to bottom.
        clear: How far from both ends nothing bends, since other lines run there.
    """
    lines = []
    for lane, (tensor, start) in enumerate(wanted):
        for send in channels:
            for port in send.ports if send.target.is_send else ():
                if port.tensor != tensor:
                    continue
                a, b = start.inside, port.inside
                share = _SHARES[lane % len(_SHARES)]
                if across:
                    x = a.x() + clear + (b.x() - a.x() - 2 * clear) * share
                    bends = (a, QPointF(x, a.y()), QPointF(x, b.y()), b)
                else:
                    y = a.y() + clear + (b.y() - a.y() - 2 * clear) * share
                    bends = (a, QPointF(a.x(), y), QPointF(b.x(), y), b)
                lines.append(InnerLine(stage, tensor, Inside.PASSES, bends))
    return lines
