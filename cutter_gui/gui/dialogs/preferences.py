"""Preferences: what is chosen here takes effect at once; there is nothing to confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
)

from cutter_gui.gui import theme
from cutter_gui.gui.layout_choice import directions, engines
from cutter_gui.gui.preferences import HUB_RANGE
from cutter_gui.gui.soft_label import SoftLabel
from cutter_gui.gui.theme import MODES, Mode

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow

_LABELS = 180  # width of the labels, the same in all sections
_MORE = ("help.shortcuts", "edit.trusted")  # what has a dialog of its own


class PreferencesDialog(QDialog):
    """Shows the preferences and changes them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Preferences"))
        self.setMinimumWidth(560)
        self._window = window
        self._preferences = window.preferences
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 12)
        column.setSpacing(8)
        self._add(column, self.tr("Colours"), self._theme())
        self._add(column, self.tr("Layout of the graph"), self._layout())
        self._add(column, self.tr("Stages"), self._stages())
        self._add(column, self.tr("Start and safety"), self._safety())
        column.addStretch(1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        below = QHBoxLayout()
        self.more: dict[str, QPushButton] = {}
        for spec in window.actions_registry:
            if spec.id in _MORE:
                button = QPushButton(spec.plain_text + "…")
                button.setAutoDefault(False)
                button.clicked.connect(window.actions_registry[spec.id].trigger)
                self.more[spec.id] = button
                below.addWidget(button)
        below.addStretch(1)
        below.addWidget(box)
        column.addLayout(below)

    def _add(self, column: QVBoxLayout, title: str, rows: QFormLayout | QVBoxLayout) -> None:
        label = SoftLabel(title)
        label.setFont(theme.title_font())
        column.addWidget(label)
        rows.setContentsMargins(8, 0, 0, 8)
        column.addLayout(rows)
        if isinstance(rows, QFormLayout):
            for at in range(rows.rowCount()):
                label_item = rows.itemAt(at, QFormLayout.ItemRole.LabelRole)
                if label_item is not None:
                    label_item.widget().setMinimumWidth(_LABELS)

    def _form(self) -> QFormLayout:
        rows = QFormLayout()
        rows.setSpacing(6)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        return rows

    def _theme(self) -> QFormLayout:
        self.theme = QComboBox()
        names: dict[Mode, str] = {
            "system": self.tr("As the system"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
        }
        for mode in MODES:
            self.theme.addItem(names[mode], mode)
        self.theme.setCurrentIndex(self.theme.findData(self._window.theme.mode))

        def choose(_at: int) -> None:
            self._window.actions_registry[f"view.theme_{self.theme.currentData()}"].trigger()

        self.theme.currentIndexChanged.connect(choose)
        rows = self._form()
        rows.addRow(self.tr("&Theme"), self.theme)
        return rows

    def _layout(self) -> QFormLayout:
        words = {
            "auto": self.tr("What suits the size of the graph"),
            "graphviz": self.tr("Graphviz, careful, for small graphs"),
            "layered": self.tr("Layered, fast, for any size"),
            "TB": self.tr("From top to bottom"),
            "LR": self.tr("From left to right"),
        }
        rows = self._form()
        self.engine = self._choice("layout/engine", [(words.get(name, name), name) for name in engines()])
        rows.addRow(self.tr("&Engine"), self.engine)
        self.direction = self._choice("layout/direction", [(words.get(name, name), name) for name in directions()])
        if self.direction.count() > 1:
            rows.addRow(self.tr("&Direction"), self.direction)
        self.hub = QSpinBox()
        self.hub.setRange(*HUB_RANGE)
        self.hub.setKeyboardTracking(False)
        self.hub.setValue(self._preferences.number("layout/hub_threshold"))
        self.hub.valueChanged.connect(lambda value: self._preferences.set("layout/hub_threshold", value))
        self.hub.setSuffix(self.tr(" consumers"))
        self.hub.setToolTip(self.tr("A tensor with more consumers is drawn as stubs with its name"))
        rows.addRow(self.tr("&Stubs from more than"), self.hub)
        return rows

    def _stages(self) -> QFormLayout:
        rows = self._form()
        self.transport = self._choice(
            "stages/transport",
            [(self.tr("Relay over every boundary"), "relay"), (self.tr("Send directly to each stage"), "direct")],
        )
        rows.addRow(self.tr("T&ransport of a new plan"), self.transport)
        self.form = self._choice(
            "stages/form",
            [
                (self.tr("Both forms"), "both"),
                (self.tr("With Send and Recv nodes"), "sendrecv"),
                (self.tr("Plain, for a stock runtime"), "plain"),
            ],
        )
        rows.addRow(self.tr("&Form to save"), self.form)
        self.weights = self._choice(
            "stages/weights",
            [(self.tr("Copy what each stage uses"), "copy"), (self.tr("Share the model's data file"), "share")],
        )
        rows.addRow(self.tr("&Weights"), self.weights)
        self.verify = self._flag("stages/verify", self.tr("&Verify after saving"))
        rows.addRow("", self.verify)
        return rows

    def _safety(self) -> QVBoxLayout:
        rows = QVBoxLayout()
        rows.setSpacing(6)
        self.restore = self._flag("session/restore", self.tr("&Open at the start what was open at the end"))
        self.keep_unsaved = self._flag(
            "session/keep_unsaved", self.tr("&Keep every change, so that it survives a crash")
        )
        rows.addWidget(self.restore)
        rows.addWidget(self.keep_unsaved)
        return rows

    def _choice(self, key: str, entries: list[tuple[str, str]]) -> QComboBox:
        combo = QComboBox()
        for text, word in entries:
            combo.addItem(text, word)
        combo.setCurrentIndex(max(combo.findData(self._preferences.choice(key)), 0))
        combo.currentIndexChanged.connect(lambda _at: self._preferences.set(key, combo.currentData()))
        return combo

    def _flag(self, key: str, text: str) -> QCheckBox:
        box = QCheckBox(text)
        box.setChecked(self._preferences.flag(key))
        box.toggled.connect(lambda on: self._preferences.set(key, on))
        return box
