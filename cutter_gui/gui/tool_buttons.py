"""The buttons of the tools: each with its key, the one in hand in the accent colour."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QToolBar, QToolButton

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.cutting_actions import TOOLS
from cutter_gui.gui.theme import palette_of


class ToolButtons(QObject):
    """Follows the tool in hand and the theme."""

    def __init__(self, bar: QToolBar, registry: ActionRegistry) -> None:
        super().__init__(bar)
        self._bar = bar
        self._registry = registry
        self._buttons: list[QToolButton] = []
        for name in TOOLS:
            action = registry[name]
            # As they come: what the user chose follows after the first frame, for which key sequences cost too much.
            action.setIconText(f"{registry.spec(name).plain_text}  {registry.spec(name).shortcut}")
            action.toggled.connect(lambda _on: self._colour())
            button = bar.widgetForAction(action)
            if isinstance(button, QToolButton):
                self._buttons.append(button)
        registry.keys_changed.connect(self._name)
        bar.installEventFilter(self)
        self._colour()

    def _name(self, action_id: str) -> None:
        """Writes the key of a tool beside its name."""
        if action_id in TOOLS:
            keys = ", ".join(key.toString() for key in self._registry.keys(action_id))
            self._registry[action_id].setIconText(f"{self._registry.spec(action_id).plain_text}  {keys}".rstrip())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.PaletteChange:
            self._colour()
        return super().eventFilter(watched, event)

    def _colour(self) -> None:
        tokens = palette_of(self._bar.palette())
        for button in self._buttons:
            palette = self._bar.palette()  # a copy; to call QPalette with it would make all enums of Qt (see qt_values)
            if button.isChecked():
                palette.setColor(QPalette.ColorRole.Button, QColor(tokens.accent_soft))
                palette.setColor(QPalette.ColorRole.ButtonText, QColor(tokens.accent))
            button.setPalette(palette)
