"""Messages and questions: one sentence, where, what to do, details for those who want them.

Qt's own message box shows parts of its text as markup; names of tensors and files must be shown as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.gui import theme
from cutter_gui.gui.dialogs.form_parts import as_plain_lines, breakable
from cutter_gui.gui.soft_label import SoftLabel

_ICON = 32
_WIDTH = 440
Role = QDialogButtonBox.ButtonRole


@dataclass(frozen=True)
class Choice:
    """A button of a message.

    Attributes:
        text: What it says.
        role: What it means, which decides its place.
        then: What happens when it is chosen; None for nothing.
        default: Whether the Enter key chooses it.
    """

    text: str
    role: QDialogButtonBox.ButtonRole
    then: Callable[[], None] | None = None
    default: bool = False


class Message(QDialog):
    """A message with choices; `open` shows it and returns at once."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        sentence: str,
        *,
        where: str = "",
        remedy: str = "",
        details: str = "",
        icon: QStyle.StandardPixmap = QStyle.StandardPixmap.SP_MessageBoxQuestion,
        choices: Sequence[Choice] = (),
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.sentence = sentence
        self.where = where
        self.remedy = remedy
        self.buttons: dict[str, QPushButton] = {}
        self._then: Callable[[], None] | None = None
        sign = QLabel()
        sign.setPixmap(self.style().standardIcon(icon).pixmap(_ICON, _ICON))
        texts = QVBoxLayout()
        texts.setSpacing(8)
        texts.addWidget(_text(sentence, bold=True))
        if where:
            texts.addWidget(_text(where, mono=True))
        if remedy:
            texts.addWidget(_text(remedy))
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(texts, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(16)
        layout.addLayout(top)
        self._box = QDialogButtonBox()
        self.details_button: QToolButton | None = None
        if details:
            layout.addWidget(self._details(details))
        for choice in choices:
            self._add(choice)
        layout.addWidget(self._box)
        self.finished.connect(self._call)

    def _add(self, choice: Choice) -> None:
        button = self._box.addButton(choice.text, choice.role)
        button.setAutoDefault(choice.default)
        button.setDefault(choice.default)
        button.clicked.connect(lambda _checked=False, then=choice.then: self._choose(then))
        self.buttons[choice.text] = button
        if choice.default:
            button.setFocus()

    def _choose(self, then: Callable[[], None] | None) -> None:
        self._then = then
        self.accept()

    def _call(self, _result: int) -> None:
        # After the dialog is gone: what follows may open another.
        if self._then is not None:
            self._then()

    def _details(self, details: str) -> QWidget:
        holder = QWidget()
        text = QPlainTextEdit(details)
        text.setReadOnly(True)
        text.setFont(theme.mono_font())
        text.setVisible(False)
        text.setMinimumHeight(160)
        button = QToolButton()
        button.setText(self.tr("Details"))
        button.setAutoRaise(True)
        button.setCheckable(True)
        button.toggled.connect(text.setVisible)
        button.toggled.connect(lambda _shown: self.adjustSize())
        self.details_button = button
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(text)
        return holder


def _text(text: str, bold: bool = False, mono: bool = False) -> QLabel:
    label = SoftLabel(breakable(text)) if mono else QLabel(text)
    as_plain_lines(label, bold, mono)
    label.setMinimumWidth(_WIDTH)
    label.setMaximumWidth(_WIDTH)
    return label
