"""The bar of tabs: names of the open models, with a sign where cuts are not saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QTabBar

from cutter_gui.core.errors import one_line
from cutter_gui.gui import icons
from cutter_gui.gui.theme import palette_of

if TYPE_CHECKING:
    from cutter_gui.gui.tab import Tab
    from cutter_gui.gui.window import MainWindow

_NAME = 60
_MENU = ("file.close", "file.close_others", "-", "file.reload", "file.copy_path")
UNSAVED = "●"
_HEIGHT = 34
_NARROWEST, _WIDEST = 120, 320
_LEFT = 12  # before the name
_BESIDE = 46  # in all, the cross included


class ModelTabBar(QTabBar):
    """Shows tabs; who owns it says which.

    Signals:
        chosen: The place of the tab to look at.
        close_wanted: The place of the tab to close.
    """

    chosen = Signal(int)
    close_wanted = Signal(int)

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self._filling = False
        self.menu: QMenu | None = None
        self.setObjectName("tabs")
        self.setAccessibleName(self.tr("Open models"))
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setMovable(True)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.currentChanged.connect(self._on_current)

    def show_tabs(self, tabs: Sequence[Tab], current: int) -> None:
        """Shows names and states; with one tab there is nothing to choose from, and the bar goes."""
        self._filling = True
        while self.count() > len(tabs):
            self.removeTab(self.count() - 1)
        while self.count() < len(tabs):
            at = self.addTab("")
            self.setTabButton(at, QTabBar.ButtonPosition.RightSide, _CloseButton(self))
        names = Counter(tab.path.name for tab in tabs if tab.path is not None)
        for at, tab in enumerate(tabs):
            self._show(at, tab, tab.path is not None and names[tab.path.name] > 1)
        self.setCurrentIndex(current)
        self.setVisible(len(tabs) > 1)
        self._filling = False

    def _show(self, at: int, tab: Tab, ambiguous: bool) -> None:
        if tab.path is None:
            self.setTabText(at, self.tr("No model"))
            return
        name = one_line(tab.path.name, _NAME)
        if ambiguous:
            name = f"{name} — {one_line(tab.path.parent.name, _NAME)}"
        tip = str(tab.path)
        if tab.is_modified:
            name, tip = f"{name} {UNSAVED}", f"{tip}\n{self.tr('cuts not saved')}"
        shown = name.replace("&", "&&")
        if self.tabText(at) != shown:
            self.setTabText(at, shown)
        self.setTabToolTip(at, tip)

    def close_button(self, at: int) -> QAbstractButton:
        """Returns the button that closes a tab."""
        button = self.tabButton(at, QTabBar.ButtonPosition.RightSide)
        assert isinstance(button, QAbstractButton)
        return button

    def _on_current(self, at: int) -> None:
        if not self._filling and at >= 0:
            self.chosen.emit(at)

    def _on_close(self, button: QAbstractButton) -> None:
        for at in range(self.count()):
            if self.tabButton(at, QTabBar.ButtonPosition.RightSide) is button:
                self.close_wanted.emit(at)
                return

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton and at >= 0:
            self.close_wanted.emit(at)
            event.accept()
        else:
            super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = self.tabAt(event.pos())
        if at < 0:
            return
        self.setCurrentIndex(at)
        registry = self._window.actions_registry
        self.menu = QMenu(self)
        self.menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in _MENU:
            if action_id == "-":
                self.menu.addSeparator()
            else:
                self.menu.addAction(registry[action_id])
        self.menu.popup(event.globalPos())

    def minimumTabSizeHint(self, index: int) -> QSize:
        return QSize(min(_NARROWEST, self.tabSizeHint(index).width()), _HEIGHT)

    def tabSizeHint(self, index: int) -> QSize:
        """Returns room for the name in bold, so that no tab moves when another one is looked at."""
        font = self.font()
        font.setBold(True)
        text = self.tabText(index).replace("&&", "&")
        room = ceil(QFontMetricsF(font).horizontalAdvance(text)) + 1  # whole pixels are rounded, which may elide
        return QSize(min(room + _BESIDE, _WIDEST), _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draws flat tabs: the one that is looked at on the panels' ground with a line in the accent colour."""
        tokens = palette_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.window))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.line))
        for at in range(self.count()):
            rect, is_current = self.tabRect(at), at == self.currentIndex()
            if is_current:
                painter.fillRect(rect, QColor(tokens.panel))
                painter.fillRect(rect.left(), rect.top(), rect.width(), 2, QColor(tokens.accent))
            painter.fillRect(rect.right(), rect.top() + 8, 1, rect.height() - 16, QColor(tokens.line))
            font = self.font()
            font.setBold(is_current)
            font.setUnderline(is_current and self.hasFocus())
            painter.setFont(font)
            painter.setPen(QColor(tokens.text if is_current else tokens.text_soft))
            room = rect.adjusted(_LEFT, 0, _LEFT - _BESIDE, 0)
            text = self.tabText(at).replace("&&", "&")
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


class _CloseButton(QAbstractButton):
    """The cross of a tab."""

    def __init__(self, bar: ModelTabBar) -> None:
        super().__init__(bar)
        self.setFixedSize(20, 20)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Close"))
        self.setToolTip(self.tr("Close this model"))
        self.clicked.connect(lambda _checked=False: bar._on_close(self))

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = palette_of(self.palette())
        painter = QPainter(self)
        if self.underMouse():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(self.rect(), 4, 4)
        colour = tokens.text if self.underMouse() else tokens.text_soft
        icons.draw(painter, "close-line", QPointF(10, 10), 14, QColor(colour))
        painter.end()
