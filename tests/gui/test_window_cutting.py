"""Cutting by mouse and keyboard in the real window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from cutter_gui.core.plan import Cut, CutEdge
from cutter_gui.gui.panels import cut_rows
from cutter_gui.gui.panels.problems import ShowProblem
from cutter_gui.gui.selection import Selection


def test_the_first_click_on_an_edge_makes_cut_0_in_one_step(opened, hand):
    hand.click_edge("10", "20a")
    assert opened.document.plan.cuts == (Cut((CutEdge("10"),)),)
    assert opened.document.undo_stack.count() == 1
    assert opened.document.undo_stack.undoText() == "Cut 10 in cut 0"
    hand.press("Ctrl+Z")
    assert opened.document.plan.cuts == ()


def test_a_second_click_on_the_edge_takes_it_out_again(opened, hand):
    hand.click_edge("10", "20a")
    hand.click_edge("10", "20a")
    assert opened.document.plan.cuts == (Cut(),)


def test_with_a_tensor_selected_a_click_on_a_consumer_takes_only_that_edge_out(opened, hand):
    hand.click_edge("mask", "10")
    assert opened.document.selection.tensor == opened.document.graph.tensor_index["mask"]
    hand.click_node("10")
    assert opened.document.plan.cuts == (Cut((CutEdge("mask", ["20", "out"]),)),)
    hand.click_node("10")
    assert opened.document.plan.cuts == (Cut((CutEdge("mask"),)),)


def test_stages_problems_and_status_follow_each_click(opened, hand, rows_text):
    problems = opened.workspace.problems
    assert rows_text(problems.list) == ["No cuts yet: the model is one stage"]
    hand.click_edge("10", "20a")
    assert any("Error" in text for text in rows_text(problems.list)), "the mask still joins the two sides"
    hand.click_edge("mask", "20")
    hand.click_node("10")
    assert rows_text(problems.list)[0] == "Valid: 2 stages, every cut complete"
    assert opened.status.stages.text() == "2 stages"
    titles = [item.title for item in opened.workspace.stages.strip.items]
    assert titles == ["3 nodes", "Send ▸ Recv", "4 nodes"]
    assert opened.workspace.stages.strip.items[1].lines == ("64 B", "2 tensors")
    assert opened.isWindowModified()


def test_a_click_on_a_problem_shows_the_path_that_is_still_joined(opened, hand):
    hand.click_edge("10", "20a")
    opened.document.select(Selection())
    problem = opened.workspace.problems.shown[0]
    assert problem.code == "incomplete-cut"
    hand.click_target(opened.workspace.problems.list, ShowProblem(0))
    assert opened.workspace.canvas._overlay.path_nodes == problem.nodes


def test_a_consumer_is_put_in_and_out_by_its_check_box(opened, hand):
    hand.click_edge("mask", "10")
    panel, graph = opened.workspace.cuts, opened.document.graph
    mask, first = graph.tensor_index["mask"], int(graph.tensor_producer[graph.tensor_index["10"]])
    hand.click_target(panel.list, cut_rows.OpenConsumers(mask))
    hand.click_target(panel.list, cut_rows.ToggleConsumer(0, mask, first))
    assert opened.document.plan.cuts[0].edges == (CutEdge("mask", ["20", "out"]),)
    at = panel.list.rows_model.position(("consumer", 0, mask, first))
    panel.list.setCurrentIndex(panel.list.rows_model.index(at))
    hand.key(panel.list, Qt.Key.Key_Space)
    assert opened.document.plan.cuts[0].edges == (CutEdge("mask"),)


def test_renaming_twice_while_another_window_has_the_keyboard_keeps_the_editor_open(opened, hand, qtbot):
    hand.press("N")
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: not opened.isActiveWindow())
    for _ in range(2):
        opened.actions_registry["cut.rename"].trigger()
        hand.settle()
    (editor,) = opened.workspace.cuts.list.findChildren(QLineEdit)
    assert editor.isVisible()


def test_cuts_are_added_renamed_reordered_and_removed_by_keys(opened, hand):
    hand.click_edge("10", "20a")
    hand.press("N")
    hand.click_edge("20", "30a")
    assert [cut.edges for cut in opened.document.plan.cuts] == [(CutEdge("10"),), (CutEdge("20"),)]
    hand.press("[")
    assert opened.document.active_cut == 0
    hand.press("F2")
    editor = opened.workspace.cuts.list.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    for letter in "early":
        hand.key(editor, getattr(Qt.Key, f"Key_{letter.upper()}"))
    hand.key(editor, Qt.Key.Key_Return)
    assert opened.document.plan.cuts[0].name == "early"
    hand.press("Alt+Down")
    assert [cut.name for cut in opened.document.plan.cuts] == [None, "early"]
    assert opened.document.active_cut == 1
    hand.press("Ctrl+Backspace")
    assert [cut.edges for cut in opened.document.plan.cuts] == [(CutEdge("20"),)]
    for _ in range(6):
        hand.press("Ctrl+Z")
    assert opened.document.plan.cuts == ()
    assert not opened.isWindowModified()


def test_a_card_dragged_onto_another_takes_its_place(opened, hand, qtbot):
    hand.click_edge("20", "30a")
    hand.press("N")
    hand.click_edge("10", "20a")
    rows = opened.workspace.cuts.list
    places = [rows.visualRect(rows.rows_model.index(rows.rows_model.position(("cut", cut)))).center() for cut in (0, 1)]
    qtbot.mousePress(rows.viewport(), Qt.MouseButton.LeftButton, pos=places[1])
    qtbot.mouseMove(rows.viewport(), places[0])
    qtbot.mouseRelease(rows.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    assert [cut.edges[0].tensor for cut in opened.document.plan.cuts] == ["10", "20"]


def test_everything_undone_and_redone_gives_the_same_plan(opened, hand):
    hand.click_edge("10", "20a")
    hand.click_edge("mask", "20")
    hand.click_node("10")
    hand.press("N")
    hand.click_edge("20", "30a")
    opened.actions_registry["stages.direct"].trigger()
    made, steps = opened.document.plan, opened.document.undo_stack.count()
    for _ in range(steps):
        hand.press("Ctrl+Z")
    assert opened.document.plan.cuts == ()
    assert opened.document.plan.transport == "relay"
    for _ in range(steps):
        hand.press("Ctrl+Y")
    assert opened.document.plan == made


def test_links_of_the_inspector_lead_from_tensor_to_node_and_back(opened, hand, rows_text):
    graph = opened.document.graph
    masked = int(graph.tensor_producer[graph.tensor_index["20"]])
    hand.click_node("20")
    inspector = opened.workspace.inspector.list
    assert opened.document.selection == Selection(node=masked)
    assert rows_text(inspector)[:2] == ["Add 0", "name block2/masked"]
    hand.click_target(inspector, cut_rows.SelectTensor(graph.tensor_index["mask"]))
    assert opened.workspace.canvas.selection == Selection(tensor=graph.tensor_index["mask"])
    assert "consumers 3" in rows_text(inspector)
    hand.click_target(inspector, cut_rows.SelectNode(masked))
    assert opened.workspace.canvas.selection == Selection(node=masked)


def test_a_click_on_a_stage_unfolds_its_tensors_and_one_of_those_is_selected(opened, hand, qtbot):
    hand.click_edge("10", "20a")
    hand.click_edge("mask", "20")
    hand.click_node("10")
    strip = opened.workspace.stages.strip
    qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=strip.point_of(1).toPoint())
    hand.settle()
    details = opened.workspace.stages.details
    assert details.isVisible()
    ten = opened.document.graph.tensor_index["10"]
    hand.click_target(details, cut_rows.SelectTensor(ten))
    assert opened.document.selection == Selection(tensor=ten)


def test_the_selected_tensor_is_cut_by_a_key(opened, hand):
    opened.document.select(Selection(tensor=opened.document.graph.tensor_index["20"]))
    hand.press("C")
    assert opened.document.plan.cuts == (Cut((CutEdge("20"),)),)
