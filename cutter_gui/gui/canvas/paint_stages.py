"""The stages view: every stage as a box with what it holds, and between them what is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from cutter_gui.core.contents import StageContents, Transfer, stage_contents
from cutter_gui.core.graph import Graph
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import bytes_text, tensor_size_text, type_text
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.paint_nodes import stripe_path
from cutter_gui.gui.palette import Palette, stage_colour, stage_is_hatched, stage_text
from cutter_gui.layout.labels import short_name

BOX_WIDTH = 360.0
LINE = 20.0
TOP = 52.0
PADDING = 18.0
GAP = 28.0  # above and below a transfer
TRANSFER_INDENT = 56.0
TENSORS_AT_MOST = 12
MARGIN = 28.0
LANE = 28.0  # between the lanes of transfers that pass a stage


@dataclass(frozen=True)
class StageBox:
    """A stage in the drawing: its rectangle and the lines in it."""

    contents: StageContents
    rect: QRectF
    lines: tuple[str, ...]


@dataclass(frozen=True)
class TransferBlock:
    """A transfer in the drawing: from the bottom of one box to the top of another, with lines beside it."""

    transfer: Transfer
    x: float
    top: float
    bottom: float
    text_top: float
    title: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StageDrawing:
    """Everything the stages view draws, in pixels."""

    boxes: tuple[StageBox, ...]
    transfers: tuple[TransferBlock, ...]
    width: float
    height: float


def _tr(text: str) -> str:
    return QCoreApplication.translate("Stages", text)


def arrange_stages(staging: Staging) -> StageDrawing:
    """Returns the stages view of a plan: stages from top to bottom, each transfer below the stage that sends."""
    graph = staging.graph
    contents = stage_contents(staging)
    boxes: list[StageBox] = []
    pending: list[tuple[Transfer, float]] = []
    y = MARGIN
    text_x = MARGIN + TRANSFER_INDENT
    for stage in contents:
        lines = _stage_lines(graph, stage)
        rect = QRectF(MARGIN, y, BOX_WIDTH, TOP + len(lines) * LINE + PADDING - 8)
        boxes.append(StageBox(stage, rect, lines))
        y = rect.bottom() + GAP
        for transfer in stage.sends:
            pending.append((transfer, y))
            y += LINE * (1 + min(len(transfer.tensors), TENSORS_AT_MOST + 1)) + GAP / 2
        y += GAP / 2 if stage.sends else 0
    blocks = _blocks(graph, staging, boxes, pending)
    height = boxes[-1].rect.bottom() + MARGIN if boxes else 2 * MARGIN
    width = max([MARGIN + BOX_WIDTH + MARGIN, *(_block_width(block, text_x) for block in blocks)])
    return StageDrawing(tuple(boxes), tuple(blocks), width, height)


def _blocks(
    graph: Graph, staging: Staging, boxes: Sequence[StageBox], pending: Sequence[tuple[Transfer, float]]
) -> list[TransferBlock]:
    """Returns the transfers; those that pass a stage (direct transport) get lanes at the right of all boxes."""
    blocks = []
    lanes = 0
    for transfer, text_top in pending:
        x = MARGIN + 28.0
        if transfer.destination > transfer.source + 1:
            x = MARGIN + BOX_WIDTH + LANE * (lanes + 1)
            lanes += 1
        sizes = [graph.tensor_bytes(tensor) for tensor in transfer.tensors]
        known = [size for size in sizes if size is not None]
        total = bytes_text(sum(known)) + ("" if len(known) == len(sizes) else " + ?")
        label = transfer.label(staging.plan.transport)
        count = len(transfer.tensors)
        tensors = _tr("1 tensor") if count == 1 else _tr("{count} tensors").format(count=count)
        title = _tr("Send ▸ Recv {label}   {tensors} · {size}").format(label=label, tensors=tensors, size=total)
        lines = [
            (
                short_name(graph.tensor_names[tensor], 40),
                f"{type_text(graph, tensor)} · {tensor_size_text(graph, tensor)}",
            )
            for tensor in transfer.tensors[:TENSORS_AT_MOST]
        ]
        if count > TENSORS_AT_MOST:
            lines.append((_tr("… {count} more").format(count=count - TENSORS_AT_MOST), ""))
        top, bottom = boxes[transfer.source].rect.bottom(), boxes[transfer.destination].rect.top()
        blocks.append(TransferBlock(transfer, x, top, bottom, text_top, title, tuple(lines)))
    return blocks


def _block_width(block: TransferBlock, text_x: float) -> float:
    widest = ink.metrics(ink.OP_PIXELS, bold=True).horizontalAdvance(block.title)
    for name, kind in block.lines:
        mono = ink.metrics(ink.NAME_PIXELS, mono=True).horizontalAdvance(name)
        widest = max(widest, mono + 12 + ink.metrics(ink.NAME_PIXELS).horizontalAdvance(kind))
    return max(text_x + widest, block.x) + MARGIN


def _stage_lines(graph: Graph, stage: StageContents) -> tuple[str, ...]:
    copies = len(stage.nodes) - len(stage.own_nodes)
    lines = [_tr("weights {size}").format(size=bytes_text(stage.weight_bytes))]
    if copies:
        lines.append(_tr("{count} constant nodes copied").format(count=copies))
    for title, tensors in ((_tr("inputs"), stage.inputs), (_tr("outputs"), stage.outputs)):
        names = [short_name(graph.tensor_names[tensor], 24) for tensor in tensors.tolist()]
        if names:
            more = f" … +{len(names) - 3}" if len(names) > 3 else ""
            lines.append(f"{title} {', '.join(names[:3])}{more}")
    return tuple(lines)


def paint_stages(painter: QPainter, drawing: StageDrawing, palette: Palette) -> None:
    """Draws the stages view."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for block in drawing.transfers:
        _paint_transfer(painter, block, palette)
    for box in drawing.boxes:
        _paint_stage(painter, box, palette)


