"""What mends the findings of a large model, found by a worker while the window goes on.

Findings are asked for one after the other; those asked for while the worker is busy are its next request. Another plan
makes all of it void.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from cutter_gui.core.diagnostic import Diagnostic, Fix, LaterFixes
from cutter_gui.gui.document import Document
from cutter_gui.gui.jobs import Job, Workers
from cutter_gui.gui.mending_jobs import FindFixes


class FixFinder(QObject):
    """Finds mends for the findings of one document.

    Signals:
        found: The mends of some findings are known now, or will not be.
        failed: A `CutterError`: why they will not be.
    """

    found = Signal()
    failed = Signal(object)

    def __init__(self, workers: Callable[[], Workers], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers = workers
        self._document: Document | None = None
        self._all: tuple[Diagnostic, ...] = ()
        self._wanted: list[int] = []
        self._job: Job | None = None

    def is_sought(self, finding: Diagnostic) -> bool:
        """Whether the mends of a finding have been asked for and are not known yet."""
        return any(self._all[at] is finding for at in self._wanted)

    def begin(self, document: Document | None) -> None:
        """Takes the findings of a document as they are now; what was sought for others is given up."""
        all_of_it = () if document is None else document.diagnostics
        if document is self._document and all_of_it is self._all:
            return
        self.stop()
        self._document, self._all = document, all_of_it

    def stop(self) -> None:
        """Gives up what is sought."""
        job, self._job = self._job, None
        self._wanted.clear()
        if job is not None:
            job.cancel()

    def find(self, findings: Sequence[Diagnostic]) -> None:
        """Asks for the mends of some findings of the document."""
        asked = [at for at, one in enumerate(self._all) if any(one is finding for finding in findings)]
        self._wanted += [at for at in asked if at not in self._wanted]
        if self._job is None:
            self._run()

    def _run(self) -> None:
        document, asked = self._document, tuple(self._wanted)
        if document is None or not asked:
            return
        workers = self._workers()
        job = workers.run(FindFixes(document.graph, document.plan, dict(document.symbols), asked))
        self._job = job
        job.finished.connect(lambda result: self._take(job, asked, result))
        job.failed.connect(lambda error: self._fail(job, error))
        job.cancelled.connect(workers.warm)

    def _take(self, job: Job, asked: tuple[int, ...], result: Sequence[tuple[Fix, ...]]) -> None:
        self._workers().warm()
        if job is not self._job:
            return
        self._job = None
        for at, fixes in zip(asked, result, strict=True):
            later = self._all[at].fixes
            if isinstance(later, LaterFixes):
                later.settle(fixes)
        self._wanted = [at for at in self._wanted if at not in asked]
        self._run()
        self.found.emit()

    def _fail(self, job: Job, error: object) -> None:
        self._workers().warm()
        if job is self._job:
            self._job = None
            self._wanted.clear()
            self.found.emit()
            self.failed.emit(error)
