"""Starts the window program."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from cutter_gui import __version__
from cutter_gui.gui.action_table import saved_mode
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.theme import STYLE, Theme, palette_of
from cutter_gui.gui.window import MainWindow


def run(paths: Sequence[str], cuts: str | None) -> int:
    """Opens the window and returns when it is closed.

    Args:
        paths: A model, a cut spec, or both.
        cuts: A cut spec to open over the model.

    Returns:
        The exit code: 0, or 130 after Ctrl+C in the terminal.
    """
    app = application()
    settings = Settings()
    theme = Theme(app, saved_mode(settings.text("theme", "system")), palette_of(app.palette()))
    window = MainWindow(theme, settings)
    given = [Path(path) for path in (*paths, *([cuts] if cuts else []))]
    if given:
        window.open_at_start(given)
    else:
        window.restore_at_start()
    window.show()
    QTimer.singleShot(0, _collect_garbage)
    with _defects_shown(window), _ctrl_c_quits(app):
        code = app.exec()
        window.end()
    return code


def _collect_garbage() -> None:
    """Turns the collector on, which the command line turned off for the start; what is loaded by now stays."""
    gc.freeze()
    gc.enable()


def application() -> QApplication:
    """Returns the application object, set up."""
    app = QApplication.instance() or QApplication([*sys.argv[:1], *STYLE])
    if not isinstance(app, QApplication):
        raise TypeError("an application without windows runs in this process already")
    app.setApplicationName("cutter-gui")
    app.setApplicationDisplayName("Cutter GUI")
    app.setApplicationVersion(__version__)
    app.setOrganizationName("cutter-gui")
    app.setDesktopFileName("cutter-gui")
    return app


@contextlib.contextmanager
def _defects_shown(window: MainWindow) -> Iterator[None]:
    """Shows exceptions that no code foresaw, and logs them; the program lives on."""
    before = sys.excepthook
    shown: list[QObject] = []

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        print(text, file=sys.stderr, end="", flush=True)
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.exit(130)
            return
        if shown:  # one message at a time: a defect in painting comes again with every frame
            return
        from cutter_gui.gui.dialogs.errors import defect_message

        message = defect_message(window, f"{kind.__name__}: {error}", text)
        shown.append(message)
        message.finished.connect(lambda _result: shown.clear())
        message.open()

    sys.excepthook = show
    try:
        yield
    finally:
        sys.excepthook = before


@contextlib.contextmanager
def _ctrl_c_quits(app: QApplication) -> Iterator[None]:
    """Lets Ctrl+C in the terminal end the event loop.

    Python runs signal handlers between its own instructions, and none run while Qt waits. Python writes to a pipe at
    once when a signal comes; Qt watches the pipe, and watching it runs an instruction. Where Qt cannot watch a pipe, on
    Windows, a timer runs one now and then.
    """
    timer = QTimer()
    notifier: QSocketNotifier | None = None
    pipe: tuple[int, int] | None = None
    if sys.platform == "win32":
        timer.timeout.connect(lambda: None)
        timer.start(250)
    else:
        pipe = os.pipe()
        for end in pipe:
            os.set_blocking(end, False)
        reading = pipe[0]
        notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read)
        notifier.activated.connect(lambda: _drain(reading))
        signal.set_wakeup_fd(pipe[1], warn_on_full_buffer=False)
    numbers = (signal.SIGINT, signal.SIGTERM)
    old_handlers = {number: signal.signal(number, lambda _number, _frame: app.exit(130)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        timer.stop()
        if notifier is not None and pipe is not None:
            signal.set_wakeup_fd(-1)
            notifier.setEnabled(False)
            for end in pipe:
                os.close(end)


def _drain(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(descriptor, 64)
