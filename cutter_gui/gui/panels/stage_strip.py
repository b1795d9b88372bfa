"""The stages side by side as cards, with what is sent from one to the next between them.

Only what is in sight is painted, so that a plan of 200 stages costs as much as one of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from cutter_gui.gui import icons
from cutter_gui.gui.panels.ink import Ink, ink
from cutter_gui.gui.panels.row_paint import CHIP, paint_stage_chip
from cutter_gui.gui.panels.rows import plain_tip
from cutter_gui.gui.scroll_bars import with_thin_bars

_MARGIN = 8
_CARD_MIN = 172
_CARD_MAX = 300
_BETWEEN = 116
_CARD_HEIGHT = 84
_PAD = 10


@dataclass(frozen=True)
class StageItem:
    """What a card says about a stage.

    Attributes:
        stage: Its number.
        title: Such as ``339 nodes``.
        weights: Such as ``weights 505 MiB``.
        fraction: Its weights against those of the heaviest stage, 0 to 1.
        ends: The model's inputs and outputs it has.
        empty: Whether it has no node, which is an error.
        errors: How many errors concern it.
    """

    stage: int
    title: str
    weights: str
    fraction: float
    ends: str
    empty: bool = False
    errors: int = 0


@dataclass(frozen=True)
class SendItem:
    """What stands between two cards: what the stage on the left sends.

    Attributes:
        source: The stage that sends.
        title: The first line.
        lines: The lines below; the first is set in bold.
    """

    source: int
    title: str
    lines: tuple[str, ...]


Item = StageItem | SendItem


class StageStrip(QAbstractScrollArea):
    """Shows the cards.

    Signals:
        picked: The item that was clicked, or chosen by the arrow keys and Enter.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[Item, ...] = ()
        self._current: int | None = None
        self._hover: int | None = None
        with_thin_bars(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.horizontalScrollBar().setSingleStep(40)

    @property
    def items(self) -> tuple[Item, ...]:
        return self._items

    def set_items(self, items: Sequence[Item]) -> None:
        """Shows other items; the current one stays when there are as many."""
        new = tuple(items)
        if new == self._items:
            return
        if len(new) != len(self._items):
            self._current = None
        self._items = new
        self._hover = None
        self._update_range()
        self.viewport().update()

    def set_current(self, at: int | None) -> None:
        """Outlines an item."""
        self._current = at
        self.viewport().update()

    def item_rect(self, at: int) -> QRect:
        """Returns where an item stands in the viewport."""
        card = self._card_width()
        pair = card + _BETWEEN
        left = _MARGIN + (at // 2) * pair + (card if at % 2 else 0) - self.horizontalScrollBar().value()
        return QRect(left, 0, _BETWEEN if at % 2 else card, _CARD_HEIGHT)

    def item_at(self, point: QPoint) -> int | None:
        for at in self._in_sight():
            if self.item_rect(at).contains(point):
                return at
        return None

    def tip_at(self, point: QPoint) -> str:
        """Returns the tooltip at a point of the viewport."""
        at = self.item_at(point)
        if at is None:
            return ""
        item = self._items[at]
        if isinstance(item, StageItem):
            wrong = self.tr("1 error here") if item.errors == 1 else self.tr("{} errors here").format(item.errors)
            return "\n".join((item.title, item.weights, item.ends, *([wrong] if item.errors else [])))
        return "\n".join((item.title, *item.lines))

    def _card_width(self) -> int:
        cards = (len(self._items) + 1) // 2
        if not cards:
            return _CARD_MIN
        room = self.viewport().width() - 2 * _MARGIN - (cards - 1) * _BETWEEN
        return max(_CARD_MIN, min(_CARD_MAX, room // cards))

    def _content_width(self) -> int:
        cards = (len(self._items) + 1) // 2
        return 2 * _MARGIN + cards * self._card_width() + max(0, cards - 1) * _BETWEEN

    def _in_sight(self) -> range:
        pair = self._card_width() + _BETWEEN
        first = max(0, (self.horizontalScrollBar().value() - _MARGIN) // pair * 2)
        last = (self.horizontalScrollBar().value() + self.viewport().width()) // pair * 2 + 2
        return range(first, min(len(self._items), last))

    def _update_range(self) -> None:
        width = self.viewport().width()
        self.horizontalScrollBar().setRange(0, max(0, self._content_width() - width))
        self.horizontalScrollBar().setPageStep(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_range()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = ink()
        for at in self._in_sight():
            item = self._items[at]
            rect = self.item_rect(at)
            if isinstance(item, StageItem):
                self._paint_stage(painter, item, rect, colours, at)
            else:
                self._paint_send(painter, item, rect, colours, at)
        painter.end()

    def _paint_stage(self, painter: QPainter, item: StageItem, rect: QRect, colours: Ink, at: int) -> None:
        current = at == self._current
        weight = 2 if current or (at == self._hover) else 1
        outline = colours.error if item.empty or item.errors else colours.accent if current else colours.line
        painter.setPen(QPen(outline, weight))
        painter.setBrush(colours.card)
        painter.drawRoundedRect(QRectF(rect).adjusted(weight / 2, weight / 2, -weight / 2, -weight / 2), 6, 6)
        inner = rect.adjusted(_PAD, 8, -_PAD, -8)
        chip = QRectF(
            inner.left(), inner.top(), max(CHIP, painter.fontMetrics().horizontalAdvance(str(item.stage)) + 8), CHIP
        )
        paint_stage_chip(painter, chip, item.stage, colours)
        sign = CHIP + 4 if item.errors else 0
        if item.errors:
            at_right = QPointF(inner.right() - CHIP / 2, inner.top() + CHIP / 2)
            icons.draw(painter, "error-warning-line", at_right, CHIP, colours.error)
        title = QRect(int(chip.right()) + 6, inner.top(), inner.right() - int(chip.right()) - 6 - sign, CHIP)
        self._text(painter, title, item.title, colours.error if item.empty else colours.text, bold=True)
        self._text(painter, QRect(inner.left(), inner.top() + 22, inner.width(), 18), item.weights, colours.muted)
        track = QRectF(inner.left(), inner.top() + 43, inner.width(), 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.track)
        painter.drawRoundedRect(track, 2.5, 2.5)
        if item.fraction > 0:
            filled = QRectF(track)
            filled.setWidth(max(5.0, track.width() * item.fraction))
            painter.setBrush(colours.stage(item.stage))
            painter.drawRoundedRect(filled, 2.5, 2.5)
        self._text(painter, QRect(inner.left(), inner.top() + 51, inner.width(), 18), item.ends, colours.muted)

    def _paint_send(self, painter: QPainter, item: SendItem, rect: QRect, colours: Ink, at: int) -> None:
        if at == self._current:
            painter.setPen(QPen(colours.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(7, 1, -7, -1), 6, 6)
        middle = rect.adjusted(10, 0, -10, 0)
        colour = colours.text if at == self._hover else colours.muted
        top = rect.top() + (rect.height() - 18 * (1 + len(item.lines))) // 2
        lines = [(item.title, colour, False)]
        lines += [(line, colours.text if n == 0 else colours.muted, n == 0) for n, line in enumerate(item.lines)]
        for n, (text, tone, bold) in enumerate(lines):
            box = QRect(middle.left(), top + 18 * n, middle.width(), 18)
            self._text(painter, box, text, tone, bold=bold, centred=True)

    def _text(
        self, painter: QPainter, rect: QRect, text: str, colour: object, bold: bool = False, centred: bool = False
    ) -> None:
        font = QFont(self.font())
        font.setBold(bold)
        painter.setFont(font)
        painter.setPen(colour)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        side = Qt.AlignmentFlag.AlignHCenter if centred else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | side | Qt.TextFlag.TextSingleLine, shown)
        painter.setFont(self.font())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = self.item_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and at is not None:
            self._pick(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.item_at(event.position().toPoint())
        if at != self._hover:
            self._hover = at
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor if at is not None else Qt.CursorShape.ArrowCursor
            )
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.viewport().update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if step is not None and self._items:
            at = 0 if self._current is None else self._current + step
            self._pick(max(0, min(len(self._items) - 1, at)))
            return
        super().keyPressEvent(event)

    def _pick(self, at: int) -> None:
        self._current = at
        rect = self.item_rect(at)
        bar = self.horizontalScrollBar()
        if rect.left() < 0:
            bar.setValue(bar.value() + rect.left() - _MARGIN)
        elif rect.right() > self.viewport().width():
            bar.setValue(bar.value() + rect.right() - self.viewport().width() + _MARGIN)
        self.viewport().update()
        self.picked.emit(self._items[at])

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)

    def point_of(self, at: int) -> QPointF:
        """Returns the middle of an item in the viewport."""
        return QRectF(self.item_rect(at)).center()
