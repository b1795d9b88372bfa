"""Imports what an open model needs while the empty window is already there.

numpy, scipy, the canvas and the panels take longer to import than the window takes to appear. They are imported by a
thread, which gives the interpreter back every few milliseconds, so that the window stays alive meanwhile; nothing else
runs in a thread, and no Qt object is made in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from threading import Thread

_BASIC = ("numpy", "cutter_gui.frames", "cutter_gui.gui.jobs", "cutter_gui.gui.opening")
_FULL = (
    "scipy.sparse",
    "scipy.sparse.csgraph",
    "cutter_gui.core.problems",
    "cutter_gui.gui.folds",
    "cutter_gui.gui.workspace",
    "cutter_gui.gui.saving",
)
_LATER = ("cutter_gui.gui.stages_preview.window",)
"""What is only opened on demand: nothing waits for it."""
_POLL_MS = 8


class Warmup(QObject):
    """Imports in the background and tells when it is done.

    There are two steps: *basic* is what starting a job needs, *full* what showing a model needs.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps_done = 0
        self._error: BaseException | None = None
        self._waiting: list[tuple[int, Callable[[], object]]] = []
        self._thread: Thread | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self._tell)

    def start(self) -> None:
        if self._thread is None:
            import threading

            self._thread = threading.Thread(target=self._import, name="imports")
            self._thread.start()

    def when_basic(self, call: Callable[[], object]) -> None:
        """Calls back, from the event loop or at once, when jobs can be started."""
        self._when(1, call)

    def when_full(self, call: Callable[[], object]) -> None:
        """Calls back, from the event loop or at once, when a model can be shown; calls keep their order."""
        self._when(2, call)

    def close(self) -> None:
        """Waits for the thread; no call is made afterwards."""
        self._waiting.clear()
        self._poll.stop()
        if self._thread is not None:
            self._thread.join()

    def _when(self, step: int, call: Callable[[], object]) -> None:
        if self._steps_done >= step and not self._waiting:
            call()
            return
        self.start()
        self._waiting.append((step, call))
        self._poll.start()

    def _import(self) -> None:
        try:
            for step, modules in enumerate((_BASIC, _FULL, _LATER), start=1):
                for module in modules:
                    importlib.import_module(module)
                self._steps_done = step
        except Exception as error:  # noqa: BLE001 - raised again by `_tell`, in the thread of the window
            self._error = error

    def _tell(self) -> None:
        if self._error is not None:
            self._poll.stop()
            self._waiting.clear()
            raise self._error
        ready = [entry for entry in self._waiting if entry[0] <= self._steps_done]
        self._waiting = [entry for entry in self._waiting if entry not in ready]
        if not self._waiting:
            self._poll.stop()
        for _step, call in ready:
            call()
