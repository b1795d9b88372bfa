"""The Problems panel: what is wrong with the plan, in sentences; a click shows the place.

What mends a problem may take far longer to find than the problem. In small models it is there at once; in larger ones
a worker finds it when the plan rests; in the largest only when somebody asks, by choosing the problem or its fix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from cutter_gui.core.diagnostic import Diagnostic, LaterFixes, Severity
from cutter_gui.core.errors import one_line
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.fix_finder import FixFinder
from cutter_gui.gui.jobs import Workers
from cutter_gui.gui.mending import UNKNOWN_TYPE, can_mend, is_quick, mend_all, sentence_of
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
_AT_REST = 60_000  # nodes and edges of models whose fixes are found when the plan rests
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
        failed: A `CutterError`: why it is not known what mends a problem.
    """

    show_wanted = Signal(object)
    failed = Signal(object)

    def __init__(self, workers: Callable[[], Workers], parent: QWidget | None = None) -> None:
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
        self._finder = FixFinder(workers, self)
        self._finder.found.connect(self._take_fixes)
        self._finder.failed.connect(self.failed)
        self._to_apply: Diagnostic | None = None  # the problem whose first fix is to be applied once it is known

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
            mend_all(self.window(), self._document)

    def _refresh(self) -> None:
        document = self._document
        self.mend_all.setVisible(can_mend(document))
        found = () if document is None else (*document.notes, *document.diagnostics)
        self._found = tuple(sorted(found, key=lambda one: one.severity.rank))
        self._finder.begin(document)
        if self._to_apply is not None and not any(one is self._to_apply for one in self._found):
            self._to_apply = None
        if document is not None and is_quick(document):
            for one in self._found[:_LISTED]:
                len(one.fixes)
        small = document is not None and document.graph.node_count + document.graph.edge_count <= _AT_REST
        if small and not all(_are_known(one) for one in self._found[:_LISTED]):
            self._resting.start(_REST)
        else:
            self._resting.stop()
        self._show_rows()

    def close_finder(self) -> None:
        """Gives up what is sought; for when the window goes away."""
        self._resting.stop()
        self._finder.stop()

    def _find_at_rest(self) -> None:
        self._find([one for one in self._found[:_LISTED] if not _are_known(one)])

    def _find(self, problems: list[Diagnostic]) -> None:
        """Has the fixes of problems found."""
        unknown = [one for one in problems if not _are_known(one)]
        if unknown:
            self._finder.find(unknown)
            self._show_rows()

    def _take_fixes(self) -> None:
        wanted = self._to_apply
        if wanted is not None and (_are_known(wanted) or not self._finder.is_sought(wanted)):
            self._to_apply = None
            if _are_known(wanted) and wanted.fixes and self._document is not None:
                self._document.apply_fix(wanted.fixes[0])
                return
        self._show_rows()

    def _apply(self, problem: Diagnostic, which: int) -> None:
        """Applies a fix of a problem, once it is known."""
        if _are_known(problem):
            if self._document is not None:
                self._document.apply_fix(problem.fixes[which])
        else:
            self._to_apply = problem
            self._find([problem])

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
        if self._finder.is_sought(found):
            parts: tuple[Part, ...] = (
                Span(self.tr("Fix:"), Tone.MUTED),
                Span(self.tr("Finding what mends it …"), Tone.MUTED),
            )
            return [Row(("fix", at, found.code, 0), parts, indent=_INDENT)]
        if not _are_known(found):
            parts = (
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
                problem = self.shown[at]
                self.show_wanted.emit(problem)
                self._find([problem])
            case FindFixes(at):
                self._find([self.shown[at]])
            case ApplyFix(at, which):
                self._apply(self.shown[at], which)
            case GiveType(tensor) if self._document is not None:
                from cutter_gui.gui.dialogs.give_type import ask_type

                ask_type(self.window(), self._document, tensor)


def _are_known(found: Diagnostic) -> bool:
    """Whether the fixes of a finding can be shown without looking for them first."""
    return not isinstance(found.fixes, LaterFixes) or found.fixes.are_known
