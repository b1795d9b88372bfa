"""A press and a release in one place: a click. Once the pointer moves it is a pan instead."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas.gestures.base import Gesture, GestureTarget, Pointer
from cutter_gui.gui.canvas.gestures.pan import PanGesture
from cutter_gui.gui.canvas.hit import GROUND, Hit


class ClickGesture(Gesture):
    """Clicks what was under the pointer when it was pressed."""

    def __init__(self, target: GestureTarget) -> None:
        super().__init__(target)
        self._pressed = Pointer(QPointF())
        self._hit: Hit = GROUND

    def start(self, pointer: Pointer) -> None:
        self._pressed = pointer
        self._hit = self.target.hit(pointer.position)

    def move(self, pointer: Pointer) -> Gesture:
        moved = (pointer.position - self._pressed.position).manhattanLength()
        if moved < QGuiApplication.styleHints().startDragDistance():
            return self
        pan = PanGesture(self.target)
        pan.start(self._pressed)
        return pan.move(pointer)

    def end(self, pointer: Pointer) -> None:
        self.target.click(self._hit, pointer.modifiers)

    def cancel(self) -> None:
        """A click that does not end does nothing."""
