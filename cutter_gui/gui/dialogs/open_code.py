"""The dialog that opens a model from code: which function makes it, and how it becomes a graph."""

from __future__ import annotations

import ast
import re
from pathlib import Path

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
from cutter_gui.core.format import LoadOptions, Trace, format_for
from cutter_gui.gui.dialogs import files, form_parts
from cutter_gui.gui.model_file import file_of, full_name
from cutter_gui.gui.soft_label import ErrorLabel, SoftLabel

_WIDTH = 380
_DYNAMIC = re.compile(r"all|[A-Za-z_][\w.]*:\d+(=[A-Za-z_]\w*)?")
_LARGEST = 1 << 20  # bytes of a file whose functions are listed
_LISTED = 6


class OpenCodeDialog(QDialog):
    """Asks for a function that makes a model.

    Signals:
        chosen: The model's name as a `Path`, and `LoadOptions`.
    """

    chosen = Signal(object, object)

    def __init__(self, parent: QWidget, folder: Path | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Open from code"))
        self._folder = folder
        self.code = QLineEdit()
        self.code.setMinimumWidth(_WIDTH)
        self.code.setPlaceholderText(self.tr("model.py:function or package.module:function"))
        self.browse = QPushButton(self.tr("&Browse…"))
        self.trace = QComboBox()
        traces: tuple[tuple[str, Trace], ...] = (
            (self.tr("Export: runs it once on its example inputs"), "export"),
            (self.tr("Symbolic: follows its Python code, asserts too"), "symbolic"),
        )
        for text, data in traces:
            self.trace.addItem(text, data)
        self.dynamic = QLineEdit()
        self.dynamic.setPlaceholderText("x:0=batch, mask:1")
        self.note = ErrorLabel()
        self.functions = SoftLabel()
        self.open_button = QPushButton(self.tr("Open"))
        self._arrange()
        self.browse.clicked.connect(self._browse)
        self.code.textChanged.connect(self._check)
        self.dynamic.textChanged.connect(self._check)
        self.accepted.connect(self._choose)
        self._check()
        self.code.setFocus()

    def _arrange(self) -> None:
        hint = QLabel(
            self.tr(
                "A function without arguments that returns the module with example arguments: (module, args) or"
                " (module, args, kwargs). You are asked before it runs."
            )
        )
        for label in (hint, self.functions):
            label.setWordWrap(True)
        form_parts.keep_two_lines(self.note)
        sizes = SoftLabel(self.tr("Sizes that stay open, as input:dimension or input:dimension=name; or all"))
        sizes.setWordWrap(True)
        rows = QFormLayout()
        rows.setSpacing(8)
        rows.addRow(form_parts.label_of(self.tr("&Code"), self.code), form_parts.beside(self.code, self.browse))
        rows.addRow("", self.functions)
        rows.addRow(self.tr("&Tracing"), self.trace)
        rows.addRow(self.tr("&Dynamic sizes"), self.dynamic)
        rows.addRow("", sizes)
        rows.addRow("", self.note)
        form_parts.stack(self, hint, rows, form_parts.answers(self, self.open_button))

    def _browse(self) -> None:
        filters = (self.tr("Python files (*.py)"), self.tr("All files (*)"))
        files.ask_open(
            self, self.tr("File with the function"), self._folder, filters, lambda paths: self.take(paths[0])
        )

    def take(self, file: Path) -> None:
        """Puts a file into the field, with its function where it has just one."""
        names = functions_in(file)
        self.code.setText(f"{file}:{names[0] if len(names) == 1 else ''}")
        self.code.setFocus()
        self.code.end(False)

    def _check(self) -> None:
        """Says what cannot be opened as it is typed."""
        text = self.code.text().strip()
        said = ""
        if text and not self._is_code(text):
            said = self.tr("Write it as path.py:function or package.module:function.")
        elif text and (file := file_of(_path(text))) is not None and not file.is_file():
            said = self.tr("There is no file {}.").format(one_line(str(file), 200))
        for size in self._sizes():
            if not said and not _DYNAMIC.fullmatch(size):
                said = self.tr("{} is no size: write it as input:dimension, such as x:0.").format(one_line(size, 60))
        self.note.setText(said)
        self.open_button.setEnabled(bool(text) and not said)
        names = functions_in(_path(text.rsplit(":", 1)[0] if ":" in text[2:] else text))[:_LISTED]
        self.functions.setText(self.tr("Functions there: {}").format(", ".join(names)) if names else "")
        self.functions.setVisible(bool(names))

    def _is_code(self, text: str) -> bool:
        path = _path(text)
        try:
            return not path.is_file() and format_for(path).reads(path)
        except (CutterError, OSError):
            return False

    def _sizes(self) -> list[str]:
        return [size for size in re.split(r"[,\s]+", self.dynamic.text()) if size]

    def _choose(self) -> None:
        options = LoadOptions(trace=self.trace.currentData(), dynamic=tuple(self._sizes()))
        self.chosen.emit(full_name(_path(self.code.text().strip())), options)


def _path(text: str) -> Path:
    return Path(text).expanduser()


def functions_in(file: Path) -> list[str]:
    """Returns the functions of a Python file that take no arguments, by its text; nothing of it is run."""
    try:
        if file.suffix != ".py" or file.stat().st_size > _LARGEST:
            return []
        tree = ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and _takes_nothing(node.args) and not node.name.startswith("_")
    ]


def _takes_nothing(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return positional == 0 and all(default is not None for default in arguments.kw_defaults)
