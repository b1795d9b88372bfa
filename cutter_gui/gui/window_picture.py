"""Pictures of the real window with a model open, without a display."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from cutter_gui.core.errors import CutterError
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

_PATIENCE_MS = 120_000
_SETTLE_MS = 300


def save_window_pictures(
    app: QApplication, paths: Sequence[Path], size: tuple[int, int], pictures: dict[str, Path], scratch: Path
) -> None:
    """Opens files in the window and saves what it shows, once for each theme.

    Args:
        app: The application, on the offscreen platform.
        paths: A model, a cut spec, or both.
        size: Width and height of the window in pixels.
        pictures: The file to write for each theme, ``light`` or ``dark``.
        scratch: A folder for the settings of this window; the user's own are neither read nor changed.

    Raises:
        CutterError: The window does not get to show the graph, or a picture cannot be written.
    """
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(scratch))
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(scratch))
    theme = Theme(app)
    window = MainWindow(theme, Settings())
    try:
        window.resize(*size)
        window.open_at_start(list(paths))
        window.show()
        _wait_until_drawn(window)
        for mode, picture in pictures.items():
            theme.set_mode(mode)
            _turn(_SETTLE_MS)
            if not window.grab().save(str(picture)):
                raise CutterError("the picture cannot be written", str(picture), "check the folder")
    finally:
        window.end()
        window.deleteLater()


def _wait_until_drawn(window: MainWindow) -> None:
    waited = 0
    while waited < _PATIENCE_MS:
        workspace = window.workspace
        if workspace is not None and workspace.has_picture and workspace.stack.currentWidget() is workspace.canvas:
            _turn(_SETTLE_MS)
            return
        _turn(50)
        waited += 50
    raise CutterError("the window did not get to show the graph", "", "run cutter-gui with the model to see why")


def _turn(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
