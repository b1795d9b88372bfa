"""Labels of less weight, and labels of one line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from cutter_gui.gui.qt_values import ALIGN_LEFT, PLAIN_TEXT, set_value
from cutter_gui.gui.theme import palette_of


class SoftLabel(QLabel):
    """Plain text in the softer text colour of the theme."""

    _role = "text_soft"

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        set_value(self, "textFormat", PLAIN_TEXT)
        # Within a button a label would take the button's colour, which is not the one set here.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self._soften()

    def _soften(self) -> None:
        wanted = QColor(getattr(palette_of(self.palette()), self._role))
        palette = self.palette()
        if palette.color(QPalette.ColorRole.WindowText) != wanted:
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._soften()


class AccentLabel(SoftLabel):
    """Plain text in the accent of the theme."""

    _role = "accent"


class ErrorLabel(SoftLabel):
    """Plain text in the error colour of the theme."""

    _role = "error"


class ElidedLabel(SoftLabel):
    """One line of plain text that is cut short where room ends."""

    def __init__(self, text: str = "", alignment: int = ALIGN_LEFT, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        set_value(self, "alignment", alignment)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.fontMetrics().horizontalAdvance(self.text()) <= self.contentsRect().width():
            super().paintEvent(event)
            return
        from PySide6.QtCore import Qt

        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width())
        painter.drawText(self.contentsRect(), self.alignment() | Qt.TextFlag.TextSingleLine, shown)
        painter.end()
