"""What takes long is done by a worker while the window goes on: pictures of large graphs, long cut specs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, spec_text
from cutter_gui.gui.dialogs.export_picture import ExportPictureDialog
from cutter_gui.gui.dialogs.message import Message


def export(hand, path: Path) -> None:
    hand.press("Ctrl+Shift+E")
    dialog = hand.dialog(ExportPictureDialog)
    dialog.file.setText(str(path))
    hand.key(dialog.file, Qt.Key.Key_Return)


def test_a_picture_is_drawn_by_a_worker_and_the_status_line_says_when_it_is_there(opened, hand, qtbot, tmp_path):
    hand.click_edge("10", "20a")
    export(hand, tmp_path / "graph.png")
    qtbot.waitUntil(lambda: opened.is_busy, timeout=5_000)
    assert not opened.actions_registry["file.export_picture"].isEnabled()
    qtbot.waitUntil(lambda: not opened.is_busy, timeout=60_000)
    assert opened.status.currentMessage() == "Saved graph.png"
    assert QImage(str(tmp_path / "graph.png")).width() > 400


def test_a_picture_that_cannot_be_written_is_an_error_with_its_place(opened, hand, qtbot, tmp_path):
    (tmp_path / "file").write_text("no folder")
    opened.saver.export_to(tmp_path / "file" / "graph.svg")
    message = hand.dialog(Message, timeout=60_000)
    assert "graph.svg" in message.where
    assert not opened.is_busy


def test_a_long_cut_spec_is_read_by_a_worker_and_opened(opened, qtbot, tmp_path):
    names = [f"stale {number}" for number in range(3_000)]
    plan = Plan((Cut((CutEdge("10"), *map(CutEdge, names)), "long"),))
    path = tmp_path / "long.cuts.yaml"
    path.write_text(spec_text(CutSpec(plan, None)))
    assert path.stat().st_size > 32 * 1024
    opened.open_paths([path])
    assert opened.is_busy
    assert opened.document.plan.cuts == ()
    qtbot.waitUntil(lambda: not opened.is_busy and opened.document.plan.cuts != (), timeout=60_000)
    assert opened.document.plan == plan


def test_a_long_file_that_is_no_spec_is_an_error_and_the_window_goes_on(opened, hand, qtbot, tmp_path):
    path = tmp_path / "long.cuts.yaml"
    path.write_text("format: something else\n" + "# padding\n" * 5_000)
    opened.open_paths([path])
    message = hand.dialog(Message, timeout=60_000)
    assert str(path) in message.where
    assert opened.document is not None
    assert not opened.is_busy
