"""A stage that this program wrote is a model like any other: it can be opened, cut and verified again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

from cutter_gui.core.format import VerifyRequest
from cutter_gui.core.plan import Transport
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import BOTH, codes, found, names, passes_full_check
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import (
    assert_same,
    attribute,
    plain_files,
    remove,
    run,
    run_plain,
    run_sendrecv,
    sendrecv_files,
)

LADDER = """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> {
    a = Neg(x)
    b = Exp(a)
    c = Mul(b, w)
    d = Add(c, a)
    e = Abs(d)
    f = Sqrt(e)
    y = Add(f, c)
}"""
X = np.arange(8, dtype=np.float32).reshape(2, 4) / 8 - 0.4


def channels(stage: ModelProto, op: str = "") -> list[NodeProto]:
    return [node for node in stage.graph.node if node.op_type in ((op,) if op else ("Send", "Recv"))]


def rank(stage: ModelProto, node: NodeProto) -> int:
    """The peer's rank, as the file has it."""
    return int(next(numpy_helper.to_array(t) for t in stage.graph.initializer if t.name == node.input[1]))


def without_channels(stage: ModelProto, signals: Collection[str] | None = None) -> ModelProto:
    """Returns a model whose Sends and Recvs, or those with these signals, are outputs and inputs instead."""
    copy = ModelProto()
    copy.CopyFrom(stage)
    for node in [node for node in channels(copy) if signals is None or node.output[0] in signals]:
        remove(copy.graph.output, node.output[0])
        for name in node.input[:2]:
            remove(copy.graph.initializer, name)
            remove(copy.graph.input, name)
        data, values = (
            (node.input[2:], copy.graph.output) if node.op_type == "Send" else (node.output[1:], copy.graph.input)
        )
        for name, code in zip(data, attribute(node, "element_types"), strict=True):
            if name not in names(values):
                values.append(ValueInfoProto(name=name, type=helper.make_tensor_type_proto(code, None)))
        copy.graph.node.remove(node)
    return copy


def first_split(tmp_path: Path, transport: Transport = "relay") -> Path:
    path = saved(model(LADDER), tmp_path / "m.onnx")
    split(path, plan("a > d; b", "e; c > y", transport=transport), tmp_path / "first")
    return tmp_path / "first"


def signals_of(stage: ModelProto) -> set[str]:
    return {node.output[0] for node in channels(stage)}


@pytest.mark.parametrize("transport", BOTH)
def test_the_own_send_and_recv_are_kept_and_new_ones_numbered_apart(tmp_path: Path, transport: Transport) -> None:
    first = first_split(tmp_path)
    source = first / "m_1.onnx"
    original = onnx.load(source)
    again = tmp_path / "again"
    split(source, plan("d; c > send_output_signal1", transport=transport), again)
    stages = [onnx.load(path) for path in sendrecv_files(again)]
    kept = [node for stage in stages for node in channels(stage) if node.output[0] in signals_of(original)]
    assert [node.op_type for node in kept] == ["Recv", "Send"]
    for stage in stages:
        every = [name for node in stage.graph.node for name in node.output]
        assert len(set(every)) == len(every)
        named = [node.name for node in stage.graph.node if node.name]
        assert len(set(named)) == len(named)
        assert len(set(names(stage.graph.initializer))) == len(stage.graph.initializer)
        assert len(set(names(stage.graph.input))) == len(stage.graph.input)
    across = [name for stage in stages for name in signals_of(stage)]
    assert len(set(across)) == len(across)


def test_the_ranks_of_the_own_channels_stay_and_those_of_new_ones_are_stages(tmp_path: Path) -> None:
    source = first_split(tmp_path) / "m_1.onnx"
    original = onnx.load(source)
    split(source, plan("d; c > send_output_signal1"), tmp_path / "again")
    before, after = (onnx.load(path) for path in sendrecv_files(tmp_path / "again"))
    old = {node.output[0]: rank(original, node) for node in channels(original)}
    for stage in (before, after):
        for node in channels(stage):
            if node.output[0] in old:
                assert rank(stage, node) == old[node.output[0]]
    (new_send,) = (node for node in channels(before, "Send") if node.output[0] not in old)
    (new_recv,) = (node for node in channels(after, "Recv") if node.output[0] not in old)
    assert (rank(before, new_send), rank(after, new_recv)) == (1, 0)
    assert list(new_send.input[2:]) == ["d", "c"]
    assert list(new_recv.output[1:]) == ["d_recv0", "c_recv0"]


def test_a_received_tensor_that_is_sent_on_is_numbered_without_a_collision(tmp_path: Path) -> None:
    source = first_split(tmp_path) / "m_1.onnx"
    split(source, plan("c; a_recv0"), tmp_path / "again")
    _, after = (onnx.load(path) for path in sendrecv_files(tmp_path / "again"))
    (recv,) = channels(after, "Recv")
    assert list(recv.output[1:]) == ["c_recv0", "a_recv0_recv0"]
    assert recv.output[0] == "receive_output_signal0_1", "the stage's own has the name without a number"


