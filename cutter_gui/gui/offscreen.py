"""Qt without a display, for pictures made from the command line."""

from __future__ import annotations

import os
import sys

from PySide6.QtWidgets import QApplication


def drawing_application() -> QApplication:
    """Returns the application, made for the offscreen platform if there is none yet."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return QApplication([sys.argv[0]])
