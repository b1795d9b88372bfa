"""The consumers of a tensor as a check list at the pointer: ticked ones are in the active cut."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.units import type_text
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.rows import Check, Chip, Gap, Part, Row, Span, Tone, name_span
from cutter_gui.gui.panels.sizes import size_text

_WIDTH = 380
_ROWS = 12
_ROW = 26


@dataclass(frozen=True)
class ToggleConsumer:
    node: int


@dataclass(frozen=True)
class ToggleAll:
    """All edges of the tensor."""


class ConsumersPopover(QFrame):
    """Stays open while consumers are ticked; Escape or a click elsewhere closes it."""

    def __init__(self, document: Document, tensor: int, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(self.tr("Consumers"))
        self.tensor = tensor
        self._document = document
        self.list = RowList(marks_current=True)
        self.list.setAccessibleName(self.tr("Consumers"))
        self.list.activated_target.connect(self._toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 4, 1, 4)
        layout.addWidget(self.list)
        document.changed.connect(self._refresh)
        self._fill()
        rows = len(self.list.rows_model.rows)
        self.resize(_WIDTH, min(rows, _ROWS) * _ROW + 16)
        self.list.setFocus()
        self.list.setCurrentIndex(self.list.rows_model.index(1))

    def show_at(self, point: QPoint) -> None:
        """Opens at a point of the screen, whole on it."""
        area = self.screen().availableGeometry()
        x = min(point.x(), area.right() - self.width())
        y = min(point.y(), area.bottom() - self.height())
        self.move(max(area.left(), x), max(area.top(), y))
        self.show()

    def _refresh(self, change: Change) -> None:
        if change.plan or change.active_cut:
            self._fill()

    def _fill(self) -> None:
        document, graph, tensor = self._document, self._document.graph, self.tensor
        cut, listings = document.active_cut, document.staging.listings
        edges = listings.edge[listings.cut == (-1 if cut is None else cut)]
        inside = set(graph.edge_consumer[edges[graph.edge_tensor[edges] == tensor]].tolist())
        consumers = graph.consumers(tensor).tolist()
        into = self.tr("a new cut") if cut is None else self.tr("cut {}").format(cut)
        every: tuple[Part, ...] = (
            Check(bool(consumers) and inside.issuperset(consumers), ToggleAll()),
            Span(self.tr("All consumers in {}").format(into), bold=True),
        )
        size = f"{type_text(graph, tensor)} · {size_text(graph, tensor, document.symbols)}"
        rows = [
            Row("head", (name_span(graph.tensor_names[tensor], bold=True), Gap(), Span(size, Tone.MUTED))),
            Row("all", every, target=ToggleAll()),
        ]
        rows += [self._row(node, node in inside) for node in consumers]
        self.list.set_rows(rows)

    def _row(self, node: int, is_in: bool) -> Row:
        graph, staging = self._document.graph, self._document.staging
        label = one_line(graph.node_label(node))
        parts: tuple[Part, ...] = (
            Check(is_in, ToggleConsumer(node)),
            Span(graph.op(node), bold=True),
            Span(label, Tone.MUTED, elastic=True, tip=label),
            Gap(),
        )
        outputs = [tensor for tensor in graph.node_outputs.row(node).tolist() if tensor >= 0]
        if outputs:
            parts = (*parts, Span(type_text(graph, outputs[0]), Tone.MUTED))
        if staging.plan.cuts and staging.node_stage[node] >= 0:
            parts = (*parts, Chip(int(staging.node_stage[node])))
        return Row(("consumer", node), parts, target=ToggleConsumer(node))

    def _toggle(self, target: object) -> None:
        match target:
            case ToggleConsumer(node):
                self._document.toggle_consumer(self.tensor, node)
            case ToggleAll():
                self._document.toggle_consumers(self.tensor, self._document.graph.consumers(self.tensor).tolist())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)
