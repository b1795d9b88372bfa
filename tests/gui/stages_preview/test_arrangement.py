"""Where the Stages preview puts things, and that it says what a split writes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import onnx
import pytest
from hypothesis import given, settings
from onnx import TensorProto, helper

from cutter_gui.core.contents import stage_contents
from cutter_gui.core.format import SplitRequest, format_for
from cutter_gui.core.plan import Plan
from cutter_gui.core.spec import read_spec
from cutter_gui.core.stages import assign_stages
from cutter_gui.gui.stages_preview.columns import arrange_columns
from cutter_gui.gui.stages_preview.drawing import ChannelTarget, Drawing, Inside, NodeTarget, StageTarget
from cutter_gui.gui.stages_preview.facts import Facts
from cutter_gui.gui.stages_preview.rows import arrange_rows
from cutter_gui.gui.stages_preview.texts import tip
from cutter_gui.gui.stages_preview.walk import next_target
from cutter_gui.onnx.channels import detach
from cutter_gui.onnx.model import open_model
from cutter_gui.resource_files import resource
from strategies.graphs import valid_cases
from strategies.small_graphs import small_graph, small_plan

ARRANGEMENTS = {"columns": arrange_columns, "rows": arrange_rows}
SKIP = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", outputs=["d"])
CUTS = ("a->b", "b", "c a->d")


def facts_of(graph, plan: Plan, symbols=None) -> Facts:
    staging = assign_stages(graph, plan)
    return Facts(staging, stage_contents(staging), symbols or {})


def four_stages(transport="relay", symbols=None) -> Facts:
    return facts_of(SKIP, small_plan(*CUTS, transport=transport), symbols)


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_ranks_tags_and_order_shown_are_those_in_the_files_written(tmp_path: Path, transport: str) -> None:
    path = resource("models", "bert_small.onnx")
    plan = read_spec(resource("models", "bert_small.cuts.yaml")).plan.with_transport(transport)
    model_format = format_for(path)
    graph = model_format.load(path)
    model_format.split(SplitRequest(path, plan, tmp_path / "out", form="sendrecv", graph=graph))
    facts = facts_of(graph, plan)
    drawing = arrange_columns(facts, ())
    for stage in range(len(facts.contents)):
        written = detach(open_model(tmp_path / "out" / f"bert_small_{stage}.onnx"))
        for ends, is_send in ((written.sends, True), (written.receives, False)):
            shown = [
                channel for channel in drawing.channels if channel.stage == stage and channel.target.is_send is is_send
            ]
            word = "to" if is_send else "from"
            assert sorted(channel.detail for channel in shown) == sorted(
                f"{word} rank {end.peer} · tag {end.tag}" for end in ends
            )
            by_peer = {channel.peer: [port.name for port in channel.ports] for channel in shown}
            for end in ends:
                assert by_peer[end.peer] == [name.split("_recv")[0] for name in end.tensors]


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_names_told_of_sends_and_recvs_are_those_of_the_nodes_written(tmp_path: Path, transport: str) -> None:
    path = tmp_path / "m.onnx"
    taken = ("send0", "recv0", "send0_1", "recv0_1")
    nodes = [helper.make_node("Neg", [f"t{at}"], [f"t{at + 1}"], name=taken[at]) for at in range(4)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("t0", "t4")]
    onnx.save(helper.make_model(helper.make_graph(nodes, "m", ends[:1], ends[1:]), ir_version=9), path)
    plan = small_plan("t1", "t2", transport=transport)
    model_format = format_for(path)
    graph = model_format.load(path)
    model_format.split(SplitRequest(path, plan, tmp_path / "out", form="sendrecv", graph=graph))
    facts = replace(facts_of(graph, plan), names_nodes=True)
    written, told = set(), set()
    for stage in range(3):
        file = onnx.load(tmp_path / "out" / f"m_{stage}.onnx")
        written |= {node.name for node in file.graph.node if node.domain == "com.microsoft"}
    for transfer in facts.moved:
        for is_send in (True, False):
            target = ChannelTarget(transfer.source, transfer.destination, is_send=is_send)
            told.add(tip(facts, target).splitlines()[1].removeprefix("node "))
    assert told == written
    assert len(told) == 4
    assert not told & set(taken)
    assert "node " not in tip(replace(facts, names_nodes=False), target)


def names_of_wires(facts: Facts) -> list[tuple[str, int, int, str]]:
    wires = arrange_columns(facts, ()).wires
    return [(wire.name, wire.target.source, wire.target.destination, wire.note) for wire in wires]


def test_a_relayed_tensor_has_a_wire_for_each_hop_and_passes_the_stages_between() -> None:
    facts = four_stages()
    assert [wire for wire in names_of_wires(facts) if wire[0] == "a"] == [
        ("a", 0, 1, "hop 1 of 3"),
        ("a", 1, 2, "hop 2 of 3"),
        ("a", 2, 3, "hop 3 of 3"),
    ]
    inner = arrange_columns(facts, ()).inner
    a = SKIP.tensor_index["a"]
    assert [(line.stage, line.kind) for line in inner if line.tensor == a] == [
        (0, Inside.MADE),
        (1, Inside.READ),
        (1, Inside.PASSES),
        (2, Inside.PASSES),
        (3, Inside.READ),
    ]


def test_a_tensor_sent_directly_runs_past_the_stages_between() -> None:
    facts = four_stages("direct")
    assert names_of_wires(facts)[:2] == [("a", 0, 1, ""), ("a", 0, 3, "past stages 1, 2")]
    columns, rows = arrange_columns(facts, ()), arrange_rows(facts, ())
    assert not [line for line in columns.inner if line.kind is Inside.PASSES]
    past = next(wire for wire in columns.wires if wire.note)
    assert min(point.y() for point in past.points) < min(box.rect.top() for box in columns.stages)
    past = next(wire for wire in rows.wires if wire.note)
    assert max(point.x() for point in past.points) > max(box.rect.right() for box in rows.stages)


def test_a_boundary_counts_what_is_really_sent_over_it() -> None:
    assert [head.lines[1] for head in arrange_rows(four_stages(), ()).boundaries] == [
        "1 tensor per micro-batch",
        "2 tensors per micro-batch",
        "2 tensors per micro-batch",
    ]
    assert arrange_rows(four_stages("direct"), ()).boundaries[0].lines[1] == "2 tensors per micro-batch"


def test_unfolding_a_stage_in_columns_moves_nothing_else() -> None:
    facts = four_stages()
    folded, unfolded = arrange_columns(facts, ()), arrange_columns(facts, {1})
    for one, other in zip(folded.channels, unfolded.channels, strict=True):
        assert one.rect == other.rect
    block = unfolded.stages[1].nodes
    assert [block.target(at) for at in range(len(block.entries))] == [
        unfolded.channels[1].target,
        NodeTarget(1, 1),
        unfolded.channels[2].target,
    ], "Recv, nodes, Send"


def pointed_at(drawing: Drawing) -> set:
    nodes = {
        block.target(at)
        for block in (box.nodes for box in drawing.stages)
        for at in range(len(block.entries))
        if isinstance(block.target(at), NodeTarget)
    }
    return nodes | {target for target, _ in drawing.fixed_targets()}


@pytest.mark.parametrize("transport", ["relay", "direct"])
@pytest.mark.parametrize("arrange", ARRANGEMENTS.values(), ids=ARRANGEMENTS)
def test_the_arrow_keys_reach_everything(arrange, transport: str) -> None:
    drawing = arrange(four_stages(transport), {1, 3})
    assert pointed_at(drawing) - reached_by_keys(drawing) == set()


def reached_by_keys(drawing: Drawing) -> set:
    reached, waiting = {StageTarget(0)}, [StageTarget(0)]
    while waiting:
        here = waiting.pop()
        for way in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            there = next_target(drawing, here, *way)
            if there is not None and there not in reached:
                reached.add(there)
                waiting.append(there)
    return reached


@settings(max_examples=40)
@given(valid_cases())
def test_every_hop_is_drawn_once_and_nothing_lies_over_anything_else(case) -> None:
    model, plan = case
    for transport in ("relay", "direct"):
        facts = facts_of(model.graph(), plan.with_transport(transport))
        for arrange in ARRANGEMENTS.values():
            drawing = arrange(facts, {0})
            assert sorted(
                (wire.target.source, wire.target.destination, wire.target.tensor) for wire in drawing.wires
            ) == sorted((hop.transfer.source, hop.transfer.destination, hop.tensor) for hop in facts.hops)
            for box, after in pairwise(drawing.stages):
                assert not box.rect.intersects(after.rect)
            for one, other in combinations(drawing.channels, 2):
                assert not one.rect.intersects(other.rect)
            for channel in drawing.channels:
                assert drawing.stages[channel.stage].rect.contains(channel.rect)
                assert not channel.rect.intersects(drawing.stages[channel.stage].nodes.rect)
            for wire in drawing.wires:
                if wire.target.destination == wire.target.source + 1:
                    start, end = wire.points
                    assert start.x() == end.x() or start.y() == end.y(), "wires of neighbours are straight"
            for one, other in combinations((wire.name_rect for wire in drawing.wires), 2):
                assert not one.intersects(other)
            assert pointed_at(drawing) - reached_by_keys(drawing) == set()
