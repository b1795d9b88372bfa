"""What keys do on the canvas."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from cutter_gui.gui.canvas import walk
from cutter_gui.gui.canvas.sheet import Sheet
from cutter_gui.gui.canvas.walk import Place

ARROWS = {
    int(Qt.Key.Key_Left): (-1, 0),
    int(Qt.Key.Key_Right): (1, 0),
    int(Qt.Key.Key_Up): (0, -1),
    int(Qt.Key.Key_Down): (0, 1),
}


class KeyTarget(Protocol):
    """What keys see of the canvas."""

    @property
    def place(self) -> Place: ...

    @property
    def sheet(self) -> Sheet | None: ...

    def walk_to(self, place: Place) -> None: ...

    def clear_selection(self) -> None: ...

    def fit(self) -> None: ...

    def zoom_in(self) -> None: ...

    def zoom_out(self) -> None: ...

    def reset_zoom(self) -> None: ...

    def inspect(self) -> None: ...

    def enter(self) -> None: ...


def press(target: KeyTarget, event: QKeyEvent) -> bool:
    """Does what a key does; returns whether it does anything."""
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    sheet = target.sheet
    if held or sheet is None:
        return False
    key = event.key()
    if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
        target.zoom_in()
    elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
        target.zoom_out()
    elif key == Qt.Key.Key_0:
        target.reset_zoom()
    elif key == Qt.Key.Key_F:
        target.fit()
    elif key == Qt.Key.Key_Escape:
        target.clear_selection()
    elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            target.inspect()
        else:
            target.enter()
    elif key in ARROWS:
        _walk(target, sheet, ARROWS[key] if sheet.scene.flow else ARROWS[key][::-1])
    else:
        return False
    return True


def _walk(target: KeyTarget, sheet: Sheet, step: tuple[int, int]) -> None:
    """Goes a step beside, or along the edges."""
    beside, along = step
    if beside:
        target.walk_to(walk.beside(sheet, target.place, beside))
    else:
        target.walk_to((walk.down if along > 0 else walk.up)(sheet, target.place))


def cycle(target: KeyTarget, step: int) -> None:
    """Goes to the next or previous consumer of the selected tensor, or node."""
    if target.sheet is not None:
        target.walk_to(walk.cycled(target.sheet, target.place, step))
