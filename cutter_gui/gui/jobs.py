"""Work in processes of their own, seen from the window: start, progress, cancel, result.

There are no threads here: a `Job` reads its worker's messages as the event loop delivers them and handles as many as
fit into a few milliseconds, then lets the window draw. A worker that is killed or crashes is an error like any other.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

import cutter_gui
from cutter_gui.core.errors import CutterError
from cutter_gui.frames import (
    Assembly,
    Failed,
    FrameReader,
    InternalError,
    Message,
    PartBegins,
    PartEnds,
    Piece,
    Progress,
    Request,
    Result,
    Stopped,
    Stopping,
    decode,
    encode,
    request_in_pieces,
)

_SLICE_SECONDS = 0.012  # how long messages are handled before the window may draw
_KILL_AFTER_MS = 200  # a worker that does not answer a request to stop within this time is killed
_KILL_CLEANING_AFTER_MS = 10_000  # one that is removing what it had written gets this long
_CLOSE_WAIT_MS = 1000
_STDERR_KEPT = 20_000


class Job(QObject):
    """One job in a worker process.

    Exactly one of `finished`, `failed` and `cancelled` is emitted, last.

    Signals:
        progress: What is being done and the fraction done, 0 to 1.
        part: A part of the result that is ready before the rest.
        finished: The result.
        failed: A `CutterError`.
        cancelled: Nothing was left behind.
    """

    progress = Signal(str, float)
    part = Signal(object)
    finished = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        self._frames = FrameReader()
        self._bodies: deque[bytes] = deque()
        self._assembly: Assembly | None = None
        self._outcome: Result | Failed | Stopped | None = None
        self._cancelling = False
        self._ended = False
        self._settled = False
        self._not_started = ""
        self._stderr = b""
        self._pump = QTimer(self)
        self._pump.setSingleShot(True)
        self._pump.timeout.connect(self._handle)
        self._unsent: Iterator[object] = iter(())
        self._sender = QTimer(self)
        self._sender.setSingleShot(True)
        self._sender.timeout.connect(self._send_on)
        self._killer = QTimer(self)
        self._killer.setSingleShot(True)
        self._killer.timeout.connect(self._process.kill)
        self._start_process()

    def _start_process(self) -> None:
        """Starts the worker, idle: it imports what it needs and waits for a request."""
        process = self._process
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONSAFEPATH", "")
        process.setProcessEnvironment(environment)
        # Python puts the working directory first on its path: it must be one that holds this package and no surprises.
        process.setWorkingDirectory(str(Path(cutter_gui.__file__).resolve().parent.parent))
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._on_end)
        process.errorOccurred.connect(self._on_process_error)
        process.start(sys.executable, ["-m", "cutter_gui.worker", *_current_folder()])

    @property
    def process_id(self) -> int:
        return int(self._process.processId())

    @property
    def is_over(self) -> bool:
        """Whether the job has settled."""
        return self._settled

    @property
    def is_usable(self) -> bool:
        """Whether the worker is still there to take a request."""
        return not self._ended and self._process.state() != QProcess.ProcessState.NotRunning

    def send(self, request: Request) -> None:
        """Gives the worker its one request; a large one goes out while the window draws."""
        self._unsent = request_in_pieces(request)
        self._send_on()

    def _send_on(self) -> None:
        """Sends pieces of the request until the time is up."""
        until = time.perf_counter() + _SLICE_SECONDS
        for message in self._unsent:
            if self._cancelling or not self.is_usable:
                return
            self._process.write(encode(message))
            if time.perf_counter() > until:
                self._sender.start(0)
                return

    def cancel(self) -> None:
        """Asks the worker to stop, and kills it when it does not answer."""
        if self._settled or self._cancelling:
            return
        self._cancelling = True
        self._process.terminate()
        self._killer.start(_KILL_AFTER_MS)

    def close(self) -> None:
        """Ends the worker now, without any further signal; for when the window goes away."""
        self._settled = True
        self._pump.stop()
        self._sender.stop()
        if self._process.state() == QProcess.ProcessState.NotRunning:
            return
        self._process.terminate()
        if not self._process.waitForFinished(_CLOSE_WAIT_MS):
            self._process.kill()
            self._process.waitForFinished(_CLOSE_WAIT_MS)

    def _read(self) -> None:
        self._bodies.extend(self._frames.feed(bytes(self._process.readAllStandardOutput().data())))
        if self._bodies and not self._pump.isActive():
            self._pump.start(0)

    def _read_errors(self) -> None:
        data = bytes(self._process.readAllStandardError().data())
        self._stderr = (self._stderr + data)[-_STDERR_KEPT:]

    def _handle(self) -> None:
        """Handles messages until the time is up."""
        until = time.perf_counter() + _SLICE_SECONDS
        while self._bodies and not self._settled:
            self._take(decode(self._bodies.popleft()))
            if self._bodies and time.perf_counter() > until:
                self._pump.start(0)
                return
        if self._ended:
            self._settle()

    def _take(self, message: Message) -> None:
        if isinstance(message, Stopping):
            self._killer.start(_KILL_CLEANING_AFTER_MS)
        elif isinstance(message, (Result, Failed, Stopped)):
            self._outcome = message
        elif self._cancelling:
            return
        elif isinstance(message, Progress):
            self.progress.emit(message.what, message.fraction)
        elif isinstance(message, PartBegins):
            self._assembly = Assembly(message)
        elif isinstance(message, Piece) and self._assembly is not None:
            self._assembly.add(message)
        elif isinstance(message, PartEnds) and self._assembly is not None:
            assembly, self._assembly = self._assembly, None
            self.part.emit(assembly.finish())

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._not_started = self._process.errorString()
            self._on_end()

    def _on_end(self) -> None:
        self._killer.stop()
        self._sender.stop()
        self._read_errors()
        self._read()
        self._ended = True
        self._pump.start(0)

    def _settle(self) -> None:
        """Says how the job ended, once."""
        if self._settled:
            return
        self._settled = True
        outcome = self._outcome
        if self._cancelling:
            self.cancelled.emit()
        elif isinstance(outcome, Result):
            self.finished.emit(outcome.value)
        elif isinstance(outcome, Failed):
            self.failed.emit(_error_of(outcome))
        else:
            self.failed.emit(self._crash())

    def _crash(self) -> CutterError:
        """Returns the error for a worker that ended without a word."""
        details = self._stderr.decode("utf-8", "replace").strip()
        if self._not_started:
            what = self.tr("the process that does the work could not be started")
            return InternalError(what, self._not_started, self.tr("check the installation"), details)
        if self._process.exitStatus() == QProcess.ExitStatus.CrashExit:
            where = self.tr("killed or crashed, code {}").format(self._process.exitCode())
        else:
            where = self.tr("exit code {}").format(self._process.exitCode())
        what = self.tr("the process that does the work ended unexpectedly")
        remedy = self.tr("try again; if it was killed for lack of memory, close other programs first")
        return InternalError(what, where, remedy, details)


def _current_folder() -> list[str]:
    """Returns the folder this program was started in, unless it is gone."""
    try:
        return [str(Path.cwd())]
    except OSError:
        return []


def _error_of(outcome: Failed) -> CutterError:
    if not outcome.details:
        return outcome.error
    error = outcome.error
    return InternalError(error.what, error.where, error.remedy, outcome.details)


class Workers(QObject):
    """The jobs of one window, and a worker in reserve so that the next job starts at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._spare: Job | None = None
        self._jobs: list[Job] = []
        self._closed = False

    def warm(self) -> None:
        """Starts the worker in reserve, if there is none."""
        if not self._closed and (self._spare is None or not self._spare.is_usable):
            self._spare = Job(self)

    def run(self, request: Request) -> Job:
        """Starts a job; connect to its signals before the event loop runs again."""
        self.warm()
        job, self._spare = self._spare, None
        if job is None:
            raise RuntimeError("the window is closed")
        self.forget_done()
        self._jobs.append(job)
        job.send(request)
        return job

    def forget_done(self) -> None:
        """Lets go of jobs that are over, and with them of what they were asked for."""
        for job in self._jobs:
            if job.is_over:
                job.deleteLater()
        self._jobs = [job for job in self._jobs if not job.is_over]

    @property
    def running(self) -> tuple[Job, ...]:
        return tuple(job for job in self._jobs if not job.is_over)

    def close(self) -> None:
        """Ends every worker."""
        self._closed = True
        for job in [*self._jobs, *([self._spare] if self._spare else [])]:
            job.close()
