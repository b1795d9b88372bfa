"""Edges from left to right, chosen in the View menu."""

from __future__ import annotations

from PySide6.QtCore import Qt

from cutter_gui.gui.selection import Selection
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow


def node(window, output: str) -> int:
    graph = window.document.graph
    return int(graph.tensor_producer[graph.tensor_index[output]])


def turn(window, hand, qtbot, direction: str) -> None:
    hand.press("Ctrl+Shift+L")
    qtbot.waitUntil(lambda: not window.opener.is_busy and window.workspace.scene.direction == direction, timeout=60_000)
    hand.settle()


def test_a_key_turns_the_graph_and_plan_and_selection_stay(opened, hand, qtbot) -> None:
    hand.click_edge("10", "20a")
    plan = opened.document.plan
    opened.document.select(Selection(node=node(opened, "20a")))
    turn(opened, hand, qtbot, "LR")
    canvas = opened.workspace.canvas
    assert opened.actions_registry["view.left_to_right"].isChecked()
    assert canvas.node_point(node(opened, "20")).x() > canvas.node_point(node(opened, "20a")).x()
    assert opened.document.plan == plan
    assert opened.document.selection == Selection(node=node(opened, "20a"))
    assert canvas.selection == opened.document.selection
    hand.key(canvas, Qt.Key.Key_Right)
    assert opened.document.selection.tensor == opened.document.graph.tensor_index["20a"]
    turn(opened, hand, qtbot, "TB")
    assert canvas.node_point(node(opened, "20")).y() > canvas.node_point(node(opened, "20a")).y()


def test_an_edge_is_cut_by_a_click_in_a_graph_from_left_to_right(opened, hand, qtbot) -> None:
    turn(opened, hand, qtbot, "LR")
    hand.click_edge("20", "30a")
    assert [edge.tensor for edge in opened.document.plan.cuts[0].edges] == ["20"]
    (line,) = [line for line in opened.workspace.canvas._picture.cuts.lines if line.points]
    assert line.points[0][1] < line.points[-1][1]


def test_a_group_is_folded_and_unfolded_from_left_to_right_too(opened, hand, qtbot) -> None:
    turn(opened, hand, qtbot, "LR")
    for keys in ("Ctrl+Alt+0", "Ctrl+Alt+U"):
        before = opened.workspace.scene
        hand.press(keys)
        qtbot.waitUntil(lambda before=before: opened.workspace.scene is not before, timeout=60_000)
        assert opened.workspace.scene.direction == "LR"


def test_the_direction_is_remembered(opened, hand, qtbot, qapp, model) -> None:
    turn(opened, hand, qtbot, "LR")
    other = MainWindow(Theme(qapp, "light"))
    qtbot.addWidget(other, before_close_func=lambda widget: widget.close_now())
    other.show()
    qtbot.waitUntil(lambda: other.is_complete)
    other.open_paths([model])
    qtbot.waitUntil(lambda: other.workspace is not None and other.workspace.has_picture, timeout=60_000)
    assert other.workspace.scene.direction == "LR"
    other.close_now()
    other.theme.deleteLater()
