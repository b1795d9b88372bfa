"""Every action of the window by name: type a few letters, press Enter."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from cutter_gui.gui.actions import ActionRegistry, ActionSpec
from cutter_gui.gui.menus import plain_menus
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Gap, Row, Span, Tone

_WIDTH = 520
_HEIGHT = 360
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


def matches(query: str, text: str) -> int | None:
    """Returns how well a text answers a query, lower is better; None when it does not.

    Each word of the query has to begin a word of the text, or else stand in it, or else have its letters there in
    order.
    """
    lowered, cost = text.lower(), 0
    for word in query.lower().split():
        at = lowered.find(word)
        if at == 0 or (at > 0 and not lowered[at - 1].isalnum()):
            cost += at
        elif at > 0:
            cost += 100 + at
        else:
            rest = iter(lowered)
            if not all(letter in rest for letter in word):
                return None
            cost += 1000
    return cost


class CommandPalette(QDialog):
    """Lists the actions that can be used now."""

    def __init__(self, parent: QWidget, registry: ActionRegistry) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Commands"))
        self.resize(_WIDTH, _HEIGHT)
        self._registry = registry
        self._menus = {action: title for title, ids in plain_menus() for action in ids}
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Type what you want to do"))
        self.field.setAccessibleName(self.tr("Search commands"))
        self.field.textChanged.connect(lambda _text: self._fill())
        self.field.installEventFilter(self)
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.activated_target.connect(self._run)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        self._fill()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._steer(event.key()):
            return True
        return super().eventFilter(watched, event)

    def _steer(self, key: int) -> bool:
        """Moves in the list, or runs what is current, from the text field."""
        rows = self.list.rows_model.rows
        step = _STEPS.get(Qt.Key(key))
        if step is not None and rows:
            at = min(max(self.list.currentIndex().row() + step, 0), len(rows) - 1)
            self.list.setCurrentIndex(self.list.rows_model.index(at))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            at = self.list.currentIndex().row()
            if 0 <= at < len(rows):
                self._run(rows[at].target)
            return True
        return False

    def _fill(self) -> None:
        query = self.field.text()
        ranked = []
        for order, spec in enumerate(self._registry):
            if spec.id == "help.palette" or not spec.enabled():
                continue
            cost = matches(query, f"{spec.plain_text} {self._menus.get(spec.id, '')} {spec.tip}")
            if cost is not None:
                ranked.append((cost, order, spec))
        ranked.sort(key=lambda entry: entry[:2])
        self.list.set_rows(tuple(self._rows(spec for _, _, spec in ranked)))
        self.list.setCurrentIndex(self.list.rows_model.index(0))

    def _rows(self, specs: Iterable[ActionSpec]) -> Iterable[Row]:
        for spec in specs:
            keys = self._registry[spec.id].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            menu = self._menus.get(spec.id, "")
            parts = (Span(menu, Tone.MUTED), Span(spec.plain_text, elastic=True), Gap(), Span(keys, Tone.MUTED))
            yield Row(spec.id, parts if menu else parts[1:], target=spec.id, tip=spec.tip)

    def _run(self, action_id: object) -> None:
        action = self._registry[str(action_id)]
        self.accept()
        action.trigger()
