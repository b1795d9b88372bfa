"""A list of rows: paints those in sight, and tells what was clicked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from cutter_gui.gui.panels.ink import ink
from cutter_gui.gui.panels.row_paint import Placed, paint_card, paint_part, place, row_size
from cutter_gui.gui.panels.rows import ROW_ROLE, CardPlace, Row, RowsModel, plain_tip
from cutter_gui.gui.scroll_bars import with_thin_bars


class RowDelegate(QStyledItemDelegate):
    """Paints a row; the name of a row that can be edited is edited in place."""

    def __init__(self, view: RowList) -> None:
        super().__init__(view)
        self._view = view

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: Row = index.data(ROW_ROLE)
        colors = ink()
        rect = QRect(option.rect)
        painter.save()
        painter.setFont(self._view.font())
        paint_card(painter, row, rect, colors)
        state = option.state
        if row.card is CardPlace.NONE and state & QStyle.StateFlag.State_Selected and self._view.marks_current:
            painter.fillRect(rect, colors.selected)
        if state & QStyle.StateFlag.State_HasFocus and self._view.keyboard_used:
            painter.setPen(colors.accent)
            painter.drawRect(rect.adjusted(5, 1, -6, -2))
        hovered = self._view.hovered_part(index.row())
        for at, placed in enumerate(place(row, rect, self._view.font())):
            paint_part(painter, placed, row, colors, at == hovered)
        painter.restore()

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return row_size(index.data(ROW_ROLE), self._view.viewport().width(), self._view.font())

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = QLineEdit(parent)
        editor.setPlaceholderText(self.tr("Name of the cut"))
        editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> None:
        editor.setGeometry(QRect(option.rect).adjusted(76, 4, -12, -4))


class RowList(QListView):
    """Shows rows.

    Signals:
        activated_target: What was clicked, or activated by the Enter key: a part's target, or else the row's.
        renamed: Key of a row and its new text.
        moved: Keys of a row that was dragged and of the row it was dropped on.
    """

    activated_target = Signal(object)
    renamed = Signal(object, str)
    moved = Signal(object, object)

    def __init__(self, parent: QWidget | None = None, marks_current: bool = False) -> None:
        super().__init__(parent)
        self.marks_current = marks_current
        self.keyboard_used = False
        self._hover: tuple[int, int] | None = None
        self._pressed: tuple[QPoint, int] | None = None
        self.rows_model = RowsModel(self)
        self.setModel(self.rows_model)
        self.setItemDelegate(RowDelegate(self))
        with_thin_bars(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.rows_model.edited.connect(self.renamed)

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Shows rows, keeping scroll position and current row where they still exist."""
        current = self.current_key
        scroll = self.verticalScrollBar().value()
        self._hover = None
        if self.rows_model.set_rows(rows):
            at = self.rows_model.position(current) if current is not None else None
            if at is not None:
                self.setCurrentIndex(self.rows_model.index(at))
            self.doItemsLayout()
            self.verticalScrollBar().setValue(scroll)
        else:
            self.scheduleDelayedItemsLayout()

    @property
    def current_key(self) -> Hashable:
        index = self.currentIndex()
        return self.rows_model.rows[index.row()].key if index.isValid() else None

    def scroll_to_key(self, key: Hashable) -> None:
        at = self.rows_model.position(key)
        if at is not None:
            self.scrollTo(self.rows_model.index(at))

    def edit_key(self, key: Hashable) -> None:
        """Opens the editor of a row, unless it is open: one loses the keyboard only while its window has it."""
        at = self.rows_model.position(key)
        if at is not None:
            index = self.rows_model.index(at)
            if self.state() == QAbstractItemView.State.EditingState and index == self.currentIndex():
                return
            self.setCurrentIndex(index)
            self.setFocus()
            self.edit(index)

    def hovered_part(self, row: int) -> int:
        """Returns the part of a row that the pointer is on, or -1."""
        return self._hover[1] if self._hover is not None and self._hover[0] == row else -1

    def part_at(self, point: QPoint) -> tuple[int, int] | None:
        """Returns row and part at a point of the viewport; part -1 beside the parts."""
        index = self.indexAt(point)
        if not index.isValid():
            return None
        for at, placed in enumerate(self.placed(index.row())):
            if placed.rect.contains(point) and placed.target is not None:
                return index.row(), at
        return index.row(), -1

    def placed(self, row: int) -> list[Placed]:
        """Returns the parts of a row where they stand in the viewport."""
        return place(self.rows_model.rows[row], self.visualRect(self.rows_model.index(row)), self.font())

    def target_point(self, target: Hashable) -> QPoint | None:
        """Returns where in the viewport to click for a target, scrolled into sight; None when no row has it."""
        for at, row in enumerate(self.rows_model.rows):
            self_target = row.target == target
            if self_target or any(getattr(part, "target", None) == target for part in row.parts):
                self.scrollTo(self.rows_model.index(at))
                for placed in self.placed(at):
                    if placed.target == target:
                        return placed.rect.center()
                if self_target:
                    return self.visualRect(self.rows_model.index(at)).center()
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.keyboard_used = False
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            index = self.indexAt(event.position().toPoint())
            self._pressed = (event.position().toPoint(), index.row()) if index.isValid() else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        self.viewport().unsetCursor()
        if event.button() != Qt.MouseButton.LeftButton or pressed is None:
            return
        point = event.position().toPoint()
        hit = self.part_at(point)
        if hit is None:
            return
        rows = self.rows_model.rows
        if hit[0] != pressed[1]:
            self.moved.emit(rows[pressed[1]].key, rows[hit[0]].key)
            return
        target = rows[hit[0]].target if hit[1] < 0 else self.placed(hit[0])[hit[1]].target
        if target is not None:
            self.activated_target.emit(target)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() == Qt.MouseButton.NoButton:
            super().mouseMoveEvent(event)
        elif self._pressed is not None and self.indexAt(event.position().toPoint()).row() != self._pressed[1]:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        hover = self.part_at(event.position().toPoint())
        if hover != self._hover:
            self._hover = hover
            if event.buttons() == Qt.MouseButton.NoButton:
                on_target = hover is not None and hover[1] >= 0
                self.viewport().setCursor(
                    Qt.CursorShape.PointingHandCursor if on_target else Qt.CursorShape.ArrowCursor
                )
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.viewport().update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.keyboard_used = True
        index = self.currentIndex()
        editing = self.state() == QAbstractItemView.State.EditingState
        if index.isValid() and not editing and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            row = self.rows_model.rows[index.row()]
            if event.key() == Qt.Key.Key_Space and row.check is not None:
                if row.check.enabled:
                    self.activated_target.emit(row.check.target)
                return
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
                target = row.target if row.target is not None else _first_target(row)
                if target is not None:
                    self.activated_target.emit(target)
                return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPoint) -> str:
        """Returns the tooltip at a point of the viewport, as it is, without markup."""
        index = self.indexAt(point)
        if not index.isValid():
            return ""
        row = self.rows_model.rows[index.row()]
        for placed in self.placed(index.row()):
            tip = getattr(placed.part, "tip", "")
            if tip and placed.rect.contains(point):
                return str(tip)
        return row.tip


def _first_target(row: Row) -> Hashable:
    return next((target for part in row.parts if (target := getattr(part, "target", None)) is not None), None)
