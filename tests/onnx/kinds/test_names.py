"""Names that are missing, equal, empty, or of any characters and length, in the graph and as a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper

from cutter_gui.cli import main
from cutter_gui.core import Cut, CutEdge, Plan
from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import BOTH, names, passes_full_check, tried
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import assert_same, plain_files, run, run_plain, run_sendrecv, sendrecv_files

CHAIN = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Abs(b) y = Add(c, a) }"


def test_nodes_without_names_are_cut_by_their_outputs(tmp_path: Path) -> None:
    stages = tried(model(CHAIN), tmp_path, "a > b y", "c; a > y")
    assert [[node.name for node in stage.graph.node] for stage in stages.plain] == [[""], ["", ""], [""]]
    assert stages.sent == [["a"], ["a", "c"], []]


def test_nodes_of_one_name_keep_it_and_are_told_apart_by_their_outputs(tmp_path: Path) -> None:
    proto = model(CHAIN)
    for node in proto.graph.node:
        node.name = "same"
    stages = tried(proto, tmp_path, "a > b y", "c; a > y")
    assert [[node.name for node in stage.graph.node] for stage in stages.plain] == [["same"], ["same"] * 2, ["same"]]


def test_a_node_that_has_the_name_of_a_send_keeps_it(tmp_path: Path) -> None:
    proto = model(CHAIN)
    proto.graph.node[0].name, proto.graph.node[1].name = "send0", "recv0"
    stages = tried(proto, tmp_path, "a > b y", "c; a > y", transports=("relay",))
    assert [node.name for node in stages.sendrecv[0].graph.node] == ["send0", "send0_1"]
    assert [node.name for node in stages.sendrecv[1].graph.node if node.name] == ["recv0_1", "recv0", "send1"]


def test_omitted_inputs_and_outputs_stay_omitted_and_join_nothing(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x, float high) => (float[2,4] y, int64[?] inverse) { }")
    proto.graph.node.add(op_type="Neg", input=["x"], output=["a"])
    proto.graph.node.add(op_type="Clip", input=["a", "", "high"], output=["b"])
    proto.graph.node.add(op_type="Clip", input=["b", "", ""], output=["c"])
    proto.graph.node.add(op_type="Dropout", input=["c", ""], output=["y", ""])
    proto.graph.node.add(op_type="Unique", input=["c"], output=["unique", "", "inverse", ""])
    feeds = {"x": np.ones((2, 4), np.float32), "high": np.asarray(0.5, np.float32)}
    stages = tried(proto, tmp_path, "a", "c", feeds=feeds)
    assert stages.sent == [["a"], ["c"], []]
    assert stages.fed == [["x"], ["high"], []]
    assert [list(node.input) for node in stages.plain[1].graph.node] == [["a", "", "high"], ["b", "", ""]]
    assert [list(node.output) for node in stages.plain[2].graph.node] == [["y", ""], ["unique", "", "inverse", ""]]


def test_nodes_in_no_order_are_written_in_one_that_runs(tmp_path: Path) -> None:
    proto = model(CHAIN)
    nodes = [proto.graph.node[at] for at in (3, 1, 2, 0)]
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    assert not passes_full_check(saved(proto, tmp_path / "m.onnx"))
    stages = tried(proto, tmp_path, "b; a > y", transports=BOTH)
    assert [[node.output[0] for node in stage.graph.node] for stage in stages.plain] == [["a", "b"], ["c", "y"]]
    for path in plain_files(stages.folder):
        assert passes_full_check(path), "in order, the stages pass what the original did not"


ODD = {
    "html": "<b onclick='x'>&amp;</b>",
    "emoji": "🧠→🦾",
    "right to left": "مرحبا שלום",
    "newline": "first\nsecond\r\nthird\tfourth",
    "quotes": "\"'`\\ $(rm) %s {0} #:-/,>;",
    "control": "\x01\x1b[31m\x7f",
    "combining": "e\u0301\u202egnp.exe",
    "spaces": "  two  ",
    "long": "n" * 5000,
    "yaml": "- {a: [1, ~]} # yes",
    "number": "0186",
}


def renamed(name: str) -> ModelProto:
    """The chain with one odd name as prefix of every tensor and node."""
    proto = model(CHAIN)
    new = {old: f"{name}{old}" for old in "xabcy"}
    for node in proto.graph.node:
        node.name = f"{name}{node.output[0]}"
        node.input[:] = [new[old] for old in node.input]
        node.output[:] = [new[old] for old in node.output]
    for value in (*proto.graph.input, *proto.graph.output):
        value.name = new[value.name]
    return proto


@pytest.mark.parametrize("kind", ODD)
def test_names_of_any_characters_and_length_reach_stages_and_manifest_unchanged(tmp_path: Path, kind: str) -> None:
    name = ODD[kind]
    proto = renamed(name)
    path = saved(proto, tmp_path / "m.onnx")
    cuts = Plan(
        (
            Cut((CutEdge(f"{name}a", [f"{name}b", f"{name}y"]),)),
            Cut((CutEdge(f"{name}c"), CutEdge(f"{name}a", [f"{name}y"]))),
        ),
        "direct",
    )
    out = tmp_path / "out"
    FORMAT.split(SplitRequest(path, cuts, out))
    feeds = {f"{name}x": np.ones((2, 4), np.float32)}
    assert_same(run(path, feeds), run_plain(out, feeds))
    assert_same(run(path, feeds), run_sendrecv(out, feeds))
    report = FORMAT.verify(VerifyRequest(out))
    assert report.identical
    assert {output.name for output in report.outputs} == {f"{name}y"}
    for file in plain_files(out):
        assert passes_full_check(file)


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "long"])
def test_what_is_said_about_odd_names_is_one_line_on_the_terminal(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(renamed(ODD[kind]), tmp_path / "m.onnx")
    assert main(["info", str(path)]) == 0
    said = capsys.readouterr()
    assert not said.err
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
    assert main(["info", "--json", str(path)]) == 0
    json.loads(capsys.readouterr().out)


STEMS = {
    **{kind: name.replace("/", "_") for kind, name in ODD.items() if kind != "long"},
    "long": "n" * 250,
    "long in bytes": "ü" * 120,
    "dots": "a.b.onnx.v2",
    "leading dash": "-rf",
    "leading dot": ".hidden",
    "percent": "100%25",
}


@pytest.mark.parametrize("kind", STEMS)
def test_file_names_of_any_characters_make_stages_with_safe_names(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"{STEMS[kind]}.onnx"
    proto = model("g (float[2,300] x) => (float[2,300] y) { a = Neg(x) y = Mul(a, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.full(300, 2, np.float32), "w"))
    source.write_bytes(proto.SerializeToString())
    out = tmp_path / "out"
    split(source, plan("a"), out)
    feeds = {"x": np.ones((2, 300), np.float32)}
    for file in out.iterdir():
        assert len(file.name.encode()) <= 255
        assert file.name.isprintable()
        assert "\n" not in file.name
    assert_same(run(source, feeds), run_plain(out, feeds))
    assert_same(run(source, feeds), run_sendrecv(out, feeds))
    assert FORMAT.verify(VerifyRequest(out)).identical
    assert (len(plain_files(out)), len(sendrecv_files(out))) == (2, 2)


def test_a_model_that_is_named_like_its_own_stages_does_not_collide(tmp_path: Path) -> None:
    source = saved(model(CHAIN), tmp_path / "m_0.onnx")
    split(source, plan("b; a > y"), tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("m_0_0.onnx", "m_0_0.plain.onnx", "m_0_1.onnx", "m_0_1.plain.onnx", "pipeline.yaml")
    }


def test_a_tensor_named_like_a_node_of_another_tensor_is_no_obstacle(tmp_path: Path) -> None:
    proto = model(CHAIN)
    for node, name in zip(proto.graph.node, "bacx", strict=True):
        node.name = name
    stages = tried(proto, tmp_path, "b; a > y")
    assert stages.sent == [["b", "a"], []]
    assert names(stages.plain[0].graph.output) == ["b", "a"]


def test_stale_names_are_told_in_one_short_line_whatever_they_are(tmp_path: Path) -> None:
    graph = FORMAT.load(saved(model(CHAIN), tmp_path / "m.onnx"))
    for name in (*ODD.values(), "A"):
        findings = diagnose(assign_stages(graph, Plan((Cut((CutEdge(name),)),))), "both")
        (finding,) = (finding for finding in findings if finding.code == "unknown-tensor")
        assert "\n" not in finding.message
        assert "\x1b" not in finding.message
        assert len(finding.message) < 600
