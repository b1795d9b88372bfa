"""What the program has done by its first frame, counted rather than timed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel

from cutter_gui.gui import qt_values
from cutter_gui.gui.theme import palette_of

COUNTING = """
import enum, sys
made = []
make = enum.EnumMeta.__new__
def count(kind, name, *rest, **named):
    made.append(name)
    return make(kind, name, *rest, **named)
enum.EnumMeta.__new__ = count
import first_frame
report = first_frame.FirstFrame.report
def tell(self, window):
    print(*made, sep="\\n")
    print(*sorted(sys.modules), sep="\\n")
    report(self, window)
first_frame.FirstFrame.report = tell
first_frame.print_time_and_quit()
from cutter_gui.cli import main
sys.exit(main([]))
"""


@pytest.fixture(scope="module")
def made_by_the_first_frame() -> set[str]:
    bench = Path(__file__).parent.parent / "bench"
    done = subprocess.run(
        [sys.executable, "-c", COUNTING],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(bench), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


def test_the_first_frame_names_no_enum_of_qt_s_namespace(made_by_the_first_frame: set[str]) -> None:
    """Naming one makes the classes of all, which costs a fifth of the start."""
    assert "ColorRole" in made_by_the_first_frame, "enums that the frame does need are counted"
    assert not made_by_the_first_frame & {"GlobalColor", "AlignmentFlag", "KeyboardModifier", "PenStyle"}


def test_the_first_frame_needs_none_of_what_an_open_model_does(made_by_the_first_frame: set[str]) -> None:
    assert "cutter_gui.gui.window" in made_by_the_first_frame
    assert not made_by_the_first_frame & {"numpy", "scipy", "onnx", "cutter_gui.gui.workspace"}


def test_the_numbers_are_those_of_qt(qtbot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    middle = Qt.AlignmentFlag.AlignVCenter
    for number, meant in (
        (qt_values.ALIGN_LEFT, middle | Qt.AlignmentFlag.AlignLeft),
        (qt_values.ALIGN_RIGHT, middle | Qt.AlignmentFlag.AlignRight),
        (qt_values.ALIGN_CENTER, Qt.AlignmentFlag.AlignCenter),
    ):
        qt_values.set_value(label, "alignment", number)
        assert label.alignment() == meant
    assert Qt.TextFormat.PlainText.value == qt_values.PLAIN_TEXT
    assert Qt.FocusPolicy.StrongFocus.value == qt_values.TAB_AND_CLICK_FOCUS
    assert Qt.ContextMenuPolicy.PreventContextMenu.value == qt_values.PREVENT_CONTEXT_MENU
    assert Qt.ToolButtonStyle.ToolButtonTextBesideIcon.value == qt_values.TEXT_BESIDE_ICON
    with pytest.raises(ValueError, match="no property colour"):
        qt_values.set_value(label, "colour", 1)


def test_brushes_and_pens_made_so_draw_in_their_colour(qapp) -> None:
    assert qt_values.solid(QColor("#123456")).style() is Qt.BrushStyle.SolidPattern
    assert qt_values.solid(QColor("#123456")).color() == QColor("#123456")
    pen = qt_values.line(QColor("#123456"), 1.5)
    assert (pen.color(), pen.widthF(), pen.style()) == (QColor("#123456"), 1.5, Qt.PenStyle.SolidLine)


def test_rows_of_the_empty_page_are_in_the_accent_and_soft_and_as_wide_as_the_frame(window) -> None:
    tokens = palette_of(window.palette())
    for row in window.empty.sample_buttons:
        name, about = row.findChildren(QLabel)
        for label, colour in ((name, tokens.accent), (about, tokens.text_soft)):
            assert label.palette().color(label.foregroundRole()) == QColor(colour)
        assert row.width() == window.empty.frame.width()
