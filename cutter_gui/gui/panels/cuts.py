"""The Cuts panel: the plan as cards, edited in place."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels import cut_rows
from cutter_gui.gui.panels.cut_rows import Unfolded
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.selection import Selection

_FILTER_FROM = 12  # tensors in the active cut; below, a filter is of no use


class CutList(RowList):
    """The list of cards; the Delete key takes the current row out."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.activated_target.emit(("delete", self.current_key))
            return
        super().keyPressEvent(event)


class CutsPanel(Panel):
    """Shows and edits the cuts of the document."""

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Cuts"))
        self._document: Document | None = None
        self._unfolded = Unfolded()
        self.list = CutList()
        self.list.setAccessibleName(self.tr("Cuts"))
        self.list.setObjectName("cuts")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(self.tr("Filter the tensors of this cut"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setVisible(False)
        for action in ("cut.move_up", "cut.move_down", "cut.remove"):
            self.add_button(actions[action])
        self.body.addWidget(self.filter)
        self.body.addWidget(self.list, 1)
        self.list.activated_target.connect(self._activate)
        self.list.renamed.connect(self._rename)
        self.list.moved.connect(self._move)
        self.filter.textChanged.connect(self._set_filter)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._unfolded = Unfolded()
        self.filter.clear()
        self._refresh()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.active_cut:
            self._unfolded = replace(self._unfolded, opened=frozenset(), closed=frozenset(), whole=frozenset())
        if change.plan or change.active_cut:
            self._refresh()
            if change.active_cut and self._document is not None and self._document.active_cut is not None:
                self.list.scroll_to_key(("cut", self._document.active_cut))

    def edit_name(self, cut: int) -> None:
        """Opens the editor for the name of a cut."""
        self.list.edit_key(("cut", cut))

    def _refresh(self) -> None:
        document = self._document
        if document is None:
            self.list.set_rows(())
            return
        active = document.active_cut
        many = active is not None and len(cut_rows.tensors_of_cut(document.staging, active)) >= _FILTER_FROM
        self.filter.setVisible(many)
        shown = self._unfolded if many else replace(self._unfolded, filter="")
        self.list.set_rows(cut_rows.cut_rows(document.staging, active, shown, document.symbols))

    def _set_filter(self, text: str) -> None:
        self._unfolded = replace(self._unfolded, filter=text)
        self._refresh()

    def _activate(self, target: object) -> None:
        document = self._document
        if document is None:
            return
        match target:
            case cut_rows.ActivateCut(cut):
                document.set_active_cut(cut)
            case cut_rows.NewCut():
                document.add_cut()
            case cut_rows.RemoveCut(cut):
                document.remove_cut(cut)
            case cut_rows.SelectTensor(tensor):
                document.select(Selection(tensor=tensor))
            case cut_rows.SelectNode(node):
                document.select(Selection(node=node))
            case cut_rows.ToggleConsumer(cut, tensor, consumer):
                document.toggle_consumer(tensor, consumer, cut)
            case cut_rows.RemoveTensor(cut, name):
                document.remove_tensor(cut, name)
            case cut_rows.OpenConsumers(tensor):
                self._fold(tensor)
            case cut_rows.ShowAllConsumers(tensor):
                self._unfolded = replace(self._unfolded, whole=self._unfolded.whole | {tensor})
                self._refresh()
            case ("delete", key):
                self._delete(document, key)

    def _delete(self, document: Document, key: Hashable) -> None:
        match key:
            case ("cut" | "summary", int(cut)):
                document.remove_cut(cut)
            case ("tensor" | "type", int(cut), int(tensor)):
                document.remove_tensor(cut, document.graph.tensor_names[tensor])
            case ("stale", int(cut), str(name)):
                document.remove_tensor(cut, name)

    def _fold(self, tensor: int) -> None:
        keys = (row.key for row in self.list.rows_model.rows)
        shown = any(isinstance(key, tuple) and key[0] == "consumer" and key[2] == tensor for key in keys)
        opened, closed = self._unfolded.opened - {tensor}, self._unfolded.closed - {tensor}
        if shown:
            closed |= {tensor}
        else:
            opened |= {tensor}
        self._unfolded = replace(self._unfolded, opened=opened, closed=closed)
        self._refresh()

    def _rename(self, key: Hashable, name: str) -> None:
        match key:
            case ("cut", int(cut)) if self._document is not None:
                self._document.rename_cut(cut, name)

    def _move(self, dragged: Hashable, onto: Hashable) -> None:
        match dragged, onto:
            case (("cut" | "summary", int(source)), (_, int(target), *_)) if self._document is not None:
                self._document.move_cut(source, target)
