"""Unsaved work survives a killed program, and a model that changed on disk is reloaded with its cuts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import onnx
import pytest
from PySide6.QtCore import Qt

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.gui import recovery
from cutter_gui.gui.dialogs.message import Message
from cutter_gui.gui.recovery import RecoveryLog, left_behind, plan_data, plan_of, read_log, recovery_folder

EDITS = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from cutter_gui.gui.app import application
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

app = application()
window = MainWindow(Theme(app, "light"))
window.show()
window.open_paths([Path(sys.argv[1])])

def edit():
    if window.workspace is None or not window.workspace.has_picture:
        QTimer.singleShot(20, edit)
        return
    index = window.document.graph.tensor_index
    for name in ("10", "mask"):
        window.document.toggle_tensor(index[name])
    print("edited", flush=True)

QTimer.singleShot(20, edit)
app.exec()
"""


@pytest.fixture(autouse=True)
def no_logs_of_others():
    """Tests of a process share its folders."""
    for log in recovery_folder().glob("*"):
        log.unlink()
    yield
    for log in recovery_folder().glob("*"):
        log.unlink()


def test_a_plan_is_the_same_after_the_log(tmp_path: Path, qapp) -> None:
    plan = Plan((Cut((CutEdge("a\n\u2028"), CutEdge("b", ("c", "0186"))), "first"), Cut()), "direct")
    assert plan_of(plan_data(plan)) == plan
    log = RecoveryLog(tmp_path / "m.onnx", "sha256:x")
    log.write(Plan(), None, None)
    log.write(plan, 1, tmp_path / "m.cuts.yaml")
    found = read_log(log.path)
    assert (found.plan, found.active_cut, found.model, found.spec) == (
        plan,
        1,
        tmp_path / "m.onnx",
        tmp_path / "m.cuts.yaml",
    )
    assert found.changes == 2
    assert list(left_behind()) == [], "it belongs to a program that runs"
    log.remove()
    assert list(recovery_folder().glob("*")) == []


@pytest.mark.parametrize("cut_short", range(1, 60, 7))
def test_a_last_line_that_was_cut_short_loses_only_itself(tmp_path: Path, cut_short: int, qapp) -> None:
    log = RecoveryLog(tmp_path / "m.onnx", "sha256:x")
    plans = [Plan((Cut((CutEdge(str(number)),)),)) for number in range(3)]
    for plan in plans:
        log.write(plan, 0, None)
    data = log.path.read_bytes()
    log.path.write_bytes(data[:-cut_short])
    # Without its line end alone the line is whole.
    assert read_log(log.path).plan == (plans[2] if cut_short == 1 else plans[1])
    log.remove()


def test_a_log_that_grew_too_long_is_exchanged_whole_for_one_with_the_last_plan(
    tmp_path: Path, qapp, monkeypatch
) -> None:
    monkeypatch.setattr(recovery, "AT_MOST", 600)
    log = RecoveryLog(tmp_path / "m.onnx", "sha256:x")
    lengths = []
    for number in range(20):
        plan = Plan((Cut((CutEdge(str(number)),)),))
        kept = tmp_path / f"{number}.log"
        if log.path.exists():
            os.link(log.path, kept)
        log.write(plan, 0, None)
        assert read_log(log.path).plan == plan
        if kept.exists():
            assert read_log(kept) is not None, "what was there before is not emptied, for the program may die just now"
        lengths.append(log.path.stat().st_size)
    assert lengths != sorted(lengths), "it began anew"
    assert max(lengths) < 1000
    log.remove()
    assert list(recovery_folder().glob("*")) == []


@pytest.mark.parametrize(
    "text", ["", "3\n4", "[]\n[]", "{}\n{}", "[" * 100_000 + "\n{}", "\0" * 64, '{"format": 3}\n{"plan": 1}']
)
def test_a_log_that_was_damaged_holds_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "damaged.log"
    path.write_text(text)
    assert read_log(path) is None


def test_work_of_a_killed_program_is_recovered_at_the_next_start(request, model, qtbot) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", EDITS, str(model)],
        stdout=subprocess.PIPE,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    try:
        assert program.stdout.readline() == b"edited\n"
        time.sleep(0.2)
        assert list(left_behind()) == [], "the program still runs"
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
    found = list(left_behind())
    assert [one.model for one in found] == [model]

    window, hand = request.getfixturevalue("window"), request.getfixturevalue("hand")
    message = hand.dialog(Message)
    assert "three blocks.onnx" in message.sentence
    qtbot.mouseClick(message.buttons["Recover"], Qt.MouseButton.LeftButton)
    expected = Plan((Cut((CutEdge("10"), CutEdge("mask"))),))
    qtbot.waitUntil(lambda: window.document is not None and window.document.plan == expected, timeout=60_000)
    qtbot.waitUntil(lambda: window.workspace.has_picture and not window.opener.is_busy, timeout=60_000)
    assert window.document.is_modified
    assert not found[0].log.exists()
    hand.press("Ctrl+Z")
    assert window.document.plan == Plan()


def test_the_log_follows_each_change_and_goes_when_the_work_is_saved(opened, hand, tmp_path: Path) -> None:
    opened.document.toggle_tensor(opened.document.graph.tensor_index["10"])
    logs = list(recovery_folder().glob("*.log"))
    assert [read_log(log).plan for log in logs] == [opened.document.plan]
    opened.document.toggle_tensor(opened.document.graph.tensor_index["mask"])
    assert [read_log(log).plan for log in logs] == [opened.document.plan]
    opened.saver._write_cuts(opened.document, tmp_path / "saved.cuts.yaml", lambda: None)
    assert list(recovery_folder().glob("*.log")) == []


def test_a_model_that_changed_on_disk_is_reloaded_with_its_cuts(opened, hand, qtbot, model: Path) -> None:
    document = opened.document
    for name in ("10", "mask"):
        document.toggle_tensor(document.graph.tensor_index[name])
    plan = document.plan
    changed = onnx.load(model)
    for node in changed.graph.node:
        for names in (node.input, node.output):
            for at, name in enumerate(names):
                if name == "mask":
                    names[at] = "masks"
    later = model.with_suffix(".new")
    onnx.save(changed, later)
    later.replace(model)
    message = hand.dialog(Message)
    qtbot.mouseClick(message.buttons["Reload"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: opened.document is not document and not opened.opener.is_busy, timeout=60_000)
    assert opened.document.plan == plan
    stale = next(found for found in opened.document.diagnostics if found.code == "unknown-tensor")
    assert "masks" in stale.fixes[0].title
    hand.press("Ctrl+M")
    assert opened.document.staging.is_valid
