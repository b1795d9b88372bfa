"""The window with real models in it, and what tests need to drive it by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from cutter_gui.core.graph import Graph
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

LOAD_MS = 60_000


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """The empty window on the screen, 1280 by 800."""
    theme = Theme(qapp, "light")
    made = MainWindow(theme)
    made.resize(1280, 800)
    qtbot.addWidget(made, before_close_func=lambda widget: widget.close_now())
    made.show()
    qtbot.waitUntil(lambda: made.is_complete)
    yield made
    for dialog in QApplication.topLevelWidgets():
        if dialog is not made and dialog.isVisible():
            dialog.close()
    made.close_now()
    theme.deleteLater()


def write_model(path: Path, nodes: list[onnx.NodeProto], outputs: list[str], weights: dict[str, np.ndarray]) -> Path:
    """Writes a model whose tensors are all float32 of shape 2×4 and whose inputs are ``x`` and ``mask_in``."""

    def info(name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4])

    graph = helper.make_graph(
        nodes,
        "test",
        [info("x"), info("mask_in")],
        [info(name) for name in outputs],
        initializer=[numpy_helper.from_array(values, name) for name, values in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Three blocks in a row, each fed by a mask: ``10`` ends the first, ``20`` the second, ``out`` the third.

    ::

        x -> MatMul 10a -> Add 10 -> MatMul 20a -> Add 20 -> MatMul 30a -> Add out      mask -> each Add
    """
    weights = {f"w{block}": np.full((4, 4), 0.1 * block, np.float32) for block in (1, 2, 3)}
    nodes = [helper.make_node("Sigmoid", ["mask_in"], ["mask"], name="mask_node")]
    before = "x"
    for block, after in ((1, "10"), (2, "20"), (3, "out")):
        nodes.append(helper.make_node("MatMul", [before, f"w{block}"], [f"{block}0a"], name=f"block{block}/product"))
        nodes.append(helper.make_node("Add", [f"{block}0a", "mask"], [after], name=f"block{block}/masked"))
        before = after
    return write_model(tmp_path / "three blocks.onnx", nodes, ["out"], weights)


@pytest.fixture
def opened(window: MainWindow, model: Path, qtbot: QtBot) -> MainWindow:
    """The window with `model` open and drawn."""
    return open_in(window, qtbot, model)


def open_in(window: MainWindow, qtbot: QtBot, *paths: Path) -> MainWindow:
    window.open_paths(list(paths))
    wait_for_picture(window, qtbot)
    return window


def wait_for_picture(window: MainWindow, qtbot: QtBot) -> None:
    def drawn() -> bool:
        return window.workspace is not None and window.workspace.has_picture and not window.opener.is_busy

    qtbot.waitUntil(drawn, timeout=LOAD_MS)


@pytest.fixture
def open_model(window: MainWindow, qtbot: QtBot) -> Callable[..., MainWindow]:
    """Opens files in the window and waits for the picture."""
    return lambda *paths: open_in(window, qtbot, *paths)


def tensor(graph: Graph, name: str) -> int:
    return graph.tensor_index[name]


def node(graph: Graph, output: str) -> int:
    """Returns the node that makes a tensor."""
    return int(graph.tensor_producer[graph.tensor_index[output]])


