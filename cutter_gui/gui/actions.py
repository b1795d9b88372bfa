"""The registry of actions: menus, toolbar, shortcuts and help all read from it.

An action is described once by an `ActionSpec`; whether it can be used now is asked of it whenever the window's state
changes. A menu is a list of action ids in `MENUS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence

from cutter_gui.gui import icons


def always() -> bool:
    return True


class ActionSpec(NamedTuple):
    """One thing the user can do.

    Attributes:
        id: A stable name, such as ``file.open``.
        text: What menus show, with the mnemonic's ``&``; ends in ``…`` when a dialog follows.
        slot: What it does.
        shortcut: Its keys, in Qt's portable text (several separated by ``; ``), or a standard key.
        icon: Name of its icon, empty for none.
        tip: One sentence on what it does.
        enabled: Whether it can be used now.
        checked: For an action that is on or off, whether it is on now.
    """

    id: str
    text: str
    slot: Callable[[], None]
    shortcut: str | QKeySequence.StandardKey = ""
    icon: str = ""
    tip: str = ""
    enabled: Callable[[], bool] = always
    checked: Callable[[], bool] | None = None

    @property
    def plain_text(self) -> str:
        """The text without mnemonic and dots."""
        return self.text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")


class Menu(NamedTuple):
    """A menu: its title and the ids of its actions; ``-`` is a separator, a `Menu` a submenu."""

    title: str
    items: tuple[Any, ...]


class ActionRegistry(QObject):
    """All actions of a window, by id.

    Signals:
        refreshed: Every action was asked anew, since the window's state may be another.
        keys_changed: The id of an action that has other keys now.
    """

    refreshed = Signal()
    keys_changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._specs: dict[str, ActionSpec] = {}
        self._actions: dict[str, QAction] = {}
        self._with_shortcuts = False
        self._chosen_keys: dict[str, tuple[str, ...]] = {}

    def __getitem__(self, action_id: str) -> QAction:
        action = self._actions.get(action_id)
        return self._make(self._specs[action_id]) if action is None else action

    def __iter__(self) -> Iterator[ActionSpec]:
        return iter(self._specs.values())

    def add(self, spec: ActionSpec) -> None:
        """Adds an action; its id may not be taken. The QAction is made when it is first asked for."""
        if spec.id in self._specs:
            raise ValueError(f"action {spec.id} exists")
        self._specs[spec.id] = spec

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        if self._with_shortcuts:
            self._describe(spec, action)
        action.setCheckable(spec.checked is not None)
        # The lambda takes the checked state that the signal carries, which no slot wants.
        action.triggered.connect(lambda _checked=False, slot=spec.slot: slot())
        self._actions[spec.id] = action
        self._refresh_one(spec, action)
        return action

    def add_shortcuts(self) -> None:
        """Gives every action its shortcut and its tips, which the first frame neither shows nor has time for."""
        self._with_shortcuts = True
        for action_id, action in self._actions.items():
            self._describe(self._specs[action_id], action)

    def _describe(self, spec: ActionSpec, action: QAction) -> None:
        if spec.shortcut or spec.id in self._chosen_keys or action.shortcuts():
            action.setShortcuts(self.keys(spec.id))
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        tip = spec.tip or spec.plain_text
        action.setStatusTip(tip)
        action.setToolTip(f"{tip}  ({keys})" if keys else tip)

    def usual_keys(self, action_id: str) -> list[QKeySequence]:
        """Returns the keys that an action comes with."""
        shortcut = self._specs[action_id].shortcut
        if isinstance(shortcut, QKeySequence.StandardKey):
            return QKeySequence.keyBindings(shortcut)
        return [QKeySequence(keys) for keys in shortcut.split("; ")] if shortcut else []

    def keys(self, action_id: str) -> list[QKeySequence]:
        """Returns the keys of an action: those chosen for it, else those it comes with."""
        chosen = self._chosen_keys.get(action_id)
        return self.usual_keys(action_id) if chosen is None else [QKeySequence(keys) for keys in chosen]

    def choose_keys(self, action_id: str, keys: Iterable[str] | None) -> None:
        """Gives an action other keys, in Qt's portable text; None for those it comes with."""
        if action_id not in self._specs:
            return
        if keys is None:
            self._chosen_keys.pop(action_id, None)
        else:
            self._chosen_keys[action_id] = tuple(keys)
        if self._with_shortcuts:
            self._describe(self._specs[action_id], self[action_id])
        self.keys_changed.emit(action_id)

    def spec(self, action_id: str) -> ActionSpec:
        return self._specs[action_id]

    def refresh(self) -> None:
        """Asks every action whether it can be used, and whether it is on."""
        for action_id, action in self._actions.items():
            self._refresh_one(self._specs[action_id], action)
        self.refreshed.emit()

    def _refresh_one(self, spec: ActionSpec, action: QAction) -> None:
        action.setEnabled(spec.enabled())
        if spec.checked is not None:
            action.setChecked(spec.checked())

    def draw_icons(self, action_ids: Iterable[str] | None = None) -> None:
        """Draws the icons of some actions, or of all, in the colours of the present palette."""
        palette = QGuiApplication.palette()
        for action_id in self._specs if action_ids is None else action_ids:
            spec = self._specs[action_id]
            if spec.icon:
                self[action_id].setIcon(icons.icon(spec.icon, palette))
