"""Asking before code from a model's files runs, and remembering the answers.

An answer holds for a file's bytes (`InspectedCode.key`): until the window is closed, or for good when the user says so.
Files are read in a worker, for a model can be large; one that was read is not read again while its size and times stay.
The step that runs them compares the bytes once more (`cutter_gui.core.foreign_code.require_agreed`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from cutter_gui.core.errors import CutterError
from cutter_gui.core.foreign_code import Agreed, ForeignCode, InspectedCode, Step, agreed_on, python_code
from cutter_gui.core.format import ModelFormat, format_for, format_named
from cutter_gui.core.manifest import read_manifest
from cutter_gui.gui.jobs import Job
from cutter_gui.gui.trust_job import InspectCode
from cutter_gui.gui.trusted_files import trust_for_good, trusted_files

if TYPE_CHECKING:
    from cutter_gui.gui.dialogs.trust import TrustDialog
    from cutter_gui.gui.window import MainWindow

Then = Callable[[bool, Agreed], None]
"""What follows; told whether code may run, and of which files as they were read."""

No = Callable[[], None]
Progress = Callable[[str, float], None]
_Stamp = tuple[ForeignCode, int, int, int]


class Asking(QObject):
    """One question, from reading the files to the answer."""

    def __init__(self, trust: Trust, kind: str, codes: Sequence[ForeignCode], doing: str, then: Then, no: No) -> None:
        super().__init__(trust)
        self._trust = trust
        self._doing = doing
        self._then = then
        self._no = no
        self._job: Job | None = None
        self._codes = tuple(codes)
        self._kind = kind
        self._found: list[InspectedCode] = []
        self._dialog: TrustDialog | None = None
        self._over = False

    def begin(self, progress: Progress | None) -> None:
        """Reads what was not read before, then asks; without ``progress`` the status line shows how far it is."""
        unread = []
        for code in self._codes:
            known = self._trust.known(code)
            if known is None:
                unread.append(code)
            else:
                self._found.append(known)
        if not unread:
            self._ask()
            return
        self._job = job = self._trust.window.workers.run(InspectCode(self._kind, tuple(unread)))
        if progress is None:
            # The bar in the status line tells of it, of its end and of errors.
            self._trust.window.running.follow(job, self._doing, self._on_read)
            job.failed.connect(lambda _error: self._drop())
            job.cancelled.connect(self._drop)
            return
        job.progress.connect(progress)
        job.finished.connect(self._on_read)
        job.failed.connect(self._on_failed)
        job.cancelled.connect(self._refuse)

    def cancel(self) -> None:
        """Gives the question up, which refuses."""
        if self._job is not None:
            self._job.cancel()
        else:
            self._refuse()

    def _on_read(self, read: Sequence[InspectedCode]) -> None:
        self._job = None
        for code in read:
            self._trust.keep(code)
            self._found.append(code)
        self._trust.window.workers.warm()
        self._ask()

    def _on_failed(self, error: CutterError) -> None:
        self._refuse()
        self._trust.window.show_error(self._doing, error)

    def _drop(self) -> None:
        self._job = None
        self._over = True
        self.deleteLater()

    def _ask(self) -> None:
        if self._over:
            return
        asked = [code for code in self._found if not self._trust.allows(code)]
        if not asked:
            self._allow()
            return
        from cutter_gui.gui.dialogs.trust import TrustDialog

        dialog = self._dialog = TrustDialog(self._trust.window, self._doing, asked)
        dialog.accepted.connect(lambda: self._answer(asked, dialog.remember.isChecked()))
        dialog.rejected.connect(self._refuse)
        dialog.open()

    def _answer(self, codes: Sequence[InspectedCode], for_good: bool) -> None:
        self._trust.allow(codes, for_good)
        self._allow()

    def _allow(self) -> None:
        self._dialog = None
        if not self._over:
            self._over = True
            self._then(True, agreed_on(self._found))
            self.deleteLater()

    def _refuse(self) -> None:
        self._job = None
        dialog, self._dialog = self._dialog, None
        if not self._over:
            self._over = True
            if dialog is not None:
                dialog.close()
            self._no()
            self.deleteLater()


class Trust(QObject):
    """What the user of a window trusts."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._allowed: set[str] = set()
        self._read: dict[_Stamp, InspectedCode] = {}

    def to_open(self, path: Path, then: Then, otherwise: No, progress: Progress | None = None) -> Asking | None:
        """Asks before a model is opened; what runs nothing is opened at once, without a question.

        Returns:
            The question while it is open, so that it can be given up.
        """

        def refused() -> None:
            otherwise()
            self.window.say(self.tr("{} was not opened: nothing was run").format(path.name))

        return self._ask_for(path, "open", self.tr("Open {}").format(path.name), then, refused, progress)

    def to_split(self, path: Path, then: Then) -> None:
        """Asks before the stages of a model are written."""
        refused = self.tr("The stages of {} were not saved: nothing was run").format(path.name)
        doing = self.tr("Save the stages of {}").format(path.name)
        self._ask_for(path, "split", doing, then, lambda: self.window.say(refused))

    def to_verify(self, folder: Path, then: Then) -> None:
        """Asks before saved stages and their model are run."""
        refused = self.tr("{} was not verified: nothing was run").format(folder.name)
        doing = self.tr("Verify {}").format(folder.name)
        self._ask_for(folder, "verify", doing, then, lambda: self.window.say(refused))

    def to_rewrite(self, path: Path, rules: Path, then: Then) -> None:
        """Asks before a model is rewritten by rules, which are code too."""
        refused = self.tr("The rules of {} were not applied: nothing was run").format(rules.name)
        doing = self.tr("Apply {0} to {1}").format(rules.name, path.name)
        self._ask_for(path, "rewrite", doing, then, lambda: self.window.say(refused), also=(python_code(rules),))

    def _ask_for(
        self,
        path: Path,
        step: Step,
        doing: str,
        then: Then,
        refused: No,
        progress: Progress | None = None,
        also: tuple[ForeignCode, ...] = (),
    ) -> Asking | None:
        try:
            model_format = _format_of(path, step)
            codes = (*model_format.code_to_run(path, step), *also)
        except CutterError:
            then(False, ())  # the step itself says what is wrong, and runs nothing
            return None
        if not codes:
            then(False, ())
            return None
        asking = Asking(self, model_format.kind, codes, doing, then, refused)
        asking.begin(progress)
        return asking

    def known(self, code: ForeignCode) -> InspectedCode | None:
        """Returns what was read of a file, unless it is another file now."""
        if code.file is None:
            return InspectedCode(code, "")
        stamp = _stamp(code)
        return None if stamp is None else self._read.get(stamp)

    def keep(self, code: InspectedCode) -> None:
        """Keeps what was read of a file."""
        stamp = _stamp(code.code)
        if stamp is not None:
            self._read[stamp] = code

    def allows(self, code: InspectedCode) -> bool:
        """Whether code may run without a question."""
        if not code.key:
            return False
        return code.key in self._allowed or code.key in {file.key for file in trusted_files(self.window.settings)}

    def allow(self, codes: Sequence[InspectedCode], for_good: bool) -> None:
        """Lets code run from now on; until the window is closed, or for good."""
        self._allowed.update(code.key for code in codes if code.key)
        if for_good:
            trust_for_good(self.window.settings, codes)

    def forget(self, keys: Sequence[str]) -> None:
        """Asks again for some files."""
        from cutter_gui.gui.trusted_files import forget

        forget(self.window.settings, keys)
        self._allowed.difference_update(keys)


def _format_of(path: Path, step: Step) -> ModelFormat:
    if step != "verify":
        return format_for(path)
    return format_named(read_manifest(path).source.kind or "")


def _stamp(code: ForeignCode) -> _Stamp | None:
    if code.file is None:
        return None
    try:
        found = code.file.stat()
    except OSError:
        return None
    return code, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def trust_of(window: MainWindow) -> Trust:
    """Returns what the user of a window trusts."""
    return window.findChild(Trust) or Trust(window)
