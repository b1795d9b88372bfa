"""Models of torch in the window, by mouse and keyboard: what runs code asks first, the rest opens as any model does."""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from torch import nn

from cutter_gui.core import CutEdge
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.format import TypeHint
from cutter_gui.core.manifest import read_manifest
from cutter_gui.gui import keeping
from cutter_gui.gui.dialogs.give_type import GiveTypeDialog
from cutter_gui.gui.dialogs.matches import MatchesDialog
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.dialogs.open_code import OpenCodeDialog
from cutter_gui.gui.dialogs.results import ResultsDialog
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog
from cutter_gui.gui.dialogs.trust import TrustDialog
from cutter_gui.gui.dialogs.trusted_files import TrustedFilesDialog
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.trusted_files import trusted_files

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning:torch"),
]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x)) + x


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("exported") / "m.pt2"
    torch.manual_seed(0)
    module = nn.Sequential(Block(), Block(), Block()).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(module, (torch.randn(2, 4),), strict=False), path)
    return path.read_bytes()


@pytest.fixture
def archive(tmp_path: Path, exported: bytes) -> Path:
    path = tmp_path / "blocks.pt2"
    path.write_bytes(exported)
    return path


def type_text(qtbot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


def wait_until_drawn(window, qtbot) -> None:
    def drawn() -> bool:
        return window.workspace is not None and window.workspace.has_picture and not window.opener.is_busy

    qtbot.waitUntil(drawn, timeout=60_000)


def texts_of(results: ResultsDialog) -> list[str]:
    return [row.text for row in results.list.rows_model.rows]


@pytest.mark.timeout(240)
def test_an_exported_program_is_opened_cut_previewed_saved_and_verified(window, hand, qtbot, archive, open_model):
    open_model(archive)
    assert not QApplication.activeModalWidget(), "a .pt2 opens without a question"

    hand.click_edge("add", "linear_1")
    hand.press("N")
    hand.click_edge("add_1", "linear_2")
    assert window.status.stages.text() == "3 stages"
    assert window.workspace.problems.list.rows_model.rows[0].text == "Valid: 3 stages, every cut complete"
    sent = [
        [window.document.graph.tensor_names[t] for t in send.tensors]
        for c in window.document.contents
        for send in c.sends
    ]
    assert sent == [["add"], ["add_1"]]

    folder = archive.parent / "stages"
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    assert not dialog.form.isVisible()
    assert not dialog.weights.isVisible()
    type_text(qtbot, dialog.folder, str(folder))
    hand.key(dialog.folder, Qt.Key.Key_Return)
    question = hand.dialog(TrustDialog)
    assert str(archive) in question.text.replace("\u200b", "")
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in question.text.replace("\n", "")
    assert not folder.exists()
    hand.key(question, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)

    results = hand.dialog(ResultsDialog, timeout=120_000)
    texts = texts_of(results)
    assert any(text.startswith("Every output is identical") for text in texts), texts
    assert sum("identical stage 2" in text for text in texts) == 2, "a line for .pt2 and one for .json"
    hand.key(results, Qt.Key.Key_Escape)
    manifest = read_manifest(folder)
    assert [set(stage.files.items()) for stage in manifest.stages] == [
        {("pt2", f"blocks_{i}.pt2"), ("json", f"blocks_{i}.json"), ("weights", f"blocks_{i}.safetensors")}
        for i in range(3)
    ]

    window.saver.verify(folder)
    question = hand.dialog(TrustDialog)
    assert [code.code.title for code in question.codes] == [f"blocks_{i}.pt2" for i in range(3)], "the model is trusted"
    hand.key(question, Qt.Key.Key_Escape)
    assert window.status.currentMessage() == "stages was not verified: nothing was run"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="tells processes apart by /proc")
def test_saving_stages_is_cancelled_with_the_process_that_runs_the_model(window, hand, qtbot, archive, open_model):
    open_model(archive)
    hand.click_edge("add", "linear_1")
    hand.press("Ctrl+E")
    dialog = hand.dialog(SaveStagesDialog)
    type_text(qtbot, dialog.folder, str(archive.parent / "out"))
    hand.key(dialog.folder, Qt.Key.Key_Return)
    hand.key(hand.dialog(TrustDialog), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.status.job.text.text() in ("Loading torch", "Loading the model"), timeout=60_000)
    (worker,) = window.workers.running
    children = processes_of(worker.process_id)
    assert len(children) == 1, "the model's code runs in a process of its own"
    qtbot.mouseClick(window.status.job.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.is_busy, timeout=20_000)
    assert "nothing was written" in window.status.currentMessage()
    assert sorted(path.name for path in archive.parent.iterdir()) == ["blocks.pt2"]
    qtbot.waitUntil(lambda: not any(Path(f"/proc/{child}").exists() for child in children), timeout=10_000)


def processes_of(parent: int) -> list[int]:
    """Returns the processes that a process started."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(number) for number in listed.read_text().split()]


class MakesFolder:
    """Pickles to what makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.path),))


