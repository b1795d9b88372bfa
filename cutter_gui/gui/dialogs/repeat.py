"""The same cut again elsewhere: places that look like it, to tick; the canvas shows what would come of them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.groups import Groups
from cutter_gui.core.repeat import IN_EQUAL_GROUPS, Place, places_like
from cutter_gui.gui.cutting import Cutting
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Check, Chip, Gap, Row, Span, Tone
from cutter_gui.gui.panels.sizes import total_text
from cutter_gui.gui.previews import repeat_cut

_LISTED = 500


@dataclass(frozen=True)
class Tick:
    at: int


class RepeatDialog(QDialog):
    """Lists the places; those most like the cut are ticked at first."""

    def __init__(self, parent: QWidget, document: Document, cut: int, groups: Groups | None, cutting: Cutting) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Repeat cut {}").format(cut))
        self.resize(460, 420)
        self._document = document
        self._cutting = cutting
        self.places: tuple[Place, ...] = places_like(document.staging, cut, groups)[:_LISTED]
        best = max((place.likeness for place in self.places), default=0)
        self.ticked = {at for at, place in enumerate(self.places) if place.likeness == best}
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Similar places"))
        self.list.activated_target.connect(self._tick)
        self.summary = QLabel()
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.apply_button = QPushButton()
        self.apply_button.setDefault(True)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        box.addButton(self.apply_button, QDialogButtonBox.ButtonRole.AcceptRole)
        box.accepted.connect(self._apply)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel(self.tr("Places that look like it, the most alike first:")))
        layout.addWidget(self.list, 1)
        layout.addWidget(self.summary)
        layout.addWidget(box)
        document.changed.connect(self._on_change)
        self.finished.connect(lambda _result: cutting.drop())
        self._fill()

    def _on_change(self, change: Change) -> None:
        if change.plan:
            self.reject()

    def _fill(self) -> None:
        self.list.set_rows(tuple(self._row(at, place) for at, place in enumerate(self.places)))
        count = len(self.ticked)
        self.apply_button.setText(self.tr("Make 1 cut") if count == 1 else self.tr("Make {} cuts").format(count))
        if not self.places:
            self.summary.setText(self.tr("Nothing else in this model looks like this cut."))
            self.apply_button.setEnabled(False)
            return
        chosen = [self.places[at] for at in sorted(self.ticked)]
        self._cutting.show(
            ("repeat", *sorted(self.ticked)), lambda doc: repeat_cut(doc.graph, doc.plan, chosen, doc.symbols)
        )
        preview = self._cutting.preview
        can = preview is not None and preview.plan is not None
        self.apply_button.setEnabled(can)
        self.summary.setText("" if preview is None else f"{preview.ghost.title}. {preview.ghost.verdict}")

    def _row(self, at: int, place: Place) -> Row:
        graph, staging = self._document.graph, self._document.staging
        label = one_line(graph.node_label(place.node))
        tensors = sorted({int(graph.edge_tensor[edge]) for edge in place.edges})
        alike = self.tr("equal") if place.likeness == IN_EQUAL_GROUPS else self.tr("alike {} steps around")
        parts = (
            Check(at in self.ticked, Tick(at)),
            Span(self.tr("after {}").format(graph.op(place.node)), bold=True),
            Span(label, Tone.MUTED, elastic=True, tip=label),
            Gap(),
            Span(total_text(graph, tensors), Tone.MUTED),
            Chip(int(staging.node_stage[place.node])),
        )
        return Row(("place", at), parts, target=Tick(at), tip=alike.format(place.likeness))

    def _tick(self, target: object) -> None:
        if isinstance(target, Tick):
            self.ticked ^= {target.at}
            self._fill()

    def _apply(self) -> None:
        self._document.changed.disconnect(self._on_change)
        self._cutting.apply()
        self.accept()
