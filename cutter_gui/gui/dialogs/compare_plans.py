"""Two plans of one model side by side: their cuts, what crosses each boundary, and how even the stages are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.core.compare_plans import CutDifference, compare_plans
from cutter_gui.core.contents import StageContents, stage_contents
from cutter_gui.core.errors import one_line
from cutter_gui.core.stages import Staging
from cutter_gui.core.traffic import crossing_tensors
from cutter_gui.core.units import bytes_text
from cutter_gui.gui.page import page_label
from cutter_gui.gui.palette import stage_colour
from cutter_gui.gui.panels.sizes import nodes_text, total_text
from cutter_gui.gui.theme import palette_of, title_font

_SHARE = Qt.ItemDataRole.UserRole + 1  # of a cell: a stage, and its weights against the heaviest, 0 to 1
_TENSOR = Qt.ItemDataRole.UserRole + 2  # of a row: the tensor that it is about
_CUT = Qt.ItemDataRole.UserRole + 3  # of a row: the present plan's cut that it is about
_WHAT, _OTHER, _NOW, _DIFFERENCE = range(4)
_ROW = 30
_EDGES_SHOWN = 50
_NAME = 40


class _Bars(QStyledItemDelegate):
    """Draws a bar below the text of a cell that has a share."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(_SHARE)
        if share is None:
            return
        stage, part = share
        cell: Any = option
        track = QRectF(cell.rect).adjusted(6, cell.rect.height() - 6, -12, -3)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette_of(cell.palette).track))
        painter.drawRoundedRect(track, 1.5, 1.5)
        track.setWidth(max(3.0, track.width() * part))
        painter.setBrush(QColor(stage_colour(stage)))
        painter.drawRoundedRect(track, 1.5, 1.5)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> Any:
        size = super().sizeHint(option, index)
        size.setHeight(_ROW)
        return size


