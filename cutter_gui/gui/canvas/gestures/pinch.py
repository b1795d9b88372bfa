"""Zooming with two fingers on a touchpad."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from cutter_gui.gui.canvas.gestures.base import Gesture, GestureTarget, Pointer


class PinchGesture(Gesture):
    """Scales about the place where the fingers came down; cancelling puts the scale back."""

    def __init__(self, target: GestureTarget) -> None:
        super().__init__(target)
        self._at = QPointF()
        self._factor = 1.0

    def start(self, pointer: Pointer) -> None:
        self._at = pointer.position

    def scale(self, change: float) -> None:
        """Scales by ``1 + change``."""
        factor = max(1.0 + change, 0.1)
        self._factor *= factor
        self.target.zoom_at(factor, self._at)

    def move(self, pointer: Pointer) -> Gesture:
        self._at = pointer.position
        return self

    def end(self, pointer: Pointer) -> None:
        """The scale is what it is."""

    def cancel(self) -> None:
        self.target.zoom_at(1.0 / self._factor, self._at)
