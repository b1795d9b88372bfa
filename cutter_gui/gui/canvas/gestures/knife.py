"""The knife: a line is drawn across the graph, and what it crosses is cut when the button is let go."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas.gestures.base import Gesture, Pointer
from cutter_gui.gui.canvas.gestures.cutting import CuttingTarget


class KnifeGesture(Gesture):
    """Shows the cut while the line is drawn; with Shift held at the end, exactly the edges crossed are cut."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, target: CuttingTarget) -> None:
        super().__init__(target)
        self._canvas = target
        self._start = QPointF()

    def start(self, pointer: Pointer) -> None:
        self._start = pointer.position

    def _is_line(self, pointer: Pointer) -> bool:
        length = (pointer.position - self._start).manhattanLength()
        return length >= QGuiApplication.styleHints().startDragDistance()

    def move(self, pointer: Pointer) -> Gesture:
        if self._is_line(pointer):
            self._canvas.preview_line(self._start, pointer.position)
        else:
            self._canvas.drop_preview()
        return self

    def end(self, pointer: Pointer) -> None:
        self.move(pointer)
        if self._is_line(pointer):
            self._canvas.apply_preview(bool(pointer.modifiers & Qt.KeyboardModifier.ShiftModifier))

    def cancel(self) -> None:
        self._canvas.drop_preview()
