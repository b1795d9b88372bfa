"""Paints the Stages preview: only what is in sight, and only text that can be read at the zoom."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from cutter_gui.gui import icons
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.palette import Palette, stage_colour, stage_is_hatched, stage_text
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.gui.stages_preview.boxes import LINE, PAD
from cutter_gui.gui.stages_preview.drawing import (
    TITLE,
    BoundaryHead,
    Channel,
    ChannelTarget,
    Drawing,
    InnerLine,
    Inside,
    NodesBlock,
    NodesTarget,
    NodeTarget,
    StageBox,
    StageTarget,
    Target,
    Wire,
)
from cutter_gui.gui.stages_preview.facts import Facts

TITLE_PIXELS = 17
TEXT_PIXELS = 12
SMALL_PIXELS = 11
READABLE = 0.42  # below this zoom texts are left out, and the numbers of stages are drawn large
CHIP = 22.0
RADIUS = 6.0
HEAD = 8.0  # length of an arrow's head

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPreview", text)


@dataclass(frozen=True, eq=False)
class Look:
    """How it is looked at: what is selected, pointed at, and where the keyboard is."""

    palette: Palette
    scale: float = 1.0
    selection: Selection = NOTHING
    hovered: Target | None = None
    current: Target | None = None

    def marks(self, tensor: int) -> bool:
        return self.selection.tensor == tensor

    @property
    def reads(self) -> bool:
        """Whether texts can be read."""
        return self.scale >= READABLE


def paint_preview(painter: QPainter, facts: Facts, drawing: Drawing, look: Look, visible: QRectF) -> None:
    """Draws the part that is in sight, in scene pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for box in drawing.stages:
        if box.rect.intersects(visible):
            _paint_box(painter, facts, box, look, visible)
    # What is selected is drawn last, over what it crosses.
    for line in sorted(drawing.inner, key=lambda line: look.marks(line.tensor)):
        _paint_inner(painter, line, look)
    for channel in drawing.channels:
        if channel.rect.intersects(visible):
            _paint_channel(painter, channel, look)
    for wire in sorted(drawing.wires, key=lambda wire: look.marks(wire.hop.tensor)):
        if _bounds(wire).intersects(visible):
            _paint_wire(painter, wire, look)
    if look.reads:
        for boundary in drawing.boundaries:
            if boundary.rect.intersects(visible):
                _paint_boundary(painter, boundary, look)
    if not look.reads:
        for box in drawing.stages:
            if box.rect.intersects(visible):
                _paint_number(painter, box, look)
    if look.current is not None:
        rect = drawing.rect_of(look.current)
        if rect is not None:
            painter.setPen(ink.dashed(look.palette.accent, 2.0 / min(1.0, look.scale), 4, 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), RADIUS, RADIUS)


def _bounds(wire: Wire) -> QRectF:
    area = QPolygonF(list(wire.points)).boundingRect().adjusted(-4, -4, 4, 4) | wire.name_rect
    for _, rect in wire.details:
        area |= rect
    return area


def _text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    colour: str,
    pixels: int = TEXT_PIXELS,
    *,
    bold: bool = False,
    mono: bool = False,
    flags: Qt.AlignmentFlag = _LEFT,
) -> None:
    """Draws a line of text that gives way, its middle elided, where room ends."""
    painter.setFont(ink.font(pixels, bold=bold, mono=mono))
    painter.setPen(ink.colour(colour))
    painter.drawText(rect, flags | Qt.TextFlag.TextSingleLine, ink.elided(text, pixels, rect.width(), bold, mono))


def _width(text: str, pixels: int, *, bold: bool = False) -> float:
    return ink.metrics(pixels, bold=bold).horizontalAdvance(text)


def _fitting(parts: tuple[str, ...], width: float) -> str:
    """Returns as many parts as fit, and that there are more."""
    for count in range(len(parts), 0, -1):
        text = " · ".join(parts[:count]) + (" …" if count < len(parts) else "")
        if _width(text, SMALL_PIXELS) <= width:
            return text
    return ""


def _chip_width(stage: int, size: float) -> float:
    return max(size, _width(str(stage), int(size * 0.58), bold=True) + size * 0.45)


