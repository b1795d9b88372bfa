"""Keeping work safe: the recovery log of the open document, recovery at the start, models that changed on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

if TYPE_CHECKING:
    from cutter_gui.core.plan import Plan
    from cutter_gui.gui.document import Change, Document
    from cutter_gui.gui.recovery import Recovered, RecoveryLog
    from cutter_gui.gui.window import MainWindow
    from cutter_gui.gui.workspace import Workspace

SETTLED_MS = 400  # a file that is being written changes many times

Carried = tuple[Path, "Plan", "int | None", str, Callable[[], None]]


class Keeper(QObject):
    """Follows the document of a window."""

    def __init__(self, window: MainWindow, workspace: Workspace) -> None:
        super().__init__(window)
        self._window = window
        self._document: Document | None = None
        self._log: RecoveryLog | None = None
        self._carried: Carried | None = None
        self._stamp: tuple[int, int] | None = None
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLED_MS)
        self._settle.timeout.connect(self._look)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(lambda _path: self._settle.start())
        workspace.document_changed.connect(self._on_change)
        workspace.closed.connect(self.close)
        window.opener.graph_ready.connect(self._on_document)
        self._offer()

    # --- the log

    def _on_document(self, document: Document) -> None:
        from cutter_gui.gui.recovery import RecoveryLog

        self._drop_log()
        self._document = document
        self._log = RecoveryLog(document.path, document.graph.fingerprint, self)
        self._watch(document.path)
        carried, self._carried = self._carried, None
        if carried is not None and carried[0] == document.path:
            _, plan, active, text, done = carried
            document.take_plan(plan, text, active)
            self._on_plan()
            done()

    def _on_change(self, change: Change) -> None:
        if change.plan or change.file:
            self._on_plan()

    def _on_plan(self) -> None:
        document, log = self._document, self._log
        if document is None or log is None:
            return
        if not document.is_modified:
            log.remove()
            return
        try:
            log.write(document.plan, document.active_cut, document.spec.path if document.spec else None)
        except OSError as error:
            self._window.say(self.tr("Unsaved cuts cannot be kept for recovery: {}").format(error.strerror or error))

    def _drop_log(self) -> None:
        if self._log is not None:
            self._log.remove()
            self._log.deleteLater()
            self._log = None

    def close(self) -> None:
        """Ends; the log goes, since the window was closed on purpose."""
        self._settle.stop()
        self._drop_log()
        if self._watcher.files():
            self._watcher.removePaths(self._watcher.files())

    # --- recovery

    def _offer(self) -> None:
        """Offers what a program that died left behind."""
        from cutter_gui.gui.recovery import left_behind

        found = next(left_behind(), None)
        if found is not None:
            self._ask(found)

    def _ask(self, found: Recovered) -> None:
        from PySide6.QtWidgets import QDialogButtonBox

        from cutter_gui.gui.dialogs.message import Choice, Message

        role = QDialogButtonBox.ButtonRole
        message = Message(
            self._window,
            self.tr("Unsaved cuts"),
            self.tr("Cuts of {} were not saved when the program ended.").format(found.model.name),
            where=str(found.model),
            remedy=self.tr("Recover them, or they stay here until the next start."),
            choices=(
                Choice(self.tr("Recover"), role.AcceptRole, lambda: self._recover(found), default=True),
                Choice(self.tr("Discard"), role.DestructiveRole, lambda: _remove(found.log)),
                Choice(self.tr("Later"), role.RejectRole),
            ),
        )
        message.open()

    def _recover(self, found: Recovered) -> None:
        def done() -> None:
            _remove(found.log)
            self._window.say(self.tr("Recovered the cuts of {}").format(found.model.name))

        text = self.tr("Recover unsaved cuts")
        self._carried = (found.model.absolute(), found.plan, found.active_cut, text, done)
        spec = [found.spec] if found.spec is not None and found.spec.is_file() else []
        self._window.open_paths([found.model, *spec])

    # --- files that change

    def _watch(self, path: Path) -> None:
        if self._watcher.files():
            self._watcher.removePaths(self._watcher.files())
        self._stamp = _stamp_of(path)
        self._watcher.addPath(str(path))

    def _look(self) -> None:
        """Asks whether to reload when the model is another than the one that was read."""
        document = self._document
        if document is None:
            return
        stamp = _stamp_of(document.path)
        # Programs that replace a file take the watch away with the old one.
        if stamp is not None and str(document.path) not in self._watcher.files():
            self._watcher.addPath(str(document.path))
        if stamp is None or stamp == self._stamp or self._window.opener.is_busy:
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
                Choice(self.tr("Reload"), role.AcceptRole, lambda: self.reload(document), default=True),
                Choice(self.tr("Keep the old one"), role.RejectRole),
            ),
        )
        message.open()

    def reload(self, document: Document) -> None:
        """Reads the model anew and takes the cuts over, saved or not."""

        def done() -> None:
            now: Any = self._document
            stale = 0 if now is None else len(now.staging.listings.unknown)
            if stale:
                self._window.workspace_shows_problems()
                said = self.tr("{} names of the cuts are not in the new model: Problems lists the nearest ones")
                self._window.say(said.format(stale))
            else:
                self._window.say(self.tr("Reloaded; every name of the cuts is there"))

        text = self.tr("Take the cuts over to the new model")
        self._carried = (document.path, document.plan, document.active_cut, text, done)
        self._window.opener.open_again(document.path, document.spec)


def _stamp_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _remove(log: Path) -> None:
    log.unlink(missing_ok=True)
    log.with_suffix(".lock").unlink(missing_ok=True)
