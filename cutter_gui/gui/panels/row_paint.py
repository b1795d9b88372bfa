"""Places and paints the parts of a row.

Both painting and the mouse use the same `place`, so that what is clicked is what is seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QTextLayout, QTextOption

from cutter_gui.gui import icons
from cutter_gui.gui.panels.ink import Ink, mono_font
from cutter_gui.gui.panels.rows import Button, CardPlace, Check, Chip, Gap, Part, Row, Sign, Span, Tone

MARGIN = 12  # pixels left and right of a row's parts
SPACING = 6  # between parts
CARD_INSET = 8  # of a card from the sides of the list
CARD_RADIUS = 6
CHIP = 18
CHECK = 16
SIGN = 16
LINE = 22  # height of a row of text


@dataclass(frozen=True)
class Placed:
    """A part with its place, and the text as it fits there."""

    part: Part
    rect: QRect
    text: str = ""

    @property
    def target(self) -> object:
        return None if isinstance(self.part, (Gap, Chip)) else self.part.target


def part_font(part: Span, base: QFont) -> QFont:
    font = mono_font(base) if part.mono else QFont(base)
    font.setBold(part.bold)
    return font


def _width(part: Part, base: QFont) -> int:
    if isinstance(part, Span):
        return QFontMetrics(part_font(part, base)).horizontalAdvance(part.text) + 1
    if isinstance(part, Chip):
        return max(CHIP, QFontMetrics(base).horizontalAdvance(str(part.stage)) + 8)
    if isinstance(part, Button):
        return QFontMetrics(base).horizontalAdvance(part.text) + 16
    if isinstance(part, Check):
        return CHECK
    return SIGN if isinstance(part, Sign) else 0


def _left(row: Row) -> int:
    return MARGIN + row.indent + (CARD_INSET if row.card is not CardPlace.NONE else 0)


def _inner(row: Row, rect: QRect) -> QRect:
    right = MARGIN + (CARD_INSET if row.card is not CardPlace.NONE else 0)
    return rect.adjusted(_left(row), 0, -right, 0)


def place(row: Row, rect: QRect, base: QFont) -> list[Placed]:
    """Returns the parts of a row where they stand in ``rect``.

    Elastic spans share the room that the others leave; when that is not enough the last spans are cut short.
    """
    inner = _inner(row, rect)
    if row.wrap:  # the other parts stand beside the first line
        inner.setHeight(LINE)
    widths = [_width(part, base) for part in row.parts]
    room = inner.width() - SPACING * (sum(not isinstance(part, Gap) for part in row.parts) - 1)
    excess = sum(widths) - room
    if excess > 0:
        elastic = [at for at, part in enumerate(row.parts) if isinstance(part, Span) and part.elastic]
        rigid = [at for at, part in enumerate(row.parts) if isinstance(part, Span) and at not in elastic]
        for at in [*sorted(elastic, key=lambda at: -widths[at]), *reversed(rigid)]:
            least = 40 if at in elastic else 0
            given = max(0, min(excess, widths[at] - least))
            widths[at] -= given
            excess -= given
    if excess < 0:
        gaps = [at for at, part in enumerate(row.parts) if isinstance(part, Gap)]
        if gaps:
            widths[gaps[0]] -= excess
    placed = []
    left = inner.left()
    for part, width in zip(row.parts, widths, strict=True):
        box = QRect(left, inner.top(), width, inner.height())
        placed.append(Placed(part, box, _fitting(part, width, base)))
        left += width + (0 if isinstance(part, Gap) else SPACING)
    if row.wrap and placed and isinstance(row.parts[-1], Span):
        last = placed[-1]
        box = QRect(last.rect.left(), rect.top(), max(inner.right() - last.rect.left(), 40), rect.height())
        placed[-1] = Placed(last.part, box, row.parts[-1].text)
    return placed


def _fitting(part: Part, width: int, base: QFont) -> str:
    if isinstance(part, Button):
        return part.text
    if not isinstance(part, Span):
        return ""
    mode = Qt.TextElideMode.ElideMiddle if part.elastic else Qt.TextElideMode.ElideRight
    return QFontMetrics(part_font(part, base)).elidedText(part.text, mode, width)


def row_size(row: Row, width: int, base: QFont) -> QSize:
    """Returns the size of a row in a list of this width."""
    if row.height:
        return QSize(width, row.height)
    last = row.parts[-1] if row.parts else None
    if not row.wrap or not isinstance(last, Span):
        return QSize(width, LINE)
    placed = place(row, QRect(0, 0, width, LINE), base)
    lines = _wrapped(last.text, part_font(last, base), placed[-1].rect.width()).lineCount()
    return QSize(width, LINE + (lines - 1) * QFontMetrics(base).height())


def _wrapped(text: str, font: QFont, width: int) -> QTextLayout:
    """Returns text broken into lines: between words, and within a word that is longer than a line."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, top))
        top += line.height()
    layout.endLayout()
    return layout