def test_what_would_unpickle_says_what_runs_and_runs_nothing_when_refused(window, hand, qtbot, tmp_path):
    trap, path = tmp_path / "trap", tmp_path / "model.pt"
    path.write_bytes(pickle.dumps(MakesFolder(trap)))
    window.open_paths([path])
    question = hand.dialog(TrustDialog)
    said = question.text.replace("\u200b", "")
    assert str(path) in said
    assert f"{os.mkdir.__module__}.mkdir" in said, "what the pickle calls"
    assert hashlib.sha256(path.read_bytes()).hexdigest() in said.replace("\n", "")
    assert question.refuse_button.isDefault(), "the Enter key runs nothing"
    hand.key(question, Qt.Key.Key_Return)
    hand.no_dialog()
    qtbot.waitUntil(lambda: not window.opener.is_busy)
    assert window.status.currentMessage() == "model.pt was not opened: nothing was run"
    assert window.stack.currentWidget() is window.empty
    assert not trap.exists()

    window.open_paths([path])
    question = hand.dialog(TrustDialog)
    path.write_bytes(pickle.dumps([MakesFolder(trap)]))
    hand.key(question, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    message = hand.dialog(Message, timeout=60_000)
    assert message.sentence.startswith("The file has changed since you were asked")
    hand.key(message, Qt.Key.Key_Escape)
    assert not trap.exists(), "another file than the one that was agreed to does not run"

    window.open_paths([path])
    hand.key(hand.dialog(TrustDialog), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    hand.key(hand.dialog(Message, timeout=60_000), Qt.Key.Key_Escape)
    assert trap.exists(), "the trap must work, or the test shows nothing"


FACTORY = """
import torch
from torch import nn

def make():
    module = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    return module.eval(), (torch.randn(2, 4),)

def needs(argument): ...
"""


@pytest.fixture
def late_to_notice(monkeypatch) -> None:
    """Lets a changed file be noticed after the question was answered."""
    monkeypatch.setattr(keeping, "SETTLED_MS", 2500)


@pytest.mark.timeout(240)
def test_a_factory_is_opened_from_the_menu_with_open_sizes_and_remembered_by_its_bytes(
    late_to_notice, window, hand, qtbot, tmp_path
):
    code = tmp_path / "model.py"
    code.write_text(FACTORY)
    hand.press("Ctrl+Alt+O")
    dialog = hand.dialog(OpenCodeDialog)
    type_text(qtbot, dialog.code, str(code))
    assert dialog.functions.text() == "Functions there: make"
    assert not dialog.open_button.isEnabled()
    assert "path.py:function" in dialog.note.text()
    qtbot.keyClicks(dialog.code, ":make")
    type_text(qtbot, dialog.dynamic, "input")
    assert "input:dimension" in dialog.note.text()
    qtbot.keyClicks(dialog.dynamic, ":0=batch")
    hand.key(dialog.dynamic, Qt.Key.Key_Return)

    question = hand.dialog(TrustDialog)
    said = question.text.replace("\u200b", "")
    assert str(code) in said
    assert "make()" in said
    hand.key(question, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: question.remember.isChecked())
    hand.key(question, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    wait_until_drawn(window, qtbot)
    graph = window.document.graph
    assert graph.tensor_shapes[int(graph.inputs[0])] == ("batch", 4), "an open size"
    assert window.document.options.dynamic == ("input:0=batch",)
    assert window.settings.recent[0] == tmp_path / "model.py:make"
    assert [file.file for file in trusted_files(window.settings)] == [str(code)]

    hand.press("F5")
    qtbot.waitUntil(lambda: window.document.graph is not graph and not window.opener.is_busy, timeout=60_000)
    code.write_text(FACTORY + "\n# another file now\n")
    hand.press("F5")
    hand.key(hand.dialog(TrustDialog), Qt.Key.Key_Escape)
    qtbot.wait(keeping.SETTLED_MS + 500)  # that the file changed is noticed by now
    hand.no_dialog()

    window.actions_registry["edit.trusted"].trigger()
    trusted = hand.dialog(TrustedFilesDialog)
    hand.key(trusted, Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not trusted_files(window.settings))
    assert len(trusted.list.rows_model.rows) == 0


RULES = """
import torch
def pattern(x, w, b): return torch.ops.aten.relu.default(torch.ops.aten.linear.default(x, w, b))
def replacement(x, w, b): return torch.ops.aten.sigmoid.default(torch.ops.aten.linear.default(x, w, b))
"""


def choose_file(hand, qtbot, path: Path) -> None:
    field = hand.dialog(QFileDialog).findChild(QLineEdit, "fileNameEdit")
    type_text(qtbot, field, str(path))
    hand.key(field, Qt.Key.Key_Return)


@pytest.mark.timeout(240)
def test_matches_of_rules_are_shown_and_replaced_as_one_step_that_undo_brings_back(
    window, hand, qtbot, archive, open_model, tmp_path
):
    rules, out = tmp_path / "rules.py", tmp_path / "other.pt2"
    rules.write_text(RULES)
    open_model(archive)
    document, canvas = window.document, window.workspace.canvas
    hand.click_edge("relu", "add")
    hand.press("N")
    hand.click_edge("add_1", "linear_2")
    hand.click_node("add_2")
    before, plan = document.graph, document.plan
    assert plan.cuts[1].edges == (CutEdge("add_1", ["linear_2"]),)

    hand.press("Ctrl+Shift+R")
    choose_file(hand, qtbot, rules)
    question = hand.dialog(TrustDialog)
    said = question.text.replace("\u200b", "")
    assert str(rules) in said
    assert str(archive) in said
    hand.key(question, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    matches = hand.dialog(MatchesDialog, timeout=60_000)
    assert matches.summary.text() == "3 matches of 1 rule in blocks.pt2, marked on the canvas."
    marked = {before.node_label(node) for node in canvas.found.nodes.tolist()}
    assert marked == {"linear", "relu", "linear_1", "relu_1", "linear_2", "relu_2"}
    for at, anchor in ((1, "relu"), (2, "relu_1"), (3, "relu_2"), (1, "relu")):
        hand.key(matches.next_button, Qt.Key.Key_Space)
        assert before.node_label(document.selection.node) == anchor
        assert matches.place.text() == f"{at} / 3"
    other = archive.with_name("another.pt2")
    other.write_bytes(archive.read_bytes())
    open_model(other)
    assert window.document is not document
    hand.key(matches.previous_button, Qt.Key.Key_Space)
    assert before.node_label(document.selection.node) == "relu_2"
    assert window.document is document, "the tab of the model is looked at"

    hand.key(matches.replace_button, Qt.Key.Key_Space)
    choose_file(hand, qtbot, out)
    qtbot.waitUntil(lambda: document.graph is not before, timeout=60_000)
    hand.settle()
    after = document.graph
    assert (document.path, window.tabs.current.path) == (out, out)
    assert window.windowTitle().startswith("other.pt2")
    assert sorted(set(after.op_types)) == ["aten.add.Tensor", "aten.linear", "aten.sigmoid"]
    assert [cut.edges for cut in document.plan.cuts] == [
        (CutEdge("sigmoid_default"),),
        (CutEdge("add_1", ["linear_default_2"]),),
    ]
    assert len(canvas.found.nodes) == 0
    hand.click_edge("add_1", "add_2")
    assert document.plan.cuts[1].edges == (), "a click on the canvas cuts the new model"

    hand.press("Ctrl+Z")
    hand.press("Ctrl+Z")
    assert document.graph.fingerprint == before.fingerprint
    assert (document.plan, document.path, window.tabs.current.path) == (plan, archive, archive)
    hand.click_node("relu_1")
    assert document.graph.node_label(document.selection.node) == "relu_1", "the canvas shows the model again"
    hand.press("Ctrl+Shift+Z")
    assert document.graph.fingerprint == after.fingerprint
    assert archive.is_file()


def test_a_python_file_that_is_opened_asks_which_function_makes_the_model(window, hand, tmp_path):
    code = tmp_path / "model.py"
    code.write_text(FACTORY)
    window.open_paths([code])
    dialog = hand.dialog(OpenCodeDialog)
    assert dialog.code.text() == f"{code}:make", "the one function that takes nothing"
    assert dialog.open_button.isEnabled()
    hand.key(dialog, Qt.Key.Key_Escape)
    hand.no_dialog()
    assert window.stack.currentWidget() is window.empty


def test_the_input_of_a_pickled_graph_is_given_its_type(window, hand, qtbot, tmp_path):
    path = tmp_path / "model.pt"
    torch.save(torch.fx.symbolic_trace(nn.Sequential(nn.Linear(4, 4), nn.ReLU())), path)
    window.open_paths([path])
    hand.key(hand.dialog(TrustDialog), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    wait_until_drawn(window, qtbot)
    document = window.document
    action = window.actions_registry["edit.give_type"]
    document.select(Selection(tensor=int(document.graph.inputs[0])))
    assert action.isEnabled()
    action.trigger()
    dialog = hand.dialog(GiveTypeDialog)
    type_text(qtbot, dialog.shape, "2,4")
    hand.key(dialog.shape, Qt.Key.Key_Return)
    name = document.graph.tensor_names[int(document.graph.inputs[0])]
    assert document.types == {name: TypeHint(BY_NAME["float32"].code, (2, 4))}
    assert not action.isEnabled()


def test_a_model_that_is_gone_is_told_instead_of_asked_about(window, hand, qtbot, archive, open_model):
    open_model(archive)
    hand.click_edge("add", "linear_1")
    archive.unlink()
    hand.press("Ctrl+E")
    hand.key(hand.dialog(SaveStagesDialog).folder, Qt.Key.Key_Return)
    message = hand.dialog(Message)
    assert message.sentence.startswith("The file cannot be read")
    assert message.where == str(archive)
    hand.key(message, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.is_busy)
