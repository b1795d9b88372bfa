"""The toolbar of the window."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolBar, QWidget

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.menus import fill_toolbar
from cutter_gui.gui.qt_values import PREVENT_CONTEXT_MENU, set_value
from cutter_gui.gui.tool_buttons import ToolButtons


class CalmToolBar(QToolBar):
    """A toolbar that is part of the window's ground, with a line below it."""

    def __init__(self, title: str, registry: ActionRegistry) -> None:
        super().__init__(title)
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setIconSize(QSize(18, 18))
        self.setMinimumHeight(44)
        set_value(self, "contextMenuPolicy", PREVENT_CONTEXT_MENU)
        fill_toolbar(self, registry)
        ToolButtons(self, registry)
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        self.setContentsMargins(0, 0, 8, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.eraseRect(self.rect())
        below = QPainterPath()
        below.addRect(0, self.height() - 1, self.width(), 1)
        painter.fillPath(below, self.palette().mid())
        painter.end()