def paint_card(painter: QPainter, row: Row, rect: QRect, ink: Ink) -> None:
    """Paints the slice of a card that a row stands on."""
    if row.card in (CardPlace.NONE, CardPlace.SPACE):
        return
    weight = 2 if row.active else 1
    half = weight / 2
    card = QRectF(rect).adjusted(CARD_INSET + half, half, -CARD_INSET - half, -half)
    if row.card is not CardPlace.TOP:
        card.setTop(card.top() - 4 * CARD_RADIUS)
    if row.card is not CardPlace.BOTTOM:
        card.setBottom(card.bottom() + 4 * CARD_RADIUS)
    painter.save()
    painter.setClipRect(rect)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink.accent if row.active else ink.line, weight))
    painter.setBrush(ink.card)
    painter.drawRoundedRect(card, CARD_RADIUS, CARD_RADIUS)
    painter.restore()


def paint_part(painter: QPainter, placed: Placed, row: Row, ink: Ink, hovered: bool) -> None:
    """Paints one part."""
    part = placed.part
    if isinstance(part, Span):
        _paint_span(painter, placed, part, row, ink, hovered)
    elif isinstance(part, Chip):
        _paint_chip(painter, placed.rect, part.stage, ink)
    elif isinstance(part, Sign):
        color = ink.text if hovered and part.target is not None else _tone(part.tone, ink)
        icons.draw(painter, part.icon, QPointF(placed.rect.center()) + QPointF(0.5, 0.5), SIGN, color)
    elif isinstance(part, Check):
        _paint_check(painter, placed.rect, part, ink)
    elif isinstance(part, Button):
        _paint_button(painter, placed, ink, hovered)


def _tone(tone: Tone, ink: Ink) -> QColor:
    return {
        Tone.TEXT: ink.text,
        Tone.MUTED: ink.muted,
        Tone.LINK: ink.accent,
        Tone.ERROR: ink.error,
        Tone.WARNING: ink.warning,
        Tone.GOOD: ink.good,
    }[tone]


def _paint_span(painter: QPainter, placed: Placed, part: Span, row: Row, ink: Ink, hovered: bool) -> None:
    font = part_font(part, painter.font())
    font.setUnderline(hovered and part.target is not None)
    keep = painter.font()
    painter.setFont(font)
    painter.setPen(_tone(part.tone, ink))
    if row.wrap and part is row.parts[-1]:
        layout = _wrapped(placed.text, font, placed.rect.width())
        layout.draw(painter, QPointF(placed.rect.left(), placed.rect.top() + (LINE - QFontMetrics(font).height()) / 2))
    else:
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(placed.rect, flags, placed.text)
    painter.setFont(keep)


def _paint_chip(painter: QPainter, rect: QRect, stage: int, ink: Ink) -> None:
    box = QRectF(rect.left(), rect.center().y() + 1 - CHIP / 2, rect.width(), CHIP)
    paint_stage_chip(painter, box, stage, ink)


def paint_stage_chip(painter: QPainter, box: QRectF, stage: int, ink: Ink) -> None:
    """Paints the number of a stage on its colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.stage(stage))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    hatch = ink.hatch(stage)
    if hatch is not None:
        painter.setBrush(hatch)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    font = QFont(painter.font())
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(ink.on_stage(stage))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(stage))
    painter.restore()


def _paint_check(painter: QPainter, rect: QRect, part: Check, ink: Ink) -> None:
    box = QRectF(rect.left() + 0.5, rect.center().y() - CHECK / 2 + 1.5, CHECK - 1, CHECK - 1)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    filled = ink.accent if part.enabled else ink.off
    painter.setPen(QPen(filled if part.on else ink.off if part.enabled else ink.line, 1))
    painter.setBrush(filled if part.on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 4, 4)
    if part.on:
        icons.draw(painter, "check-line", box.center(), 13, ink.on_accent)
    painter.restore()


def _paint_button(painter: QPainter, placed: Placed, ink: Ink, hovered: bool) -> None:
    box = QRectF(placed.rect).adjusted(0.5, 2.5, -0.5, -2.5)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink.accent if hovered else ink.line, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(ink.accent)
    painter.drawText(placed.rect, Qt.AlignmentFlag.AlignCenter, placed.text)
    painter.restore()
