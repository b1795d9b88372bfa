"""Subgraph bodies open in the place of the graph, by mouse and by keyboard, and lead back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip

from cutter_gui.core.plan import Plan
from cutter_gui.gui.canvas.render import paint_graph
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.palette import palette_named
from cutter_gui.gui.selection import NOTHING, Selection

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
POPUPS = pytest.mark.qt_log_ignore(r"This plugin does not support (raise|grabbing|propagateSizeHints)")


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    """A Loop whose body holds an If; both read from outside."""

    def info(name: str, kind: int = TensorProto.FLOAT, shape: tuple[int, ...] = (2, 4)) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    move = [helper.make_node("Add", ["carried", "offset"], ["moved"]), helper.make_node("Tanh", ["moved"], ["scaled"])]
    step = helper.make_graph(move, "then", [], [info("scaled")])
    stay = helper.make_graph([helper.make_node("Identity", ["carried"], ["same"])], "else", [], [info("same")])
    choice = helper.make_node("If", ["going"], ["next"], then_branch=step, else_branch=stay, name="choice")
    loop = helper.make_graph(
        [choice, helper.make_node("Identity", ["going"], ["goes_on"])],
        "loop",
        [info("round", TensorProto.INT64, ()), info("going", TensorProto.BOOL, ()), info("carried")],
        [info("goes_on", TensorProto.BOOL, ()), info("next")],
    )
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["offset"]),
            helper.make_node("Loop", ["times", "", "x"], ["y"], body=loop, name="turns"),
            helper.make_node("Mul", ["y", "w"], ["z"]),
        ],
        "main",
        [info("x"), info("times", TensorProto.INT64, ())],
        [info("z")],
        initializer=[numpy_helper.from_array(np.ones((2, 4), np.float32), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    path = tmp_path / "looping.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def opened_loop(open_model, looping: Path):
    return open_model(looping)


@pytest.fixture
def bodies(opened_loop):
    return opened_loop.workspace.bodies


def ops(bodies) -> list[str]:
    graph = bodies.document.graph
    return [graph.op(node) for node in range(graph.node_count)]


def crumbs(bodies) -> list[str]:
    return [button.text() for button in bodies.view.crumbs]


def until(qtbot, bodies, wanted: list[str]) -> None:
    qtbot.waitUntil(lambda: bodies.is_open and ops(bodies) == wanted, timeout=30_000)


def node(document, output: str) -> int:
    return int(document.graph.tensor_producer[document.graph.tensor_index[output]])


def enter_loop(window, hand, qtbot) -> None:
    window.document.select(Selection(node=node(window.document, "y")))
    hand.key(window.workspace.canvas, Key.Key_Return)
    until(qtbot, window.workspace.bodies, ["If", "Identity"])
    hand.settle()


def enter_branch(window, hand, qtbot) -> None:
    enter_loop(window, hand, qtbot)
    body = window.workspace.bodies
    body.document.select(Selection(node=node(body.document, "next")))
    hand.key(body.view.canvas, Key.Key_Return)
    until(qtbot, body, ["Identity"])
    hand.settle()


def marks(image: QImage, rect: QRectF) -> int:
    """Counts the pixels where the mark of bodies is drawn in a box that have the colour of its text."""
    soft = QColor(palette_named("light").text_soft)
    left, bottom = int(rect.right()) - 21, int(rect.top()) + 38
    pixels = [image.pixelColor(left + x, bottom - y) for x in range(14) for y in range(14)]
    return sum(abs(pixel.lightness() - soft.lightness()) < 40 for pixel in pixels)


@POPUPS
def test_a_node_with_bodies_bears_a_mark_on_screen_and_in_exported_pictures(opened_loop, hand) -> None:
    canvas, scene = opened_loop.workspace.canvas, opened_loop.workspace.scene
    canvas.reset_zoom()
    hand.settle()
    loop, plain = node(opened_loop.document, "y"), node(opened_loop.document, "z")
    shown = canvas.viewport().grab().toImage()
    for number, marked in ((loop, True), (plain, False)):
        box = scene.node_box[number]
        _, _, width, height = scene.box_rect[box].tolist()
        middle = canvas.node_point(number)
        assert (marks(shown, QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)) > 20) == marked
    picture = QImage(600, 900, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.white)
    painter = QPainter(picture)
    painter.translate(100, 100)
    sheet = Sheet(opened_loop.document.graph, scene)
    paint_graph(painter, Picture(sheet, None, None, palette_named("light")), scene.bounds, 1.0)
    painter.end()
    for number, marked in ((loop, True), (plain, False)):
        rect = QRectF(*scene.box_rect[scene.node_box[number]].tolist()).translated(100, 100)
        assert (marks(picture, rect) > 20) == marked
    at = canvas.node_point(loop)
    asks = QHelpEvent(QHelpEvent.Type.ToolTip, at, canvas.viewport().mapToGlobal(at))
    QApplication.sendEvent(canvas.viewport(), asks)
    assert "body: body" in QToolTip.text()


def test_a_double_click_on_a_loop_shows_its_body_and_what_it_reads_from_outside(
    opened_loop, bodies, hand, qtbot, rows_text
) -> None:
    canvas = opened_loop.workspace.canvas
    point = canvas.node_point(node(opened_loop.document, "y"))
    qtbot.mouseMove(canvas.viewport(), point)
    assert "open its body" in opened_loop.status.hint.text()
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=point)
    qtbot.mouseDClick(canvas.viewport(), LEFT, pos=point)
    until(qtbot, bodies, ["If", "Identity"])
    assert bodies.view.canvas.isVisible()
    assert not canvas.isVisible()
    assert crumbs(bodies) == ["looping.onnx", "Loop turns"]
    assert rows_text(opened_loop.workspace.inspector.list)[0] == "Loop turns › body"
    assert bodies.view.note.text() == "reads 1 tensor from outside"
    inputs = [bodies.document.graph.tensor_names[tensor] for tensor in bodies.document.graph.inputs.tolist()]
    assert inputs == ["round", "going", "carried", "offset"]


def test_enter_goes_in_and_backspace_comes_back_level_by_level(opened_loop, bodies, hand, qtbot) -> None:
    enter_branch(opened_loop, hand, qtbot)
    assert crumbs(bodies) == ["looping.onnx", "Loop turns", "If choice"]
    hand.key(bodies.view.canvas, Key.Key_Backspace)
    assert ops(bodies) == ["If", "Identity"]
    assert bodies.document.selection == Selection(node=node(bodies.document, "next"))
    hand.key(bodies.view.canvas, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert not bodies.is_open
    assert opened_loop.workspace.canvas.isVisible()
    assert opened_loop.workspace.canvas.hasFocus()
    assert opened_loop.document.selection == Selection(node=node(opened_loop.document, "y"))


def test_the_other_branch_is_shown_by_key_and_by_click(opened_loop, bodies, hand, qtbot) -> None:
    enter_branch(opened_loop, hand, qtbot)
    assert [button.text() for button in bodies.view.bodies] == ["else_branch", "then_branch"]
    hand.press("Ctrl+Shift+Return")
    until(qtbot, bodies, ["Add", "Tanh"])
    assert bodies.view.bodies[1].isChecked()
    qtbot.mouseClick(bodies.view.bodies[0], LEFT)
    until(qtbot, bodies, ["Identity"])
    qtbot.mouseClick(bodies.view.crumbs[0], LEFT)
    assert not bodies.is_open


def test_in_a_body_one_walks_searches_inspects_and_copies_as_outside(
    opened_loop, bodies, hand, qtbot, rows_text
) -> None:
    enter_branch(opened_loop, hand, qtbot)
    hand.press("Ctrl+Shift+Return")
    until(qtbot, bodies, ["Add", "Tanh"])
    inner, canvas = bodies.document, bodies.view.canvas
    hand.key(canvas, Key.Key_Tab)
    assert inner.selection == Selection(node=node(inner, "moved"))
    hand.key(canvas, Key.Key_Down)
    hand.key(canvas, Key.Key_Down)
    assert inner.selection == Selection(node=node(inner, "scaled"))
    hand.press("Ctrl+Up")
    assert inner.selection == Selection(node=node(inner, "moved"))
    hand.press("Alt+Left")
    assert inner.selection == Selection(node=node(inner, "scaled"))
    hand.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == "scaled"
    assert any("Tanh" in text for text in rows_text(opened_loop.workspace.inspector.list))
    hand.press("Ctrl+F")
    qtbot.keyClicks(opened_loop.workspace.search.field, "add")
    hand.key(opened_loop.workspace.search.field, Key.Key_Return)
    assert inner.selection == Selection(node=node(inner, "moved"))
    assert bodies.is_open


def test_nothing_in_a_body_cuts(opened_loop, bodies, hand, qtbot) -> None:
    enter_branch(opened_loop, hand, qtbot)
    canvas = bodies.view.canvas
    for key in (Key.Key_N, Key.Key_C, Key.Key_B, Key.Key_Space, Key.Key_S, Key.Key_K):
        hand.key(canvas, key)
    graph = bodies.document.graph
    edge = canvas.edge_point(graph.tensor_index["carried"], node(bodies.document, "same"))
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=edge)
    assert bodies.document.selection == Selection(tensor=graph.tensor_index["carried"])
    assert opened_loop.document.plan == Plan()
    hand.key(canvas, Key.Key_Escape)
    assert bodies.document.selection == NOTHING
    hand.key(canvas, Key.Key_Escape)
    assert ops(bodies) == ["If", "Identity"]


def test_selecting_something_of_the_model_leaves_the_body(opened_loop, bodies, hand, qtbot) -> None:
    enter_branch(opened_loop, hand, qtbot)
    opened_loop.document.select(Selection(node=node(opened_loop.document, "z")))
    hand.settle()
    assert not bodies.is_open
    assert opened_loop.workspace.canvas.selection == opened_loop.document.selection


def test_a_node_without_bodies_is_inspected_and_shift_enter_inspects_any(opened_loop, bodies, hand, qtbot) -> None:
    canvas = opened_loop.workspace.canvas
    for output, modifier in (("z", Qt.KeyboardModifier.NoModifier), ("y", Qt.KeyboardModifier.ShiftModifier)):
        opened_loop.document.select(Selection(node=node(opened_loop.document, output)))
        canvas.setFocus()
        hand.key(canvas, Key.Key_Return, modifier)
        assert opened_loop.workspace.inspector.list.hasFocus()
    assert not bodies.is_open


def test_a_body_that_can_no_longer_be_read_is_an_error_and_the_graph_stays(opened_loop, hand, looping) -> None:
    from cutter_gui.gui.dialogs.message import Message

    looping.unlink()
    opened_loop.document.select(Selection(node=node(opened_loop.document, "y")))
    hand.key(opened_loop.workspace.canvas, Key.Key_Return)
    message = hand.dialog(Message, timeout=30_000)
    assert "looping.onnx" in message.where
    assert opened_loop.workspace.canvas.isVisible()


@POPUPS
def test_the_menu_of_a_node_with_bodies_offers_them(opened_loop, bodies, hand, qtbot) -> None:
    space = opened_loop.workspace
    hand.right_click(space.canvas.viewport(), space.canvas.node_point(node(opened_loop.document, "y")))
    menu = space.desk.menu
    hand.choose(menu, next(action for action in menu.actions() if "body" in action.text()))
    until(qtbot, bodies, ["If", "Identity"])
