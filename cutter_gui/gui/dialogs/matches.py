"""Where rules match: a list to go through, the matches marked on the canvas, and replacing them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.format import AppliedRule, FoundMatch, RewriteResult
from cutter_gui.core.graph import Ints
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Gap, Row, Span, Tone, name_span
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.workspace import Workspace

_LISTED = 1000
_MARGIN = 8
_BELOW_TOP = 72  # under menus and toolbar


@dataclass(frozen=True)
class GoTo:
    """The match with this number, from 0 over all rules."""

    at: int


class MatchesDialog(QDialog):
    """Lists matches; the window stays usable beside it.

    Signals:
        replace_wanted: What is found is to be replaced.
        look_wanted: A match is gone to; the model is to be looked at, should another one be.
    """

    replace_wanted = Signal()
    look_wanted = Signal()

    def __init__(
        self, parent: QWidget, workspace: Workspace, document: Document, rules: Path, result: RewriteResult
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Matches of {}").format(rules.name))
        self.resize(460, 380)
        self._workspace = workspace
        self._document = document
        self.found = result
        self.matches: list[FoundMatch] = [match for rule in result.rules for match in rule.matches]
        self.current = -1
        self.summary = QLabel(self._summary())
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.place = QLabel()
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Matches"))
        self.list.activated_target.connect(self._activate)
        self.previous_button = QPushButton(self.tr("&Previous"))
        self.next_button = QPushButton(self.tr("&Next"))
        self.replace_button = QPushButton(self.tr("&Replace…"))
        self.replace_button.setToolTip(
            self.tr("Write the rewritten model, and go on with it; undo brings this one back")
        )
        box = QDialogButtonBox()
        for button in (self.previous_button, self.next_button, self.replace_button):
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
            button.setAutoDefault(False)
        close = box.addButton(QDialogButtonBox.StandardButton.Close)
        close.setAutoDefault(False)
        box.rejected.connect(self.reject)
        self.previous_button.clicked.connect(lambda: self.step(-1))
        self.next_button.clicked.connect(lambda: self.step(1))
        self.replace_button.clicked.connect(self.replace_wanted)
        some = bool(self.matches)
        self.previous_button.setEnabled(some)
        self.next_button.setEnabled(some)
        self.replace_button.setEnabled(any(rule.replaces and rule.matches for rule in result.rules))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 16, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.summary)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.place)
        layout.addWidget(box)
        self.list.set_rows(tuple(self._rows()))
        self._mark()
        document.changed.connect(self._on_change)
        document.destroyed.connect(self.reject)
        self.finished.connect(lambda _result: self._unmark())
        if some:
            self.next_button.setDefault(True)
            self.next_button.setFocus()
        self._show_place()

    def showEvent(self, event: QShowEvent) -> None:
        """Stands beside the canvas at first, over the panels."""
        super().showEvent(event)
        around = self.parentWidget()
        if around is not None:
            corner = around.mapToGlobal(around.rect().topRight())
            self.move(corner.x() - self.width() - _MARGIN, corner.y() + _BELOW_TOP)

    def step(self, by: int) -> None:
        """Goes to the next or the previous match, and around at the end."""
        if self.matches:
            start = self.current if self.current >= 0 else (-1 if by > 0 else 0)
            self._go_to((start + by) % len(self.matches))

    def _summary(self) -> str:
        count = len(self.matches)
        if not count:
            return self.tr("The rules match nothing in {}.").format(one_line(self._document.path.name, 80))
        found = self.tr("1 match") if count == 1 else self.tr("{} matches").format(count)
        rules = len(self.found.rules)
        of = self.tr("of 1 rule") if rules == 1 else self.tr("of {} rules").format(rules)
        return self.tr("{0} {1} in {2}, marked on the canvas.").format(
            found, of, one_line(self._document.path.name, 80)
        )

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        number = 0
        for at, rule in enumerate(self.found.rules):
            rows.append(Row(("rule", at), (Span(self._rule_text(at, rule), Tone.MUTED),), height=32))
            for match in rule.matches:
                if number < _LISTED:
                    rows.append(self._row(number, match))
                number += 1
        if number > _LISTED:
            rows.append(Row("more", (Span(f"… {number - _LISTED}", Tone.MUTED),)))
        return rows

    def _rule_text(self, at: int, rule: AppliedRule) -> str:
        text = self.tr("Rule {0}: finds {1}") if not rule.replaces else self.tr("Rule {0}: would replace {1}")
        return text.format(at, len(rule.matches))

    def _row(self, at: int, match: FoundMatch) -> Row:
        node = self._node(match.anchor)
        nodes = ", ".join(f"{inner} = {name}" for inner, name in match.nodes.items())
        operator = self.tr("made by an earlier rule") if node is None else self._document.graph.op(node)
        parts = (
            Span(one_line(match.anchor, 60), bold=True, mono=True),
            Span(one_line(operator, 60), Tone.MUTED),
            Gap(),
            name_span(one_line(nodes, 200), tone=Tone.MUTED),
        )
        return Row(("match", at), parts, indent=12, height=26, target=GoTo(at), tip=one_line(nodes, 600))

    def _node(self, name: str) -> int | None:
        """Returns the node that a name stands for; None for one that only rules have made."""
        graph = self._document.graph
        tensor = graph.tensor_index.get(name)
        node = -1 if tensor is None else int(graph.tensor_producer[tensor])
        return None if node < 0 else node

    def _nodes(self, match: FoundMatch) -> list[int]:
        found = (self._node(name) for name in (match.own or (match.anchor,)))
        return sorted(node for node in found if node is not None)

    def _mark(self) -> None:
        """Marks every match on the canvas; the rest steps back."""
        nodes: Ints = np.array(sorted({n for match in self.matches for n in self._nodes(match)}), dtype=np.int32)
        self._workspace.canvas.show_found(nodes, np.zeros(0, np.int32), bool(len(nodes)))

    def _unmark(self) -> None:
        nothing = np.zeros(0, np.int32)
        self._workspace.canvas.show_found(nothing, nothing, False)

    def _activate(self, target: object) -> None:
        if isinstance(target, GoTo):
            self._go_to(target.at)

    def _go_to(self, at: int) -> None:
        self.current = at
        row = self.list.rows_model.position(("match", at))
        if row is not None:
            self.list.setCurrentIndex(self.list.rows_model.index(row))
        self._show_place()
        self.look_wanted.emit()
        node = self._node(self.matches[at].anchor)
        if node is not None:
            self._mark()
            self._document.select(Selection(node=node))
            self._workspace.bring_to_light()

    def _show_place(self) -> None:
        shown = self.matches and self.current >= 0
        self.place.setText(f"{self.current + 1} / {len(self.matches)}" if shown else "")

    def _on_change(self, change: Change) -> None:
        if change.model:
            self.reject()
