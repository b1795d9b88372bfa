"""A PySide6 window with nothing in it, of the size given: what any program with a window has to do."""

from __future__ import annotations

import sys

import first_frame
from PySide6.QtWidgets import QApplication, QMainWindow

first_frame.print_time_and_quit()
application = QApplication(sys.argv[:1])
window = QMainWindow()
window.resize(int(sys.argv[1]), int(sys.argv[2]))
window.show()
sys.exit(application.exec())
