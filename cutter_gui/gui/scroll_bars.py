"""Scroll bars that are just their handle."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QStyle, QStyleOptionSlider, QWidget

from cutter_gui.gui.theme import palette_of

_BAR = 10


class ThinScrollBar(QScrollBar):
    """A scroll bar that is just its handle."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        if orientation == Qt.Orientation.Vertical:
            self.setFixedWidth(_BAR)
        else:
            self.setFixedHeight(_BAR)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = palette_of(self.palette())
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ScrollBarSlider
        handle = QRectF(self.style().subControlRect(QStyle.ComplexControl.CC_ScrollBar, option, part, self))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        held = self.isSliderDown() or self.underMouse()
        painter.setBrush(QColor(tokens.node_border if held else tokens.line))
        painter.drawRoundedRect(handle.adjusted(2, 2, -2, -2), 3, 3)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()


def with_thin_bars(area: QAbstractScrollArea) -> None:
    """Gives a scroll area thin scroll bars."""
    area.setVerticalScrollBar(ThinScrollBar(Qt.Orientation.Vertical))
    area.setHorizontalScrollBar(ThinScrollBar(Qt.Orientation.Horizontal))
