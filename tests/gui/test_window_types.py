"""Giving the type of a tensor where inference cannot tell it."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cutter_gui.core.format import TypeHint
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui.dialogs.give_type import GiveTypeDialog
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.dialogs.results import ResultsDialog
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog
from cutter_gui.gui.panels.problems import GiveType
from cutter_gui.gui.recovery import Recovered, read_log, recovery_folder

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """``x -> Relu a -> acme::Blend b -> Relu y``: what makes ``b`` is unknown, and so is its type."""
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Blend", ["a"], ["b"], domain="acme"),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, FLOAT, [1, 16, "n"]) for name in ("x", "y"))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    made = helper.make_model(helper.make_graph(nodes, "test", [x], [y]), opset_imports=opsets, ir_version=9)
    path = tmp_path / "blend.onnx"
    path.write_bytes(made.SerializeToString())
    return path


@pytest.fixture
def cut(opened, hand):
    """The window with the model cut behind the unknown op."""
    hand.click_edge("b", "y")
    assert codes(opened) == ["unknown-type"]
    yield opened
    opened.document.undo_stack.setClean()


def codes(window) -> list[str]:
    return [found.code for found in window.document.diagnostics if found.is_error]


def asked(window, hand) -> GiveTypeDialog:
    """Clicks the button of the problem and returns the dialog."""
    hand.click_target(window.workspace.problems.list, GiveType("b"))
    return hand.dialog(GiveTypeDialog)


def give(dialog, hand, dtype: str, shape: str) -> None:
    """Picks the dtype by its name and types the shape."""
    QTest.keyClicks(dialog.dtype, dtype)
    QTest.keyClicks(dialog.shape, shape)
    hand.key(dialog.shape, Qt.Key.Key_Return)
    hand.no_dialog()


def save(window, hand, folder: Path, form: str) -> None:
    """Saves the stages in one form, without running them."""
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    dialog.folder.selectAll()
    QTest.keyClicks(dialog.folder, str(folder))
    QTest.keyClicks(dialog.form, form)
    assert dialog.form.currentData() == form.lower()
    QTest.keyClick(dialog.verify, Qt.Key.Key_Space)
    assert not dialog.verify.isChecked()
    hand.key(dialog.folder, Qt.Key.Key_Return)
    hand.key(hand.dialog(ResultsDialog, timeout=40_000), Qt.Key.Key_Escape)
    hand.no_dialog()


def type_in(path: Path) -> tuple[int, list[int | str]]:
    """Returns the element type and the shape of the only input of a written stage."""
    (value,) = onnx.load(path).graph.input
    dims = value.type.tensor_type.shape.dim
    return value.type.tensor_type.elem_type, [dim.dim_param or dim.dim_value for dim in dims]


def test_a_type_given_ends_the_problem_and_is_undone_and_redone_as_one_step(cut, hand, rows_text):
    assert any("Give its type…" in text for text in rows_text(cut.workspace.problems.list))
    dialog = asked(cut, hand)
    assert dialog.name.text() == "b"
    give(dialog, hand, "float32", "1,16,n")
    assert codes(cut) == []
    assert cut.document.types == {"b": TypeHint(FLOAT, (1, 16, "n"))}
    assert rows_text(cut.workspace.problems.list)[0].startswith("Valid: 2 stages")
    assert cut.document.undo_stack.undoText() == "Give b the type float32"
    hand.press("Ctrl+Z")
    assert codes(cut) == ["unknown-type"]
    assert len(cut.document.plan.cuts[0].edges) == 1, "the cut is a step of its own"
    hand.press("Ctrl+Shift+Z")
    assert codes(cut) == []


@pytest.mark.parametrize("form", ["Plain", "Both"])
def test_stages_are_saved_with_the_type_given(cut, hand, tmp_path, form):
    give(asked(cut, hand), hand, "float32", "1,16,n")
    save(cut, hand, tmp_path / "out", form)
    readers = [path for path in sorted((tmp_path / "out").glob("*.onnx")) if "1" in path.stem and "plain" in path.stem]
    assert [type_in(path) for path in readers] == [(FLOAT, [1, 16, "n"])]


def test_a_later_cut_keeps_the_type(cut, hand):
    give(asked(cut, hand), hand, "int64", "")
    hand.click_edge("a", "b")
    assert cut.document.types == {"b": TypeHint(INT64, None)}
    assert cut.document.graph.tensor_dtype[cut.document.graph.tensor_index["b"]] == INT64


def test_save_stages_refuses_a_type_that_is_not_known_and_offers_to_ask(cut, hand, qtbot):
    hand.press("Ctrl+E")
    message = hand.dialog(Message)
    assert "element type of b" in message.sentence
    qtbot.mouseClick(message.buttons["Give its type…"], Qt.MouseButton.LeftButton)
    give(hand.dialog(GiveTypeDialog), hand, "float32", "[]")
    assert cut.document.types == {"b": TypeHint(FLOAT, ())}
    hand.press("Ctrl+E")
    hand.key(hand.dialog(SaveStagesDialog), Qt.Key.Key_Escape)


def test_a_shape_that_cannot_be_read_is_named_and_not_taken(cut, hand):
    dialog = asked(cut, hand)
    QTest.keyClicks(dialog.shape, "1,-3")
    assert dialog.error.text() == "-3 is no size: write sizes, ? or names with commas between, as in 1,16,?"
    hand.key(dialog.shape, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert cut.document.types == {}
    for _ in range(2):
        hand.key(dialog.shape, Qt.Key.Key_Backspace)
    assert "a size is missing" in dialog.error.text().lower()
    QTest.keyClicks(dialog.shape, "?")
    assert dialog.error.text() == ""
    hand.key(dialog.shape, Qt.Key.Key_Return)
    assert cut.document.types == {"b": TypeHint(FLOAT, (1, None))}


@pytest.fixture
def two_behind(tmp_path: Path) -> Path:
    """``x -> acme::Blend b -> Relu c -> Neg y``: what `c` is follows from what `b` is."""
    nodes = [
        helper.make_node("Blend", ["x"], ["b"], domain="acme"),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("Neg", ["c"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, FLOAT, [2, 4]) for name in ("x", "y"))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    made = helper.make_model(helper.make_graph(nodes, "test", [x], [y]), opset_imports=opsets, ir_version=9)
    path = tmp_path / "two.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def type_of(document, name: str) -> tuple[int, object]:
    tensor = document.graph.tensor_index[name]
    return int(document.graph.tensor_dtype[tensor]), document.graph.tensor_shapes[tensor]


class TestBehindATypeGiven:
    @pytest.fixture
    def model(self, two_behind):
        return two_behind

    def test_types_are_inferred_on_and_taken_back_with_it(self, opened, hand, qtbot):
        hand.click_edge("c", "y")
        assert codes(opened) == ["unknown-type"]
        opened.document.give_type("b", TypeHint(FLOAT, (2, 4)))
        qtbot.waitUntil(lambda: codes(opened) == [], timeout=60_000)
        assert type_of(opened.document, "c") == (FLOAT, (2, 4))
        hand.press("Ctrl+Z")
        assert type_of(opened.document, "c") == (0, None)
        hand.press("Ctrl+Shift+Z")
        assert type_of(opened.document, "c") == (FLOAT, (2, 4)), "what was inferred once is still known"
        opened.document.undo_stack.setClean()

    def test_types_are_there_when_the_model_is_opened_again(self, opened, hand, qtbot, model):
        document = opened.document
        document.give_type("b", TypeHint(FLOAT, (2, 4)))
        qtbot.waitUntil(lambda: type_of(document, "c") == (FLOAT, (2, 4)), timeout=60_000)
        document.undo_stack.setClean()
        opened.opener.open_again(model, None)
        qtbot.waitUntil(lambda: opened.document not in (None, document), timeout=60_000)
        qtbot.waitUntil(lambda: not opened.opener.is_busy, timeout=60_000)
        assert opened.document.types == {"b": TypeHint(FLOAT, (2, 4))}
        assert not opened.document.undo_stack.canUndo()
        qtbot.waitUntil(lambda: type_of(opened.document, "c") == (FLOAT, (2, 4)), timeout=60_000)


def test_types_given_survive_in_the_recovery_log(cut, hand, tmp_path):
    give(asked(cut, hand), hand, "float32", "1,?,n")
    (log,) = recovery_folder().glob("*.log")
    assert read_log(log).types == cut.document.types == {"b": TypeHint(FLOAT, (1, None, "n"))}


def test_a_recovered_plan_brings_its_types(opened, hand, qtbot, tmp_path):
    plan = Plan((Cut((CutEdge("b"),)),))
    hints = {"b": TypeHint(FLOAT, (1, 16, "n")), "gone": TypeHint(FLOAT, None)}
    found = Recovered(tmp_path / "x.log", opened.document.path, None, plan, 0, 1, hints)
    opened.tabs.current.keeper.recover(found)
    assert opened.document.plan == plan
    assert opened.document.types == {"b": TypeHint(FLOAT, (1, 16, "n"))}
    assert codes(opened) == []
    hand.press("Ctrl+Z")
    assert (opened.document.plan, opened.document.types) == (Plan(), {})


def test_the_window_speaks_of_its_dialog_and_of_no_flag(cut, hand, rows_text):
    assert "--type" in cut.document.diagnostics[0].message, "the command line has a flag"
    assert "--type" not in " ".join(rows_text(cut.workspace.problems.list))
    hand.press("Ctrl+E")
    message = hand.dialog(Message)
    assert "--type" not in message.sentence
    hand.key(message, Qt.Key.Key_Escape)
