"""All nodes of the open model as a table that sorts and filters in arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.groups import places
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import tensor_size_text, type_text
from cutter_gui.gui.panels.ink import ink, mono_font
from cutter_gui.gui.panels.rows import AnyIndex, plain_tip

_NAME = 200
_NO_PARENT = QModelIndex()


class Column(IntEnum):
    """The columns."""

    NAME = 0
    OP = 1
    STAGE = 2
    OUTPUT = 3
    SHAPE = 4
    BYTES = 5


class NodesModel(QAbstractTableModel):
    """A row for each node, in the order of the graph until it is sorted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: Graph | None = None
        self._stage: Ints = np.zeros(0, np.int32)
        self._shown: Ints = np.zeros(0, np.int32)
        self._only: Ints | None = None
        self._symbols: dict[str, int] = {}
        self._rows: Ints = np.zeros(0, np.int32)
        self._sorted_by: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)
        self._titles = (
            self.tr("Name"),
            self.tr("Op"),
            self.tr("Stage"),
            self.tr("Output"),
            self.tr("Shape"),
            self.tr("Bytes"),
        )
        self._mono = mono_font(QFont())

    def set_graph(self, graph: Graph | None) -> None:
        """Shows the nodes of another graph."""
        self.beginResetModel()
        self._graph, self._only = graph, None
        count = 0 if graph is None else graph.node_count
        self._stage = np.full(count, -1, dtype=np.int32)
        self._arrange()
        self.endResetModel()

    def set_staging(self, staging: Staging | None) -> None:
        """Shows the stages of a plan."""
        if self._graph is None:
            return
        cut = staging is not None and bool(staging.plan.cuts)
        none = np.full(self._graph.node_count, -1, dtype=np.int32)
        self._stage = staging.node_stage if staging is not None and cut else none
        if self._sorted_by[0] == Column.STAGE:
            self.sort(*self._sorted_by)
        elif len(self._shown):
            self.dataChanged.emit(self.index(0, Column.STAGE), self.index(len(self._shown) - 1, Column.STAGE))

    def set_symbols(self, symbols: Mapping[str, int]) -> None:
        """Counts bytes with values of symbols."""
        if self._symbols == dict(symbols):
            return
        self._symbols = dict(symbols)
        if self._sorted_by[0] == Column.BYTES:
            self.sort(*self._sorted_by)
        elif len(self._shown):
            self.dataChanged.emit(self.index(0, Column.BYTES), self.index(len(self._shown) - 1, Column.BYTES))

    def show_only(self, nodes: Ints | None) -> None:
        """Shows some nodes, or all."""
        self.beginResetModel()
        self._only = nodes
        self._arrange()
        self.endResetModel()

    def node(self, row: int) -> int:
        """Returns the node of a row."""
        return int(self._shown[row])

    def row(self, node: int) -> int:
        """Returns the row of a node, -1 when it is not shown."""
        return int(self._rows[node]) if 0 <= node < len(self._rows) else -1

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        nodes = [self.node(index.row()) for index in kept]
        self._sorted_by = (column, order)
        self._arrange()
        moved = [self.index(self.row(node), index.column()) for node, index in zip(nodes, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        graph = self._graph
        if graph is None:
            self._shown = self._rows = np.zeros(0, np.int32)
            return
        shown = np.argsort(places(graph), kind="stable").astype(np.int32)
        column, order = self._sorted_by
        if column >= 0:
            key = self._key(graph, Column(column))
            descending = order == Qt.SortOrder.DescendingOrder
            shown = shown[np.argsort(-key[shown] if descending else key[shown], kind="stable")]
        if self._only is not None:
            chosen = np.zeros(graph.node_count, dtype=np.bool_)
            chosen[self._only] = True
            shown = shown[chosen[shown]]
        self._shown = shown
        self._rows = np.full(graph.node_count, -1, dtype=np.int32)
        self._rows[shown] = np.arange(len(shown), dtype=np.int32)

    def _key(self, graph: Graph, column: Column) -> np.ndarray:
        """Returns [N], numbers in the order of a column."""
        if column is Column.STAGE:
            return self._stage.astype(np.int64)
        if column is Column.BYTES:
            sizes = [graph.tensor_bytes(at, self._symbols) if at >= 0 else None for at in self._outputs(graph)]
            return np.array([-1 if size is None else size for size in sizes], dtype=np.int64)
        texts: dict[Column, Callable[[int], str]] = {
            Column.NAME: lambda node: graph.node_label(node).lower(),
            Column.OP: lambda node: graph.op(node).lower(),
            Column.OUTPUT: lambda node: self._output_text(node),
            Column.SHAPE: lambda node: self._cell(node, Column.SHAPE),
        }
        _, rank = np.unique(np.array([texts[column](node) for node in range(graph.node_count)]), return_inverse=True)
        return np.asarray(rank.reshape(-1), dtype=np.int64)

    @staticmethod
    def _outputs(graph: Graph) -> list[int]:
        """Returns the first output of each node, -1 for none."""
        return [next((at for at in graph.node_outputs.row(n).tolist() if at >= 0), -1) for n in range(graph.node_count)]

    def _output(self, node: int) -> int:
        assert self._graph is not None
        return next((at for at in self._graph.node_outputs.row(node).tolist() if at >= 0), -1)

    def _output_text(self, node: int) -> str:
        assert self._graph is not None
        outputs = [at for at in self._graph.node_outputs.row(node).tolist() if at >= 0]
        if not outputs:
            return ""
        name = one_line(self._graph.tensor_names[outputs[0]], _NAME)
        return f"{name} (+{len(outputs) - 1})" if len(outputs) > 1 else name

    def _cell(self, node: int, column: Column) -> str:
        graph = self._graph
        assert graph is not None
        if column is Column.NAME:
            return one_line(graph.node_label(node), _NAME)
        if column is Column.OP:
            return one_line(graph.op(node), _NAME)
        if column is Column.STAGE:
            return str(self._stage[node]) if self._stage[node] >= 0 else ""
        if column is Column.OUTPUT:
            return self._output_text(node)
        output = self._output(node)
        if output < 0:
            return ""
        return type_text(graph, output) if column is Column.SHAPE else tensor_size_text(graph, output, self._symbols)

    def rowCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: AnyIndex = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(Column(section))
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._graph is None:
            return None
        column = Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(self.node(index.row()), column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            text = self._cell(self.node(index.row()), column)
            return f"{self._titles[column]} {text}" if text else self.tr("no {}").format(self._titles[column])
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._cell(self.node(index.row()), column))
        if role == Qt.ItemDataRole.FontRole and column in (Column.NAME, Column.OUTPUT):
            return self._mono
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and column in (Column.SHAPE, Column.BYTES):
            return ink().muted
        return None


def _alignment(column: Column) -> Qt.AlignmentFlag:
    sides = {Column.STAGE: Qt.AlignmentFlag.AlignHCenter, Column.BYTES: Qt.AlignmentFlag.AlignRight}
    return sides.get(column, Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
