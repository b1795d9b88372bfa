"""Ends a program at its first frame and prints when that was, without the program knowing."""

from __future__ import annotations

import json
import time

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication


class FirstFrame(QObject):
    """Waits for a window to be drawn for the first time."""

    def __init__(self, window: QWindow) -> None:
        super().__init__()
        if window.isExposed():
            self.report(window)
        else:
            window.installEventFilter(self)

    def eventFilter(self, window: QWindow, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() != QEvent.Type.Expose:
            return False
        # Drawing happens within the delivery of this event: deliver it here, to take the time right after.
        window.removeEventFilter(self)
        QCoreApplication.sendEvent(window, event)
        self.report(window)
        return True

    def report(self, window: QWindow) -> None:
        now = time.monotonic()  # the same clock in every process of the machine
        print(json.dumps({"monotonic": now, "width": window.width(), "height": window.height()}), flush=True)
        # Not at once: without effect where the window was drawn before the event loop runs.
        QTimer.singleShot(0, self, lambda: QCoreApplication.exit(0))


def print_time_and_quit() -> None:
    """Makes the next ``QApplication.exec`` of this process end with the first frame of the largest window."""
    execute = QApplication.exec

    def execute_to_the_first_frame(*_: object) -> int:
        windows = [widget.windowHandle() for widget in QApplication.topLevelWidgets() if widget.isVisible()]
        waiting = FirstFrame(max(windows, key=lambda window: window.width() * window.height()))
        code = execute()
        waiting.deleteLater()
        return code

    QApplication.exec = staticmethod(execute_to_the_first_frame)
