"""The Nodes panel: a table of all nodes, or of those a search found, in step with the selection."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QHeaderView, QTableView, QWidget

from cutter_gui.core.search import Hits
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.ink import ink
from cutter_gui.gui.panels.nodes_model import Column, NodesModel
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.scroll_bars import with_thin_bars
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.soft_label import SoftLabel

_ROW = 22
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_WIDTHS = {Column.OP: 120, Column.STAGE: 56, Column.OUTPUT: 160, Column.SHAPE: 140, Column.BYTES: 96}


class NodesPanel(Panel):
    """Shows a table of nodes; it is also what a screen reader reads in place of the canvas.

    The keys 1 to 6 sort by that column, and again the other way round.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Nodes"))
        self._document: Document | None = None
        self.model = NodesModel(self)
        self.count = SoftLabel()
        self.header.insertWidget(1, self.count)
        self.table = QTableView()
        self.table.setObjectName("nodes")
        self.table.setAccessibleName(self.tr("Nodes"))
        self.table.setModel(self.model)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.verticalHeader().setDefaultSectionSize(_ROW)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSectionsClickable(True)
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.sortIndicatorChanged.connect(self.model.sort)
        for column, width in _WIDTHS.items():
            self.table.setColumnWidth(column, width)
        with_thin_bars(self.table)
        inset = QHBoxLayout()
        inset.setContentsMargins(8, 0, 0, 0)
        inset.addWidget(self.table)
        self.body.addLayout(inset, 1)
        self.table.installEventFilter(self)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.model.layoutChanged.connect(self._show_selected)
        self._colour()

    def _colour(self) -> None:
        palette = self.table.palette()
        palette.setColor(QPalette.ColorRole.Highlight, ink().selected)
        palette.setColor(QPalette.ColorRole.HighlightedText, ink().text)
        self.table.setPalette(palette)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            column = event.key() - int(Qt.Key.Key_1)
            if not event.modifiers() & _HELD and 0 <= column < self.model.columnCount():
                self._sort_by(Column(column))
                return True
        return super().eventFilter(watched, event)

    def _sort_by(self, column: Column) -> None:
        """Sorts by a column; by the same again the other way round."""
        header, order = self.table.horizontalHeader(), Qt.SortOrder.AscendingOrder
        again = header.sortIndicatorSection() == column and header.sortIndicatorOrder() == order
        header.setSortIndicator(column, Qt.SortOrder.DescendingOrder if again else order)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self.model.set_graph(None if document is None else document.graph)
        self.model.set_staging(None if document is None else document.staging)
        self.model.set_symbols({} if document is None else document.symbols)
        self._colour()
        self._say_count()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if self._document is None:
            return
        if change.plan:
            self.model.set_staging(self._document.staging)
            self.model.set_symbols(self._document.symbols)
        if change.selection:
            self._show_selected()

    def show_found(self, hits: Hits, searching: bool) -> None:
        """Shows only what a search found while there is one."""
        with QSignalBlocker(self.table.selectionModel()):
            self.model.show_only(hits.nodes if searching else None)
        self._show_selected()
        self._say_count()

    def _say_count(self) -> None:
        self.count.setText(str(self.model.rowCount()) if self._document is not None else "")

    def _show_selected(self) -> None:
        node = None if self._document is None else self._document.selection.node
        row = -1 if node is None else self.model.row(node)
        if row == self.table.currentIndex().row() and row >= 0:
            return
        with QSignalBlocker(self.table.selectionModel()):
            if row < 0:
                self.table.clearSelection()
                self.table.setCurrentIndex(QModelIndex())
            else:
                self.table.selectRow(row)
                self.table.scrollTo(self.model.index(row, 0))
        self.table.viewport().update()

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self._document is not None and current.isValid():
            self._document.select(Selection(node=self.model.node(current.row())))
