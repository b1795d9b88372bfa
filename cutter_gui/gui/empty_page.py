"""What stands in the window when no model is open: what to drop, samples, recent files.

It is drawn in the first frame, for which no enum of Qt's namespace may be named (see `cutter_gui.gui.qt_values`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from cutter_gui.gui import icons, theme
from cutter_gui.gui.page import page_column, page_label
from cutter_gui.gui.qt_values import ALIGN_LEFT, ALIGN_RIGHT, TAB_AND_CLICK_FOCUS, line, set_value, solid
from cutter_gui.gui.soft_label import AccentLabel, ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from cutter_gui.gui.samples import Sample

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
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 12, 12)
        if self._marked:
            painter.fillPath(outline, solid(QColor(tokens.accent_soft)))
        pen = line(QColor(tokens.accent if self._marked else tokens.node_border), 1.5)
        pen.setDashPattern([4, 3])
        painter.strokePath(outline, pen)
        icons.draw(painter, "scissors-cut-line", QPointF(self.width() / 2, 46), 36, QColor(tokens.text_soft))
        painter.end()


class EmptyPage(QWidget):
    """What to drop here, the samples, and recent files.

    Signals:
        sample_wanted: Path of a sample to open.
        recent_wanted: Path of a recent file to open.
    """

    sample_wanted = Signal(object)
    recent_wanted = Signal(object)

    def __init__(self, open_action: QAction, samples: Sequence[Sample], parent: QWidget | None = None) -> None:
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
        self.open_button = QPushButton(open_action.text().replace("&", ""))
        self.open_button.setMinimumHeight(32)
        self.open_button.clicked.connect(open_action.trigger)
        self.open_button.setDefault(True)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self.open_button)
        across.addStretch(1)
        column.addLayout(across)
        column.addSpacing(12)
        self.sample_buttons = [PageRow(sample.title, sample.about, sample.path) for sample in samples]
        if self.sample_buttons:
            column.addWidget(_title(self.tr("Samples")))
            column.addLayout(_rows(self.sample_buttons, self.sample_wanted))
            column.addSpacing(12)
        self._recent_title = _title(self.tr("Recent files"))
        column.addWidget(self._recent_title)
        self._recent = _rows([], self.recent_wanted)
        column.addLayout(self._recent)
        self.recent_buttons: list[PageRow] = []

    def set_recent(self, paths: Sequence[Path]) -> None:
        """Lists recent files."""
        for button in self.recent_buttons:
            self._recent.removeWidget(button)
            button.deleteLater()
        self.recent_buttons = [PageRow(path.name, str(path.parent), path) for path in paths[:_RECENT_SHOWN]]
        for button in self.recent_buttons:
            button.wanted.connect(self.recent_wanted)
            self._recent.addWidget(button)
        self._recent_title.setVisible(bool(self.recent_buttons))


def _title(text: str) -> QLabel:
    title = page_label(text, soft=True)
    title.setFont(theme.title_font())
    set_value(title, "alignment", ALIGN_LEFT)
    return title


class PageRow(QToolButton):
    """Something to open: its name, and less prominently what it is or where.

    Signals:
        wanted: The path, when the row is clicked.
    """

    wanted = Signal(object)

    def __init__(self, name: str, about: str, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.setAutoRaise(True)
        self.setFixedHeight(28)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name}, {about}")
        set_value(self, "focusPolicy", TAB_AND_CLICK_FOCUS)
        across = QHBoxLayout(self)
        across.setContentsMargins(8, 0, 8, 0)
        across.setSpacing(12)
        across.addWidget(AccentLabel(name))
        across.addWidget(ElidedLabel(about, ALIGN_RIGHT), 1)
        self.clicked.connect(lambda _checked=False: self.wanted.emit(self.path))

    def enterEvent(self, event: QEnterEvent) -> None:
        from PySide6.QtCore import Qt

        self.setCursor(Qt.CursorShape.PointingHandCursor)
        super().enterEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.underMouse() or self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = QPainterPath()
            ground.addRoundedRect(QRectF(self.rect()), 4, 4)
            painter.fillPath(ground, solid(QColor(theme.palette_of(self.palette()).accent_soft)))
            painter.end()


def _rows(buttons: Sequence[PageRow], wanted: SignalInstance) -> QVBoxLayout:
    rows = QVBoxLayout()
    rows.setSpacing(0)
    for button in buttons:
        button.wanted.connect(wanted)
        rows.addWidget(button)
    return rows
