"""Splitters whose handles are lines."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from cutter_gui.gui.theme import palette_of

_GRIP = 5
_LARGEST = 16384  # pixels of a panel


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

    def restore(self, state: QByteArray) -> None:
        """Takes sizes over that `saveState` kept; from a settings file that was damaged none."""
        before, orientation = self.saveState(), self.orientation()
        taken = self.restoreState(state) and self.orientation() == orientation and self.handleWidth() == _GRIP
        if not (taken and all(0 <= size <= _LARGEST for size in self.sizes())):
            self.restoreState(before)

    def createHandle(self) -> QSplitterHandle:
        return _Line(self.orientation(), self)
