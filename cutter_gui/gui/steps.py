"""Work for the window's own process, cut into steps that the window draws and answers between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Steps(QObject):
    """Runs calls one by one, the event loop in between, so that the window draws and answers meanwhile."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    def add(self, *calls: Callable[[], object]) -> None:
        self._calls.extend(calls)
        if not self._timer.isActive():
            self._timer.start(0)

    def insert(self, *calls: Callable[[], object]) -> None:
        """Adds calls before those that wait already."""
        self._calls.extendleft(reversed(calls))
        self._timer.start(0)

    @property
    def is_done(self) -> bool:
        return not self._calls

    def clear(self) -> None:
        self._calls.clear()
        self._timer.stop()

    def _next(self) -> None:
        if not self._calls:
            return
        call = self._calls.popleft()
        if self._calls:
            self._timer.start(0)
        call()
