"""A subgraph body in the place of the graph it belongs to, with the way back above it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.gui.canvas.body_canvas import BodyCanvas
from cutter_gui.gui.soft_label import SoftLabel

_BAR = 36
_NAME_SHOWN = 40


class BodyView(QWidget):
    """The breadcrumb and the canvas.

    Signals:
        level_wanted: The graph so many steps from the model's is to be shown; 0 for that itself.
        body_wanted: Another body of the same node is to be shown: its number.
    """

    level_wanted = Signal(int)
    body_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = BodyCanvas()
        self.canvas.setObjectName("body")
        self.canvas.setAccessibleName(self.tr("Graph of a body"))
        self.crumbs: list[QToolButton] = []
        self.bodies: list[QToolButton] = []
        self.note = SoftLabel()
        self._group: QButtonGroup | None = None
        self._row = QHBoxLayout()
        self._row.setContentsMargins(8, 4, 12, 4)
        self._row.setSpacing(2)
        bar = QWidget()
        bar.setFixedHeight(_BAR)
        bar.setLayout(self._row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.canvas, 1)

    def show_way(self, crumbs: Sequence[str], bodies: Sequence[str], at: int, note: str) -> None:
        """Shows where the body is.

        Args:
            crumbs: The model and the nodes on the way, from outside inwards.
            bodies: The bodies of the last of these nodes.
            at: Which of them is shown.
            note: What it reads from outside.
        """
        self._empty()
        for level, text in enumerate(crumbs):
            if level:
                self._row.addWidget(SoftLabel("›"))
            button = self._button(text)
            last = level == len(crumbs) - 1
            button.setEnabled(not last)
            button.clicked.connect(partial(self._want_level, level))
            button.setToolTip(self.tr("Go back to this graph"))
            self.crumbs.append(button)
        self._row.addSpacing(12)
        self._group = QButtonGroup(self)
        for number, text in enumerate(bodies):
            button = self._button(text)
            button.setCheckable(True)
            button.setChecked(number == at)
            button.clicked.connect(partial(self._want_body, number))
            button.setToolTip(self.tr("Show this body"))
            self._group.addButton(button)
            self.bodies.append(button)
        self._row.addSpacing(12)
        self.note.setText(note)
        self._row.addWidget(self.note)
        self._row.addStretch(1)

    def _button(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setText(one_line(text, _NAME_SHOWN))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row.addWidget(button)
        return button

    def _empty(self) -> None:
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget is not self.note:
                widget.hide()
                widget.deleteLater()
        if self._group is not None:
            self._group.deleteLater()
        self.crumbs, self.bodies = [], []

    def _want_level(self, level: int, _checked: bool = False) -> None:
        self.level_wanted.emit(level)

    def _want_body(self, number: int, _checked: bool = False) -> None:
        self.body_wanted.emit(number)
