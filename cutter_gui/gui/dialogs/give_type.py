"""The dialog that asks for the type of a tensor where inference cannot tell it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import TypeHint
from cutter_gui.core.graph import Shape
from cutter_gui.core.type_hints import DENSE, parse_dims
from cutter_gui.gui import theme
from cutter_gui.gui.dialogs import form_parts
from cutter_gui.gui.dialogs.errors import sentence
from cutter_gui.gui.document import Document
from cutter_gui.gui.soft_label import ErrorLabel, SoftLabel

_NAME_SHOWN = 60
_WIDTH = 380


def ask_type(parent: QWidget, document: Document, tensor: str) -> None:
    """Asks for the type of a tensor and gives it to the document."""
    dialog = GiveTypeDialog(parent, tensor)
    dialog.chosen.connect(lambda hint: document.give_type(tensor, hint))
    dialog.open()


class GiveTypeDialog(QDialog):
    """Asks for dtype and shape of one tensor.

    Signals:
        chosen: A `TypeHint`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget, tensor: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Give a type"))
        self.name = QLabel(one_line(tensor, _NAME_SHOWN))
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.name.setFont(theme.mono_font())
        self.dtype = QComboBox()
        for dtype in DENSE:
            self.dtype.addItem(dtype.name, dtype.code)
        self.shape = QLineEdit()
        self.shape.setMinimumWidth(_WIDTH)
        self.shape.setPlaceholderText("1,16,?")
        self.error = ErrorLabel()
        self.ok_button = QPushButton(self.tr("OK"))
        self._shape: Shape = None
        self._arrange()
        self.shape.textChanged.connect(self._read)
        self.accepted.connect(lambda: self.chosen.emit(TypeHint(self.dtype.currentData(), self._shape)))
        self.dtype.setFocus()

    def _arrange(self) -> None:
        hint = SoftLabel(
            self.tr("A shape is sizes, names, or ? for an open size; [] is a scalar, empty is an unknown rank.")
        )
        hint.setWordWrap(True)
        form_parts.keep_two_lines(self.error)
        rows = QFormLayout()
        rows.setSpacing(8)
        rows.addRow(self.tr("Tensor"), self.name)
        rows.addRow(self.tr("&Element type"), self.dtype)
        rows.addRow(self.tr("&Shape"), self.shape)
        rows.addRow("", self.error)
        form_parts.stack(self, hint, rows, form_parts.answers(self, self.ok_button))

    def _read(self, text: str) -> None:
        """Reads the shape as it is typed; while it cannot be read, it cannot be given."""
        said = ""
        try:
            self._shape = _shape_of(text.strip())
        except CutterError as error:
            said = sentence(f"{error.what}: {error.remedy}")
        self.error.setText(said)
        self.ok_button.setEnabled(not said)


def _shape_of(text: str) -> Shape:
    """Returns the shape that a text gives, with or without the brackets; None for an empty text.

    Raises:
        CutterError: It cannot be read.
    """
    if not text:
        return None
    return parse_dims(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
