"""Keeping the work of a tab safe: the recovery log of its document, and models that changed on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from cutter_gui.gui.model_file import file_of

if TYPE_CHECKING:
    from cutter_gui.core.format import TypeHint
    from cutter_gui.core.plan import Plan
    from cutter_gui.gui.document import Change, Document
    from cutter_gui.gui.recovery import Recovered, RecoveryLog
    from cutter_gui.gui.tab import Tab
    from cutter_gui.gui.window import MainWindow

SETTLED_MS = 400  # a file that is being written changes many times


@dataclass(frozen=True)
class Carried:
    """A plan for the document that comes next.

    Attributes:
        plan: The plan.
        active_cut: The cut that clicks go into.
        text: What the step of undo is called.
        done: What follows when it was taken over.
        types: Types that the user gave.
    """

    plan: Plan
    active_cut: int | None
    text: str
    done: Callable[[Document], None]
    types: Mapping[str, TypeHint] = field(default_factory=dict)


class Keeper(QObject):
    """Follows the document of a tab."""

    def __init__(self, window: MainWindow, tab: Tab) -> None:
        super().__init__(tab)
        self._window = window
        self._tab = tab
        self._document: Document | None = None
        self._log: RecoveryLog | None = None
        self._carried: Carried | None = None
        self._file: Path | None = None
        self._stamp: tuple[int, int] | None = None
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLED_MS)
        self._settle.timeout.connect(self._look)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(lambda _path: self._settle.start())
        tab.document_changed.connect(self._on_change)
        window.preferences.changed.connect(self._on_preference)

    def follow(self, document: Document) -> None:
        """Keeps the work on another document from now on."""
        from cutter_gui.gui.recovery import RecoveryLog

        self._drop_log()
        self._document = document
        self._log = RecoveryLog(document.path, document.graph.fingerprint, self)
        self._watch(document.path)
        carried, self._carried = self._carried, None
        if carried is not None:
            self._take(document, carried)

    def carry(self, carried: Carried) -> None:
        """Gives a plan to the document that is coming."""
        self._carried = carried

    def recover(self, found: Recovered) -> None:
        """Gives the plan of a log to the document, or to the one that is coming; then the log goes."""

        def done(_document: Document) -> None:
            found.remove()
            self._window.say(self.tr("Recovered the cuts of {}").format(found.model.name))

        carried = Carried(found.plan, found.active_cut, self.tr("Recover unsaved cuts"), done, found.types)
        if self._document is None:
            self.carry(carried)
        else:
            self._take(self._document, carried)

    def _take(self, document: Document, carried: Carried) -> None:
        document.take_plan(carried.plan, carried.text, carried.active_cut, carried.types)
        self._on_plan()
        carried.done(document)

    # --- the log

    def _on_change(self, change: Change) -> None:
        if change.model and self._document is not None:
            self.follow(self._document)
        if change.plan or change.file:
            self._on_plan()

    def _on_preference(self, key: str) -> None:
        if key == "session/keep_unsaved":
            self._on_plan()

    def _on_plan(self) -> None:
        document, log = self._document, self._log
        if document is None or log is None:
            return
        if not document.is_modified or not self._window.preferences.flag("session/keep_unsaved"):
            log.remove()
            return
        try:
            spec = document.spec.path if document.spec else None
            log.write(document.plan, document.active_cut, spec, document.types)
        except OSError as error:
            self._window.say(self.tr("Unsaved cuts cannot be kept for recovery: {}").format(error.strerror or error))

    def _drop_log(self) -> None:
        if self._log is not None:
            self._log.remove()
            self._log.deleteLater()
            self._log = None

    def close(self) -> None:
        """Ends; the log goes, since the model was closed on purpose."""
        self._settle.stop()
        self._drop_log()
        self._document = None
        if self._watcher.files():
            self._watcher.removePaths(self._watcher.files())

    # --- files that change

    def _watch(self, path: Path) -> None:
        if self._watcher.files():
            self._watcher.removePaths(self._watcher.files())
        self._file = file_of(path)
        self._stamp = _stamp_of(self._file)
        if self._file is not None:
            self._watcher.addPath(str(self._file))

    def _look(self) -> None:
        """Asks whether to reload when the model is another than the one that was read."""
        document = self._document
        if document is None:
            return
        stamp = _stamp_of(self._file)
        # Programs that replace a file take the watch away with the old one.
        if stamp is not None and str(self._file) not in self._watcher.files():
            self._watcher.addPath(str(self._file))
        if stamp is None or stamp == self._stamp or self._tab.is_opening:
            return
        self._stamp = stamp
        self._ask_to_reload(document)

    def _ask_to_reload(self, document: Document) -> None:
        from PySide6.QtWidgets import QDialogButtonBox

        from cutter_gui.gui.dialogs.message import Choice, Message

        role = QDialogButtonBox.ButtonRole
        message = Message(
            self._window,
            self.tr("The model has changed"),
            self.tr("{} is another file now than when it was opened.").format(document.path.name),
            where=str(document.path),
            remedy=self.tr(
                "Reload it with the cuts as they are; names that are gone are listed with the nearest ones."
            ),
            choices=(
                Choice(self.tr("Reload"), role.AcceptRole, self.reload, default=True),
                Choice(self.tr("Keep the old one"), role.RejectRole),
            ),
        )
        message.open()

    def reload(self) -> None:
        """Reads the model anew and takes the cuts over, saved or not."""
        document = self._document
        if document is None or self._tab.is_opening:
            return
        # Whoever reloads knows that the file is another; where reading it is refused, the same is not asked again.
        self._stamp = _stamp_of(self._file)

        def done(now: Document) -> None:
            if now.staging.listings.unknown:
                from cutter_gui.gui.dialogs.stale_names import StaleNamesDialog

                StaleNamesDialog(self._window, now).show()
            else:
                self._window.say(self.tr("Reloaded; every name of the cuts is there"))

        text = self.tr("Take the cuts over to the new model")
        self.carry(Carried(document.plan, document.active_cut, text, done, document.types))
        self._tab.opener.open_again(document.path, document.spec)


def _stamp_of(path: Path | None) -> tuple[int, int] | None:
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
