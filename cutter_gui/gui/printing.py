"""A drawing on paper: whole on one page, or at a scale over several that are put together.

Terms: a *pixel* of a drawing at 100 % is a 96th of an inch on paper; a *sheet* is one page of several.

Every sheet says in its lower margin which it is, by row and column, so that they can be laid side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrinter

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.export_drawing import Drawing
from cutter_gui.gui.palette import palette_named

DOTS = 96.0
LARGEST_FIT = 1.5  # a small drawing is not blown up farther than that
FOOTER = 22.0  # of several sheets, in pixels
SHEETS_AT_MOST = 400


@dataclass(frozen=True)
class Paper:
    """How a drawing lies on the pages of a printer.

    Attributes:
        scale: Of the drawing, 1 for 100 %.
        columns: Sheets beside each other.
        rows: Sheets above each other.
        width: Of what a sheet has room for, in pixels of the drawing.
        height: Likewise.
    """

    scale: float
    columns: int
    rows: int
    width: float
    height: float

    @property
    def count(self) -> int:
        return self.columns * self.rows

    @property
    def too_many(self) -> bool:
        """Whether these are more sheets than anyone prints."""
        return self.count > SHEETS_AT_MOST


def paper_of(printer: QPrinter, drawing: Drawing, scale: float | None) -> Paper:
    """Returns how a drawing lies on paper.

    Args:
        printer: Gives the page and its margins.
        drawing: What is printed.
        scale: 1 for 100 %; None makes it fit one page.
    """
    page = _room(printer)
    if scale is None:
        fits = min(page.width() / drawing.width, page.height() / drawing.height, LARGEST_FIT)
        return Paper(fits, 1, 1, drawing.width, drawing.height)
    width, height = page.width() / scale, (page.height() - FOOTER) / scale
    if drawing.width <= width and drawing.height <= page.height() / scale:
        return Paper(scale, 1, 1, drawing.width, drawing.height)
    return Paper(scale, ceil(drawing.width / width), ceil(drawing.height / height), width, height)


def choose_orientation(printer: QPrinter, drawing: Drawing, scale: float | None) -> None:
    """Turns the page so that the drawing is larger on one, or needs fewer."""
    best: tuple[float, QPageLayout.Orientation] | None = None
    for orientation in (QPageLayout.Orientation.Portrait, QPageLayout.Orientation.Landscape):
        printer.setPageOrientation(orientation)
        paper = paper_of(printer, drawing, scale)
        cost = float(paper.count) if scale is not None else -paper.scale
        if best is None or cost < best[0]:
            best = (cost, orientation)
    assert best is not None
    printer.setPageOrientation(best[1])


def print_drawing(printer: QPrinter, drawing: Drawing, scale: float | None) -> None:
    """Prints; see `paper_of`.

    Raises:
        CutterError: These are too many pages, or the printer takes none.
    """
    paper = paper_of(printer, drawing, scale)
    if paper.too_many:
        raise CutterError(f"this would take {paper.count:,} pages", one_line(drawing.title), "choose a smaller scale")
    painter = QPainter()
    if not painter.begin(printer):
        raise CutterError("the printer takes no pages", printer.printerName(), "choose another printer or file")
    try:
        for row in range(paper.rows):
            for column in range(paper.columns):
                if row or column:
                    printer.newPage()
                _print_sheet(painter, printer, drawing, paper, row, column)
    finally:
        painter.end()


def _room(printer: QPrinter) -> QRectF:
    """Returns the page within its margins, in pixels at 100 %."""
    rect = printer.pageRect(QPrinter.Unit.Inch)
    return QRectF(0, 0, rect.width() * DOTS, rect.height() * DOTS)


def _print_sheet(painter: QPainter, printer: QPrinter, drawing: Drawing, paper: Paper, row: int, column: int) -> None:
    room, dot = _room(printer), printer.resolution() / DOTS
    left, top = column * paper.width, row * paper.height
    part = QRectF(left, top, min(paper.width, drawing.width - left), min(paper.height, drawing.height - top))
    painter.save()
    if paper.count == 1:
        painter.translate(dot * (room.width() - part.width() * paper.scale) / 2, 0.0)
    drawing.paint_part(painter, part, dot * paper.scale)
    painter.restore()
    if paper.count == 1:
        return
    painter.save()
    painter.scale(dot, dot)
    painter.setPen(ink.colour(palette_named("light").text_soft))
    painter.setFont(ink.font(ink.LABEL_PIXELS))
    text = QCoreApplication.translate("Printing", "row {0} of {1}, column {2} of {3}").format(
        row + 1, paper.rows, column + 1, paper.columns
    )
    area = QRectF(0, room.height() - FOOTER, room.width(), FOOTER)
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
    name = one_line(drawing.title, 60)
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
    painter.restore()
