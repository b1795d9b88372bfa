"""Pages that stand in the place of the graph: a column of text in the middle."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from cutter_gui.gui.qt_values import ALIGN_CENTER, PLAIN_TEXT, set_value
from cutter_gui.gui.soft_label import SoftLabel

COLUMN = 460  # width of the column in the middle of a page, in pixels


def page_label(text: str = "", soft: bool = False, factor: float = 1.0, bold: bool = False) -> QLabel:
    label = SoftLabel(text) if soft else QLabel(text)
    set_value(label, "textFormat", PLAIN_TEXT)
    set_value(label, "alignment", ALIGN_CENTER)
    label.setWordWrap(True)
    font = QFont(label.font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * factor)
    font.setBold(bold)
    label.setFont(font)
    return label


def page_column(page: QWidget) -> QVBoxLayout:
    """Returns a column of fixed width in the middle of a page."""
    column = QVBoxLayout()
    column.setSpacing(8)
    holder = QWidget()
    holder.setFixedWidth(COLUMN)
    holder.setLayout(column)
    across = QHBoxLayout()
    across.addStretch(1)
    across.addWidget(holder)
    across.addStretch(1)
    down = QVBoxLayout(page)
    down.addStretch(1)
    down.addLayout(across)
    down.addStretch(1)
    return column
