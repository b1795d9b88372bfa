"""Names of the cuts that a changed model no longer has: each with the nearest ones, to take one by one or all."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.stale_names import StaleName, all_renamed, renamed, stale_names
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Button, Gap, Part, Row, Span, Tone

_LISTED = 500
_NAME = 60


@dataclass(frozen=True)
class Take:
    """A click takes a name in the place of the stale one; None takes the stale one out."""

    at: int
    name: str | None


class StaleNamesDialog(QDialog):
    """Lists the names; closes itself when none is left."""

    def __init__(self, parent: QWidget, document: Document) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Names that are gone"))
        self.resize(620, 400)
        self._document = document
        self.names: tuple[StaleName, ...] = ()
        self.summary = QLabel()
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Names that are gone"))
        self.list.activated_target.connect(self._take)
        self.take_all = QPushButton()
        self.take_all.setDefault(True)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.addButton(self.take_all, QDialogButtonBox.ButtonRole.ActionRole)
        self.take_all.clicked.connect(lambda _checked=False: self._take_all())
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(12)
        layout.addWidget(self.summary)
        layout.addWidget(self.list, 1)
        layout.addWidget(box)
        document.changed.connect(self._on_change)
        document.destroyed.connect(self.reject)
        self._fill()

    def _on_change(self, change: Change) -> None:
        if change.plan:
            self._fill()

    def _fill(self) -> None:
        self.names = stale_names(self._document.staging)
        if not self.names and self.isVisible():
            self.accept()
            return
        count = len(self.names)
        model = one_line(self._document.path.name, _NAME)
        text = (
            self.tr("1 name of the cuts is not in {}.")
            if count == 1
            else self.tr("{0} names of the cuts are not in {1}.")
        )
        said = text.format(model) if count == 1 else text.format(count, model)
        self.summary.setText(f"{said} {self.tr('Take the name that is meant; each can be undone.')}")
        likely = sum(bool(stale.nearest) for stale in self.names)
        self.take_all.setText(self.tr("Take the nearest of all ({})").format(likely))
        self.take_all.setEnabled(likely > 0)
        rows = [row for at, stale in enumerate(self.names[:_LISTED]) for row in self._rows(at, stale)]
        if count > _LISTED:
            rows.append(Row("more", (Span(self.tr("… and {} more").format(count - _LISTED), Tone.MUTED),)))
        self.list.set_rows(rows)

    def _rows(self, at: int, stale: StaleName) -> list[Row]:
        """Returns a row for the stale name, and one for each name that may be meant."""
        cuts = ", ".join(map(str, stale.cuts))
        where = self.tr("cut {}").format(cuts) if len(stale.cuts) == 1 else self.tr("cuts {}").format(cuts)
        if stale.consumer is not None:
            where = self.tr("consumer of {0}, {1}").format(one_line(stale.tensor, _NAME), where)
        first: tuple[Part, ...] = (
            Span(one_line(stale.name, _NAME), Tone.ERROR, mono=True, elastic=True, tip=stale.name),
            Span(where, Tone.MUTED),
            Gap(),
            Button(self.tr("Take it out"), Take(at, None)),
        )
        rows = [Row(("stale", stale.key), first)]
        for place, name in enumerate(stale.nearest):
            word = self.tr("nearest:") if place == 0 else self.tr("or:")
            parts: tuple[Part, ...] = (
                Span(word, Tone.MUTED),
                Span(one_line(name, _NAME), Tone.LINK, mono=True, elastic=True, target=Take(at, name), tip=name),
                Gap(),
                Button(self.tr("Take"), Take(at, name)),
            )
            rows.append(Row(("near", stale.key, name), parts, indent=24, target=Take(at, name)))
        if not stale.nearest:
            rows.append(Row(("none", stale.key), (Span(self.tr("nothing is like it"), Tone.MUTED),), indent=24))
        return rows

    def _take(self, target: object) -> None:
        if not isinstance(target, Take):
            return
        stale = self.names[target.at]
        if target.name is None:
            text = self.tr("Take {} out of the cuts").format(one_line(stale.name, _NAME))
        else:
            text = self.tr("Name {0} instead of {1}").format(one_line(target.name, _NAME), one_line(stale.name, _NAME))
        document = self._document
        document.take_plan(renamed(document.plan, {stale.key: target.name}), text, document.active_cut)

    def _take_all(self) -> None:
        """Takes the nearest names in one step of undo; where nothing is like a name it stays listed."""
        document = self._document
        plan, count = all_renamed(document.graph, document.plan)
        document.take_plan(plan, self.tr("Take the nearest names ({})").format(count), document.active_cut)
