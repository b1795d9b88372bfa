"""The window answers while a large model is opened; how long a turn of the event loop takes is for `make bench`."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import QTimer

from cutter_gui.gui.dialogs.command_palette import CommandPalette
from strategies.executed_work import BytecodeCount

MOST_BYTECODES = 200_000  # to do something for each of 10,000 nodes takes more


@pytest.fixture(scope="module")
def large_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10,000 nodes in blocks of three, a mask that feeds every tenth block."""
    nodes = [helper.make_node("Relu", ["m"], ["mask"], name="mask")]
    before = "x"
    while len(nodes) < 10_000:
        at = len(nodes)
        scope = f"/encoder/layer.{at // 60}/block_{at}"
        for op, reads, end in (("Relu", [before], "a"), ("Tanh", [before], "b"), ("Add", None, "c")):
            reads = reads or [f"{scope}/a", f"{scope}/b"]
            nodes.append(helper.make_node(op, reads, [f"{scope}/{end}"], name=f"{scope}/{op}"))
        before = f"{scope}/c"
        if at % 10 == 0:
            nodes.append(helper.make_node("Add", [before, "mask"], [f"{scope}/m"], name=f"{scope}/Mask"))
            before = f"{scope}/m"
    shape = ["batch", 128, 64]

    def info(name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    types = [info(node.output[0]) for node in nodes]
    graph = helper.make_graph(nodes, "large", [info("x"), info("m")], [info(before)], value_info=types)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = tmp_path_factory.mktemp("large") / "large.onnx"
    path.write_bytes(model.SerializeToString())
    return path


class Probe:
    """Counts what the program executes between two turns of the event loop."""

    def __init__(self) -> None:
        self.longest = self.turns = 0
        self._executed = BytecodeCount("cutter_gui")
        self._timer = QTimer()
        self._timer.timeout.connect(self._turn)

    def __enter__(self) -> Probe:
        self._timer.start(0)
        self._executed.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._executed.__exit__(*error)
        self._timer.stop()

    def _turn(self) -> None:
        self.turns += 1
        self.longest = max(self.longest, self._executed.count)
        self._executed.count = 0


def test_commands_are_asked_for_while_10_000_nodes_load_and_no_turn_of_the_event_loop_goes_through_them_all(
    window, hand, qtbot, large_model
):
    qtbot.waitUntil(lambda: window.workspace is not None, timeout=60_000)
    with Probe() as probe:
        window.open_paths([large_model])
        hand.press("Ctrl+Shift+P")
        palette = hand.dialog(CommandPalette)
        assert window.opener.is_busy, "the answer came before the model did"
        palette.close()
        qtbot.waitUntil(lambda: window.workspace.has_picture and not window.opener.is_busy, timeout=120_000)
        qtbot.wait(200)
    assert window.document.graph.node_count >= 10_000
    assert probe.turns > 50
    assert probe.longest < MOST_BYTECODES
