"""Starting a stage: a click on a node makes the complete cut before it, with Alt held that after it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas.gestures.base import Gesture, Pointer
from cutter_gui.gui.canvas.gestures.cutting import CuttingTarget
from cutter_gui.gui.canvas.gestures.pan import PanGesture


class StartStageGesture(Gesture):
    """A click applies what hovering shows; once the pointer moves it is a pan instead."""

    def __init__(self, target: CuttingTarget) -> None:
        super().__init__(target)
        self._canvas = target
        self._pressed = Pointer(QPointF())

    def start(self, pointer: Pointer) -> None:
        self._pressed = pointer
        self._canvas.preview_place(pointer.position, wants_after(pointer))

    def move(self, pointer: Pointer) -> Gesture:
        moved = (pointer.position - self._pressed.position).manhattanLength()
        if moved < QGuiApplication.styleHints().startDragDistance():
            return self
        self._canvas.drop_preview()
        pan = PanGesture(self.target)
        pan.start(self._pressed)
        return pan.move(pointer)

    def end(self, pointer: Pointer) -> None:
        self._canvas.preview_place(self._pressed.position, wants_after(pointer))
        self._canvas.apply_preview()

    def cancel(self) -> None:
        self._canvas.drop_preview()


def wants_after(pointer: Pointer) -> bool:
    """Whether the keys held ask for the cut after a node."""
    return bool(pointer.modifiers & Qt.KeyboardModifier.AltModifier)
