"""Finding one's way in a graph with the keyboard alone, line by line of what can be found and where one can go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.panels.nodes_model import Column
from cutter_gui.gui.selection import Selection

Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Two blocks of ops with attributes, dtypes and shapes of several kinds."""
    weight = numpy_helper.from_array(np.ones((3, 3, 1, 1), np.float32), "stem.weight")
    nodes = [
        helper.make_node("Conv", ["image", "stem.weight"], ["stem"], name="stem/conv", strides=[2, 2]),
        helper.make_node("Relu", ["stem"], ["act"], name="stem/relu"),
        helper.make_node("Conv", ["act", "stem.weight"], ["deep"], name="body/conv", strides=[1, 1]),
        helper.make_node("Cast", ["deep"], ["half"], name="body/cast", to=TensorProto.FLOAT16),
        helper.make_node("Relu", ["half"], ["out"], name="body/relu"),
    ]
    graph = helper.make_graph(
        nodes,
        "mixed",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT16, [1, 3, 4, 4])],
        [weight],
    )
    path = tmp_path / "mixed.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def win(open_model, mixed: Path):
    return open_model(mixed)


def node(window, output: str) -> int:
    graph = window.document.graph
    return int(graph.tensor_producer[graph.tensor_index[output]])


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("stem/", ["stem", "act"]),
        ("op:relu", ["act", "out"]),
        ("tensor:deep", ["deep"]),
        ("dtype:float16", ["half", "out"]),
        ("shape:1x3x4x4", ["stem", "act", "deep", "half", "out"]),
        ("attr:strides=2", ["stem"]),
        ("/conv$/", ["stem", "deep"]),
        ("op:conv body", ["deep"]),
    ],
)
def test_each_kind_of_thing_is_found_as_it_is_typed_and_gone_through_by_key(win, hand, qtbot, typed, found) -> None:
    hand.press("Ctrl+F")
    field = win.workspace.search.field
    qtbot.keyClicks(field, typed)
    graph = win.document.graph
    seen = []
    for _ in found:
        hand.key(field, Key.Key_Return)
        selection = win.document.selection
        at = selection.node if selection.node is not None else graph.tensor_producer[selection.tensor]
        seen.append(graph.consumer_name(int(at)))
    assert seen == found
    assert field.count_text == f"{len(found)} / {len(found)}"
    hand.key(field, Key.Key_Return, SHIFT)
    assert field.count_text == f"{max(len(found) - 1, 1)} / {len(found)}"


def test_the_way_through_a_graph_with_arrows_tab_and_enter(opened, hand) -> None:
    graph, canvas = opened.document.graph, opened.workspace.canvas
    canvas.setFocus()
    opened.document.select(Selection(tensor=graph.tensor_index["x"]))
    hand.key(canvas, Key.Key_Down)
    assert opened.document.selection.node == node(opened, "10a")
    hand.key(canvas, Key.Key_Down)
    hand.key(canvas, Key.Key_Down)
    assert opened.document.selection.node == node(opened, "10")
    hand.key(canvas, Key.Key_Up)
    hand.key(canvas, Key.Key_Right)
    assert opened.document.selection.tensor == graph.tensor_index["mask"]
    seen = []
    for _ in range(3):
        hand.key(canvas, Key.Key_Tab)
        seen.append(canvas.place.consumer)
    assert sorted(seen) == graph.consumers(graph.tensor_index["mask"]).tolist()
    hand.key(canvas, Key.Key_Return)
    assert opened.workspace.inspector.list.hasFocus()


def test_names_of_nodes_and_tensors_are_copied(win, hand) -> None:
    win.document.select(Selection(node=node(win, "half")))
    hand.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == "body/cast"
    win.document.select(Selection(tensor=win.document.graph.tensor_index["deep"]))
    hand.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == "deep"


def test_f6_goes_from_panel_to_panel_and_around(win, hand) -> None:
    space = win.workspace
    places = {"canvas": space.stack} | {name: widget for name, widget in space.panels() if widget.isVisible()}

    def where() -> str:
        focus = win.focusWidget()
        return next(name for name, place in places.items() if place is focus or place.isAncestorOf(focus))

    space.canvas.setFocus()
    seen = []
    for _ in range(len(places) + 1):
        seen.append(where())
        hand.press("F6")
    assert seen[0] == seen[-1] == "canvas"
    assert set(seen) == set(places)
    space.canvas.setFocus()
    hand.press("F6")
    hand.press("Shift+F6")
    assert where() == "canvas"


def test_the_table_is_reached_sorted_and_walked_through_by_key(win, hand) -> None:
    hand.press("Ctrl+T")
    table = win.workspace.nodes.table
    for _ in range(8):
        if table.hasFocus():
            break
        hand.press("F6")
    assert table.hasFocus()

    def column(which: Column) -> list[str]:
        return [table.model().index(row, which).data() for row in range(table.model().rowCount())]

    hand.key(table, Key.Key_2)
    assert column(Column.OP) == ["Cast", "Conv", "Conv", "Relu", "Relu"]
    hand.key(table, Key.Key_2)
    assert column(Column.OP) == ["Relu", "Relu", "Conv", "Conv", "Cast"]
    for _ in range(5):
        hand.key(table, Key.Key_Down)
    assert win.document.selection == Selection(node=node(win, "half"))
    assert win.workspace.canvas.selection == win.document.selection
    hand.key(table, Key.Key_Up)
    assert win.document.graph.op(win.document.selection.node) == "Conv"


def test_a_search_filters_the_tree_of_groups_too(win, hand, qtbot, rows_text) -> None:
    rows = win.workspace.groups.list
    before = rows_text(rows)
    assert any("stem" in text for text in before)
    hand.press("Ctrl+F")
    field = win.workspace.search.field
    qtbot.keyClicks(field, "op:Cast")
    shown = rows_text(rows)
    assert any("body" in text for text in shown)
    assert not any("stem" in text for text in shown)
    hand.key(field, Key.Key_Escape)
    assert rows_text(rows) == before
