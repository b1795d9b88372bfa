"""The table of nodes in the real window: sorted, filtered, in step with the canvas, readable aloud."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from cutter_gui.gui.panels.nodes_model import Column
from cutter_gui.gui.selection import Selection

Role = Qt.ItemDataRole


@pytest.fixture
def table(opened, hand):
    """The table, shown by its shortcut."""
    hand.press("Ctrl+T")
    assert opened.workspace.nodes.isVisible()
    return opened.workspace.nodes.table


def column(table, which: Column) -> list[str]:
    model = table.model()
    return [model.index(row, which).data() for row in range(model.rowCount())]


def node(window, output: str) -> int:
    graph = window.document.graph
    return int(graph.tensor_producer[graph.tensor_index[output]])


def test_it_takes_the_place_of_the_stages_and_gives_it_back(opened, hand, table):
    assert opened.workspace.stages.isHidden()
    hand.press("Ctrl+T")
    assert opened.workspace.nodes.isHidden()
    opened.workspace.show_panel("stages")
    assert not opened.workspace.stages.isHidden()
    assert opened.workspace.nodes.isHidden()


def test_there_is_a_row_for_each_node_in_the_order_of_the_graph(opened, table):
    assert column(table, Column.OP) == ["Sigmoid", "MatMul", "Add", "MatMul", "Add", "MatMul", "Add"]
    assert column(table, Column.OUTPUT) == ["mask", "10a", "10", "20a", "20", "30a", "out"]
    assert column(table, Column.SHAPE)[2] == "2×4 f32"
    assert column(table, Column.BYTES)[2] == "32 B"
    assert column(table, Column.STAGE) == [""] * 7


def test_it_is_sorted_by_a_click_on_a_title_and_back(opened, table, qtbot):
    header = table.horizontalHeader()

    def click(which: Column) -> None:
        x = header.sectionViewportPosition(which) + header.sectionSize(which) // 2
        qtbot.mouseClick(
            header.viewport(), Qt.MouseButton.LeftButton, pos=header.viewport().rect().center().__class__(x, 8)
        )

    click(Column.OP)
    assert column(table, Column.OP) == ["Add"] * 3 + ["MatMul"] * 3 + ["Sigmoid"]
    click(Column.OP)
    assert column(table, Column.OP) == ["Sigmoid"] + ["MatMul"] * 3 + ["Add"] * 3


@pytest.mark.parametrize("which", list(Column))
def test_every_column_sorts_and_loses_no_row(opened, table, which):
    before = sorted(column(table, Column.OUTPUT))
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        table.sortByColumn(which, order)
        assert sorted(column(table, Column.OUTPUT)) == before


def test_the_current_row_selects_its_node_and_the_selection_is_the_current_row(opened, hand, table):
    table.setFocus()
    table.selectRow(2)
    assert opened.document.selection == Selection(node=node(opened, "10"))
    hand.key(table, Qt.Key.Key_Down)
    assert opened.document.selection == Selection(node=node(opened, "20a"))
    assert opened.workspace.canvas.selection == opened.document.selection
    opened.document.select(Selection(node=node(opened, "out")))
    assert table.currentIndex().row() == 6
    opened.document.select(Selection())
    assert not table.currentIndex().isValid()


def test_after_sorting_the_selected_node_is_still_the_current_row(opened, table):
    opened.document.select(Selection(node=node(opened, "20")))
    table.sortByColumn(Column.OUTPUT, Qt.SortOrder.DescendingOrder)
    assert table.model().index(table.currentIndex().row(), Column.OUTPUT).data() == "20"


def test_a_search_filters_it_and_its_end_brings_all_back(opened, hand, qtbot, table):
    hand.press("Ctrl+F")
    qtbot.keyClicks(opened.workspace.search.field, "op:Add")
    assert column(table, Column.OUTPUT) == ["10", "20", "out"]
    assert opened.workspace.nodes.count.text() == "3"
    hand.key(opened.workspace.search.field, Qt.Key.Key_Escape)
    assert table.model().rowCount() == 7


def test_it_shows_the_stages_of_the_plan(opened, hand, table):
    hand.click_edge("10", "20a")
    graph = opened.document.graph
    later = [node(opened, name) for name in ("20", "out")]
    opened.document.toggle_consumers(graph.tensor_index["mask"], later)
    assert column(table, Column.STAGE) == ["0", "0", "0", "1", "1", "1", "1"]
    table.sortByColumn(Column.STAGE, Qt.SortOrder.DescendingOrder)
    assert column(table, Column.STAGE) == ["1"] * 4 + ["0"] * 3
    opened.document.undo_stack.setClean()


def test_cells_say_what_they_are_to_a_screen_reader(opened, table):
    model = table.model()
    spoken = [model.index(1, which).data(Role.AccessibleTextRole) for which in Column]
    assert spoken == ["Name block1/product", "Op MatMul", "no Stage", "Output 10a", "Shape 2×4 f32", "Bytes 32 B"]
    assert table.accessibleName() == "Nodes"
