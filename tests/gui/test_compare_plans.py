"""Two plans side by side."""

from __future__ import annotations

from pathlib import Path

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, spec_text
from cutter_gui.gui.dialogs.compare_plans import ComparePlansDialog
from cutter_gui.gui.dialogs.message import Message

ONE = Plan((Cut((CutEdge("10"), CutEdge("mask", ("20", "out")))),))
TWO = Plan((*ONE.cuts, Cut((CutEdge("20"), CutEdge("mask", ("out",))))))


def texts(dialog: ComparePlansDialog) -> list[list[str]]:
    table = dialog.table
    return [[table.item(row, column).text() for column in range(4)] for row in range(table.rowCount())]


def compared(window, hand, path: Path, left: Plan, right: Plan) -> ComparePlansDialog:
    path.write_text(spec_text(CutSpec(left)))
    window.document.take_plan(right, "right", 0)
    window.workspace.desk.compare(path)
    return hand.dialog(ComparePlansDialog)


def test_a_cut_that_is_new_and_the_bytes_it_sends_are_told(opened, hand, tmp_path: Path) -> None:
    dialog = compared(opened, hand, tmp_path / "old.cuts.yaml", ONE, TWO)
    assert opened.document.staging.is_valid
    rows = texts(dialog)
    assert rows[0] == ["Cut", "0 · 64 B", "0 · 64 B", "the same"]
    assert rows[1] == ["Cut", "–", "1 · 64 B", "new"]
    assert rows[-1] == ["Sent in all", "64 B", "128 B", "+64 B"]
    assert [row[0] for row in rows[2:5]] == ["Stage 0", "Stage 1", "Stage 2"]
    assert dialog.summary.text() == "The plan now sends 64 B more."
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
