"""The files whose code the user allowed for good, to look at and to forget."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Button, Gap, Row, Span, Tone, name_span
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.soft_label import SoftLabel
from cutter_gui.gui.trust import Trust
from cutter_gui.gui.trusted_files import TrustedFile, trusted_files

_DIGITS = 12  # of a digest that are shown


@dataclass(frozen=True)
class Forget:
    key: str


class TrustedFilesDialog(QDialog):
    """Lists the files; each can be forgotten, or all."""

    def __init__(self, parent: QWidget, settings: Settings, trust: Trust) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Trusted files"))
        self.resize(600, 360)
        self._settings = settings
        self._trust = trust
        self.hint = SoftLabel()
        self.hint.setWordWrap(True)
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Trusted files"))
        self.list.activated_target.connect(self._forget)
        self.all_button = QPushButton(self.tr("&Forget all"))
        self.all_button.setAutoDefault(False)
        self.all_button.clicked.connect(lambda: self._drop([file.key for file in trusted_files(settings)]))
        box = QDialogButtonBox()
        close = box.addButton(QDialogButtonBox.StandardButton.Close)
        close.setDefault(True)
        box.addButton(self.all_button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 16, 12, 12)
        layout.setSpacing(12)
        layout.addWidget(self.hint)
        layout.addWidget(self.list, 1)
        layout.addWidget(box)
        self._fill()

    def _fill(self) -> None:
        known = trusted_files(self._settings)
        self.hint.setText(
            self.tr("Code of these files runs without a question, as long as their bytes stay the same.")
            if known
            else self.tr("No file is trusted: you are asked before code of a model runs.")
        )
        self.all_button.setEnabled(bool(known))
        self.list.set_rows(tuple(self._row(file) for file in known))

    def _row(self, file: TrustedFile) -> Row:
        parts = (
            Span(one_line(file.title, 60), bold=True),
            name_span(one_line(file.file, 300), tone=Tone.MUTED),
            Gap(),
            Span(file.digest[:_DIGITS], Tone.MUTED, mono=True, tip=file.digest),
            Span(file.since, Tone.MUTED),
            Button(self.tr("Forget"), Forget(file.key)),
        )
        return Row(file.key, parts, height=32, target=Forget(file.key), tip=one_line(file.file, 300))

    def _forget(self, target: object) -> None:
        if isinstance(target, Forget):
            self._drop([target.key])

    def _drop(self, keys: list[str]) -> None:
        self._trust.forget(keys)
        self._fill()
