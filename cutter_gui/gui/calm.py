"""Small widgets that Fusion draws louder than this window is: labels of less weight, scroll bars, splitter lines."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QLabel,
    QScrollBar,
    QSplitter,
    QSplitterHandle,
    QStyle,
    QStyleOptionSlider,
    QWidget,
)

from cutter_gui.gui.theme import palette_of

_BAR = 10
_GRIP = 5


class SoftLabel(QLabel):
    """Plain text in the softer text colour of the theme."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._soften()

    def _soften(self) -> None:
        wanted = QColor(palette_of(self.palette()).text_soft)
        palette = self.palette()
        if palette.color(QPalette.ColorRole.WindowText) != wanted:
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._soften()


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


class _Line(QSplitterHandle):
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = QColor(palette_of(self.palette()).line)
        if self.orientation() == Qt.Orientation.Horizontal:
            painter.fillRect(self.width() // 2, 0, 1, self.height(), colour)
        else:
            painter.fillRect(0, self.height() // 2, self.width(), 1, colour)
        painter.end()


class LineSplitter(QSplitter):
    """A splitter whose handles are lines."""

    def __init__(self, orientation: Qt.Orientation, *widgets: QWidget) -> None:
        super().__init__(orientation)
        self.setHandleWidth(_GRIP)
        self.setChildrenCollapsible(False)
        for widget in widgets:
            self.addWidget(widget)

    def createHandle(self) -> QSplitterHandle:
        return _Line(self.orientation(), self)
