"""A test that leaves something running fails, whatever else it shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent / "conftest.py"

LEAKING_TESTS = """
import subprocess, sys, threading, warnings
import pytest
from PySide6.QtCore import QSettings, QTimer, QtMsgType, qWarning

stop = threading.Event()
kept = []

@pytest.fixture(scope="module", autouse=True)
def clean_up_at_the_end():
    yield
    stop.set()
    for each in kept:
        each.join() if isinstance(each, threading.Thread) else (each.kill(), each.wait())

def test_a_thread():
    kept.append(threading.Thread(target=stop.wait))
    kept[-1].start()

def test_a_process():
    kept.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))

def test_a_timer(qapp):
    global timer
    timer = QTimer()
    timer.start(50)

def test_a_timer_of_a_closed_widget(qtbot):
    from PySide6.QtWidgets import QWidget
    global widget
    widget = QWidget()
    widget.timer = QTimer(widget)
    widget.timer.start(50)
    widget.close()

def test_a_qt_warning(qapp):
    qWarning("something is wrong")

def test_a_python_warning():
    warnings.warn("something is old", DeprecationWarning)

def test_a_setting(qapp):
    QSettings("cutter-gui-tests", "one").setValue("recent", "a.onnx")

def test_settings_of_the_test_before_are_gone(qapp):
    assert QSettings("cutter-gui-tests", "one").value("recent") is None

def test_what_ends_in_time(qtbot):
    ended = threading.Thread(target=lambda: None)
    ended.start()
    subprocess.run([sys.executable, "-c", ""], check=True)
    done = QTimer()
    done.setSingleShot(True)
    with qtbot.waitSignal(done.timeout):
        done.start(1)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Runs the tests above under this project's conftest and settings; outcome by test name."""
    folder = tmp_path_factory.mktemp("leaks")
    shutil.copy(CONFTEST, folder)
    shutil.copy(CONFTEST.parent.parent / "pyproject.toml", folder)
    (folder / "test_leaking.py").write_text(LEAKING_TESTS)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:xdist", "-p", "no:cacheprovider", "test_leaking.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, str] = {}
    for outcome, name in re.findall(r"^(PASSED|FAILED|ERROR) test_leaking\.py::(\w+)", run.stdout, re.MULTILINE):
        found[name] = "passed" if outcome == "PASSED" and found.get(name) is None else "failed"
    assert found, run.stdout + run.stderr
    return found


@pytest.mark.parametrize(
    "name",
    [
        "test_a_thread",
        "test_a_process",
        "test_a_timer",
        "test_a_timer_of_a_closed_widget",
        "test_a_qt_warning",
        "test_a_python_warning",
    ],
)
def test_leaving_this_behind_fails(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "failed"


@pytest.mark.parametrize(
    "name", ["test_what_ends_in_time", "test_a_setting", "test_settings_of_the_test_before_are_gone"]
)
def test_leaving_nothing_behind_passes(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "passed"
