"""What dialogs that ask for something are made of: a field with its Browse button, the answers below, the layout."""

from __future__ import annotations

from PySide6.QtGui import QFont, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.gui import theme


def beside(field: QLineEdit, button: QPushButton) -> QHBoxLayout:
    """Returns a field with a button at its right that the Enter key does not press."""
    button.setAutoDefault(False)
    row = QHBoxLayout()
    row.addWidget(field, 1)
    row.addWidget(button)
    return row


def label_of(text: str, field: QWidget) -> QLabel:
    """Returns the label of a field, whose key leads to it."""
    label = QLabel(text)
    label.setBuddy(field)
    return label


def plain_label(text: str = "", bold: bool = False, mono: bool = False) -> QLabel:
    """Returns a label of several lines that takes names as they are and lets them be copied."""
    label = QLabel(breakable(text) if mono else text)
    as_plain_lines(label, bold, mono)
    return label


def as_plain_lines(label: QLabel, bold: bool = False, mono: bool = False) -> None:
    """Makes a label one of several lines, see `plain_label`."""
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = theme.mono_font() if mono else QFont(label.font())
    font.setBold(bold)
    label.setFont(font)


def breakable(text: str) -> str:
    """Returns a path that a label can break into lines, after each separator."""
    return text.replace("/", "/\u200b").replace("\\", "\\\u200b")


def keep_two_lines(*labels: QLabel) -> None:
    """Keeps room for two lines of what may be wrong, so that nothing moves when it is told."""
    for label in labels:
        label.setWordWrap(True)
        label.setMinimumHeight(2 * label.fontMetrics().lineSpacing())
        label.setAlignment(Qt.AlignmentFlag.AlignTop)


def answers(dialog: QDialog, accept: QPushButton) -> QDialogButtonBox:
    """Returns the button that accepts, which Enter presses, and Cancel."""
    box = QDialogButtonBox()
    box.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
    accept.setDefault(True)
    box.addButton(QDialogButtonBox.StandardButton.Cancel)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def stack(dialog: QDialog, *parts: QWidget | QLayout) -> None:
    """Lays the parts of a dialog out, one below the other."""
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(20, 16, 20, 16)
    layout.setSpacing(16)
    for part in parts:
        if isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part)
