"""Going places: to producers and consumers, inputs and outputs, and back and forward through where one has been."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.selection import NOTHING, Selection

_KEPT = 200


class Places(QObject):
    """Where one has been in the open model, and where one can go from what is selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._been: list[Selection] = []
        self._at = -1
        self._moving = False
        self._siblings: tuple[int, ...] = ()

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._been, self._at, self._siblings = [], -1, ()

    def refresh(self, change: Change) -> None:
        """Remembers what is selected."""
        document = self._document
        if not change.selection or document is None:
            return
        if document.selection.node not in self._siblings:
            self._siblings = ()
        if self._moving or not document.selection:
            return
        del self._been[self._at + 1 :]
        if not self._been or self._been[-1] != document.selection:
            self._been.append(document.selection)
        del self._been[:-_KEPT]
        self._at = len(self._been) - 1

    def can_move(self, by: int) -> bool:
        """Whether one has been somewhere before (-1) or after (1) the place one is at."""
        return 0 <= self._at + by < len(self._been)

    def move(self, by: int) -> None:
        """Goes back (-1) or forward (1)."""
        if self._document is None or not self.can_move(by):
            return
        self._at += by
        self._moving = True
        try:
            self._document.select(self._been[self._at])
        finally:
            self._moving = False

    def producer(self) -> Selection:
        """Returns what makes the selected tensor, or the first input of the selected node; nothing where none does."""
        document = self._document
        if document is None:
            return NOTHING
        graph, selection = document.graph, document.selection
        tensor = selection.tensor
        if tensor is None and selection.node is not None:
            inputs = [t for t in graph.node_inputs.row(selection.node).tolist() if t >= 0]
            live = [t for t in inputs if not graph.is_constant_tensor(t)]
            tensor = next(iter(live or inputs), None)
        if tensor is None:
            return NOTHING
        producer = int(graph.tensor_producer[tensor])
        return Selection(node=producer) if producer >= 0 else Selection(tensor=tensor)

    def consumer(self, by: int) -> Selection:
        """Returns a consumer of the selected tensor, or of the node's outputs.

        Going on from a consumer that was reached so goes to the next (1) or previous (-1) consumer of the same.
        """
        document = self._document
        if document is None:
            return NOTHING
        selection = document.selection
        if selection.node in self._siblings:
            at = self._siblings.index(selection.node) + by
            return Selection(node=self._siblings[at % len(self._siblings)])
        readers = self._readers(document, selection)
        if not readers:
            return NOTHING
        self._siblings = readers
        return Selection(node=readers[0 if by > 0 else -1])

    def end(self, tensors: list[int]) -> Selection:
        """Returns the first of some tensors, or the one after the selected one."""
        if self._document is None or not tensors:
            return NOTHING
        tensor = self._document.selection.tensor
        return Selection(
            tensor=tensors[(tensors.index(tensor) + 1) % len(tensors)] if tensor in tensors else tensors[0]
        )

    @staticmethod
    def _readers(document: Document, selection: Selection) -> tuple[int, ...]:
        graph = document.graph
        tensors = [] if selection.tensor is None else [selection.tensor]
        if selection.node is not None:
            tensors = [tensor for tensor in graph.node_outputs.row(selection.node).tolist() if tensor >= 0]
        return tuple(sorted({reader for tensor in tensors for reader in graph.consumers(tensor).tolist()}))
