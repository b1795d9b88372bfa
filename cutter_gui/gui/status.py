"""The line at the bottom: what a click would do, what is running, how many stages, whether the work is saved."""

from __future__ import annotations

import time

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QStatusBar, QToolButton, QWidget

from cutter_gui.gui.calm import SoftLabel

_SAY_MS = 6000


class ElidedLabel(SoftLabel):
    """One line of plain text that is cut short where room ends; the tooltip has it whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        painter.end()


class JobBar(QWidget):
    """What is running in the background, how far it is, and Cancel.

    Signals:
        cancel_wanted: The user wants it to stop.
    """

    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ElidedLabel()
        self.text.setFixedWidth(220)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(140, 6)
        self.cancel_button = QToolButton()
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setAutoRaise(True)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 8, 0)
        for widget in (self.text, self.bar, self.cancel_button):
            layout.addWidget(widget)
        self.setVisible(False)

    def begin(self, title: str) -> None:
        self.text.setText(title)
        self.bar.setValue(0)
        self.cancel_button.setEnabled(True)
        self.setVisible(True)

    def set_progress(self, what: str, fraction: float) -> None:
        self.text.setText(what)
        self.bar.setValue(max(self.bar.value(), round(1000 * fraction)))

    def set_cancelling(self) -> None:
        self.text.setText(self.tr("Stopping"))
        self.cancel_button.setEnabled(False)

    def end(self) -> None:
        self.setVisible(False)


class StatusLine(QStatusBar):
    """The status line of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.hint = ElidedLabel()
        self.hint.setContentsMargins(10, 0, 0, 0)
        self.job = JobBar()
        self.stages = SoftLabel()
        self.saved = SoftLabel()
        for label in (self.stages, self.saved):
            label.setContentsMargins(8, 0, 8, 0)
        self.addWidget(self.hint, 1)
        for widget in (self.job, self.stages, self.saved):
            self.addPermanentWidget(widget)
        self._saved_at: float | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(10_000)
        self._clock.timeout.connect(self._show_age)

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
