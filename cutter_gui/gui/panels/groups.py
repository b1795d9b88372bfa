"""The Groups panel: the hierarchy of the graph's nodes, in step with the selection."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cutter_gui.core.groups import Groups
from cutter_gui.core.search import Hits
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.groups_rows import ExpandGroup, ExpandRun, GroupTree, Order, SelectGroup, group_rows
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.selection import Selection

OPENED_BY_SEARCH = 300  # groups up to which all with hits are opened


class GroupList(RowList):
    """The rows; the right and left arrow show and hide what is in a group.

    Signals:
        opened: A group, by its row's key, whose rows are to be shown.
        closed: A row's key, whose rows are to be hidden, or that of the group around it to be gone to.
        fold_wanted: A group that was double clicked.
    """

    opened = Signal(object)
    closed = Signal(object)
    fold_wanted = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.NoModifier and self.current_key is not None:
            if event.key() == Qt.Key.Key_Right:
                self.opened.emit(self.current_key)
                return
            if event.key() == Qt.Key.Key_Left:
                self.closed.emit(self.current_key)
                return
        super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self.part_at(event.position().toPoint())
        target = None if hit is None else self.rows_model.rows[hit[0]].target
        if hit is not None and hit[1] < 0 and isinstance(target, SelectGroup):
            self.fold_wanted.emit(target.group)
        else:
            self.mousePressEvent(event)


class GroupsPanel(Panel):
    """Shows the groups.

    Signals:
        fold_wanted: A group to fold or unfold on the canvas.
    """

    fold_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Groups"))
        self._document: Document | None = None
        self._groups: Groups | None = None
        self._expanded: frozenset[int] = frozenset()
        self._spread: frozenset[int] = frozenset()
        self._order = Order.GRAPH
        self._only: frozenset[int] | None = None
        self.list = GroupList(marks_current=True)
        self.list.setAccessibleName(self.tr("Groups"))
        self.list.setObjectName("groups")
        self.list.activated_target.connect(self._activate)
        self.list.opened.connect(self._open)
        self.list.closed.connect(self._close)
        self.list.fold_wanted.connect(self.fold_wanted)
        self.body.addWidget(self.list, 1)
        self.sort_actions: dict[Order, QAction] = {}
        self.header.addWidget(self._sort_button())

    def _sort_button(self) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setText(self.tr("Sort"))
        button.setAccessibleName(self.tr("Sort groups"))
        button.setToolTip(self.tr("How groups are sorted"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(button)
        only_one = QActionGroup(menu)
        texts = {
            Order.GRAPH: self.tr("As in the graph"),
            Order.NAME: self.tr("By name"),
            Order.NODES: self.tr("By number of nodes"),
            Order.WEIGHTS: self.tr("By bytes of weights"),
        }
        for order, text in texts.items():
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(order is self._order)
            only_one.addAction(action)
            action.triggered.connect(lambda _checked=False, chosen=order: self.sort_by(chosen))
            self.sort_actions[order] = action
        button.clicked.connect(lambda: menu.popup(button.mapToGlobal(button.rect().bottomLeft())))
        return button

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self.set_groups(None)

    def set_groups(self, groups: Groups | None) -> None:
        """Shows other groups; a single outermost one is open."""
        self._groups = groups
        self._only = None
        self._spread = frozenset()
        roots = [] if groups is None else groups.children(-1)
        self._expanded = frozenset(roots if len(roots) == 1 else ())
        self._refresh()

    def sort_by(self, order: Order) -> None:
        self._order = order
        self.sort_actions[order].setChecked(True)
        self._refresh()

    def show_found(self, hits: Hits, searching: bool) -> None:
        """Shows only groups with something in them that a search found, while there is one."""
        if self._groups is None or self._document is None:
            return
        only: set[int] = set()
        if searching:
            makers = self._document.graph.tensor_producer[hits.tensors]
            nodes = np.concatenate([hits.nodes, makers[makers >= 0]])
            for group in np.unique(self._groups.node_group[nodes]).tolist():
                only.update(self._groups.ancestors(group))
        self._only = frozenset(only) if searching else None
        self._refresh()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.selection:
            self._show_selected()
        elif change.plan:
            self._refresh()

    def selected_group(self) -> int:
        """Returns the group that is selected, or that the selected node or the producer of the tensor is in; or -1."""
        if self._document is None or self._groups is None:
            return -1
        selection, graph = self._document.selection, self._document.graph
        if selection.group is not None:
            return selection.group
        node = selection.node
        if node is None and selection.tensor is not None:
            node = int(graph.tensor_producer[selection.tensor])
        return -1 if node is None or node < 0 else int(self._groups.node_group[node])

    def _show_selected(self) -> None:
        group = self.selected_group()
        if group >= 0 and self._groups is not None:
            self._expanded |= frozenset(self._groups.ancestors(group)[1:])
        self._refresh()
        at = self.list.rows_model.position(("group", group))
        if at is None:
            self.list.clearSelection()
            return
        index = self.list.rows_model.index(at)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)

    def _refresh(self) -> None:
        groups, document = self._groups, self._document
        if groups is None or document is None or not len(groups):
            self.list.set_rows(())
            return
        stages = document.staging.node_stage if document.plan.cuts else np.full(document.graph.node_count, -1, np.int32)
        low, high = groups.spans(stages)
        current = self.selected_group()
        expanded = self._expanded
        if self._only is not None and len(self._only) <= OPENED_BY_SEARCH:
            expanded |= self._only
        tree = GroupTree(groups, low, high, expanded, self._spread, current, self._order, self._only)
        self.list.set_rows(group_rows(tree))

    def _activate(self, target: object) -> None:
        match target:
            case SelectGroup(group) if self._document is not None:
                self._document.select(Selection(group=group))
            case ExpandGroup(group):
                self._expanded ^= {group}
                self._refresh()
            case ExpandRun(first, last):
                self._spread_run(first, last)

    def _spread_run(self, first: int, last: int) -> None:
        if self._groups is None:
            return
        siblings = self._groups.children(int(self._groups.parent[first]))
        self._spread |= frozenset(siblings[siblings.index(first) : siblings.index(last) + 1])
        self._refresh()
        self._go_to(("group", first))

    def _open(self, key: Hashable) -> None:
        row = self._row_of(key)
        if isinstance(row, ExpandRun):
            self._spread_run(row.first, row.last)
        elif isinstance(row, SelectGroup) and self._groups is not None and self._groups.children(row.group):
            if row.group in self._expanded:
                self._go_to(("group", self._groups.children(row.group)[0]))
            self._expanded |= {row.group}
            self._refresh()

    def _close(self, key: Hashable) -> None:
        row = self._row_of(key)
        group = row.group if isinstance(row, SelectGroup) else row.first if isinstance(row, ExpandRun) else -1
        if group < 0 or self._groups is None:
            return
        if group in self._expanded:
            self._expanded -= {group}
            self._refresh()
        else:
            self._go_to(("group", int(self._groups.parent[group])))

    def _row_of(self, key: Hashable) -> Hashable:
        at = self.list.rows_model.position(key)
        return None if at is None else self.list.rows_model.rows[at].target

    def _go_to(self, key: Hashable) -> None:
        at = self.list.rows_model.position(key)
        if at is not None:
            self.list.setCurrentIndex(self.list.rows_model.index(at))