def _paint_chip(painter: QPainter, left: float, middle: float, stage: int, look: Look, size: float = CHIP) -> float:
    """Draws the number of a stage in its colour; returns where it ends."""
    pixels = int(size * 0.58)
    rect = QRectF(left, middle - size / 2, _chip_width(stage, size), size)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(stage_colour(stage)))
    painter.drawRoundedRect(rect, size / 2, size / 2)
    if stage_is_hatched(stage):
        painter.setBrush(ink.hatch(look.palette))
        painter.drawRoundedRect(rect, size / 2, size / 2)
        painter.setBrush(ink.colour(stage_colour(stage)))
        painter.drawEllipse(rect.center(), size * 0.36, size * 0.36)
    painter.setFont(ink.font(pixels, bold=True))
    painter.setPen(ink.colour(stage_text(stage)))
    painter.drawText(rect, _CENTRE, str(stage))
    return rect.right()


def _paint_box(painter: QPainter, facts: Facts, box: StageBox, look: Look, visible: QRectF) -> None:
    palette, stage = look.palette, box.contents.index
    hovered = look.hovered == StageTarget(stage)
    border = palette.error if box.empty else palette.accent if hovered else palette.node_border
    painter.setPen(ink.pen(border, 1.6 if hovered or box.empty else 1.2))
    painter.setBrush(ink.colour(palette.node))
    painter.drawRoundedRect(box.rect, RADIUS + 2, RADIUS + 2)
    stripe = QRectF(box.rect.left() + 1, box.rect.top() + 1, box.rect.width() - 2, 5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(stage_colour(stage)))
    painter.drawRoundedRect(stripe, 2.5, 2.5)
    if stage_is_hatched(stage):
        painter.setBrush(ink.hatch(palette))
        painter.drawRoundedRect(stripe, 2.5, 2.5)
    if look.reads:
        _paint_head(painter, box, look)
    _paint_nodes(painter, facts, box.nodes, look, visible)


def _paint_head(painter: QPainter, box: StageBox, look: Look) -> None:
    palette, stage = look.palette, box.contents.index
    left, right = box.head.left() + PAD, box.head.right() - PAD
    middle = box.head.top() + TITLE / 2 + 3
    after = _paint_chip(painter, left, middle, stage, look, 26)
    title = QRectF(after + 9, middle - 14, right - after - 9, 28)
    _text(painter, title, box.title, palette.error if box.empty else palette.text, TITLE_PIXELS, bold=True)
    y = box.head.top() + TITLE
    for at, line in enumerate(box.lines):
        _text(painter, QRectF(left, y, right - left, LINE), line, palette.text if at == 0 else palette.text_soft)
        y += LINE
    track = QRectF(left, y + 3, right - left, 5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(palette.track))
    painter.drawRoundedRect(track, 2.5, 2.5)
    if box.share > 0:
        painter.setBrush(ink.colour(stage_colour(stage)))
        painter.drawRoundedRect(QRectF(left, track.top(), max(5.0, track.width() * box.share), 5), 2.5, 2.5)
    for end in box.ends:
        target = end.target
        if target is None:
            _text(painter, end.rect.adjusted(20, 0, 0, 0), end.text, palette.text_soft, SMALL_PIXELS)
            continue
        if look.marks(target.tensor) or look.hovered == target:
            _paint_ground(painter, end.rect.adjusted(-4, 0, 4, 0), look, look.marks(target.tensor))
        sign = "login-box-line" if target.is_input else "logout-box-r-line"
        icons.draw(painter, sign, QPointF(end.rect.left() + 7, end.rect.center().y()), 14, QColor(palette.text_soft))
        kind = min(_width(end.kind, SMALL_PIXELS) + 2, end.rect.width() / 2)
        colour = palette.accent if look.marks(target.tensor) else palette.text
        _text(painter, end.rect.adjusted(20, 0, -kind - 8, 0), end.text, colour, TEXT_PIXELS, mono=True)
        _text(painter, end.rect, end.kind, palette.text_soft, SMALL_PIXELS, flags=_RIGHT)


def _paint_ground(painter: QPainter, rect: QRectF, look: Look, selected: bool) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(look.palette.accent_soft if selected else look.palette.field))
    painter.drawRoundedRect(rect, 4, 4)


