"""The field one types a search into."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from cutter_gui.gui import icons, theme

_WIDTH = 300
_ROOM = 76  # at the right, for the number of hits


class SearchField(QLineEdit):
    """A line of text with the number of hits in it.

    Signals:
        step_wanted: To the next (1) or the previous hit (-1).
        list_wanted: Down into the list of hits.
        left: Escape was pressed.
        entered: The field has the keyboard.
    """

    step_wanted = Signal(int)
    list_wanted = Signal()
    left = Signal()
    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = ""
        self._is_error = False
        self.setObjectName("search")
        self.show_keys("Ctrl+F")
        self.setAccessibleName(self.tr("Find"))
        self.setToolTip(
            self.tr("Words, or op:Add  dtype:f16  shape:16x64  tensor:71  attr:axis  name:layer.3  /expression/")
        )
        self.setTextMargins(24, 0, 0, 0)
        self.setMinimumHeight(28)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 28)

    def show_keys(self, keys: str) -> None:
        """Says by which keys one gets here."""
        self.setPlaceholderText(f"{self.tr('Find node, op, tensor, shape …')}  {keys}".rstrip())

    @property
    def count_text(self) -> str:
        """What is said about the hits."""
        return self._count

    def show_count(self, text: str, is_error: bool = False) -> None:
        """Shows how many hits there are, or that there is none."""
        self._count, self._is_error = text, is_error
        self.setTextMargins(24, 0, _ROOM if text else 0, 0)
        self.setAccessibleDescription(text)
        self.update()

    def event(self, event: QEvent) -> bool:
        # The window has Escape as a shortcut; in here it means something else.
        mine = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.key() in mine:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step_wanted.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.list_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.entered.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens = theme.palette_of(self.palette())
        painter = QPainter(self)
        icons.draw(painter, "search-line", QPointF(16, self.height() / 2), 14, QColor(tokens.text_soft))
        painter.setFont(theme.figures_font())
        painter.setPen(QColor(tokens.error if self._is_error else tokens.text_soft))
        room = QRect(self.width() - _ROOM - 8, 0, _ROOM, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._count)
        painter.end()