class Hand:
    """Mouse and keyboard on the window."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self._window = window
        self._qtbot = qtbot

    def click_edge(self, name: str, consumer_output: str) -> None:
        """Clicks an edge on the canvas."""
        document, canvas = self._window.document, self._window.workspace.canvas
        graph = document.graph
        reader = node(graph, consumer_output)
        canvas.reveal(nodes=(reader,), tensors=(tensor(graph, name),))
        self.settle()
        point = canvas.edge_point(tensor(graph, name), reader)
        self._qtbot.mouseMove(canvas.viewport(), point)
        self._qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
        self.settle()

    def click_node(self, output: str) -> None:
        """Clicks the node that makes a tensor."""
        canvas = self._window.workspace.canvas
        number = node(self._window.document.graph, output)
        canvas.reveal(nodes=(number,))
        self.settle()
        point = canvas.node_point(number)
        self._qtbot.mouseMove(canvas.viewport(), point)
        self._qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=point)
        self.settle()

    def click_target(self, rows: RowList, target: object) -> None:
        """Clicks what stands for a target in a list of rows."""
        point = rows.target_point(target)
        assert point is not None, f"nothing stands for {target} in {[row.text for row in rows.rows_model.rows]}"
        self._qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=point)
        self.settle()

    def key(self, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self._qtbot.keyClick(widget, key, modifier)
        self.settle()

    def press(self, keys: str) -> None:
        """Presses a shortcut of the window, such as ``Ctrl+Z``."""
        *modifiers, last = keys.split("+")
        pressed = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            pressed |= {
                "Ctrl": Qt.KeyboardModifier.ControlModifier,
                "Shift": Qt.KeyboardModifier.ShiftModifier,
                "Alt": Qt.KeyboardModifier.AltModifier,
            }[modifier]
        named = {
            "[": Qt.Key.Key_BracketLeft,
            "]": Qt.Key.Key_BracketRight,
            ",": Qt.Key.Key_Comma,
            "PgUp": Qt.Key.Key_PageUp,
            "PgDown": Qt.Key.Key_PageDown,
        }
        key = named.get(last) or getattr(Qt.Key, f"Key_{last}")
        if QApplication.activeWindow() is not self._window:
            self._window.activateWindow()
            self._qtbot.waitUntil(lambda: QApplication.activeWindow() is self._window)
        target = self._window.focusWidget() or self._window
        self._qtbot.keyClick(target, key, pressed)
        self.settle()

    def right_click(self, widget: QWidget, point: QPoint) -> None:
        """Clicks with the right button and asks for the menu there, as platforms do between press and release."""
        QTest.mouseMove(widget, point)
        QTest.mouseClick(widget, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, point)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(widget, QContextMenuEvent(reason, point, widget.mapToGlobal(point)))
        self.settle()

    def menu_key(self, widget: QWidget) -> None:
        """Asks for the menu of a widget by keyboard, for which each platform has keys of its own."""
        point = widget.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(widget, QContextMenuEvent(reason, point, widget.mapToGlobal(point)))
        self.settle()

    def choose(self, menu: QMenu, action: QAction) -> None:
        """Clicks an entry of a menu."""
        self._qtbot.waitUntil(menu.isVisible)
        point = menu.actionGeometry(action).center()
        QTest.mouseMove(menu, point)
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
        self.settle()

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()

    def dialog(self, kind: type[QWidget], timeout: int = 20_000) -> QWidget:
        """Waits for a dialog and returns it."""
        found: list[QWidget] = []

        def there() -> bool:
            shown = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
            found[:] = [w for w in shown if isinstance(w, kind)]
            errors = [w for w in shown if isinstance(w, Message) and kind is not Message]
            assert not errors, f"an error instead: {errors[0].sentence} {errors[0].where} {errors[0].remedy}"
            return bool(found)

        self._qtbot.waitUntil(there, timeout=timeout)
        self.settle()
        return found[0]

    def no_dialog(self) -> None:
        """Waits until every dialog is gone."""

        def gone() -> None:
            others = [w for w in QApplication.topLevelWidgets() if w is not self._window and w.isVisible()]
            open_still = [w for w in others if w.isModal() or w is QApplication.activePopupWidget()]
            said = [label.text() for w in open_still for label in w.findChildren(QLabel)]
            assert not open_still, f"{open_still} {said}"

        self._qtbot.waitUntil(gone, timeout=20_000)


@pytest.fixture
def hand(window: MainWindow, qtbot: QtBot) -> Hand:
    return Hand(window, qtbot)


@pytest.fixture
def rows_text() -> Callable[[RowList], list[str]]:
    """Returns the text of every row of a list."""
    return lambda rows: [row.text for row in rows.rows_model.rows]


@pytest.fixture
def point_of_row() -> Callable[[RowList, int], QPoint]:
    return lambda rows, at: rows.visualRect(rows.rows_model.index(at)).center()
