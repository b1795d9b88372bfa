"""A panel: its title in small capitals, a few buttons beside it, and what it shows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from cutter_gui.gui.soft_label import SoftLabel
from cutter_gui.gui.theme import palette_of, title_font


class _TabButton(QToolButton):
    """The title of another panel, in the softer text colour."""

    def __init__(self) -> None:
        super().__init__()
        self._soften()

    def _soften(self) -> None:
        palette = self.palette()
        wanted = QColor(palette_of(palette).text_off)
        if palette.color(QPalette.ColorRole.ButtonText) != wanted:
            palette.setColor(QPalette.ColorRole.ButtonText, wanted)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._soften()


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

    def add_tab(self, title: str, show: Callable[[], None], *, before: bool = False) -> QToolButton:
        """Adds the title of a panel that can be shown in this one's place; this one's own then stands out."""
        button = _TabButton()
        button.setAutoRaise(True)
        button.setText(title)
        button.setFont(title_font())
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(title)
        button.clicked.connect(lambda _checked=False: show())
        own = QLabel(self._title.text())
        own.setFont(title_font())
        self.header.insertWidget(self.header.indexOf(self._title), own)
        self._title.setVisible(False)
        if before:
            self.header.setContentsMargins(6, 0, 8, 0)
        self.header.insertWidget(self.header.indexOf(own) + (0 if before else 1), button)
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
