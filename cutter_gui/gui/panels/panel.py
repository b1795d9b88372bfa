"""A panel: its title in small capitals, a few buttons beside it, and what it shows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cutter_gui.gui.soft_label import SoftLabel
from cutter_gui.gui.theme import title_font


class Panel(QWidget):
    """The base of the panels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = SoftLabel()
        self._title.setFont(title_font())
        self.header = QHBoxLayout()
        self.header.setContentsMargins(12, 0, 8, 0)
        self.header.setSpacing(4)
        self.header.addWidget(self._title)
        self.header.addStretch(1)
        bar = QWidget()
        bar.setFixedHeight(32)
        bar.setLayout(self.header)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addWidget(bar)

    def set_title(self, title: str) -> None:
        self._title.setText(title)
        self.setAccessibleName(title)

    def add_tab(self, title: str, show: Callable[[], None]) -> QToolButton:
        """Adds the title of a panel that can be shown in this one's place."""
        button = QToolButton()
        button.setAutoRaise(True)
        button.setText(title)
        button.setFont(title_font())
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(title)
        button.clicked.connect(lambda _checked=False: show())
        self.header.insertWidget(self.header.indexOf(self._title) + 1, button)
        return button

    def add_button(self, action: QAction) -> QToolButton:
        """Adds a small button for an action beside the title."""
        button = QToolButton()
        button.setAutoRaise(True)
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.header.addWidget(button)
        return button
