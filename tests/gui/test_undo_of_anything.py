"""Whatever is done by mouse and keys, in any order, is undone and redone step by step to the same plans."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
MODIFIERS = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier)
KEYS = ("N", "[", "]", "Alt+Up", "Alt+Down", "Ctrl+Backspace", "Ctrl+M", "B", "Shift+B", "C")
fraction = st.integers(0, 1000)
ACTIONS = st.one_of(
    st.tuples(st.just("start"), fraction, st.booleans()),
    st.tuples(st.just("slash"), fraction, fraction, fraction, fraction),
    st.tuples(st.just("click"), fraction, st.sampled_from(MODIFIERS)),
    st.tuples(st.just("assign"), fraction, fraction, st.integers(0, 2)),
    st.tuples(st.just("fix"), fraction),
    st.tuples(st.just("consumer"), fraction),
    st.tuples(st.just("stale"), fraction),
    st.tuples(st.just("key"), st.sampled_from(KEYS)),
)


class Doer:
    """Does actions of the strategy on a window."""

    def __init__(self, window: MainWindow, hand: Any) -> None:
        self.window, self.hand = window, hand
        self.canvas, self.document = window.workspace.canvas, window.document
        self.nodes = sorted(self.canvas._picture.scene.node_box)
        self.edges = sorted(self.canvas._picture.scene.edge_wire)

    def do(self, name: str, *given: Any) -> None:
        getattr(self, name)(*given)
        self.hand.settle()

    def node(self, at: int) -> int:
        return self.nodes[at * len(self.nodes) // 1001]

    def edge(self, at: int) -> tuple[int, int]:
        graph, edge = self.document.graph, self.edges[at * len(self.edges) // 1001]
        return int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])

    def point(self, x: int, y: int) -> QPoint:
        return QPoint(x * self.canvas.viewport().width() // 1001, y * self.canvas.viewport().height() // 1001)

    def start(self, at: int, after: bool) -> None:
        self.canvas.set_tool(Tool.START_STAGE)
        modifier = Qt.KeyboardModifier.AltModifier if after else Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(self.canvas.viewport(), LEFT, modifier, self.canvas.node_point(self.node(at)))
        self.canvas.set_tool(Tool.SELECT)

    def slash(self, *at: int) -> None:
        self.canvas.set_tool(Tool.KNIFE)
        begin, end = self.point(*at[:2]), self.point(*at[2:])
        QTest.mousePress(self.canvas.viewport(), LEFT, pos=begin)
        QTest.mouseMove(self.canvas.viewport(), end)
        QTest.mouseRelease(self.canvas.viewport(), LEFT, pos=end)
        self.canvas.set_tool(Tool.SELECT)

    def click(self, at: int, modifier: Qt.KeyboardModifier) -> None:
        QTest.mouseClick(self.canvas.viewport(), LEFT, modifier, self.canvas.edge_point(*self.edge(at)))

    def assign(self, one: int, other: int, stage: int) -> None:
        self.canvas.choose([self.node(one), self.node(other)])
        QTest.keyClick(self.canvas, Qt.Key(int(Qt.Key.Key_0) + stage))
        QTest.keyClick(self.canvas, Qt.Key.Key_Return)
        QTest.keyClick(self.canvas, Qt.Key.Key_Escape)

    def fix(self, at: int) -> None:
        """Clicks one of the fixes of the Problems panel."""
        rows = self.window.workspace.problems.list
        fixes = [row.target for row in rows.rows_model.rows if row.key[0] == "fix"] if self.document.diagnostics else []
        if fixes:
            target = fixes[at * len(fixes) // 1001]
            rows.scroll_to_key(next(row.key for row in rows.rows_model.rows if row.target == target))
            self.hand.click_target(rows, target)

    def consumer(self, at: int) -> None:
        self.document.toggle_consumer(*self.edge(at))

    def stale(self, at: int) -> None:
        """Takes a plan over as from a file for another model, which names what is not there."""
        tensor = self.document.graph.tensor_names[self.edge(at)[0]]
        cuts = (*self.document.plan.cuts, Cut((CutEdge(f"{tensor}_old"),)))
        self.document.take_plan(Plan(cuts, self.document.plan.transport), "stale", len(cuts) - 1)

    def key(self, keys: str) -> None:
        self.canvas.setFocus()
        self.hand.press(keys)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(ACTIONS, min_size=6, max_size=14))
def test_whatever_is_done_undo_all_and_redo_all_end_in_the_same_plans(opened, hand, actions) -> None:
    doer, document = Doer(opened, hand), opened.document
    stack = document.undo_stack
    stack.clear()
    document.take_plan(Plan(), "begin", None)
    stack.clear()
    doer.canvas.fit()
    begin = document.plan
    plans = [begin]
    for action in actions:
        before = stack.index()
        doer.do(*action)
        assert stack.index() - before in (0, 1), f"{action}: what is done at once is undone at once"
        if stack.index() > before:
            plans.append(document.plan)
    doer.canvas.setFocus()
    for plan in reversed(plans[:-1]):
        hand.press("Ctrl+Z")
        assert document.plan == plan
    assert not stack.canUndo()
    for plan in plans[1:]:
        hand.press("Ctrl+Shift+Z")
        assert document.plan == plan
    assert not stack.canRedo()
