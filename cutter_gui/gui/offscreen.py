"""Qt without a display, for pictures made from the command line."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from cutter_gui.gui.theme import STYLE

_EXPECTED = "This plugin does not support propagateSizeHints"


def drawing_application() -> QApplication:
    """Returns the application, made for the offscreen platform if there is none yet."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    qInstallMessageHandler(_say_all_but_expected)
    return QApplication([sys.argv[0], *STYLE])


def _say_all_but_expected(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    """Passes Qt's messages on, but for one that the offscreen platform prints for every window."""
    if not text.startswith(_EXPECTED):
        print(text, file=sys.stderr)
