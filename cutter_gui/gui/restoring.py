"""What comes back at the start: the session before, and unsaved work of a program that died.

The window appears first. The model that was looked at last is opened then; the others wait in their tabs until they
are looked at, so that a session of many large models starts as fast as one of a single one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from pathlib import Path

    from cutter_gui.gui.recovery import Recovered
    from cutter_gui.gui.session import Session
    from cutter_gui.gui.window import MainWindow

_NAMED = 3


class Restorer(QObject):
    """Brings back what was open, and remembers what is."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._last: Session | None = None
        self._started = False
        self._kept: object = None

    def begin(self) -> Path | None:
        """Reads what was open last, before the window is shown; returns the model that will be opened."""
        from cutter_gui.gui.session import kept_session

        session = kept_session(self._window.settings)
        if not session.files or not self._window.preferences.flag("session/restore"):
            return None
        self._last = session
        return session.files[session.current].model

    def go_on(self) -> None:
        """Opens what was open last, after the first frame."""
        self._started = True
        session, self._last = self._last, None
        if session is None:
            return
        from cutter_gui.gui.model_file import is_there

        tabs = self._window.tabs
        there = [file for file in session.files if is_there(file.model)]
        gone = [file.model.name for file in session.files if file not in there]
        if gone:
            said = self.tr("No longer there since the last session: {}")
            self._window.say(said.format(", ".join(gone[:_NAMED]) + (" …" if len(gone) > _NAMED else "")))
        for file in there:
            tab = tabs.add()
            tab.waiting, tab.path = file, file.model
        tabs.show_bar()
        current = session.files[session.current]
        if there:
            tabs.select(list(tabs)[there.index(current) if current in there else 0])
        else:
            tabs.current_changed.emit()

    def keep(self, at_end: bool = False) -> None:
        """Remembers what is open, for the next start, as soon as it changes: the program may be killed.

        Args:
            at_end: Where each model is looked at has changed too; that is not written with every step of work.
        """
        if not self._started:
            return
        from cutter_gui.gui.session import keep_session, session_of

        session = session_of(self._window.tabs, self._window.tabs.current)
        what = (session.current, tuple((file.model, file.spec) for file in session.files))
        if at_end or what != self._kept:
            self._kept = what
            keep_session(self._window.settings, session)

    def offer_recovery(self) -> None:
        """Offers what programs that died left behind: of each model the latest."""
        from cutter_gui.gui.recovery import left_behind

        latest: dict[Path, Recovered] = {}
        for found in left_behind():
            latest.setdefault(found.model, found)
        if latest:
            self._ask(list(latest.values()))

    def _ask(self, found: Sequence[Recovered]) -> None:
        from PySide6.QtWidgets import QDialogButtonBox

        from cutter_gui.gui.dialogs.message import Choice, Message

        sentence = self.tr("Cuts of {} were not saved when the program ended.").format(found[0].model.name)
        if len(found) > 1:
            sentence = self.tr("Cuts of {} models were not saved when the program ended.").format(len(found))
        role = QDialogButtonBox.ButtonRole
        message = Message(
            self._window,
            self.tr("Unsaved cuts"),
            sentence,
            where="\n".join(str(one.model) for one in found),
            remedy=self.tr("Recover them, or they stay here until the next start."),
            choices=(
                Choice(self.tr("Recover"), role.AcceptRole, lambda: self._recover_all(found), default=True),
                Choice(self.tr("Discard"), role.DestructiveRole, lambda: [one.remove() for one in found] and None),
                Choice(self.tr("Later"), role.RejectRole),
            ),
        )
        message.open()

    def _recover_all(self, found: Sequence[Recovered]) -> None:
        for at, one in enumerate(found):
            self._recover(one, look=at == 0)

    def _recover(self, found: Recovered, look: bool) -> None:
        """Hands a plan to the tab of its model, which is made where there is none; all but one wait in their tabs."""
        from cutter_gui.gui.session import OpenFile

        tabs = self._window.tabs
        tab = tabs.with_model(found.model)
        if tab is None:
            tab = tabs.add()
            tab.path = found.model.absolute()
            spec = found.spec if found.spec is not None and found.spec.is_file() else None
            tab.waiting = OpenFile(tab.path, spec, found.active_cut)
        tab.make_workspace()
        if tab.keeper is not None:
            tab.keeper.recover(found)
        tabs.show_bar()
        if look:
            tabs.select(tab)
