"""The dialog that asks where and how to save the stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from cutter_gui.core.format import Form, Weights
from cutter_gui.core.plan import Transport
from cutter_gui.gui.dialogs import files, form_parts


@dataclass(frozen=True)
class StageOptions:
    """What was chosen.

    Attributes:
        folder: The folder to write into.
        form: Which forms to write.
        transport: How tensors travel that cross several boundaries.
        weights: Whether weights are copied, or stay in the source's data file.
        verify: Whether to verify what was written.
    """

    folder: Path
    form: Form
    transport: Transport
    weights: Weights
    verify: bool


class SaveStagesDialog(QDialog):
    """Asks for folder, form, transport and weights.

    Signals:
        chosen: `StageOptions`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget, folder: Path, transport: Transport, summary: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Save stages"))
        self.folder = QLineEdit(str(folder))
        self.folder.setMinimumWidth(380)
        self.browse = QPushButton(self.tr("Browse…"))
        self.form = _combo(
            (self.tr("Both forms"), "both"),
            (self.tr("With Send and Recv nodes"), "sendrecv"),
            (self.tr("Plain, for a stock runtime"), "plain"),
        )
        self.transport = _combo(
            (self.tr("Relay over every boundary"), "relay"), (self.tr("Send directly to each stage"), "direct")
        )
        self.transport.setCurrentIndex(self.transport.findData(transport))
        self.weights = _combo(
            (self.tr("Copy what each stage uses"), "copy"),
            (self.tr("Share the model's data file"), "share"),
        )
        self.verify = QCheckBox(self.tr("Verify: run the model and the stages, compare every output"))
        self.verify.setChecked(True)
        self._arrange(summary)
        self.browse.clicked.connect(self._browse)
        self.folder.textChanged.connect(self._update)
        self.accepted.connect(self._choose)
        self.folder.setFocus()
        self.folder.selectAll()

    def prefer(self, form: Form, weights: Weights, verify: bool) -> None:
        """Chooses what the user prefers, where it is offered."""
        self.form.setCurrentIndex(max(self.form.findData(form), 0))
        self.weights.setCurrentIndex(max(self.weights.findData(weights), 0))
        self.verify.setChecked(verify)

    def _arrange(self, summary: str) -> None:
        rows = self._rows = QFormLayout()
        rows.setSpacing(8)
        rows.addRow(form_parts.label_of(self.tr("&Folder"), self.folder), form_parts.beside(self.folder, self.browse))
        rows.addRow(self.tr("F&orm"), self.form)
        rows.addRow(self.tr("&Transport"), self.transport)
        rows.addRow(self.tr("&Weights"), self.weights)
        rows.addRow("", self.verify)
        self._note = QLabel(summary)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self.save_button = QPushButton(self.tr("Save stages"))
        form_parts.stack(self, self._note, rows, form_parts.answers(self, self.save_button))

    def offer(self, forms: Sequence[Form], shares_weights: bool) -> None:
        """Takes away what the model's format leaves no choice of."""
        self._rows.setRowVisible(self.form, bool(forms))
        self._rows.setRowVisible(self.weights, shares_weights)
        if not shares_weights:
            self.weights.setCurrentIndex(self.weights.findData("copy"))

    def _browse(self) -> None:
        start = Path(self.folder.text()).expanduser()
        files.ask_folder(
            self, self.tr("Folder for the stages"), start.parent, lambda path: self.folder.setText(str(path))
        )

    def _update(self, text: str) -> None:
        self.save_button.setEnabled(bool(text.strip()))

    def _choose(self) -> None:
        self.chosen.emit(
            StageOptions(
                folder=Path(self.folder.text().strip()).expanduser().absolute(),
                form=self.form.currentData(),
                transport=self.transport.currentData(),
                weights=self.weights.currentData(),
                verify=self.verify.isChecked(),
            )
        )


def _combo(*entries: tuple[str, str]) -> QComboBox:
    combo = QComboBox()
    for text, data in entries:
        combo.addItem(text, data)
    return combo
