"""Search: what is typed, what it finds, and going from hit to hit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.search import Hits, SearchIndex, TooComplex
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import type_text
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Chip, Gap, Part, Row, Span, Tone, name_span
from cutter_gui.gui.panels.search_field import SearchField
from cutter_gui.gui.selection import Selection

_LISTED = 300
_WIDTH = 380
_TALLEST = 360
_ROW = 24
_NAME = 80


class Search(QObject):
    """Searches the open model as one types.

    Signals:
        found: `Hits` to mark on the canvas.
        left: The keyboard goes back to the canvas.
        gone_to: A hit was selected and is to be brought into sight.
    """

    found = Signal(object)
    left = Signal()
    gone_to = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self._document: Document | None = None
        self._index: SearchIndex | None = None
        self._prepare = QTimer(self)
        self._prepare.setSingleShot(True)
        self._prepare.timeout.connect(self._make_index)
        self.hits = Hits()
        self.current = -1
        self.field = SearchField()
        self.frame = QFrame(parent)
        self.frame.setFrameShape(QFrame.Shape.StyledPanel)
        self.frame.setAutoFillBackground(True)
        self.frame.setVisible(False)
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Found"))
        self.list.setObjectName("found")
        self.list.installEventFilter(self)
        layout = QVBoxLayout(self.frame)
        layout.setContentsMargins(1, 4, 1, 4)
        layout.addWidget(self.list)
        self.field.textChanged.connect(self._search)
        self.field.step_wanted.connect(self.step)
        self.field.list_wanted.connect(self._enter_list)
        self.field.left.connect(self._leave)
        self.field.entered.connect(self._on_entered)
        self.list.activated_target.connect(self._activate)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def set_document(self, document: Document | None) -> None:
        """Searches another model from now on."""
        self._document = document
        self._index = None
        self._prepare.stop()
        self.field.clear()
        self.field.setEnabled(document is not None)

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.plan and self.frame.isVisible():
            self._show_list()

    def begin(self) -> None:
        """Puts the keyboard into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close(self) -> None:
        """Ends what is still to be done."""
        self._prepare.stop()

    @property
    def is_active(self) -> bool:
        """Whether there are hits to go through."""
        return len(self.hits) > 0

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit, and around at the end."""
        if not len(self.hits):
            return
        start = -1 if by > 0 else 0
        self._go_to(((self.current if self.current >= 0 else start) + by) % len(self.hits))

    def clear(self) -> None:
        """Ends the search."""
        self.field.clear()
        self.frame.setVisible(False)

    def _on_entered(self) -> None:
        if self._index is None:
            self._prepare.start(0)
        if self.field.text():
            self._show_list()

    def _make_index(self) -> None:
        if self._index is None and self._document is not None:
            self._index = SearchIndex(self._document.graph)
            self._index.prepare()

    def _search(self, text: str) -> None:
        self._make_index()
        self.current = -1
        error, sign = "", self.tr("not valid")
        try:
            self.hits = self._index.find(text) if self._index is not None else Hits()
        except TooComplex as problem:
            self.hits, error, sign = Hits(), problem.what, self.tr("too slow")
        except CutterError as problem:
            self.hits, error = Hits(), problem.what
        self._show_count(sign if error else "")
        self._show_list(error)
        self.found.emit(self.hits)

    def _show_count(self, error: str = "") -> None:
        if not self.field.text().strip():
            self.field.show_count("")
        elif error:
            self.field.show_count(error, True)
        elif not len(self.hits):
            self.field.show_count(self.tr("none"), True)
        elif self.current >= 0:
            self.field.show_count(f"{self.current + 1} / {len(self.hits)}")
        else:
            self.field.show_count(str(len(self.hits)))

    def _show_list(self, error: str = "") -> None:
        document = self._document
        if document is None or not self.field.text().strip() or not (len(self.hits) or error):
            self.frame.setVisible(False)
            return
        self.list.set_rows(hit_rows(document.graph, document.staging, self.hits))
        if error:
            self.list.set_rows((Row("error", (Span(error, Tone.ERROR),), height=_ROW),))
        height = min(_TALLEST, max(len(self.list.rows_model.rows), 1) * _ROW + 10)
        self.frame.setGeometry(self._around.width() - _WIDTH - 8, 4, _WIDTH, height)
        self.frame.raise_()
        self.frame.setVisible(True)

    def _go_to(self, at: int) -> None:
        if self._document is None:
            return
        self.current = at
        tensor, node = self.hits.at(at)
        self._document.select(Selection(node=node) if node >= 0 else Selection(tensor=tensor))
        self._show_count()
        row = self.list.rows_model.position(("hit", at))
        if row is not None:
            self.list.setCurrentIndex(self.list.rows_model.index(row))
        self.gone_to.emit()

    def _activate(self, target: object) -> None:
        if isinstance(target, int):
            self._go_to(target)

    def _enter_list(self) -> None:
        if self.frame.isVisible() and self.list.rows_model.rows:
            self.list.setFocus()
            self.list.keyboard_used = True
            self.list.setCurrentIndex(self.list.rows_model.index(max(self.current, 0)))

    def _leave(self) -> None:
        self.clear()
        self.left.emit()

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Takes the list away when the keyboard goes elsewhere; marks and number of hits stay."""
        if now is not None and now is not self.field and now is not self.list:
            self.frame.setVisible(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.list and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.KeyPress:
                self.begin()
                return True
            at_top = self.list.currentIndex().row() <= 0
            if event.key() == Qt.Key.Key_Up and event.type() == QEvent.Type.KeyPress and at_top:
                self.begin()
                return True
        return super().eventFilter(watched, event)


def hit_rows(graph: Graph, staging: Staging, hits: Hits) -> tuple[Row, ...]:
    """Returns a row for each hit, and one that says how many more there are."""
    rows = []
    for at in range(min(len(hits), _LISTED)):
        tensor, node = hits.at(at)
        parts: list[Part]
        if node >= 0:
            parts = [Span(one_line(graph.op(node), 30), bold=True), name_span(graph.node_label(node)), Gap()]
            stage = int(staging.node_stage[node])
            parts += [Chip(stage)] if stage >= 0 and staging.plan.cuts else []
        else:
            name = name_span(graph.tensor_names[tensor])
            parts = [name, Gap(), Span(type_text(graph, tensor), Tone.MUTED)]
        rows.append(Row(("hit", at), tuple(parts), height=_ROW, target=at))
    if len(hits) > _LISTED:
        more = Span(f"… {len(hits) - _LISTED}", Tone.MUTED)
        rows.append(Row("more", (more,), height=_ROW))
    return tuple(rows)
