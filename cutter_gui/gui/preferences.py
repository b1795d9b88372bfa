"""What the user prefers, kept in the settings: each with the value it has until something else is chosen.

Whoever depends on one listens to `Preferences.changed` and takes it over at once. This is read before the first frame,
so the words that the core and the layout know for these values are only checked where they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from cutter_gui.gui.settings import Settings

if TYPE_CHECKING:
    from cutter_gui.core.format import Form, Weights
    from cutter_gui.core.plan import Transport

HUB_RANGE = (2, 1000)

_CHOICES = {
    "layout/engine": ("auto", "graphviz", "layered"),
    "layout/direction": ("TB", "LR"),
    "stages/form": ("both", "sendrecv", "plain"),
    "stages/transport": ("relay", "direct"),
    "stages/weights": ("copy", "share"),
}
_NUMBERS = {"layout/hub_threshold": (8, *HUB_RANGE)}
_FLAGS = {"stages/verify": True, "session/restore": True, "session/keep_unsaved": True}
LAYOUT = ("layout/engine", "layout/direction", "layout/hub_threshold")


class Preferences(QObject):
    """Typed access to the preferences.

    Signals:
        changed: The key of the one that is another now.
    """

    changed = Signal(str)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    def choice(self, key: str) -> str:
        """Returns one of the words that a preference can be; the first where none was chosen."""
        words = _CHOICES[key]
        found = self._settings.text(f"preferences/{key}", words[0])
        return found if found in words else words[0]

    def number(self, key: str) -> int:
        usual, least, most = _NUMBERS[key]
        try:
            return min(max(int(self._settings.text(f"preferences/{key}", str(usual))), least), most)
        except ValueError:
            return usual

    def flag(self, key: str) -> bool:
        usual = "yes" if _FLAGS[key] else "no"
        return self._settings.text(f"preferences/{key}", usual) == "yes"

    def set(self, key: str, value: str | int | bool) -> None:
        """Chooses.

        Raises:
            ValueError: There is no such preference, or this is no value for it.
        """
        if key in _FLAGS and isinstance(value, bool):
            text, before = "yes" if value else "no", "yes" if self.flag(key) else "no"
        elif key in _NUMBERS and isinstance(value, int) and _NUMBERS[key][1] <= value <= _NUMBERS[key][2]:
            text, before = str(value), str(self.number(key))
        elif key in _CHOICES and value in _CHOICES[key]:
            text, before = str(value), self.choice(key)
        else:
            raise ValueError(f"{key} cannot be {value!r}")
        if text != before:
            self._settings.set_text(f"preferences/{key}", text)
            self.changed.emit(key)

    @property
    def form(self) -> Form:
        """Which forms of the stages are written unless something else is chosen."""
        return cast("Form", self.choice("stages/form"))

    @property
    def transport(self) -> Transport:
        """How tensors travel in the plan of a model that is opened without one."""
        return cast("Transport", self.choice("stages/transport"))

    @property
    def weights(self) -> Weights:
        """Whether weights are copied unless something else is chosen."""
        return cast("Weights", self.choice("stages/weights"))
