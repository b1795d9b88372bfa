"""Two plans side by side."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, spec_text
from cutter_gui.gui.dialogs.compare_plans import ComparePlansDialog
from cutter_gui.gui.dialogs.message import Message

ONE = Plan((Cut((CutEdge("10"), CutEdge("mask", ("20", "out")))),))
TWO = Plan((*ONE.cuts, Cut((CutEdge("20"), CutEdge("mask", ("out",))))))


def texts(dialog: ComparePlansDialog) -> list[list[str]]:
    """Returns the text of every row, from top to bottom."""
    found, waiting = [], [dialog.tree.topLevelItem(at) for at in range(dialog.tree.topLevelItemCount())]
    while waiting:
        item = waiting.pop(0)
        found.append([item.text(column) for column in range(4)])
        waiting = [*(item.child(at) for at in range(item.childCount())), *waiting]
    return found


def compared(window, hand, path: Path, left: Plan, right: Plan) -> ComparePlansDialog:
    path.write_text(spec_text(CutSpec(left)))
    window.document.take_plan(right, "right", 0)
    window.workspace.desk.compare(path)
    return hand.dialog(ComparePlansDialog)


def test_a_cut_that_is_new_and_the_bytes_it_sends_are_told(opened, hand, tmp_path: Path) -> None:
    dialog = compared(opened, hand, tmp_path / "old.cuts.yaml", ONE, TWO)
    assert opened.document.staging.is_valid
    assert texts(dialog) == [
        ["Cuts", "", "", ""],
        ["Cut 0", "64 B", "64 B", "the same"],
        ["Cut 1", "–", "64 B", "new"],
        ["", "", "+ mask", "to block3/masked"],
        ["", "", "+ 20", "to block3/product"],
        ["Sent in all", "64 B", "128 B", "+64 B"],
        ["Stages", "", "", ""],
        ["Stage 0", "3 nodes · 64 B", "3 nodes · 64 B", "the same"],
        ["Stage 1", "4 nodes · 128 B", "2 nodes · 64 B", "−2 nodes · −64 B"],
        ["Stage 2", "–", "2 nodes · 64 B", "new"],
        ["Heaviest to mean", "1.33 ×", "1.00 ×", ""],
    ]
    assert dialog.summary.text() == "The plan now sends 64 B more."
    dialog.close()


def test_a_click_on_a_difference_shows_its_tensor_or_cut(opened, hand, qtbot, tmp_path: Path) -> None:
    dialog = compared(opened, hand, tmp_path / "old.cuts.yaml", ONE, TWO)
    cut = dialog.tree.topLevelItem(0).child(1)
    for item in (cut, cut.child(1)):
        place = dialog.tree.visualItemRect(item).center()
        qtbot.mouseClick(dialog.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.document.active_cut == 1
    assert opened.document.selection.tensor == opened.document.graph.tensor_index["20"]
    dialog.close()


def test_another_transport_is_a_difference(opened, hand, tmp_path: Path) -> None:
    dialog = compared(opened, hand, tmp_path / "old.cuts.yaml", TWO, TWO.with_transport("direct"))
    assert ["Transport", "relay", "direct", "another"] in texts(dialog)
    assert dialog.summary.text() == "Both plans send as many bytes."
    dialog.close()


def test_equal_plans_are_called_the_same(opened, hand, tmp_path: Path) -> None:
    dialog = compared(opened, hand, tmp_path / "same.cuts.yaml", TWO, TWO)
    assert dialog.summary.text() == "Both plans are the same."
    dialog.close()


def test_a_file_that_is_no_cut_spec_is_refused_in_a_sentence(opened, hand, tmp_path: Path) -> None:
    path = tmp_path / "broken.cuts.yaml"
    path.write_text("format: something else\n")
    opened.workspace.desk.compare(path)
    assert hand.dialog(Message).sentence