def _paint_nodes(painter: QPainter, facts: Facts, block: NodesBlock, look: Look, visible: QRectF) -> None:
    palette = look.palette
    holds = look.selection.node is not None and bool((facts.contents[block.stage].nodes == look.selection.node).any())
    hovered = look.hovered == NodesTarget(block.stage)
    painter.setPen(ink.pen(palette.accent if holds or hovered else palette.line, 1.2))
    painter.setBrush(ink.colour(palette.field))
    painter.drawRoundedRect(block.rect, RADIUS, RADIUS)
    if not look.reads:
        return
    head = block.head
    sign = "arrow-down-s-line" if block.unfolded else "arrow-right-s-line"
    icons.draw(painter, sign, QPointF(head.left() + 16, head.center().y()), 18, QColor(palette.text_soft))
    left = head.left() + 30
    width = _width(block.title, TEXT_PIXELS, bold=True)
    _text(painter, QRectF(left, head.top(), width + 4, head.height()), block.title, palette.text, bold=True)
    rest = QRectF(left + width + 12, head.top(), head.right() - left - width - 22, head.height())
    if rest.width() > 30:
        _text(painter, rest, _fitting(block.ops, rest.width()), palette.text_soft, SMALL_PIXELS, flags=_RIGHT)
    for at in block.rows_in(visible):
        entry = block.entries[at]
        if isinstance(entry, ChannelTarget):
            _paint_listed_channel(painter, facts, entry, block.row(at), look)
        else:
            _paint_node(painter, facts, block, entry, block.row(at), look)


def _paint_listed_channel(painter: QPainter, facts: Facts, channel: ChannelTarget, row: QRectF, look: Look) -> None:
    """Draws a Send or Recv where it stands among the nodes of its stage."""
    palette = look.palette
    if look.hovered == channel:
        _paint_ground(painter, row.adjusted(4, 0, -4, 0), look, False)
    transfer = facts.transfer(channel)
    title = facts.channel_title(transfer, channel.is_send)
    peer = channel.destination if channel.is_send else channel.source
    after = _paint_chip(painter, row.left() + 12, row.center().y(), peer, look, 16)
    width = _width(title, TEXT_PIXELS, bold=True)
    _text(painter, QRectF(after + 6, row.top(), width + 2, row.height()), title, palette.text, bold=True)
    room = QRectF(after + width + 16, row.top(), row.right() - after - width - 26, row.height())
    names = ", ".join(facts.name(tensor) for tensor in transfer.tensors)
    _text(painter, room, names, palette.text_soft, SMALL_PIXELS, mono=True)


def _paint_node(painter: QPainter, facts: Facts, block: NodesBlock, node: int, row: QRectF, look: Look) -> None:
    palette = look.palette
    selected = look.selection.node == node
    if selected or look.hovered == NodeTarget(block.stage, node):
        _paint_ground(painter, row.adjusted(4, 0, -4, 0), look, selected)
    op = facts.graph.op(node)
    width = min(_width(op, TEXT_PIXELS, bold=True), row.width() * 0.42)
    left = row.left() + 12
    colour = palette.accent if selected else palette.text
    _text(painter, QRectF(left, row.top(), width + 2, row.height()), op, colour, bold=True)
    name = facts.node_name(node) + (_tr("  (copy)") if facts.is_copied(node) else "")
    room = QRectF(left + width + 10, row.top(), row.right() - left - width - 20, row.height())
    _text(painter, room, name, palette.text_soft, SMALL_PIXELS, mono=True)


def _paint_channel(painter: QPainter, channel: Channel, look: Look) -> None:
    palette, rect = look.palette, channel.rect
    marked = any(look.marks(port.tensor) for port in channel.ports)
    border = palette.accent if marked or look.hovered == channel.target else palette.text_soft
    painter.setPen(ink.pen(border, 1.8 if marked else 1.3))
    painter.setBrush(ink.colour(palette.canvas))
    painter.drawRoundedRect(rect, RADIUS, RADIUS)
    # A bar in the colour of the stage at the other end, on the side where the wires are.
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(stage_colour(channel.peer)))
    for port in channel.ports:
        painter.drawEllipse(port.outside, 4.5, 4.5)
    if not look.reads:
        return
    left = rect.left() + 8
    title_width = _width(channel.title, TEXT_PIXELS, bold=True)
    top = QRectF(left, rect.top() + 5, title_width + 2, 18)
    _text(painter, top, channel.title, palette.text, bold=True)
    chip = _chip_width(channel.peer, 18)
    after = min(top.right() + 19, channel.head.right() - 6 - chip)
    if after - top.right() >= 16:
        sign = "arrow-right-s-line" if channel.target.is_send else "arrow-left-s-line"
        icons.draw(painter, sign, QPointF(after - 9, top.center().y()), 14, QColor(palette.text_soft))
    _paint_chip(painter, after, top.center().y(), channel.peer, look, 18)
    detail = QRectF(left, rect.top() + 24, channel.head.width() - 12, 16)
    _text(painter, detail, channel.detail, palette.text_soft, SMALL_PIXELS)
    for port in channel.ports:
        if look.marks(port.tensor):
            _paint_ground(painter, port.rect.adjusted(6, 8, -6, -8), look, True)
        inner = port.rect.adjusted(12, 0, -10, 0)
        if not channel.is_upright:  # the wire leaves at the top or bottom
            inner = port.rect.adjusted(28, 0, -8, 0)
        number = f"{port.place}"
        _text(painter, inner, number, palette.text_soft, SMALL_PIXELS)
        colour = palette.accent if look.marks(port.tensor) else palette.text
        shift = _width(number, SMALL_PIXELS) + 7
        _text(painter, inner.adjusted(shift, 0, 0, 0), port.name, colour, TEXT_PIXELS, mono=True)


