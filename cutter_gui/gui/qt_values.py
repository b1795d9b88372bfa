"""Widgets and paint without the enums of Qt's own namespace, for what is made before the first frame.

Naming one enum of that namespace makes the Python classes of all its 93, which takes as long as half of everything else
the program does before its window appears. So does every call that Qt offers in a form with such an enum too: making a
`QBrush` or `QPen` with a colour, `QPainter.setPen`, `setBrush`, `fillRect`. A property of a widget takes the number as
well; a pen or brush made here is used with `QPainter.strokePath` and `fillPath`.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QBrush, QColor, QPalette, QPen

ALIGN_LEFT = 0x0081  # and in the middle of the height
ALIGN_RIGHT = 0x0082
ALIGN_CENTER = 0x0084
PLAIN_TEXT = 0
TAB_AND_CLICK_FOCUS = 0x000B
PREVENT_CONTEXT_MENU = 4
TEXT_BESIDE_ICON = 2


def set_value(target: QObject, name: str, value: int) -> None:
    """Sets a property whose type is an enum of Qt's namespace.

    Raises:
        ValueError: The object has no such property.
    """
    if not target.setProperty(name, value):
        raise ValueError(f"{type(target).__name__} has no property {name}")


def solid(colour: QColor) -> QBrush:
    """Returns a brush that fills with a colour."""
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, colour)
    return palette.window()


def line(colour: QColor, width: float = 1.0) -> QPen:
    """Returns a pen that draws solid lines."""
    pen = QPen()
    pen.setColor(colour)
    pen.setWidthF(width)
    return pen
