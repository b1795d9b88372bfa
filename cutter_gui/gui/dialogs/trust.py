"""The question before code from a file runs: what would run, from where, and whether to remember the answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.core.errors import one_line
from cutter_gui.core.foreign_code import InspectedCode
from cutter_gui.gui.dialogs.errors import sentence
from cutter_gui.gui.dialogs.form_parts import plain_label
from cutter_gui.gui.soft_label import SoftLabel

_ICON = 32
_WIDTH = 520
_TALLEST = 340  # pixels for the list of files
_CALLS = 10
_ORDINARY = ("torch.", "collections.", "numpy.")
_DIGITS = 32  # of a digest in one line


def _tr(text: str) -> str:
    return QCoreApplication.translate("TrustDialog", text)


class TrustDialog(QDialog):
    """Asks whether code may run; accepted when it may."""

    def __init__(self, parent: QWidget, doing: str, codes: Sequence[InspectedCode]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(doing)
        self.codes = tuple(codes)
        one = len(self.codes) == 1
        self.question = plain_label(
            self.tr("{}: this runs code from a file. Do you trust it?").format(doing)
            if one
            else self.tr("{0}: this runs code from {1} files. Do you trust them?").format(doing, len(self.codes)),
            bold=True,
        )
        warning = plain_label(
            self.tr(
                "The code runs in a process of its own, but with your rights: it can read, change and send what you"
                " can. Run it only when you know where it comes from."
            )
        )
        self.remember = QCheckBox(self.tr("Re&member for this file") if one else self.tr("Re&member for these files"))
        self.remember.setToolTip(self.tr("Not asked again while the bytes stay the same, also after a restart"))
        self.remember.setEnabled(any(code.key for code in self.codes))
        self.run_button = QPushButton(self.tr("&Run it"))
        self.refuse_button = QPushButton(self.tr("Do &not run it"))
        box = QDialogButtonBox()
        box.addButton(self.run_button, QDialogButtonBox.ButtonRole.AcceptRole)
        box.addButton(self.refuse_button, QDialogButtonBox.ButtonRole.RejectRole)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        sign = QLabel()
        sign.setPixmap(self.style().standardIcon(QStyle.StandardPixmap.SP_MessageBoxWarning).pixmap(_ICON, _ICON))
        texts = QVBoxLayout()
        texts.setSpacing(12)
        texts.addWidget(self.question)
        texts.addWidget(self._files())
        texts.addWidget(warning)
        texts.addWidget(self.remember)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(texts, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(16)
        layout.addLayout(top)
        layout.addWidget(box)
        self.run_button.setAutoDefault(False)
        self.refuse_button.setDefault(True)
        self.refuse_button.setFocus()

    def _files(self) -> QWidget:
        """Returns what is told of each file, in an area that scrolls when they are many."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for code in self.codes:
            column.addWidget(_CodeBlock(code))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(holder)
        area.setMinimumWidth(_WIDTH)
        area.setFixedHeight(min(_TALLEST, holder.heightForWidth(_WIDTH) if holder.hasHeightForWidth() else 200))
        area.setFocusPolicy(Qt.FocusPolicy.TabFocus if len(self.codes) > 2 else Qt.FocusPolicy.NoFocus)
        return area

    @property
    def text(self) -> str:
        """All that is said, for screen readers."""
        return "\n".join(label.text() for label in self.findChildren(QLabel))


class _CodeBlock(QWidget):
    """What would run from one file."""

    def __init__(self, code: InspectedCode) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        grid.addWidget(plain_label(sentence(one_line(code.code.what, 300))), 0, 0, 1, 2)
        where = _tr("not found without running it") if code.code.file is None else str(code.code.file)
        rows = [(_tr("File"), one_line(where, 400))]
        if code.code.function:
            rows.append((_tr("Function"), code.code.function))
        if code.digest:
            digest = code.digest
            rows.append((_tr("SHA-256"), "\n".join(digest[at : at + _DIGITS] for at in range(0, len(digest), _DIGITS))))
        if code.calls:
            rows.append((_tr("It calls"), _calls_text(code.calls)))
        for at, (name, text) in enumerate(rows, start=1):
            grid.addWidget(SoftLabel(name), at, 0, Qt.AlignmentFlag.AlignTop)
            shown = plain_label(text, mono=True)
            shown.setAccessibleName(f"{name}: {text}")
            grid.addWidget(shown, at, 1)


def _calls_text(calls: Sequence[str]) -> str:
    """Returns the names that are called, those that models seldom call first."""
    ordered = sorted(calls, key=lambda name: (name.startswith(_ORDINARY), name))
    shown = [one_line(name, 80) for name in ordered[:_CALLS]]
    if len(ordered) > _CALLS:
        shown.append(_tr("… and {} more").format(len(ordered) - _CALLS))
    return "\n".join(shown)
