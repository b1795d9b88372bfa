"""The line at the bottom: what a click would do, what is running, how many stages, whether the work is saved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStatusBar, QWidget

from cutter_gui.gui.soft_label import ElidedLabel, SoftLabel

if TYPE_CHECKING:
    from cutter_gui.gui.job_bar import JobBar

_SAY_MS = 6000


class StatusLine(QStatusBar):
    """The status line of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.hint = ElidedLabel()
        self.hint.setContentsMargins(10, 0, 0, 0)
        self.stages = SoftLabel()
        self.saved = SoftLabel()
        for label in (self.stages, self.saved):
            label.setContentsMargins(8, 0, 8, 0)
        self.addWidget(self.hint, 1)
        for widget in (self.stages, self.saved):
            self.addPermanentWidget(widget)
        self._job: JobBar | None = None
        self._saved_at: float | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(10_000)
        self._clock.timeout.connect(self._show_age)

    @property
    def job(self) -> JobBar:
        """What is running in the background; made when first asked for."""
        if self._job is None:
            from cutter_gui.gui.job_bar import JobBar

            self._job = JobBar()
            self.insertPermanentWidget(1, self._job)
            self._job.setVisible(False)
        return self._job

    def say(self, text: str) -> None:
        """Shows a sentence for a few seconds in the place of the hint."""
        self.showMessage(text, _SAY_MS)

    def set_save_state(self, text: str, just_saved: bool = False) -> None:
        """Shows whether the work is saved; when it was just saved its age is shown from then on."""
        self._saved_at = time.monotonic() if just_saved else None
        self.saved.setText(text)
        if just_saved:
            self._show_age()
            self._clock.start()
        else:
            self._clock.stop()

    def close_clock(self) -> None:
        self._clock.stop()

    def _show_age(self) -> None:
        if self._saved_at is None:
            return
        seconds = int(time.monotonic() - self._saved_at)
        if seconds < 10:
            self.saved.setText(self.tr("saved just now"))
        elif seconds < 120:
            self.saved.setText(self.tr("saved {} s ago").format(seconds // 10 * 10))
        else:
            self.saved.setText(self.tr("saved {} min ago").format(seconds // 60))
