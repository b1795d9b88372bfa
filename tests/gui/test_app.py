"""The program as a process: it ends on Ctrl+C, and lives on after a defect."""

from __future__ import annotations

import signal
import subprocess
import sys

from PySide6.QtCore import QTimer

from cutter_gui.gui import app
from cutter_gui.gui.dialogs.message import Message


def test_ctrl_c_in_the_terminal_ends_the_program_even_while_nothing_happens():
    """No timer turns the event loop: only the pipe that Python writes to can wake it."""
    script = "import sys; from cutter_gui.gui import app; print('up', flush=True); sys.exit(app.run([], None))"
    program = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    program.stdout.readline()
    try:
        program.communicate(timeout=6)
    except subprocess.TimeoutExpired:
        program.send_signal(signal.SIGINT)
    _output, errors = program.communicate(timeout=20)
    assert program.returncode == 130
    assert b"Traceback" not in errors


def test_an_exception_in_a_slot_is_shown_and_logged_and_the_program_lives_on(window, hand, capsys, monkeypatch):
    def defect() -> None:
        raise ZeroDivisionError("by a slot")

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with app._defects_shown(window):
        QTimer.singleShot(0, defect)
        message = hand.dialog(Message)
        assert "ZeroDivisionError: by a slot" in message.sentence
        assert message.details_button is not None
        message.buttons["Close"].click()
        hand.no_dialog()
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert window.isVisible()
