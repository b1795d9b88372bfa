"""Pushing a border: the line of a cut is taken and moved along the edges, and the plan follows."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas.gestures.base import Gesture, Pointer
from cutter_gui.gui.canvas.gestures.cutting import CuttingTarget


class BorderGesture(Gesture):
    """Shows the plan that follows the pointer; without a move it is a click on the cut."""

    def __init__(self, target: CuttingTarget, cut: int) -> None:
        super().__init__(target)
        self._canvas = target
        self.cursor = Qt.CursorShape.SizeVerCursor if target.flow else Qt.CursorShape.SizeHorCursor
        self._cut = cut
        self._start = QPointF()
        self._moved = False

    def start(self, pointer: Pointer) -> None:
        self._start = pointer.position

    def move(self, pointer: Pointer) -> Gesture:
        way = pointer.position - self._start
        shift = way.y() if self._canvas.flow else way.x()
        self._moved = self._moved or abs(shift) >= QGuiApplication.styleHints().startDragDistance()
        if self._moved:
            self._canvas.preview_border(self._cut, shift)
        return self

    def end(self, pointer: Pointer) -> None:
        self.move(pointer)
        if self._moved:
            self._canvas.apply_preview()
        else:
            self._canvas.take_cut(self._cut)

    def cancel(self) -> None:
        self._canvas.drop_preview()
