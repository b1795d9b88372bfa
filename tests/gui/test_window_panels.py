"""Panels with long lists, long names, names that look like markup, and many stages."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import helper
from PySide6.QtWidgets import QApplication

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec
from cutter_gui.gui.commands import SpecFile
from cutter_gui.gui.document import Document
from cutter_gui.gui.panels import cut_rows
from cutter_gui.gui.panels.inspector_rows import ShowAll
from cutter_gui.gui.panels.rows import Check, plain_tip
from cutter_gui.gui.panels.stage_strip import StageItem
from cutter_gui.gui.selection import Selection

HTML = "<b>bold</b><img src=x>/&amp;"
FLOAT = 1


def chain(length: int, mask_every: int = 1, names: str = "t{}"):
    """Returns a chain of nodes of which every ``mask_every``-th also reads the tensor ``mask``."""
    builder = GraphBuilder("test")
    for name in ("x", "m"):
        builder.add_input(name)
    builder.add_node("Sigmoid", ["m"], ["mask"])
    before = "x"
    for at in range(length):
        reads = [before, "mask"] if at % mask_every == 0 else [before]
        before = names.format(at)
        builder.add_node("Add", reads, [before], name=f"node {at}")
    builder.add_output(before)
    for name in ("x", "m", "mask", *(names.format(at) for at in range(length))):
        builder.set_type(name, FLOAT, (2, 4))
    return builder.build()


def show(window, graph, plan: Plan = Plan()) -> Document:  # noqa: B008 - immutable
    document = Document(Path("model.onnx"), graph, SpecFile(Path("x.cuts.yaml"), CutSpec(plan)))
    window.tabs.current._on_graph(document)
    QApplication.processEvents()
    return document


def test_a_mask_with_500_consumers_shows_few_until_asked(window, hand):
    document = show(window, chain(500))
    mask = document.graph.tensor_index["mask"]
    document.add_cut()
    document.toggle_tensor(mask)
    document.toggle_consumer(mask, 1)
    rows = window.workspace.cuts.list
    checks = [row for row in rows.rows_model.rows if row.check is not None]
    assert len(checks) == cut_rows.CONSUMERS_SHOWN
    assert "… 492 more" in [row.text for row in rows.rows_model.rows]
    hand.click_target(rows, cut_rows.ShowAllConsumers(mask))
    assert sum(row.check is not None for row in rows.rows_model.rows) == 500
    checked = [row.check.on for row in rows.rows_model.rows if row.check is not None]
    document.toggle_consumer(mask, 250)
    QApplication.processEvents()
    after = [row.check.on for row in rows.rows_model.rows if row.check is not None]
    assert sum(one != other for one, other in zip(checked, after, strict=True)) == 1


def test_of_many_model_outputs_few_are_listed_until_asked(window, hand):
    builder = GraphBuilder("test")
    builder.add_input("x")
    for at in range(80):
        builder.add_node("Neg", ["x"], [f"t{at}"])
        builder.add_output(f"t{at}")
    show(window, builder.build())
    rows = window.workspace.inspector.list
    assert "… 56 more" in [row.text for row in rows.rows_model.rows]
    hand.click_target(rows, ShowAll("outputs"))
    said = " ".join(row.text for row in rows.rows_model.rows)
    assert "t79" in said
    assert "more" not in said


def test_the_consumers_shown_first_are_those_where_the_cut_begins(window):
    graph = chain(100)
    late = [f"t{at}" for at in range(40, 100)]
    show(window, graph, Plan((Cut((CutEdge("mask", late),)),)))
    rows = window.workspace.cuts.list.rows_model.rows
    states = [part.on for row in rows for part in row.parts if isinstance(part, Check)]
    assert states == [False, *([True] * (cut_rows.CONSUMERS_SHOWN - 1))]


def test_200_stages_are_shown_and_scrolled(window):
    plan = Plan(tuple(Cut((CutEdge(f"t{5 * at}"),)) for at in range(1, 200)))
    document = show(window, chain(1200, mask_every=10_000), plan)
    strip = window.workspace.stages.strip
    assert sum(isinstance(item, StageItem) for item in strip.items) == 200
    bar = strip.horizontalScrollBar()
    bar.setValue(bar.maximum())
    assert strip.item_at(strip.item_rect(398).center()) == 398
    document.set_active_cut(150)
    QApplication.processEvents()
    assert any("t755" in row.text for row in window.workspace.cuts.list.rows_model.rows), "the cuts follow"


@pytest.mark.parametrize("name", [HTML, "a" * 3000, "line\nbreak\ttab", "\u202eright to left", "percent %1 {0}"])
def test_names_are_shown_as_they_are_everywhere(window, name):
    builder = GraphBuilder("test")
    builder.add_input("x")
    builder.add_node(name, ["x"], [name], name=name, attributes=((name, name),))
    builder.add_node("Relu", [name], ["y"])
    builder.add_output("y")
    document = show(window, builder.build(), Plan((Cut((CutEdge(name),), name),)))
    escaped = {"line\nbreak\ttab": r"line\nbreak\ttab", "\u202eright to left": r"\u202eright"}
    shown = escaped.get(name, name[:20])
    tensor = document.graph.tensor_index[name]
    document.select(Selection(tensor=tensor))
    assert any(shown in row.text for row in window.workspace.inspector.list.rows_model.rows)
    document.select(Selection(node=0))
    texts = [row.text for row in window.workspace.inspector.list.rows_model.rows]
    assert sum(shown in text for text in texts) >= 3, "op, name, attribute, output"
    assert any(shown in row.text for row in window.workspace.cuts.list.rows_model.rows)
    for rows in (window.workspace.cuts.list, window.workspace.inspector.list):
        for at, row in enumerate(rows.rows_model.rows):
            for placed in rows.placed(at):
                assert placed.rect.right() <= rows.viewport().width(), row.text[:40]
                assert "\n" not in placed.text
    document.undo_stack.setClean()


def test_a_tooltip_shows_markup_literally():
    assert "<b>" not in plain_tip(HTML)
    assert "&lt;b&gt;bold&lt;/b&gt;" in plain_tip(HTML)
    assert plain_tip("") == ""


def test_stale_names_of_a_spec_are_listed_and_can_be_taken_out(window, hand):
    show(window, chain(5), Plan((Cut((CutEdge("t1"), CutEdge("gone"), CutEdge("mask", ["t2", "nobody"]))),)))
    rows = window.workspace.cuts.list
    texts = [row.text for row in rows.rows_model.rows]
    assert "gone not in this model" in texts
    assert "nobody does not read it" in texts
    hand.click_target(rows, cut_rows.RemoveTensor(0, "gone"))
    assert [edge.tensor for edge in window.document.plan.cuts[0].edges] == ["t1", "mask"]
    window.document.undo_stack.setClean()


def test_the_canvas_keeps_most_of_the_window_at_1280_by_800(opened):
    canvas = opened.workspace.canvas
    assert canvas.width() * canvas.height() > 0.5 * 1280 * 800


def test_panels_are_hidden_and_their_sizes_remembered(opened, hand):
    opened.actions_registry["view.stages"].trigger()
    opened.actions_registry["view.problems"].trigger()
    hand.settle()
    assert not opened.workspace.stages.isVisible()
    assert opened.workspace.canvas.height() > 600
    assert opened.settings.text("panels/stages") == "hidden"


def test_a_window_with_a_model_may_be_small(opened, hand):
    opened.resize(400, 300)
    hand.settle()
    assert opened.width() <= 640
    assert opened.height() <= 420
    assert opened.workspace.canvas.height() > 80


def test_a_model_without_nodes_says_that_there_is_nothing_to_cut(open_model, tmp_path):
    path = tmp_path / "empty.onnx"
    graph = helper.make_graph([], "empty", [], [])
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    window = open_model(path)
    assert "no nodes" in window.status.hint.text()
