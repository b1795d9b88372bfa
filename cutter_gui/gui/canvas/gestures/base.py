"""What a gesture is, and what it may do to the canvas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPointF, Qt

from cutter_gui.gui.canvas.hit import Hit


@dataclass(frozen=True)
class Pointer:
    """Where the pointer is, in viewport pixels, and the keys held."""

    position: QPointF
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier


class GestureTarget(Protocol):
    """What gestures see of the canvas."""

    def hit(self, position: QPointF) -> Hit:
        """Returns what is under a viewport point."""
        ...

    def click(self, hit: Hit, modifiers: Qt.KeyboardModifier) -> None:
        """Does what a click on a thing does."""
        ...

    def pan(self, dx: float, dy: float) -> None:
        """Moves the scene by viewport pixels."""
        ...

    def zoom_at(self, factor: float, position: QPointF) -> None:
        """Scales about a viewport point."""
        ...


class Gesture(ABC):
    """One gesture from press to release.

    The canvas calls `start` once, `move` for each move, and either `end` or `cancel`.
    """

    cursor: Qt.CursorShape | None = None

    def __init__(self, target: GestureTarget) -> None:
        self.target = target

    @abstractmethod
    def start(self, pointer: Pointer) -> None: ...

    @abstractmethod
    def move(self, pointer: Pointer) -> Gesture:
        """Follows the pointer; returns the gesture that goes on, which may be another."""

    @abstractmethod
    def end(self, pointer: Pointer) -> None: ...

    @abstractmethod
    def cancel(self) -> None:
        """Takes back what `end` would have made final."""
