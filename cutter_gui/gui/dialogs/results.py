"""The dialog that shows what was written and how every output compares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.format import OutputReport, SplitResult, VerifyReport
from cutter_gui.core.units import bytes_text
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Chip, Gap, Row, Sign, Span, Tone, name_span


def _tr(text: str) -> str:
    return QCoreApplication.translate("Results", text)


class ResultsDialog(QDialog):
    """Shows the result of saving, of verifying, or of both.

    ``verify`` is called when the user wants stages verified that were not.
    """

    def __init__(
        self,
        parent: QWidget,
        folder: Path,
        saved: SplitResult | None,
        report: VerifyReport | None,
        verify: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Stages"))
        self.resize(600, 400)
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Results"))
        self.list.set_rows(tuple(result_rows(folder, saved, report)))
        box = QDialogButtonBox()
        close = box.addButton(QDialogButtonBox.StandardButton.Close)
        close.setDefault(True)
        self.folder_button = box.addButton(self.tr("Show the folder"), QDialogButtonBox.ButtonRole.ActionRole)
        self.folder_button.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
        if report is None:
            self.verify_button = box.addButton(self.tr("Verify"), QDialogButtonBox.ButtonRole.ActionRole)
            self.verify_button.clicked.connect(self.accept)
            self.verify_button.clicked.connect(verify)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 16, 12, 12)
        layout.addWidget(self.list, 1)
        layout.addWidget(box)
        close.setFocus()


def result_rows(folder: Path, saved: SplitResult | None, report: VerifyReport | None) -> Iterator[Row]:
    """Yields the rows of the dialog."""
    if saved is not None:
        text = _tr("{0} stages saved: {1} files, {2}").format(
            saved.stage_count, len(saved.files), bytes_text(saved.bytes_written)
        )
        yield Row(key="saved", parts=(Sign("check-line", Tone.GOOD), Span(text, bold=True, elastic=True)), height=28)
    yield Row(key="folder", parts=(name_span(str(folder), tone=Tone.MUTED),), indent=22, height=24)
    if report is not None:
        yield from _report_rows(report)
    if saved is not None:
        yield _heading("files", _tr("Files"))
        for at, note in enumerate(saved.notes):
            sign = Sign("alert-line", Tone.WARNING)
            shown = one_line(note)
            yield Row(key=("note", at), parts=(sign, Span(shown, Tone.WARNING, elastic=True, tip=shown)), height=24)
        for name in saved.files:
            yield Row(key=("file", name), parts=(name_span(name),), indent=22)


def _heading(key: object, text: str) -> Row:
    return Row(key=("heading", key), parts=(Span(text, Tone.MUTED),), height=32)


def verdict(report: VerifyReport) -> tuple[str, Tone]:
    """Returns the finding over all outputs in one sentence, and its tone."""
    if report.identical:
        return _tr("Every output is identical"), Tone.GOOD
    if report.accepted:
        return _tr("Every output agrees within the tolerance that applies"), Tone.WARNING
    count = sum(not output.accepted for output in report.outputs)
    return _tr("Outputs that differ: {0} of {1}").format(count, len(report.outputs)), Tone.ERROR


def _report_rows(report: VerifyReport) -> Iterator[Row]:
    text, tone = verdict(report)
    sign = "check-line" if tone is Tone.GOOD else "alert-line" if tone is Tone.WARNING else "error-warning-line"
    seconds = Span(_tr("{:.1f} s").format(report.seconds), Tone.MUTED)
    yield Row(key="verdict", parts=(Sign(sign, tone), Span(text, tone, bold=True), Gap(), seconds), height=32)
    if report.first_boundary is not None:
        parts = (Span(_tr("first differing boundary tensor"), Tone.MUTED), name_span(report.first_boundary))
        yield Row(key="boundary", parts=parts, indent=22)
    titles = {
        "plain": _tr("Plain form"),
        "sendrecv": _tr("Send and Recv form"),
        "pt2": _tr("Stages loaded from .pt2"),
        "json": _tr("Stages rebuilt from .json and .safetensors"),
    }
    for form in dict.fromkeys(output.form for output in report.outputs):
        yield _heading(form, titles.get(form, form))
        for at, output in enumerate(report.outputs):
            if output.form == form:
                yield _output_row(at, output)


def _output_row(at: int, output: OutputReport) -> Row:
    good = output.identical
    tone = Tone.GOOD if good else Tone.WARNING if output.accepted else Tone.ERROR
    sign = "check-line" if good else "alert-line" if output.accepted else "error-warning-line"
    finding = one_line(output.sentence())
    return Row(
        key=("output", at),
        parts=(
            Sign(sign, tone),
            name_span(output.name),
            Span(finding, tone, elastic=not good, tip=finding),
            Gap(),
            Span(_tr("stage"), Tone.MUTED),
            Chip(output.stage),
        ),
        height=24,
    )
