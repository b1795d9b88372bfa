"""The dialog that shows a picture as it will be on paper, and prints it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPageLayout, QShowEvent
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrintPreviewWidget
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.core.errors import CutterError
from cutter_gui.gui.dialogs import files
from cutter_gui.gui.dialogs.errors import error_message
from cutter_gui.gui.dialogs.pictures import Subject, part_choice
from cutter_gui.gui.export_drawing import Drawing
from cutter_gui.gui.printing import Paper, choose_orientation, paper_of, print_drawing

PAPER = "#FFFFFF"
_PERCENT = (5, 400)
_SIZE = (960, 640)
_SIDE = 260


class PrintPreviewDialog(QDialog):
    """Shows the pages; prints them, or writes them as PDF.

    Args:
        parent: The window.
        subject: What there is to draw.
        say: Tells the user that something was done.
    """

    def __init__(self, parent: QWidget, subject: Subject, say: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setWindowTitle(self.tr("Print"))
        self.resize(*_SIZE)
        self._subject = subject
        self._say = say
        self._drawings: dict[str, Drawing] = {}
        self.printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        self.printer.setDocName(subject.title)
        self.preview = QPrintPreviewWidget(self.printer, self)
        self.preview.paintRequested.connect(self._paint)
        self.part = part_choice(subject)
        self.pages = QComboBox()
        self.pages.addItem(self.tr("Fit on one page"), "fit")
        self.pages.addItem(self.tr("Several pages"), "several")
        self.scale = QSpinBox()
        self.scale.setRange(*_PERCENT)
        self.scale.setSingleStep(25)
        self.scale.setSuffix(self.tr(" %"))
        self.scale.setValue(100)
        self.orientation = QComboBox()
        self.orientation.addItem(self.tr("As the picture needs"), None)
        self.orientation.addItem(self.tr("Portrait"), QPageLayout.Orientation.Portrait)
        self.orientation.addItem(self.tr("Landscape"), QPageLayout.Orientation.Landscape)
        self.count = QLabel()
        self.print_button = QPushButton(self.tr("&Print…"))
        self.pdf_button = QPushButton(self.tr("Save as P&DF…"))
        self.cancel_button = QPushButton(self.tr("Close"))
        self._arrange()
        for choice in (self.part, self.pages, self.orientation):
            choice.currentIndexChanged.connect(self._update)
        self.scale.valueChanged.connect(self._update)
        self.print_button.clicked.connect(self._ask_printer)
        self.pdf_button.clicked.connect(self._ask_file)
        self.cancel_button.clicked.connect(self.reject)
        self.print_button.setDefault(True)
        self.part.setFocus()
        self._update()

    def _arrange(self) -> None:
        rows = QFormLayout()
        rows.setSpacing(8)
        rows.addRow(self.tr("&What"), self.part)
        rows.addRow(self.tr("Pa&ges"), self.pages)
        rows.addRow(self.tr("&Scale"), self.scale)
        rows.addRow(self.tr("&Turned"), self.orientation)
        self.count.setWordWrap(True)
        side = QVBoxLayout()
        side.setSpacing(8)
        side.addLayout(rows)
        side.addWidget(self.count)
        side.addStretch(1)
        for button in (self.print_button, self.pdf_button, self.cancel_button):
            side.addWidget(button)
        panel = QWidget()
        panel.setFixedWidth(_SIDE)
        panel.setLayout(side)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(16)
        layout.addWidget(self.preview, 1)
        layout.addWidget(panel)

    @property
    def wanted_scale(self) -> float | None:
        """The scale over several pages, None to fit one."""
        return None if self.pages.currentData() == "fit" else self.scale.value() / 100

    @property
    def paper(self) -> Paper:
        """How the picture lies on paper."""
        return paper_of(self.printer, self.drawing, self.wanted_scale)

    @property
    def drawing(self) -> Drawing:
        """What is printed, in light colours."""
        part = self.part.currentData()
        if part not in self._drawings:
            self._drawings[part] = replace(self._subject.drawing(part, "light"), ground=PAPER)
        return self._drawings[part]

    def _update(self) -> None:
        orientation = self.orientation.currentData()
        if orientation is None:
            choose_orientation(self.printer, self.drawing, self.wanted_scale)
        else:
            self.printer.setPageOrientation(orientation)
        self.scale.setEnabled(self.pages.currentData() == "several")
        paper = self.paper
        percent = max(1, round(100 * paper.scale))
        said = self.tr("1 page, at {0} %").format(percent)
        if paper.count > 1:
            said = self.tr("{0} pages: {1} down, {2} across").format(paper.count, paper.rows, paper.columns)
        if paper.too_many:
            said = self.tr("{0} pages are too many: choose a smaller scale").format(f"{paper.count:,}")
        self.count.setText(said)
        self.print_button.setDisabled(paper.too_many)
        self.pdf_button.setDisabled(paper.too_many)
        if not paper.too_many:
            several = paper.count > 1
            view, zoom = QPrintPreviewWidget.ViewMode, QPrintPreviewWidget.ZoomMode
            self.preview.setViewMode(view.AllPagesView if several else view.SinglePageView)
            self.preview.updatePreview()
            self.preview.setZoomMode(zoom.FitInView)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.preview.fitInView()

    def _paint(self, printer: QPrinter) -> None:
        if not self.paper.too_many:
            print_drawing(printer, self.drawing, self.wanted_scale)

    def _ask_printer(self) -> None:
        dialog = QPrintDialog(self.printer, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._print(self.tr("Sent to the printer")))
        QDialog.open(dialog)  # that of QPrintDialog wants a slot of C++

    def _ask_file(self) -> None:
        suggested = Path(self._subject.title).with_suffix(".pdf")
        files.ask_save(self, self.tr("Save as PDF"), suggested, (self.tr("Document (*.pdf)"),), self._write)

    def _write(self, path: Path, _chosen: str) -> None:
        path = path if path.suffix.lower() == ".pdf" else path.with_name(f"{path.name}.pdf")
        before = self.printer.outputFormat(), self.printer.outputFileName()
        self.printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        self.printer.setOutputFileName(str(path))
        self._print(self.tr("Saved {}").format(path.name))
        self.printer.setOutputFileName(before[1])
        self.printer.setOutputFormat(before[0])

    def _print(self, done: str) -> None:
        try:
            print_drawing(self.printer, self.drawing, self.wanted_scale)
        except CutterError as error:
            error_message(self, self.tr("Print"), error).open()
            return
        self._say(done)
        self.accept()
