"""The window on a real X server; all other tests draw on Qt's offscreen platform."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

START = Path(__file__).parent.parent / "bench"

pytestmark = pytest.mark.xcb


def first_frame(display: str, script: str, *arguments: str) -> dict[str, float]:
    """Starts a program, lets it draw one frame and end, and returns the size of its window."""
    done = subprocess.run(
        [sys.executable, "-W", "error", START / script, *arguments],
        env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_qt_finds_every_library_that_it_needs_for_x11(xvfb: str) -> None:
    shown = first_frame(xvfb, "start_bare_window.py", "800", "600")
    assert (shown["width"], shown["height"]) == (800, 600)


def test_the_empty_program_shows_its_window_and_ends_without_a_word(xvfb: str) -> None:
    shown = first_frame(xvfb, "start_program.py")
    assert shown["width"] >= 800
    assert shown["height"] >= 600
