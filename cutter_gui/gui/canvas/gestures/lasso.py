"""A rubber band around nodes, with Shift held; without a move it is a click with Shift."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas.gestures.base import Gesture, Pointer
from cutter_gui.gui.canvas.gestures.cutting import CuttingTarget
from cutter_gui.gui.canvas.hit import GROUND, Hit


class LassoGesture(Gesture):
    """Chooses the nodes whose boxes the band touches."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, target: CuttingTarget) -> None:
        super().__init__(target)
        self._canvas = target
        self._start = QPointF()
        self._hit: Hit = GROUND
        self._moved = False

    def start(self, pointer: Pointer) -> None:
        self._start = pointer.position
        self._hit = self.target.hit(pointer.position)

    def move(self, pointer: Pointer) -> Gesture:
        far = (pointer.position - self._start).manhattanLength()
        self._moved = self._moved or far >= QGuiApplication.styleHints().startDragDistance()
        if self._moved:
            self._canvas.show_band(self._band(pointer))
        return self

    def _band(self, pointer: Pointer) -> QRectF:
        return QRectF(self._start, pointer.position).normalized()

    def end(self, pointer: Pointer) -> None:
        self.move(pointer)
        if self._moved:
            self._canvas.show_band(None)
            self._canvas.choose_within(self._band(pointer))
        else:
            self.target.click(self._hit, pointer.modifiers)

    def cancel(self) -> None:
        self._canvas.show_band(None)
