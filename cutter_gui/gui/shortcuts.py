"""The keys that the user chose for actions, kept in the settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.settings import Settings

if TYPE_CHECKING:
    from PySide6.QtCore import Qt

    from cutter_gui.gui.canvas.tool import Tool

_KEY = "shortcuts"
_TOOL = "tool."


class Shortcuts(QObject):
    """Which keys the user chose instead of those that actions come with."""

    def __init__(self, registry: ActionRegistry, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self._settings = settings
        self._chosen: dict[str, list[str]] = {}

    def load(self) -> None:
        """Takes over what was chosen in earlier runs; what cannot be read is not."""
        try:
            found = json.loads(self._settings.text(_KEY, "{}"))
            self._chosen = {str(name): [str(one) for one in keys] for name, keys in found.items()}
        except (AttributeError, TypeError, ValueError):
            self._chosen = {}
        for name, keys in self._chosen.items():
            self._registry.choose_keys(name, keys)

    def keys(self, action_id: str) -> list[str]:
        """Returns the keys of an action, in Qt's portable text."""
        return [keys.toString() for keys in self._registry.keys(action_id)]

    def is_chosen(self, action_id: str) -> bool:
        """Whether the keys of an action are not those it comes with."""
        return action_id in self._chosen

    @property
    def any_chosen(self) -> bool:
        return bool(self._chosen)

    def owner(self, keys: str, but: str) -> str | None:
        """Returns the action that has some keys, other than one that is to get them; None when they are free."""
        return next((spec.id for spec in self._registry if spec.id != but and keys in self.keys(spec.id)), None)

    def choose(self, action_id: str, keys: Sequence[str]) -> None:
        """Gives an action keys; any other that had one of them loses it."""
        for one in keys:
            other = self.owner(one, action_id)
            if other is not None:
                self._set(other, [kept for kept in self.keys(other) if kept != one])
        self._set(action_id, list(keys))
        self._keep()

    def reset(self, action_id: str) -> None:
        """Gives an action the keys it comes with; any other that has one of them loses it."""
        self.choose(action_id, self._usual(action_id))

    def reset_all(self) -> None:
        """Gives every action the keys it comes with."""
        chosen, self._chosen = self._chosen, {}
        for name in chosen:
            self._registry.choose_keys(name, None)
        self._keep()

    def _usual(self, action_id: str) -> list[str]:
        return [keys.toString() for keys in self._registry.usual_keys(action_id)]

    def _set(self, action_id: str, keys: list[str]) -> None:
        if keys == self._usual(action_id):
            self._chosen.pop(action_id, None)
            self._registry.choose_keys(action_id, None)
        else:
            self._chosen[action_id] = keys
            self._registry.choose_keys(action_id, keys)

    def _keep(self) -> None:
        self._settings.set_text(_KEY, json.dumps(self._chosen))


def tool_keys(registry: ActionRegistry) -> dict[Qt.Key, Tool]:
    """Returns the keys that take a tool on the canvas: those without Ctrl, Alt or the like."""
    from PySide6.QtCore import Qt

    from cutter_gui.gui.canvas.tool import Tool

    found: dict[Qt.Key, Tool] = {}
    for tool in Tool:
        for keys in registry.keys(f"{_TOOL}{tool.value}"):
            if keys.count() == 1 and keys[0].keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
                found[keys[0].key()] = tool
    return found