def _paint_stage(painter: QPainter, box: StageBox, palette: Palette) -> None:
    rect, index = box.rect, box.contents.index
    painter.setPen(ink.pen(palette.node_border, 1.0))
    painter.setBrush(ink.colour(palette.node))
    painter.drawRoundedRect(rect, 6, 6)
    painter.setPen(Qt.PenStyle.NoPen)
    stripe = stripe_path(rect.height()).translated(rect.topLeft())
    painter.setBrush(ink.colour(stage_colour(index)))
    painter.drawPath(stripe)
    if stage_is_hatched(index):
        painter.setBrush(ink.hatch(palette))
        painter.drawPath(stripe)
    centre = QPointF(rect.left() + 30, rect.top() + 26)
    painter.setBrush(ink.colour(stage_colour(index)))
    painter.drawEllipse(centre, 11, 11)
    painter.setPen(ink.colour(stage_text(index)))
    painter.setFont(ink.font(12, bold=True))
    painter.drawText(QRectF(centre.x() - 11, centre.y() - 11, 22, 22), Qt.AlignmentFlag.AlignCenter, str(index))
    painter.setPen(ink.colour(palette.text))
    painter.setFont(ink.font(15, bold=True))
    count = len(box.contents.own_nodes)
    title = _tr("1 node") if count == 1 else _tr("{count} nodes").format(count=count)
    painter.drawText(QPointF(rect.left() + 50, rect.top() + 31), title)
    painter.setPen(ink.colour(palette.text_soft))
    painter.setFont(ink.font(12))
    for number, line in enumerate(box.lines):
        text = ink.elided(line, 12, rect.width() - 50 - PADDING)
        painter.drawText(QPointF(rect.left() + 50, rect.top() + TOP + LINE * number + 6), text)


def _paint_transfer(painter: QPainter, block: TransferBlock, palette: Palette) -> None:
    painter.setPen(ink.pen(palette.edge, 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    right = MARGIN + BOX_WIDTH
    if block.x > right:
        start, end = block.top - 14, block.bottom + 14
        painter.drawPolyline(
            [QPointF(right, start), QPointF(block.x, start), QPointF(block.x, end), QPointF(right + 6, end)]
        )
        head = [QPointF(right, end), QPointF(right + 9, end - 4), QPointF(right + 9, end + 4)]
    else:
        painter.drawLine(QPointF(block.x, block.top), QPointF(block.x, block.bottom - 6))
        head = [
            QPointF(block.x, block.bottom),
            QPointF(block.x - 4, block.bottom - 9),
            QPointF(block.x + 4, block.bottom - 9),
        ]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.edge))
    painter.drawPolygon(QPolygonF(head))
    x, y = MARGIN + TRANSFER_INDENT, block.text_top + 8
    painter.setPen(ink.colour(palette.text))
    painter.setFont(ink.font(ink.OP_PIXELS, bold=True))
    painter.drawText(QPointF(x, y), block.title)
    for number, (name, kind) in enumerate(block.lines):
        line_y = y + LINE * (number + 1)
        painter.setFont(ink.font(ink.NAME_PIXELS, mono=True))
        painter.setPen(ink.colour(palette.text))
        painter.drawText(QPointF(x, line_y), name)
        advance = ink.metrics(ink.NAME_PIXELS, mono=True).horizontalAdvance(name)
        painter.setFont(ink.font(ink.NAME_PIXELS))
        painter.setPen(ink.colour(palette.text_soft))
        painter.drawText(QPointF(x + advance + 12, line_y), kind)
