"""The Inspector panel: what is selected, with links from tensor to node and back."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from cutter_gui.core.groups import Groups
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels import inspector_rows
from cutter_gui.gui.panels.cut_rows import ActivateCut, SelectNode, SelectTensor
from cutter_gui.gui.panels.group_inspector import group_rows
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.selection import Selection


class InspectorPanel(Panel):
    """Shows the selected node or tensor, or the model when nothing is selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Inspector"))
        self._document: Document | None = None
        self._groups: Groups | None = None
        self._whole: frozenset[str] = frozenset()
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Inspector"))
        self.list.setObjectName("inspector")
        self.list.activated_target.connect(self._activate)
        self.body.addWidget(self.list, 1)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._whole = frozenset()
        self._groups = None
        self._refresh()

    def set_groups(self, groups: Groups) -> None:
        """Takes the groups over that a selection may name."""
        self._groups = groups
        self._refresh()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.selection:
            self._whole = frozenset()
            self.list.scrollToTop()
        if change.selection or change.plan:
            self._refresh()

    def _refresh(self) -> None:
        document = self._document
        symbols = {} if document is None else document.symbols
        if document is None:
            self.list.set_rows(())
        elif document.selection.group is not None and self._groups is not None:
            self.list.set_rows(group_rows(document.staging, self._groups, document.selection.group, symbols))
        elif document.selection.node is not None:
            self.list.set_rows(
                inspector_rows.node_rows(document.staging, document.selection.node, self._whole, symbols)
            )
        elif document.selection.tensor is not None:
            self.list.set_rows(
                inspector_rows.tensor_rows(document.staging, document.selection.tensor, self._whole, symbols)
            )
        else:
            self.list.set_rows(
                inspector_rows.model_rows(document.path, document.graph, self._whole, symbols, document.part)
            )

    def _activate(self, target: object) -> None:
        document = self._document
        if document is None:
            return
        match target:
            case SelectTensor(tensor):
                document.select(Selection(tensor=tensor))
            case SelectNode(node):
                document.select(Selection(node=node))
            case ActivateCut(cut):
                document.set_active_cut(cut)
            case inspector_rows.ShowAll(section):
                self._whole |= {section}
                self._refresh()
