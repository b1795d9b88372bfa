"""Search and going places in the real window, by keyboard alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.selection import NOTHING, Selection

Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def find(opened, hand, qtbot):
    """Presses Ctrl+F and types."""

    def type_in(text: str) -> None:
        hand.press("Ctrl+F")
        assert opened.focusWidget() is opened.workspace.search.field
        qtbot.keyClicks(opened.workspace.search.field, text)
        hand.settle()

    return type_in


def node(window, output: str) -> int:
    graph = window.document.graph
    return int(graph.tensor_producer[graph.tensor_index[output]])


def marked(window) -> set[int]:
    return set(window.workspace.canvas._overlay.found.nodes.tolist())


def test_hits_are_counted_listed_and_marked_as_one_types(opened, find, rows_text):
    find("masked")
    search = opened.workspace.search
    assert search.field.count_text == "3"
    assert rows_text(search.list) == [f"Add block{block}/masked" for block in (1, 2, 3)]
    assert search.frame.isVisible()
    assert marked(opened) == {node(opened, name) for name in ("10", "20", "out")}
    assert opened.document.selection == NOTHING, "typing alone goes nowhere"


def test_enter_and_f3_go_through_the_hits_and_around(opened, find, hand):
    find("masked")
    field = opened.workspace.search.field
    seen = []
    for _ in range(4):
        hand.key(field, Key.Key_Return)
        seen.append(opened.document.selection.node)
    assert seen == [node(opened, name) for name in ("10", "20", "out", "10")]
    assert field.count_text == "1 / 3"
    hand.key(field, Key.Key_Return, SHIFT)
    assert opened.document.selection.node == node(opened, "out")
    opened.workspace.canvas.setFocus()
    hand.press("F3")
    assert opened.document.selection.node == node(opened, "10")
    hand.press("Shift+F3")
    assert opened.document.selection.node == node(opened, "out")


def test_a_hit_is_brought_into_sight(opened, find, hand):
    canvas = opened.workspace.canvas
    canvas.pan(0, 100_000)
    find("block3/masked")
    hand.key(opened.workspace.search.field, Key.Key_Return)
    assert canvas.viewport().rect().contains(canvas.node_point(node(opened, "out")))


def test_the_list_of_hits_by_keyboard(opened, find, hand):
    find("op:Add")
    search = opened.workspace.search
    hand.key(search.field, Key.Key_Down)
    assert opened.focusWidget() is search.list
    hand.key(search.list, Key.Key_Down)
    hand.key(search.list, Key.Key_Return)
    assert opened.document.selection.node == node(opened, "20")
    hand.key(search.list, Key.Key_Escape)
    assert opened.focusWidget() is search.field


def test_a_filter_dims_the_rest_and_a_plain_word_does_not(opened, find):
    find("op:MatMul")
    assert opened.workspace.canvas._overlay.found.dims
    opened.workspace.search.field.clear()
    find("MatMul")
    assert not opened.workspace.canvas._overlay.found.dims


def test_escape_ends_the_search_and_gives_the_keyboard_back(opened, find, hand):
    find("masked")
    hand.key(opened.workspace.search.field, Key.Key_Escape)
    assert opened.workspace.search.field.text() == ""
    assert not opened.workspace.search.frame.isVisible()
    assert marked(opened) == set()
    assert opened.focusWidget() is opened.workspace.canvas


def test_escape_on_the_canvas_deselects_first_and_then_ends_the_search(opened, find, hand):
    find("masked")
    hand.key(opened.workspace.search.field, Key.Key_Return)
    opened.workspace.canvas.setFocus()
    hand.press("Escape")
    assert opened.document.selection == NOTHING
    assert marked(opened)
    hand.press("Escape")
    assert not marked(opened)


@pytest.mark.parametrize(
    ("typed", "said"), [("nothing like it", "none"), ("/(/", "not valid"), ("/((((.|.)+)+)+)+§/", "too slow")]
)
def test_what_finds_nothing_says_so(opened, find, typed, said):
    find(typed)
    assert opened.workspace.search.field.count_text == said
    assert marked(opened) == set()


def test_a_name_with_markup_is_shown_as_it_is(opened, find):
    find("<b>x</b>")
    assert opened.workspace.search.field.count_text == "none"


def test_producer_and_consumers_by_keyboard(opened, hand):
    graph = opened.document.graph
    opened.document.select(Selection(tensor=graph.tensor_index["mask"]))
    hand.press("Ctrl+Up")
    assert opened.document.selection.node == node(opened, "mask")
    seen = []
    for _ in range(4):
        hand.press("Ctrl+Right")
        seen.append(opened.document.selection.node)
    readers = graph.consumers(graph.tensor_index["mask"]).tolist()
    assert seen == [*readers, readers[0]]
    hand.press("Ctrl+Left")
    assert opened.document.selection.node == readers[-1]
    hand.press("Ctrl+Up")
    assert opened.document.selection.node == node(opened, "30a")


def test_back_and_forward_through_where_one_has_been(opened, hand):
    document = opened.document
    places = [Selection(node=at) for at in (1, 3, 5)]
    for place in places:
        document.select(place)
    assert not opened.actions_registry["go.forward"].isEnabled()
    hand.press("Alt+Left")
    assert document.selection == places[1]
    hand.press("Alt+Left")
    assert document.selection == places[0]
    hand.press("Alt+Left")
    assert document.selection == places[0]
    hand.press("Alt+Right")
    assert document.selection == places[1]
    document.select(Selection(node=0))
    assert not opened.workspace.places.can_move(1)


def test_inputs_and_outputs_by_keyboard(opened, hand):
    graph = opened.document.graph
    names = []
    for _ in range(3):
        hand.press("Ctrl+Home")
        names.append(graph.tensor_names[opened.document.selection.tensor])
    assert names == ["x", "mask_in", "x"]
    hand.press("Ctrl+End")
    assert graph.tensor_names[opened.document.selection.tensor] == "out"


def test_where_there_is_nowhere_to_go_the_selection_stays(opened, hand):
    graph = opened.document.graph
    opened.document.select(Selection(tensor=graph.tensor_index["out"]))
    hand.press("Ctrl+Right")
    assert opened.document.selection.tensor == graph.tensor_index["out"]


def test_enter_puts_the_keyboard_into_the_inspector(opened, hand):
    opened.document.select(Selection(node=1))
    opened.workspace.canvas.setFocus()
    hand.key(opened.workspace.canvas, Key.Key_Return)
    assert opened.focusWidget() is opened.workspace.inspector.list


@pytest.mark.parametrize(
    ("select", "cut", "copied"),
    [
        (("tensor", "10"), False, '{tensor: "10"}'),
        (("tensor", "mask"), True, '{tensor: mask, consumers: ["20", out]}'),
        (("node", "20"), False, '{tensor: "20a", consumers: ["20"]}'),
    ],
)
def test_what_is_selected_is_copied_as_it_stands_in_a_cut_spec(opened, hand, select, cut, copied):
    graph = opened.document.graph
    if cut:
        opened.document.toggle_tensor(graph.tensor_index["mask"])
        opened.document.toggle_consumer(graph.tensor_index["mask"], node(opened, "10"))
        opened.document.undo_stack.setClean()
    kind, name = select
    opened.document.select(
        Selection(tensor=graph.tensor_index[name]) if kind == "tensor" else Selection(node=node(opened, name))
    )
    hand.press("Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == copied


def test_with_a_consumer_at_hand_only_its_edge_is_copied(opened, hand):
    graph, canvas = opened.document.graph, opened.workspace.canvas
    opened.document.select(Selection(tensor=graph.tensor_index["mask"]))
    canvas.setFocus()
    hand.key(canvas, Key.Key_Tab)
    hand.key(canvas, Key.Key_Tab)
    hand.press("Ctrl+Shift+C")
    reader = graph.consumer_name(canvas.place.consumer)
    assert reader in QGuiApplication.clipboard().text()
    assert QGuiApplication.clipboard().text().startswith("{tensor: mask, consumers: [")
