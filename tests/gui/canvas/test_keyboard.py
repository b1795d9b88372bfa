"""The canvas by keyboard alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from cutter_gui.gui.selection import NOTHING, Selection

Key = Qt.Key


@pytest.fixture
def press(qtbot, shown):
    def send(*keys: Qt.Key) -> None:
        for key in keys:
            qtbot.keyClick(shown.canvas, key)

    return send


def test_tab_goes_from_node_to_node_and_back(shown, press) -> None:
    press(Key.Key_Tab)
    first = shown.canvas.selection.node
    press(Key.Key_Tab)
    assert shown.canvas.selection.node not in (None, first)
    press(Key.Key_Backtab)
    assert shown.canvas.selection.node == first


def test_tab_reaches_every_node(shown, press) -> None:
    seen = set()
    for _ in range(shown.graph.node_count):
        press(Key.Key_Tab)
        seen.add(shown.canvas.selection.node)
    assert seen == set(range(shown.graph.node_count))


def test_with_a_tensor_selected_tab_cycles_its_consumers_and_space_toggles_the_one_at_hand(shown, press) -> None:
    tensor = shown.tensor("x0")
    shown.canvas.select(Selection(tensor=tensor))
    toggled = []
    for _ in range(4):
        press(Key.Key_Tab, Key.Key_Space)
        toggled.append(shown.consumers[-1])
    assert {node for _, node in toggled[:3]} == set(shown.graph.consumers(tensor).tolist())
    assert toggled[3] == toggled[0]
    assert shown.canvas.selection == Selection(tensor=tensor)


def test_space_on_a_selected_tensor_is_a_click_on_it(shown, press) -> None:
    shown.canvas.select(Selection(tensor=shown.tensor("x0")))
    press(Key.Key_Space)
    assert shown.tensors == [shown.tensor("x0")]


def test_space_on_a_hub_cuts_it_too(shown, press) -> None:
    shown.canvas.select(Selection(tensor=shown.tensor("m")))
    press(Key.Key_Space, Key.Key_Tab, Key.Key_Space)
    assert shown.tensors == [shown.tensor("m")]
    assert shown.consumers == [(shown.tensor("m"), shown.node("a0"))]


def test_space_on_a_node_or_a_tensor_nobody_reads_does_nothing(shown, press) -> None:
    for selection in (Selection(node=0), Selection(tensor=shown.tensor("x5")), NOTHING):
        shown.canvas.select(selection)
        press(Key.Key_Space)
    assert shown.tensors == shown.consumers == []


def test_down_and_up_walk_along_edges(shown, press) -> None:
    shown.canvas.select(Selection(node=shown.node("q0")))
    press(Key.Key_Down)
    assert shown.canvas.selection == Selection(tensor=shown.tensor("q0"))
    press(Key.Key_Down)
    assert shown.canvas.selection == Selection(node=shown.node("a0"))
    press(Key.Key_Up)
    assert shown.canvas.selection == Selection(tensor=shown.tensor("q0"))
    press(Key.Key_Up)
    assert shown.canvas.selection == Selection(node=shown.node("q0"))


def test_right_and_left_go_to_the_other_inputs_of_the_node_the_walk_came_from(shown, press) -> None:
    shown.canvas.select(Selection(node=shown.node("x0")))
    press(Key.Key_Up)
    first = shown.canvas.selection
    press(Key.Key_Right)
    assert shown.canvas.selection != first
    press(Key.Key_Left)
    assert shown.canvas.selection == first


def test_right_and_left_go_to_the_node_beside(shown, press) -> None:
    points = {node: shown.canvas.node_point(node) for node in range(shown.graph.node_count)}
    left = next(a for a in points for b in points if points[a].y() == points[b].y() and points[a].x() < points[b].x())
    shown.canvas.select(Selection(node=left))
    press(Key.Key_Right)
    beside = shown.canvas.selection.node
    assert points[beside].y() == points[left].y()
    assert points[beside].x() > points[left].x()
    press(Key.Key_Left)
    assert shown.canvas.selection == Selection(node=left)


def test_where_the_keyboard_is_comes_into_sight(shown, press) -> None:
    shown.canvas.resize(300, 200)
    for _ in range(shown.graph.node_count):
        press(Key.Key_Tab)
        point = shown.canvas.node_point(shown.canvas.selection.node)
        assert shown.canvas.viewport().rect().contains(point)


def test_the_focus_is_seen_with_the_keyboard_and_not_with_the_mouse(shown, press, click) -> None:
    press(Key.Key_Tab)
    assert shown.canvas._overlay.focus_box >= 0
    click(QPoint(4, 4))
    assert shown.canvas._overlay.focus_box == -1


def test_keys_zoom(shown, press) -> None:
    start = shown.canvas.zoom_percent
    press(Key.Key_Plus)
    assert shown.canvas.zoom_percent > start
    press(Key.Key_Minus, Key.Key_Minus)
    assert shown.canvas.zoom_percent < start
    press(Key.Key_0)
    assert shown.canvas.zoom_percent == 100
    press(Key.Key_F)
    corner = shown.canvas.viewport().rect()
    assert all(corner.contains(shown.canvas.node_point(node)) for node in range(shown.graph.node_count))


def test_space_and_a_drag_pan_and_do_not_cut(shown, qtbot) -> None:
    shown.canvas.select(Selection(tensor=shown.tensor("x0")))
    viewport, start = shown.canvas.viewport(), shown.edge_point("q0", "a0")
    before = shown.canvas.node_point(0)
    qtbot.keyPress(shown.canvas, Key.Key_Space)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(viewport, start + QPoint(25, 0))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start + QPoint(25, 0))
    qtbot.keyRelease(shown.canvas, Key.Key_Space)
    assert (shown.canvas.node_point(0) - before - QPoint(25, 0)).manhattanLength() <= 2
    assert shown.tensors == []


def test_an_empty_canvas_lets_tab_pass(qtbot) -> None:
    from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

    from cutter_gui.gui.canvas.view import GraphCanvas

    window = QWidget()
    qtbot.addWidget(window)
    box = QVBoxLayout(window)
    canvas, field = GraphCanvas(), QLineEdit()
    box.addWidget(canvas)
    box.addWidget(field)
    window.show()
    canvas.setFocus()
    qtbot.keyClick(canvas, Key.Key_Tab)
    assert window.focusWidget() is field
