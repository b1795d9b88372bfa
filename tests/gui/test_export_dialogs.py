"""Exporting and printing from the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QFileDialog, QLineEdit

from cutter_gui.gui import export_sizes
from cutter_gui.gui.dialogs.export_picture import ExportPictureDialog
from cutter_gui.gui.dialogs.print_preview import PrintPreviewDialog

Key = Qt.Key


@pytest.fixture
def exporting(opened, hand):
    hand.click_edge("10", "20a")
    hand.press("Ctrl+Shift+E")
    return hand.dialog(ExportPictureDialog)


def test_the_dialog_suggests_a_file_beside_the_model_and_says_how_large_the_picture_will_be(exporting, model) -> None:
    assert exporting.path == model.with_suffix(".svg")
    assert "pixels" in exporting.size.text()
    exporting.file.setText("graph.pdf")
    assert "mm" in exporting.size.text()


def test_a_scale_is_chosen_with_the_keyboard_and_the_file_has_the_size_that_was_told(
    exporting, opened, hand, qtbot, tmp_path
) -> None:
    exporting.file.setText(str(tmp_path / "graph.png"))
    assert exporting.scale.value() == 200
    exporting.scale.setFocus()
    exporting.scale.selectAll()
    qtbot.keyClicks(exporting.scale, "150")
    hand.key(exporting.scale, Key.Key_Tab)
    told = exporting.size.text()
    with qtbot.waitSignal(opened.saver.saved, timeout=60_000):
        hand.key(exporting, Key.Key_Return)
    image = QImage(str(tmp_path / "graph.png"))
    assert told == f"{image.width()} × {image.height()} pixels"


def test_what_is_in_sight_can_be_exported_alone(exporting, opened, hand, qtbot, tmp_path) -> None:
    canvas = opened.workspace.canvas
    exporting.file.setText(str(tmp_path / "sight.png"))
    exporting.part.setCurrentIndex(exporting.part.findData("sight"))
    exporting.scale.setValue(100)
    _, _, width, height = canvas.visible_part
    with qtbot.waitSignal(opened.saver.saved, timeout=60_000):
        hand.key(exporting, Key.Key_Return)
    image = QImage(str(tmp_path / "sight.png"))
    assert (image.width(), image.height()) == pytest.approx((width, height), abs=1)


def test_a_picture_larger_than_one_file_says_in_how_many_it_will_be(exporting, monkeypatch) -> None:
    monkeypatch.setattr(export_sizes, "PNG_SIDE", 400)
    exporting.file.setText("graph.png")
    exporting.scale.setValue(100)
    drawing = exporting._subject.drawing("all", "light")
    files = export_sizes.tiling(drawing.width, drawing.height, 1.0, ".png").count
    assert files > 1
    assert exporting.size.text().endswith(f"in {files} files")
    exporting.scale.setValue(1000)
    monkeypatch.setattr(export_sizes, "PNG_SIDE", 20)
    exporting.scale.setValue(900)
    assert "too large" in exporting.size.text()
    assert not exporting.export_button.isEnabled()


@pytest.fixture
def printing(opened, hand):
    hand.click_edge("10", "20a")
    hand.press("Ctrl+P")
    return hand.dialog(PrintPreviewDialog)


def test_the_preview_shows_one_page_that_fits_and_more_at_a_larger_scale(printing, qtbot) -> None:
    qtbot.waitUntil(lambda: printing.preview.pageCount() == 1)
    assert printing.count.text().startswith("1 page")
    printing.pages.setFocus()
    qtbot.keyClick(printing.pages, Key.Key_Down)
    printing.scale.setValue(250)
    pages = printing.paper.count
    assert pages > 1
    qtbot.waitUntil(lambda: printing.preview.pageCount() == pages)
    assert printing.count.text().startswith(f"{pages} pages")


def test_pages_lie_in_rows_and_columns_that_cover_the_whole_picture(printing) -> None:
    printing.pages.setCurrentIndex(1)
    printing.scale.setValue(300)
    paper, drawing = printing.paper, printing.drawing
    assert paper.columns * paper.width >= drawing.width > (paper.columns - 1) * paper.width
    assert paper.rows * paper.height >= drawing.height > (paper.rows - 1) * paper.height


def test_the_pages_are_saved_as_pdf(printing, opened, hand, qtbot, tmp_path: Path) -> None:
    printing.pages.setCurrentIndex(1)
    printing.scale.setValue(250)
    pages = printing.paper.count
    hand.key(printing.pdf_button, Key.Key_Space)
    dialog = hand.dialog(QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(str(tmp_path / "pages.pdf"))
    hand.key(field, Key.Key_Return)
    qtbot.waitUntil(lambda: (tmp_path / "pages.pdf").exists())
    data = (tmp_path / "pages.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert f"/Count {pages}".encode() in data
    assert opened.status.currentMessage() == "Saved pages.pdf"


def test_the_print_button_asks_for_a_printer(printing, hand) -> None:
    hand.key(printing.print_button, Key.Key_Space)
    dialog = hand.dialog(QPrintDialog)
    dialog.reject()


def test_escape_leaves_the_preview(printing, hand) -> None:
    hand.key(printing, Key.Key_Escape)
    hand.no_dialog()
