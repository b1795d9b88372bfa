"""The dialog that asks what to export as a picture, where, and how large."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from cutter_gui.gui.dialogs import files, form_parts
from cutter_gui.gui.dialogs.pictures import Part, Subject, part_choice
from cutter_gui.gui.export_drawing import Drawing
from cutter_gui.gui.export_sizes import SUFFIXES, TILES_AT_MOST, tiling

_PERCENT = (2, 1000)
_USUAL = {".png": 200}
_MILLIMETRES = 25.4 / 72  # of a point


@dataclass(frozen=True)
class PictureOptions:
    """What was chosen.

    Attributes:
        path: The file.
        part: What to draw.
        scale: 1 for 100 %; None for what is usual, or less where one file has no room for that.
        theme: ``light`` or ``dark``.
    """

    path: Path
    part: Part
    scale: float | None
    theme: str


class ExportPictureDialog(QDialog):
    """Asks for a file, what to draw, its scale and its colours, and says how large the picture will be.

    Signals:
        chosen: `PictureOptions`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget, suggested: Path, subject: Subject, theme: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Export picture"))
        self._subject = subject
        self._drawings: dict[str, Drawing] = {}
        self._scale_chosen = False
        self.file = QLineEdit(str(suggested))
        self.file.setMinimumWidth(400)
        self.browse = QPushButton(self.tr("Browse…"))
        self.part = part_choice(subject)
        self.scale = QSpinBox()
        self.scale.setRange(*_PERCENT)
        self.scale.setSingleStep(25)
        self.scale.setSuffix(self.tr(" %"))
        self.scale.setValue(100)
        self.theme = QComboBox()
        self.theme.addItem(self.tr("Light"), "light")
        self.theme.addItem(self.tr("Dark"), "dark")
        self.theme.setCurrentIndex(self.theme.findData(theme))
        self.size = QLabel()
        self.size.setTextFormat(Qt.TextFormat.PlainText)
        self.size.setWordWrap(True)
        self._arrange()
        self.browse.clicked.connect(self._browse)
        self.file.textChanged.connect(self._name_changed)
        self.part.currentIndexChanged.connect(self._update)
        self.scale.valueChanged.connect(self._scale_changed)
        self.accepted.connect(self._choose)
        self._update()
        self.file.setFocus()
        self.file.selectAll()

    def _arrange(self) -> None:
        rows = QFormLayout()
        rows.setSpacing(8)
        rows.addRow(form_parts.label_of(self.tr("&File"), self.file), form_parts.beside(self.file, self.browse))
        rows.addRow(self.tr("&What"), self.part)
        rows.addRow(self.tr("&Scale"), self.scale)
        rows.addRow(self.tr("&Colours"), self.theme)
        rows.addRow("", self.size)
        self.export_button = QPushButton(self.tr("Export"))
        form_parts.stack(self, rows, form_parts.answers(self, self.export_button))

    @property
    def path(self) -> Path:
        """The file, ``.svg`` where its name has no ending of a picture."""
        path = Path(self.file.text().strip()).expanduser().absolute()
        return path if path.suffix.lower() in SUFFIXES else path.with_name(f"{path.name}.svg")

    def _browse(self) -> None:
        filters = (self.tr("Vector picture (*.svg)"), self.tr("Picture (*.png)"), self.tr("Document (*.pdf)"))

        def take(path: Path, chosen: str) -> None:
            if path.suffix.lower() not in SUFFIXES:
                path = path.with_name(path.name + chosen[chosen.rfind("*") + 1 : -1])
            self.file.setText(str(path))

        files.ask_save(self, self.tr("Export picture"), self.path, filters, take)

    def _name_changed(self) -> None:
        if not self._scale_chosen and self.file.text().strip():
            self.scale.blockSignals(True)
            self.scale.setValue(_USUAL.get(self.path.suffix.lower(), 100))
            self.scale.blockSignals(False)
        self._update()

    def _scale_changed(self) -> None:
        self._scale_chosen = True
        self._update()

    def _drawing(self) -> Drawing:
        part = self.part.currentData()
        if part not in self._drawings:
            self._drawings[part] = self._subject.drawing(part, "light")
        return self._drawings[part]

    def _update(self) -> None:
        named = bool(self.file.text().strip())
        text, possible = self._size_text(self.path.suffix.lower()) if named else ("", False)
        self.size.setText(text)
        self.export_button.setEnabled(possible)

    def _size_text(self, suffix: str) -> tuple[str, bool]:
        drawing = self._drawing()
        tiles = tiling(drawing.width, drawing.height, self.scale.value() / 100, suffix)
        size = self.tr("{0} × {1} pixels").format(tiles.width, tiles.height)
        if suffix == ".pdf":
            wide, high = round(tiles.width * _MILLIMETRES), round(tiles.height * _MILLIMETRES)
            size = self.tr("{0} × {1} mm").format(wide, high)
        if tiles.count == 1:
            return size, True
        if tiles.count > TILES_AT_MOST:
            return self.tr("{0}: too large, choose a smaller scale or an .svg").format(size), False
        if suffix == ".pdf":
            return self.tr("{0}, on {1} pages").format(size, tiles.count), True
        return self.tr("{0}, in {1} files").format(size, tiles.count), True

    def _choose(self) -> None:
        self.chosen.emit(
            PictureOptions(self.path, self.part.currentData(), self.scale.value() / 100, str(self.theme.currentData()))
        )
