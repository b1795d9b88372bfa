"""Dragging the scene about."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt

from cutter_gui.gui.canvas.gestures.base import Gesture, GestureTarget, Pointer


class PanGesture(Gesture):
    """The scene follows the pointer; cancelling puts it back."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, target: GestureTarget) -> None:
        super().__init__(target)
        self._from = QPointF()
        self._at = QPointF()

    def start(self, pointer: Pointer) -> None:
        self._from = self._at = pointer.position

    def move(self, pointer: Pointer) -> Gesture:
        step = pointer.position - self._at
        self._at = pointer.position
        self.target.pan(step.x(), step.y())
        return self

    def end(self, pointer: Pointer) -> None:
        self.move(pointer)

    def cancel(self) -> None:
        back = self._from - self._at
        self.target.pan(back.x(), back.y())
