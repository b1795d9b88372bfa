"""Every action with its keys: find it, click its keys, press others. Below the list: what to do, and clashes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.dialogs.help import gestures
from cutter_gui.gui.menus import plain_menus
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Button, Gap, Part, Row, Span, Tone
from cutter_gui.gui.shortcuts import Shortcuts

_HELD = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr, Qt.Key.Key_unknown)
_BY_THEMSELVES = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.KeypadModifier
_TAKEN = {
    *(Qt.Key(int(Qt.Key.Key_0) + digit) for digit in range(10)),
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Space,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
}
"""Keys that mean something everywhere, or put nodes into stages; alone they are no shortcuts."""


@dataclass(frozen=True)
class Change:
    action_id: str


@dataclass(frozen=True)
class Reset:
    action_id: str


class ShortcutsDialog(QDialog):
    """Lists the actions menu by menu, and changes their keys."""

    def __init__(self, parent: QWidget, registry: ActionRegistry, shortcuts: Shortcuts) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(640, 640)
        self._registry = registry
        self._shortcuts = shortcuts
        self._waits_for: str | None = None
        self._clash: tuple[str, str] | None = None
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find an action, a menu or keys"))
        self.field.setAccessibleName(self.tr("Find"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(lambda _text: self._fill())
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Actions and their keys"))
        self.list.activated_target.connect(self._activate)
        self.list.installEventFilter(self)
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.said.setMinimumHeight(36)
        self.take = self._button(self.tr("Take them from it"), self._take_over)
        self.keep = self._button(self.tr("Leave it"), self._stop)
        self.reset_all = self._button(self.tr("Reset all"), self._reset_all)
        self._arrange()
        registry.keys_changed.connect(self._fill)
        self._stop()
        self._fill()
        self.field.setFocus()

    def _button(self, text: str, do: object) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(do)
        return button

    def _arrange(self) -> None:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        box.addButton(self.reset_all, QDialogButtonBox.ButtonRole.ResetRole)
        across = QHBoxLayout()
        across.addWidget(self.said, 1)
        across.addWidget(self.take)
        across.addWidget(self.keep)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        layout.addLayout(across)
        layout.addWidget(box)

    # --- the list

    def _fill(self) -> None:
        words = self.field.text().lower().split()
        rows: list[Row] = []
        for title, ids in plain_menus():
            found = [self._row(action_id) for action_id in dict.fromkeys(ids) if self._answers(words, title, action_id)]
            rows += [self._title(title), *found] if found else []
        title = self.tr("On the canvas")
        known = [
            Row(("gesture", at), (Span(gesture), Gap(), Span(does, Tone.MUTED, elastic=True, tip=does)), indent=12)
            for at, (gesture, does) in enumerate(gestures())
            if all(word in f"{title} {gesture} {does}".lower() for word in words)
        ]
        self.list.set_rows((*rows, *([self._title(title), *known] if known else [])))
        self.reset_all.setEnabled(self._shortcuts.any_chosen)

    def _title(self, title: str) -> Row:
        return Row(("menu", title), (Span(title, Tone.MUTED, bold=True),), height=30)

    def _row(self, action_id: str) -> Row:
        spec = self._registry.spec(action_id)
        waits = action_id == self._waits_for
        keys = self.tr("press keys …") if waits else self._native(action_id)
        parts: list[Part] = [Span(spec.plain_text, bold=waits, elastic=True), Gap()]
        if self._shortcuts.is_chosen(action_id) and not waits:
            parts.append(Button(self.tr("Reset"), Reset(action_id)))
        parts.append(Span(keys, Tone.LINK if waits or not keys else Tone.TEXT))
        parts.append(Button(self.tr("Change"), Change(action_id)))
        return Row(action_id, tuple(parts), indent=12, active=waits, target=Change(action_id), tip=spec.tip)

    def _native(self, action_id: str) -> str:
        form = QKeySequence.SequenceFormat.NativeText
        return ", ".join(keys.toString(form) for keys in self._registry.keys(action_id))

    def _answers(self, words: list[str], menu: str, action_id: str) -> bool:
        spec = self._registry.spec(action_id)
        text = f"{menu} {spec.plain_text} {spec.tip} {self._native(action_id)}".lower()
        return all(word in text for word in words)

    def _activate(self, target: object) -> None:
        if isinstance(target, Reset):
            self._shortcuts.reset(target.action_id)
            self._say(self.tr("{} has the keys it comes with.").format(self._name(target.action_id)))
        elif isinstance(target, Change):
            self._waits_for, self._clash = target.action_id, None
            self.list.setFocus()
            name = self._name(target.action_id)
            self._say(self.tr("Press the keys for {}. Backspace: none; Esc: leave them.").format(name))
            self._fill()

    # --- pressing keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._waits_for is not None and isinstance(event, QKeyEvent):
            if event.type() is QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() is QEvent.Type.KeyPress:
                self._press(event)
                return True
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> None:
        action_id, key = self._waits_for, Qt.Key(event.key())
        if action_id is None or key in _HELD:
            return
        alone = event.modifiers() in _BY_THEMSELVES
        if alone and key is Qt.Key.Key_Escape:
            self._stop()
        elif alone and key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self._shortcuts.choose(action_id, [])
            self._stop()
        elif alone and key in _TAKEN:
            shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            self._say(
                self.tr("{} alone is needed elsewhere; hold Ctrl or Alt with it, or press another.").format(shown)
            )
        else:
            self._offer(action_id, _sequence(event).toString())

    def _offer(self, action_id: str, keys: str) -> None:
        """Gives an action the keys that were pressed, or tells which other has them."""
        owner = self._shortcuts.owner(keys, action_id)
        if owner is None:
            self._shortcuts.choose(action_id, [keys])
            self._stop()
            return
        self._clash = (action_id, keys)
        shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        self._say(self.tr("{0} is the shortcut of {1}.").format(shown, self._name(owner)), asks=True)
        self.take.setFocus()

    def _take_over(self) -> None:
        if self._clash is not None:
            action_id, keys = self._clash
            self._shortcuts.choose(action_id, [keys])
        self._stop()

    def _stop(self) -> None:
        self._waits_for = self._clash = None
        self._say(self.tr("Click an action to press other keys for it."))
        self._fill()

    def _reset_all(self) -> None:
        self._shortcuts.reset_all()
        self._stop()

    def _say(self, text: str, asks: bool = False) -> None:
        self.said.setText(text)
        self.take.setVisible(asks)
        self.keep.setVisible(asks)

    def _name(self, action_id: str) -> str:
        return f"“{self._registry.spec(action_id).plain_text}”"

    def reject(self) -> None:
        if self._waits_for is not None:
            self._stop()
        else:
            super().reject()


def _sequence(event: QKeyEvent) -> QKeySequence:
    """Returns the keys of an event; Shift that was held only to type a sign is left out."""
    text, modifiers = event.text(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if text.isprintable() and text.strip() and not text.isalnum():
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier
    return QKeySequence(event.key() | modifiers.value)
