"""What the user can do with the picture of the graph as a whole, as entries of the registry of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow

_DIRECTION = "layout/direction"


def picture_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    tr = window.tr

    def shown() -> bool:
        return window.workspace is not None and window.workspace.has_picture

    def turn() -> None:
        window.preferences.set(_DIRECTION, "TB" if window.preferences.choice(_DIRECTION) == "LR" else "LR")

    return (
        ActionSpec(
            "file.export_picture",
            tr("E&xport picture…"),
            lambda: window.saver.export_picture(),
            "Ctrl+Shift+E",
            tip=tr("Write the graph with its cuts and stages as SVG, PNG or PDF"),
            enabled=lambda: shown() and not window.is_busy,
        ),
        ActionSpec(
            "file.print",
            tr("&Print…"),
            lambda: window.saver.print_picture(),
            QKeySequence.StandardKey.Print,
            tip=tr("Show the graph as it will be on paper, and print it"),
            enabled=shown,
        ),
        ActionSpec(
            "view.left_to_right",
            tr("Edges from &left to right"),
            turn,
            "Ctrl+Shift+L",
            tip=tr("Draw edges from left to right instead of from top to bottom"),
            checked=lambda: window.preferences.choice(_DIRECTION) == "LR",
        ),
    )