@pytest.mark.parametrize("transport", BOTH)
def test_the_stages_of_a_stage_run_to_the_same_bits(tmp_path: Path, transport: Transport) -> None:
    source = first_split(tmp_path) / "m_1.onnx"
    again = tmp_path / "again"
    split(source, plan("d; c > send_output_signal1", transport=transport), again)
    own = signals_of(onnx.load(source))
    feeds = {"a_recv0": -X, "b_recv0": np.exp(-X)}
    expected = run(without_channels(onnx.load(source)), feeds)
    assert set(expected) == {"e", "c"}
    parts = tmp_path / "parts"
    for file in sendrecv_files(again):
        saved(without_channels(onnx.load(file), own), parts / file.name)
    composed = run_sendrecv(parts, feeds)
    assert_same({"e": expected["e"]}, composed)
    received = next(name for name in composed if name.startswith("c"))
    assert_same({received: expected["c"]}, composed)
    report = FORMAT.verify(VerifyRequest(again))
    assert report.identical
    assert {output.name for output in report.outputs} == {"c", "e"}


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_every_stage_of_a_plan_can_be_split_again(tmp_path: Path, stage: int) -> None:
    source = first_split(tmp_path) / f"m_{stage}.onnx"
    cuts = ("a > b send_output_signal0", "d; c > send_output_signal1", "f; c_recv1")[stage]
    assert not [finding for finding in found(onnx.load(source), tmp_path, cuts) if finding.is_error]
    split(source, plan(cuts), tmp_path / "again")
    assert FORMAT.verify(VerifyRequest(tmp_path / "again")).identical


def test_splitting_thrice_goes_on_numbering(tmp_path: Path) -> None:
    first_split(tmp_path)
    split(tmp_path / "first" / "m_1.onnx", plan("c; a_recv0"), tmp_path / "second")
    split(tmp_path / "second" / "m_1_1.onnx", plan("d; c_recv0 > send_output_signal1"), tmp_path / "third")
    stages = [onnx.load(path) for path in sendrecv_files(tmp_path / "third")]
    assert [path.name for path in sendrecv_files(tmp_path / "third")] == ["m_1_1_0.onnx", "m_1_1_1.onnx"]
    signals = [name for stage in stages for name in signals_of(stage)]
    assert len(set(signals)) == len(signals)
    assert FORMAT.verify(VerifyRequest(tmp_path / "third")).identical


def test_a_send_or_recv_is_never_copied_as_a_constant(tmp_path: Path) -> None:
    source = first_split(tmp_path) / "m_1.onnx"
    graph = FORMAT.load(source)
    for node in range(graph.node_count):
        if graph.op(node).endswith(("::Send", "::Recv")):
            assert bool(graph.node_volatile[node])
            assert not bool(graph.node_constant[node])
    split(source, plan("c; a_recv0"), tmp_path / "again")
    stages = [onnx.load(path) for path in sendrecv_files(tmp_path / "again")]
    own = signals_of(onnx.load(source))
    assert sorted(name for stage in stages for name in signals_of(stage) if name in own) == sorted(own)


def test_a_stage_of_direct_transport_is_split_again(tmp_path: Path) -> None:
    first = first_split(tmp_path, "direct")
    split(first / "m_1.onnx", plan("d; c > send_output_signal1_2", transport="direct"), tmp_path / "again")
    assert FORMAT.verify(VerifyRequest(tmp_path / "again")).identical
    new = {name for path in sendrecv_files(tmp_path / "again") for name in signals_of(onnx.load(path))}
    assert new == {
        *("receive_output_signal0_1", "send_output_signal1_2"),
        *("send_output_signal0_1", "receive_output_signal0_1_1"),
    }


def test_a_plain_stage_is_split_again_and_all_four_stages_make_the_model(tmp_path: Path) -> None:
    first = first_split(tmp_path)
    split(first / "m_1.plain.onnx", plan("d"), tmp_path / "again")
    for path in plain_files(tmp_path / "again"):
        assert passes_full_check(path)
    pool = {"x": X}
    pool |= run(first / "m_0.plain.onnx", pool)
    pool |= run_plain(tmp_path / "again", pool)
    pool |= run(first / "m_2.plain.onnx", pool)
    assert_same(run(model(LADDER), {"x": X}), pool)


def test_both_plain_forms_pass_the_checker_though_the_whole_has_channels(tmp_path: Path) -> None:
    """The ranks at the boundary are known; the ops of Send and Recv are none that onnx checks."""
    source = first_split(tmp_path) / "m_1.onnx"
    split(source, plan("d; c > send_output_signal1"), tmp_path / "again")
    for path in (source, *plain_files(tmp_path / "again"), *sendrecv_files(tmp_path / "again")):
        onnx.checker.check_model(path, full_check=True)


def test_weights_of_a_stage_are_read_from_the_data_file_beside_it(tmp_path: Path) -> None:
    proto = model("g (float[2,300] x) => (float[2,300] y) { a = Neg(x) b = Mul(a, w) c = Exp(b) y = Mul(c, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.full(300, 0.5, np.float32), "w"))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "first")
    again = tmp_path / "again"
    split(tmp_path / "first" / "m_1.onnx", plan("c"), again)
    assert [path.stat().st_size for path in sorted(again.glob("*.data"))] == [1200, 1200]
    assert FORMAT.verify(VerifyRequest(again)).identical
    said = diagnose(assign_stages(FORMAT.load(tmp_path / "first" / "m_1.onnx"), plan("c")), "both")
    assert "shared-weight" in codes(said)
