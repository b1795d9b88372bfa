"""What is running in the background, in the status line."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from cutter_gui.gui.soft_label import ElidedLabel


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
