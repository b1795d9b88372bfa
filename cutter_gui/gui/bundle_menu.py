"""The tensors that run in one wire between folded groups, to choose from; ticked ones are in the active cut."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from cutter_gui.core import edits
from cutter_gui.core.errors import one_line
from cutter_gui.core.units import type_text
from cutter_gui.gui.document import Document
from cutter_gui.gui.panels.sizes import size_text
from cutter_gui.gui.selection import Selection

_SHOWN = 24
_NAME = 48


class BundleMenu(QMenu):
    """A menu of tensors; choosing one selects it and does what a click on its edge does."""

    def __init__(self, document: Document, tensors: list[int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        graph = document.graph
        self.tensor_actions: dict[int, QAction] = {}
        for tensor in tensors[:_SHOWN]:
            name = one_line(graph.tensor_names[tensor], _NAME).replace("&", "&&")
            text = f"{name}\t{type_text(graph, tensor)} · {size_text(graph, tensor, document.symbols)}"
            action = self.addAction(text)
            action.setCheckable(True)
            action.setChecked(self._is_cut(tensor))
            action.triggered.connect(lambda _checked=False, chosen=tensor: self._choose(chosen))
            self.tensor_actions[tensor] = action
        self.addSeparator()
        if all(self._is_cut(tensor) for tensor in tensors):
            every = self.tr("Take all {} tensors out of the cut")
        else:
            every = self.tr("Cut all {} tensors")
        self.all_action = self.addAction(every.format(len(tensors)))
        self.all_action.triggered.connect(lambda: document.toggle_tensors(tensors))

    def _is_cut(self, tensor: int) -> bool:
        document = self._document
        cut = document.active_cut
        return cut is not None and edits.is_listed(document.plan, cut, document.graph.tensor_names[tensor])

    def _choose(self, tensor: int) -> None:
        self._document.select(Selection(tensor=tensor))
        self._document.toggle_tensor(tensor)
