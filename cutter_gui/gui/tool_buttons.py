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
        self._buttons: list[QToolButton] = []
        for name in TOOLS:
            action, spec = registry[name], registry.spec(name)
            action.setIconText(f"{spec.plain_text}  {spec.shortcut}")
            action.toggled.connect(lambda _on: self._colour())
            button = bar.widgetForAction(action)
            if isinstance(button, QToolButton):
                self._buttons.append(button)
        bar.installEventFilter(self)
        self._colour()

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
