"""How the user wants graphs laid out."""

from __future__ import annotations

from typing import cast, get_args

from cutter_gui.gui.preferences import Preferences
from cutter_gui.layout.scene import Direction, Engine, LayoutOptions


def engines() -> tuple[str, ...]:
    """Returns the engines that there are."""
    return get_args(Engine)


def directions() -> tuple[str, ...]:
    """Returns the directions that edges can run in."""
    return get_args(Direction)


def layout_options(preferences: Preferences, constants: bool) -> LayoutOptions:
    """Returns what to lay out and how."""
    return LayoutOptions(
        engine=cast(Engine, preferences.choice("layout/engine")),
        direction=cast(Direction, preferences.choice("layout/direction")),
        hub_threshold=preferences.number("layout/hub_threshold"),
        show_constants=constants,
    )