def _paint_wire(painter: QPainter, wire: Wire, look: Look) -> None:
    palette = look.palette
    marked, hovered = look.marks(wire.hop.tensor), look.hovered == wire.target
    colour = palette.accent if marked or hovered else palette.edge
    thin = 1.6 / min(1.0, look.scale)
    painter.setPen(ink.pen(colour, thin * 1.8 if marked else thin * 1.3 if hovered else thin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(list(wire.points))
    _paint_arrow(painter, wire.points[-2], wire.points[-1], colour)
    if not look.reads:
        return
    if marked:
        _paint_ground(painter, wire.name_rect.adjusted(-4, 0, 4, -1), look, True)
    note = _width(wire.note, SMALL_PIXELS) + 8 if wire.note else 0.0
    name = wire.name_rect.adjusted(0, 0, -note, 0)
    _text(painter, name, wire.name, palette.accent if marked else palette.text, TEXT_PIXELS, mono=True)
    if wire.note:
        _text(painter, wire.name_rect, wire.note, palette.text_soft, SMALL_PIXELS, flags=_RIGHT)
    for text, rect in wire.details:
        _text(painter, rect, text, palette.text_soft, SMALL_PIXELS)


def _paint_arrow(painter: QPainter, before: QPointF, tip: QPointF, colour: str) -> None:
    """Draws the head of a line that runs along an axis."""
    along = tip - before
    length = max(abs(along.x()), abs(along.y())) or 1.0
    unit = QPointF(along.x() / length, along.y() / length)
    side = QPointF(-unit.y(), unit.x())
    back = tip - unit * HEAD
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.colour(colour))
    painter.drawPolygon(QPolygonF([tip, back + side * (HEAD / 2), back - side * (HEAD / 2)]))


def _paint_inner(painter: QPainter, line: InnerLine, look: Look) -> None:
    palette = look.palette
    marked = look.marks(line.tensor)
    colour = palette.accent if marked else palette.edge
    width = 2.6 if marked else 1.3
    passes = line.kind is Inside.PASSES
    painter.setPen(ink.dashed(colour, width, 5, 4) if passes else ink.pen(colour, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(list(line.points))
    _paint_arrow(painter, line.points[-2], line.points[-1], colour)
    if passes and look.reads:
        start, end = line.points[1], line.points[2]
        middle = QPointF((start.x() + end.x()) / 2, (start.y() + end.y()) / 2)
        text = _tr("passes")
        area = QRectF(0, 0, _width(text, SMALL_PIXELS) + 8, 15)
        area.moveCenter(middle)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink.colour(palette.node))
        painter.drawRect(area)
        _text(painter, area, text, palette.accent if marked else palette.text_soft, SMALL_PIXELS, flags=_CENTRE)


def _paint_boundary(painter: QPainter, boundary: BoundaryHead, look: Look) -> None:
    height = boundary.rect.height() / 3
    for at, line in enumerate(boundary.lines):
        rect = QRectF(boundary.rect.left(), boundary.rect.top() + at * height, boundary.rect.width(), height)
        colour = look.palette.text_soft if at == 1 else look.palette.text
        _text(painter, rect, line, colour, SMALL_PIXELS if at else TEXT_PIXELS, bold=at == 0, flags=_CENTRE)


def _paint_number(painter: QPainter, box: StageBox, look: Look) -> None:
    """Draws the number of a stage so large that it can be read though all else is small."""
    size = min(box.rect.width() * 0.5, 26 / look.scale)
    centre = QPointF(box.rect.center().x(), box.rect.top() + min(box.rect.height() / 2, box.head.height() / 2 + 6))
    _paint_chip(
        painter, centre.x() - _chip_width(box.contents.index, size) / 2, centre.y(), box.contents.index, look, size
    )
