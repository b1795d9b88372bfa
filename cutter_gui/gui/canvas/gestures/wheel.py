"""The wheel and two fingers on a touchpad: zoom at the pointer, or move the scene."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

from cutter_gui.gui.canvas.gestures.base import GestureTarget

ZOOM_STEP = 1.25  # a notch
NOTCH = 120.0


def turn_wheel(target: GestureTarget, event: QWheelEvent) -> None:
    """Zooms for a wheel, moves the scene for a touchpad or with Shift; Ctrl zooms always."""
    pixels, angle, modifiers = event.pixelDelta(), event.angleDelta(), event.modifiers()
    by_touchpad = not pixels.isNull() and event.phase() != Qt.ScrollPhase.NoScrollPhase
    if by_touchpad and not modifiers & Qt.KeyboardModifier.ControlModifier:
        target.pan(pixels.x(), pixels.y())
    elif modifiers & Qt.KeyboardModifier.ShiftModifier:
        # Some platforms turn the wheel sideways themselves while Shift is held.
        target.pan(angle.y() or angle.x(), 0)
    elif angle.y():
        target.zoom_at(ZOOM_STEP ** (angle.y() / NOTCH), event.position())
    elif angle.x():
        target.pan(angle.x(), 0)
    event.accept()
