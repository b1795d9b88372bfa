"""Two plans of one model side by side: their cuts, what crosses each boundary, and how even the stages are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cutter_gui.core.compare_plans import CutDifference, compare_plans
from cutter_gui.core.errors import one_line
from cutter_gui.core.stages import Staging
from cutter_gui.core.traffic import crossing_tensors
from cutter_gui.core.units import bytes_text
from cutter_gui.gui.page import page_label
from cutter_gui.gui.panels.sizes import total_text

Line = tuple[str, str, str, str]


class ComparePlansDialog(QDialog):
    """Shows a plan beside the present one."""

    def __init__(self, parent: QWidget, other: Staging, name: str, present: Staging) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Compare plans"))
        self.resize(720, 420)
        self._other, self._present = other, present
        self.difference = compare_plans(other, present)
        lines = [*self._cut_lines(), *self._stage_lines(), self._total_line()]
        self.summary = page_label(self._summary(), bold=True)
        self.table = QTableWidget(len(lines), 4)
        self.table.setAccessibleName(self.windowTitle())
        self.table.setHorizontalHeaderLabels(["", one_line(name), self.tr("Now"), self.tr("Difference")])
        self.table.verticalHeader().setVisible(False)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for at, line in enumerate(lines):
            for column, text in enumerate(line):
                self.table.setItem(at, column, QTableWidgetItem(text))
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        layout.addWidget(box)

    def _summary(self) -> str:
        more = self.difference.more_bytes
        if self.difference.is_same:
            return self.tr("Both plans are the same.")
        if more == 0:
            return self.tr("Both plans send as many bytes.")
        text = self.tr("The plan now sends {} more.") if more > 0 else self.tr("The plan now sends {} less.")
        return text.format(bytes_text(abs(more)))

    def _cut_lines(self) -> list[Line]:
        return [
            (
                self.tr("Cut"),
                self._cut_text(self._other, cut.left),
                self._cut_text(self._present, cut.right),
                self._cut_difference(cut),
            )
            for cut in self.difference.cuts
        ]

    def _cut_text(self, staging: Staging, cut: int | None) -> str:
        if cut is None:
            return "–"
        sent = crossing_tensors(staging, cut)
        name = one_line(staging.plan.cuts[cut].name or str(cut), 40)
        return f"{name} · {total_text(staging.graph, sent)}"

    def _cut_difference(self, cut: CutDifference) -> str:
        if cut.is_same:
            return self.tr("the same")
        if cut.left is None:
            return self.tr("new")
        if cut.right is None:
            return self.tr("gone")
        moved = self.tr("1 node moved") if len(cut.moved) == 1 else self.tr("{} nodes moved").format(len(cut.moved))
        return self.tr("+{0} −{1} edges, {2}").format(len(cut.added), len(cut.removed), moved)

    def _stage_lines(self) -> list[Line]:
        left, right = self.difference.left, self.difference.right
        lines = []
        for stage in range(max(len(left.nodes), len(right.nodes))):
            texts = [
                self.tr("{0} nodes · {1}").format(side.nodes[stage], bytes_text(side.weight_bytes[stage]))
                if stage < len(side.nodes)
                else "–"
                for side in (left, right)
            ]
            same = self.tr("the same") if texts[0] == texts[1] else ""
            lines.append((self.tr("Stage {}").format(stage), texts[0], texts[1], same))
        return lines

    def _total_line(self) -> Line:
        left, right = self.difference.left.total_bytes, self.difference.right.total_bytes
        more = self.difference.more_bytes
        sign = "+" if more > 0 else "−" if more < 0 else ""
        return (
            self.tr("Sent in all"),
            bytes_text(left),
            bytes_text(right),
            f"{sign}{bytes_text(abs(more))}" if more else self.tr("the same"),
        )
