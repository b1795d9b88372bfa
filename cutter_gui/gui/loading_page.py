"""What stands in the place of the graph while it is loaded, and when it could not be laid out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from cutter_gui.gui.page import page_column, page_label


class LoadingPage(QWidget):
    """What is being done, how far it is, and Cancel.

    Signals:
        cancel_wanted: The user wants it to stop.
    """

    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = page_column(self)
        self._title = page_label(factor=1.15, bold=True)
        self._what = page_label(soft=True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.setMinimumHeight(32)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        for widget in (self._title, self.bar, self._what):
            column.addWidget(widget)
        column.addSpacing(8)
        column.addWidget(self.cancel_button, 0, Qt.AlignmentFlag.AlignHCenter)

    def begin(self, title: str) -> None:
        """Shows the start of some work."""
        self._title.setText(title)
        self._what.setText("")
        self.bar.setValue(0)
        self.cancel_button.setEnabled(True)

    def set_progress(self, what: str, fraction: float) -> None:
        """Shows what is being done; the bar never goes back."""
        self._what.setText(what)
        self.bar.setValue(max(self.bar.value(), round(1000 * fraction)))

    def set_cancelling(self) -> None:
        self._what.setText(self.tr("Stopping"))
        self.cancel_button.setEnabled(False)


class NoticePage(QWidget):
    """A sentence in the place of the graph, and a button to try again.

    Signals:
        again_wanted: The user wants to try again.
    """

    again_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = page_column(self)
        self._title = page_label(factor=1.15, bold=True)
        self._text = page_label(soft=True)
        self.again_button = QPushButton(self.tr("Try again"))
        self.again_button.setMinimumHeight(32)
        self.again_button.clicked.connect(self.again_wanted)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(8)
        column.addWidget(self.again_button, 0, Qt.AlignmentFlag.AlignHCenter)

    def show_notice(self, title: str, text: str) -> None:
        self._title.setText(title)
        self._text.setText(text)
