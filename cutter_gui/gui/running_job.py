"""The one job that saves, verifies or exports while the user goes on: its bar, its end, its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from cutter_gui.core.errors import CutterError
from cutter_gui.gui.jobs import Job

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow


class RunningJob(QObject):
    """Follows a job from its start to its end.

    Signals:
        changed: A job has begun or ended.
    """

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._job: Job | None = None

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def follow(self, job: Job, title: str, done: Callable[[Any], None]) -> None:
        """Shows a job in the status line and calls ``done`` with its result; errors are shown."""
        self._job = job
        bar = self._window.status.job
        bar.begin(title)
        bar.cancel_wanted.connect(self._cancel, Qt.ConnectionType.UniqueConnection)
        job.progress.connect(bar.set_progress)

        def end() -> None:
            if self._job is job:
                self._job = None
                bar.end()
            self.changed.emit()
            self._window.workers.warm()

        def finish(result: Any) -> None:
            end()
            done(result)

        def fail(error: CutterError) -> None:
            end()
            self._window.show_error(title, error)

        def stop() -> None:
            end()
            self._window.say(self.tr("{}: stopped, nothing was written").format(title))

        job.finished.connect(finish)
        job.failed.connect(fail)
        job.cancelled.connect(stop)
        self.changed.emit()

    def _cancel(self) -> None:
        if self._job is not None:
            self._window.status.job.set_cancelling()
            self._job.cancel()
