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
from PySide6.QtWidgets import QApplication, QLineEdit
from torch import nn

from cutter_gui.core.manifest import read_manifest
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.dialogs.open_code import OpenCodeDialog
from cutter_gui.gui.dialogs.results import ResultsDialog
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog
from cutter_gui.gui.dialogs.trust import TrustDialog
from cutter_gui.gui.dialogs.trusted_files import TrustedFilesDialog
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


@pytest.mark.timeout(240)
def test_a_factory_is_opened_from_the_menu_with_open_sizes_and_remembered_by_its_bytes(window, hand, qtbot, tmp_path):
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
    assert isinstance(graph.tensor_shapes[int(graph.inputs[0])][0], str), "an open size"
    assert window.document.options.dynamic == ("input:0=batch",)
    assert window.settings.recent[0] == tmp_path / "model.py:make"
    assert [file.file for file in trusted_files(window.settings)] == [str(code)]

    hand.press("F5")
    qtbot.waitUntil(lambda: window.document.graph is not graph and not window.opener.is_busy, timeout=60_000)
    code.write_text(FACTORY + "\n# another file now\n")
    hand.press("F5")
    hand.key(hand.dialog(TrustDialog), Qt.Key.Key_Escape)
    hand.no_dialog()

    window.actions_registry["edit.trusted"].trigger()
    trusted = hand.dialog(TrustedFilesDialog)
    hand.key(trusted, Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not trusted_files(window.settings))
    assert len(trusted.list.rows_model.rows) == 0