class ComparePlansDialog(QDialog):
    """Shows a plan beside the present one.

    Signals:
        tensor_wanted: A tensor that was chosen.
        cut_wanted: A cut of the present plan that was chosen.
    """

    tensor_wanted = Signal(int)
    cut_wanted = Signal(int)

    def __init__(
        self, parent: QWidget, other: Staging, name: str, present: Staging, symbols: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Compare plans"))
        self.resize(860, 560)
        self._other, self._present = other, present
        self._symbols = symbols or {}
        self.difference = compare_plans(other, present, self._symbols)
        self._contents = stage_contents(other), stage_contents(present)
        self.summary = page_label(self._summary(), bold=True)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(4)
        self.tree.setAccessibleName(self.windowTitle())
        self.tree.setHeaderLabels(["", one_line(name, _NAME), self.tr("Now"), self.tr("Difference")])
        self.tree.setItemDelegate(_Bars(self.tree))
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(16)
        header = self.tree.header()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._fill()
        self.tree.itemActivated.connect(self._choose)
        self.tree.itemClicked.connect(self._choose)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        layout.addWidget(self.summary)
        layout.addWidget(self.tree, 1)
        layout.addWidget(box)

    def _fill(self) -> None:
        cuts = self._section(self.tr("Cuts"))
        for cut in self.difference.cuts:
            self._add_cut(cuts, cut)
        if self.difference.other_transport:
            names = {"relay": self.tr("relay"), "direct": self.tr("direct")}
            texts = [names[staging.plan.transport] for staging in (self._other, self._present)]
            QTreeWidgetItem(self.tree, [self.tr("Transport"), *texts, self.tr("another")])
        sent = self._section(self.tr("Sent in all"))
        left, right = self.difference.left, self.difference.right
        for column, text in (
            (_OTHER, bytes_text(left.total_bytes)),
            (_NOW, bytes_text(right.total_bytes)),
            (_DIFFERENCE, self._more(self.difference.more_bytes, bytes_text(abs(self.difference.more_bytes)))),
        ):
            sent.setText(column, text)
        stages = self._section(self.tr("Stages"))
        for stage in range(max(len(contents) for contents in self._contents)):
            self._add_stage(stages, stage)
        self._add_balance(stages)
        self.tree.expandAll()

    def _section(self, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.tree, [title])
        item.setFont(_WHAT, title_font())
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        return item

    def _summary(self) -> str:
        if self.difference.is_same:
            return self.tr("Both plans are the same.")
        more = self.difference.more_bytes
        if more == 0:
            return self.tr("Both plans send as many bytes.")
        text = self.tr("The plan now sends {} more.") if more > 0 else self.tr("The plan now sends {} less.")
        return text.format(bytes_text(abs(more)))

    # --- cuts

    def _add_cut(self, parent: QTreeWidgetItem, cut: CutDifference) -> None:
        left, right = self._cut_text(self._other, cut.left), self._cut_text(self._present, cut.right)
        item = QTreeWidgetItem(parent, [self._cut_title(cut), left, right, self._cut_difference(cut)])
        item.setData(_WHAT, _CUT, cut.right)
        self._add_edges(item, cut.removed, _OTHER, "−")
        self._add_edges(item, cut.added, _NOW, "+")

    def _cut_title(self, cut: CutDifference) -> str:
        number = cut.right if cut.right is not None else cut.left
        return self.tr("Cut {}").format(number)

    def _cut_text(self, staging: Staging, cut: int | None) -> str:
        if cut is None:
            return "–"
        size = total_text(staging.graph, crossing_tensors(staging, cut), self._symbols)
        name = one_line(staging.plan.cuts[cut].name or "", _NAME)
        return f"{name} · {size}" if name else size

    def _cut_difference(self, cut: CutDifference) -> str:
        if cut.is_same:
            return self.tr("the same")
        if cut.left is None:
            return self.tr("new")
        if cut.right is None:
            return self.tr("gone")
        moved = self.tr("1 node moved") if len(cut.moved) == 1 else self.tr("{} nodes moved").format(len(cut.moved))
        return self.tr("+{0} −{1} edges, {2}").format(len(cut.added), len(cut.removed), moved)

    def _add_edges(self, parent: QTreeWidgetItem, edges: tuple[int, ...], column: int, sign: str) -> None:
        """Lists edges that only one of the plans cuts, in its column."""
        graph = self._present.graph
        for edge in edges[:_EDGES_SHOWN]:
            tensor, consumer = int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])
            item = QTreeWidgetItem(parent)
            item.setText(column, f"{sign} {one_line(graph.tensor_names[tensor], _NAME)}")
            item.setText(_DIFFERENCE, self.tr("to {}").format(one_line(graph.node_label(consumer), _NAME)))
            item.setData(_WHAT, _TENSOR, tensor)
        if len(edges) > _EDGES_SHOWN:
            item = QTreeWidgetItem(parent)
            item.setText(column, self.tr("… {} more").format(len(edges) - _EDGES_SHOWN))

    # --- stages

    def _add_stage(self, parent: QTreeWidgetItem, stage: int) -> None:
        heaviest = max((held.weight_bytes for contents in self._contents for held in contents), default=0) or 1
        item = QTreeWidgetItem(parent, [self.tr("Stage {}").format(stage)])
        both = [contents[stage] if stage < len(contents) else None for contents in self._contents]
        for column, held in ((_OTHER, both[0]), (_NOW, both[1])):
            if held is None:
                item.setText(column, "–")
                continue
            item.setText(column, f"{nodes_text(len(held.nodes))} · {bytes_text(held.weight_bytes)}")
            item.setData(column, _SHARE, (stage, held.weight_bytes / heaviest))
        item.setText(_DIFFERENCE, self._stage_difference(*both))

    def _stage_difference(self, left: StageContents | None, right: StageContents | None) -> str:
        if left is None or right is None:
            return self.tr("new") if left is None else self.tr("gone")
        nodes = len(right.nodes) - len(left.nodes)
        weights = right.weight_bytes - left.weight_bytes
        if not nodes and not weights:
            return self.tr("the same")
        parts = (self._more(nodes, nodes_text(abs(nodes))), self._more(weights, bytes_text(abs(weights))))
        return " · ".join(part for part, by in zip(parts, (nodes, weights), strict=True) if by)

    def _add_balance(self, parent: QTreeWidgetItem) -> None:
        """Says how much more the heaviest stage weighs than the mean."""
        item = QTreeWidgetItem(parent, [self.tr("Heaviest to mean")])
        font = QFont(item.font(_WHAT))
        font.setItalic(True)
        item.setFont(_WHAT, font)
        for column, contents in ((_OTHER, self._contents[0]), (_NOW, self._contents[1])):
            weights = [held.weight_bytes for held in contents]
            if sum(weights):
                item.setText(column, f"{max(weights) * len(weights) / sum(weights):.2f} ×")

    def _more(self, by: int, text: str) -> str:
        return f"{'+' if by > 0 else '−'}{text}" if by else self.tr("the same")

    def _choose(self, item: QTreeWidgetItem, _column: int) -> None:
        tensor, cut = item.data(_WHAT, _TENSOR), item.data(_WHAT, _CUT)
        if tensor is not None:
            self.tensor_wanted.emit(int(tensor))
        elif cut is not None:
            self.cut_wanted.emit(int(cut))
