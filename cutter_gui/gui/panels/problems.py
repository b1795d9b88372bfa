"""The Problems panel: what is wrong with the plan, in sentences; a click shows the place.

What mends a problem may take far longer to find than the problem. In small models it is there at once; in larger ones
it is found when the plan rests, one problem at a time, so that clicks in between are answered; in the largest only when
somebody asks, by choosing the problem or its fix.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from cutter_gui.core.diagnostic import Diagnostic, LaterFixes, Severity
from cutter_gui.core.errors import one_line
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.mending import UNKNOWN_TYPE, can_mend, mend_all, sentence_of
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Button, Part, Row, Sign, Span, Tone

_SIGNS = {
    Severity.ERROR: ("error-warning-line", Tone.ERROR),
    Severity.WARNING: ("alert-line", Tone.WARNING),
    Severity.INFO: ("information-line", Tone.MUTED),
}
_LISTED = 200
_FIXES = 4
_INDENT = 32
_MESSAGE = 2000
_AT_ONCE, _AT_REST = 6000, 60_000  # nodes and edges of models whose fixes are found at once, or when the plan rests
_REST = 300  # milliseconds


@dataclass(frozen=True)
class ShowProblem:
    at: int


@dataclass(frozen=True)
class ApplyFix:
    at: int
    which: int = 0


@dataclass(frozen=True)
class FindFixes:
    at: int


@dataclass(frozen=True)
class GiveType:
    tensor: str


class ProblemsPanel(Panel):
    """Lists the diagnostics of the document.

    Signals:
        show_wanted: A `Diagnostic` whose place the canvas should show.
    """

    show_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Problems"))
        self._document: Document | None = None
        self._found: tuple[Diagnostic, ...] = ()
        self.mend_all = QToolButton()
        self.mend_all.setText(self.tr("Mend all"))
        self.mend_all.setToolTip(self.tr("Apply the first fix of every error, as one step of undo"))
        self.mend_all.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.mend_all.clicked.connect(self._mend_all)
        self.mend_all.setVisible(False)
        self.header.addWidget(self.mend_all)
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Problems"))
        self.list.setObjectName("problems")
        self.list.activated_target.connect(self._activate)
        self.body.addWidget(self.list, 1)
        self._resting = QTimer(self, singleShot=True)
        self._resting.timeout.connect(self._find_at_rest)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._found = ()
        self._refresh()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.plan or change.file:
            self._refresh()

    @property
    def shown(self) -> tuple[Diagnostic, ...]:
        """The findings in the order of the list: the gravest first."""
        return self._found

    def focus_first(self) -> None:
        """Moves the keyboard to the first problem."""
        self.list.setFocus()
        if self.list.rows_model.rows:
            self.list.setCurrentIndex(self.list.rows_model.index(0))

    def _mend_all(self) -> None:
        if self._document is not None:
            mend_all(self._document)

    def _refresh(self) -> None:
        document = self._document
        self.mend_all.setVisible(can_mend(document))
        found = () if document is None else (*document.notes, *document.diagnostics)
        self._found = tuple(sorted(found, key=lambda one: one.severity.rank))
        size = 0 if document is None else document.graph.node_count + document.graph.edge_count
        if size > _AT_ONCE and size <= _AT_REST and self._unknown() is not None:
            self._resting.start(_REST)
        else:
            self._resting.stop()
        if size <= _AT_ONCE:
            for one in self._found[:_LISTED]:
                len(one.fixes)
        self._show_rows()

    def _unknown(self) -> int | None:
        """Returns the first listed problem whose fixes are not known yet."""
        listed = enumerate(self._found[:_LISTED])
        return next((at for at, one in listed if not _are_known(one)), None)

    def _find_at_rest(self) -> None:
        at = self._unknown()
        if at is not None:
            self._find(at)
            if self._unknown() is not None:
                self._resting.start(0)

    def _find(self, at: int) -> None:
        """Finds the fixes of a problem and shows them."""
        if not _are_known(self._found[at]):
            len(self._found[at].fixes)
            self._show_rows()

    def _show_rows(self) -> None:
        if self._document is None:
            self.list.set_rows(())
            return
        rows: list[Row] = []
        for at, found in enumerate(self.shown[:_LISTED]):
            rows += [self._row(at, found), *self._fix_rows(at, found)]
        if len(self.shown) > _LISTED:
            text = self.tr("… and {} more").format(len(self.shown) - _LISTED)
            rows.append(Row(key="more", parts=(Span(text, Tone.MUTED),)))
        if not any(found.is_error for found in self.shown):
            rows.insert(0, self._all_well(self._document))
        self.list.set_rows(rows)

    def _all_well(self, document: Document) -> Row:
        stages = document.staging.stage_count
        if not document.plan.cuts:
            text, sign, tone = self.tr("No cuts yet: the model is one stage"), "information-line", Tone.MUTED
        else:
            text = self.tr("Valid: {} stages, every cut complete").format(stages)
            sign, tone = "check-line", Tone.GOOD
        return Row(key="well", parts=(Sign(sign, tone), Span(text, tone, elastic=True)))

    def _row(self, at: int, found: Diagnostic) -> Row:
        sign, tone = _SIGNS[found.severity]
        word = {
            Severity.ERROR: self.tr("Error"),
            Severity.WARNING: self.tr("Warning"),
            Severity.INFO: self.tr("Note"),
        }[found.severity]
        parts: tuple[Part, ...] = (Sign(sign, tone), Span(word, tone, bold=found.is_error))
        if found.code == UNKNOWN_TYPE:
            parts = (*parts, Button(self.tr("Give its type…"), GiveType(found.tensors[0])))
        if found.fixes:
            parts = (*parts, Button(self.tr("Fix"), ApplyFix(at)))
        message = one_line(sentence_of(found), _MESSAGE)
        has_title = found.fixes and _are_known(found)
        fix = self.tr("Fix: {}").format(one_line(found.fixes[0].title)) if has_title else ""
        return Row(
            key=("problem", at, found.code),
            parts=(*parts, Span(message)),
            wrap=True,
            target=ShowProblem(at),
            tip="\n".join(line for line in (message, fix) if line),
        )

    def _fix_rows(self, at: int, found: Diagnostic) -> list[Row]:
        """Returns a row for each mend, the best first; each is applied by one click."""
        if not _are_known(found):
            parts: tuple[Part, ...] = (
                Span(self.tr("Fix:"), Tone.MUTED),
                Span(self.tr("Show what mends it"), Tone.LINK, target=FindFixes(at)),
            )
            return [Row(("fix", at, found.code, 0), parts, indent=_INDENT, target=FindFixes(at))]
        rows = []
        for which, fix in enumerate(found.fixes[:_FIXES]):
            title = one_line(fix.title, _MESSAGE)
            lead = self.tr("Fix:") if which == 0 else self.tr("or:")
            parts = (
                Span(lead, Tone.MUTED),
                Span(title, Tone.LINK, elastic=True, target=ApplyFix(at, which), tip=title),
            )
            rows.append(
                Row(("fix", at, found.code, which), parts, indent=_INDENT, target=ApplyFix(at, which), tip=title)
            )
        return rows

    def _activate(self, target: object) -> None:
        match target:
            case ShowProblem(at):
                self.show_wanted.emit(self.shown[at])
                self._find(at)
            case FindFixes(at):
                self._find(at)
            case ApplyFix(at, which) if self._document is not None:
                self._document.apply_fix(self.shown[at].fixes[which])
            case GiveType(tensor) if self._document is not None:
                from cutter_gui.gui.dialogs.give_type import ask_type

                ask_type(self.window(), self._document, tensor)


def _are_known(found: Diagnostic) -> bool:
    """Whether the fixes of a finding can be shown without looking for them first."""
    return not isinstance(found.fixes, LaterFixes) or found.fixes.are_known
