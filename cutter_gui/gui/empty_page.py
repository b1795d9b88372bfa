"""What stands in the window when no model is open: what to drop, the sample, recent files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from cutter_gui.gui import icons, theme
from cutter_gui.gui.page import COLUMN, page_column, page_label

_RECENT_SHOWN = 6


class DropFrame(QFrame):
    """The dashed frame that says what to drop here."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marked = False
        self.setFixedHeight(152)

    def mark(self, marked: bool) -> None:
        """Shows that what is being dragged may be dropped."""
        self._marked = marked
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.palette_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(tokens.accent if self._marked else tokens.node_border), 1.5, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(QColor(tokens.accent_soft) if self._marked else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 12, 12)
        icons.draw(painter, "scissors-cut-line", QPointF(self.width() / 2, 46), 36, QColor(tokens.text_soft))
        painter.end()


class EmptyPage(QWidget):
    """What to drop here, the sample, and recent files.

    Signals:
        recent_wanted: Path of a recent file to open.
    """

    recent_wanted = Signal(object)

    def __init__(self, open_action: QAction, sample_action: QAction | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = page_column(self)
        self.frame = DropFrame()
        inside = QVBoxLayout(self.frame)
        inside.setContentsMargins(16, 76, 16, 20)
        inside.setSpacing(4)
        inside.addWidget(page_label(self.tr("Drop a model here"), factor=1.35, bold=True))
        inside.addWidget(page_label(self.tr("or its cut spec (*.cuts.yaml), or both at once"), soft=True))
        inside.addStretch(1)
        column.addWidget(self.frame)
        column.addSpacing(8)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        self.open_button = _action_button(open_action)
        self.open_button.setDefault(True)
        buttons.addWidget(self.open_button)
        self.sample_button: QPushButton | None = None
        if sample_action is not None:
            self.sample_button = _action_button(sample_action)
            buttons.addWidget(self.sample_button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addSpacing(16)
        self._recent_title = page_label(self.tr("Recent files"), soft=True)
        self._recent_title.setFont(theme.title_font())
        self._recent_title.setAlignment(Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._recent_title)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        column.addLayout(self._recent)
        self.recent_buttons: list[RecentButton] = []

    def set_recent(self, paths: Sequence[Path]) -> None:
        """Lists recent files."""
        for button in self.recent_buttons:
            self._recent.removeWidget(button)
            button.deleteLater()
        self.recent_buttons = [RecentButton(path) for path in paths[:_RECENT_SHOWN]]
        for button in self.recent_buttons:
            button.clicked.connect(lambda _checked=False, path=button.path: self.recent_wanted.emit(path))
            self._recent.addWidget(button)
        self._recent_title.setVisible(bool(self.recent_buttons))


def _action_button(action: QAction) -> QPushButton:
    button = QPushButton(action.text().replace("&", ""))
    button.setMinimumHeight(32)
    button.setToolTip(action.toolTip())
    button.clicked.connect(action.trigger)
    return button


class RecentButton(QToolButton):
    """A recent file: its name, and its folder less prominently."""

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.setAutoRaise(True)
        self.setSizePolicy(self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(str(path))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(COLUMN, 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.palette_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(self.rect(), 4, 4)
        metrics = self.fontMetrics()
        inner = self.rect().adjusted(8, 0, -8, 0)
        half = inner.width() // 2
        name = metrics.elidedText(self.path.name, Qt.TextElideMode.ElideMiddle, half)
        painter.setPen(QColor(tokens.accent))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, name)
        left = inner.left() + metrics.horizontalAdvance(name) + 12
        rest = inner.adjusted(left - inner.left(), 0, 0, 0)
        folder = metrics.elidedText(str(self.path.parent), Qt.TextElideMode.ElideMiddle, rest.width())
        painter.setPen(QColor(tokens.text_soft))
        painter.drawText(rest, middle | Qt.AlignmentFlag.AlignRight, folder)
        painter.end()
