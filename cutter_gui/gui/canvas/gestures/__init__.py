"""Mouse gestures on the canvas, one class each; `start_gesture` chooses."""

from __future__ import annotations

from PySide6.QtCore import Qt

from cutter_gui.gui.canvas.gestures.base import Gesture, GestureTarget, Pointer
from cutter_gui.gui.canvas.gestures.click import ClickGesture
from cutter_gui.gui.canvas.gestures.pan import PanGesture
from cutter_gui.gui.canvas.gestures.pinch import PinchGesture
from cutter_gui.gui.canvas.gestures.wheel import ZOOM_STEP, turn_wheel

__all__ = [
    "ZOOM_STEP",
    "ClickGesture",
    "Gesture",
    "GestureTarget",
    "PanGesture",
    "PinchGesture",
    "Pointer",
    "start_gesture",
    "turn_wheel",
]


def start_gesture(target: GestureTarget, pointer: Pointer, button: Qt.MouseButton, space: bool) -> Gesture | None:
    """Returns the gesture that a press starts, or None when the press means nothing here."""
    gesture: Gesture
    if button is Qt.MouseButton.MiddleButton or (button is Qt.MouseButton.LeftButton and space):
        gesture = PanGesture(target)
    elif button is Qt.MouseButton.LeftButton:
        gesture = ClickGesture(target)
    else:
        return None
    gesture.start(pointer)
    return gesture
