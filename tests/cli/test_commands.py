"""What each command does, its exit codes, and its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from cutter_gui.core.units import bytes_text
from strategies.onnx_text import model, saved


@pytest.fixture(autouse=True)
def _model(ladder: Path) -> None:
    """Every test here finds ``m.onnx`` and ``m.cuts.yaml`` in its folder."""


def test_info_tells_what_is_in_a_model(run) -> None:
    done = run("info", "m.onnx")
    assert done.code == 0
    assert done.errors == ""
    assert "4 nodes, 5 tensors" in done.output
    assert "opset ai.onnx: 17" in done.output
    assert "input   x  float32  2×4" in done.output


def test_info_as_json_is_one_document(run) -> None:
    document = run("info", "m.onnx", "--json").json
    assert document["kind"] == "onnx"
    assert (document["nodes"], document["tensors"]) == (4, 5)
    assert document["inputs"] == [{"name": "x", "dtype": "float32", "shape": [2, 4]}]
    assert document["outputs"] == [{"name": "y", "dtype": "float32", "shape": [2, 4]}]
    assert document["weight_bytes"] == 0
    assert document["opsets"] == {"ai.onnx": 17}


def test_info_counts_the_bytes_of_weights(run, tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { y = MatMul(x, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 300), np.float32), "w"))
    saved(proto, tmp_path / "w.onnx")
    assert run("info", "w.onnx", "--json").json["weight_bytes"] == 4800
    assert bytes_text(4800) in run("info", "w.onnx").output


def test_check_of_a_valid_plan_is_0_with_the_stages(run) -> None:
    done = run("check", "m.onnx", "--cuts", "m.cuts.yaml", "--json")
    assert done.code == 0
    document = done.json
    assert set(document) == {"valid", "stages", "diagnostics"}
    assert document["valid"] is True
    assert [stage["nodes"] for stage in document["stages"]] == [1, 3]
    tensor = {"name": "a", "dtype": "float32", "shape": [2, 4]}
    assert document["stages"][0]["sends"] == [{"to": 1, "tag": 0, "tensors": [tensor]}]
    assert document["stages"][1]["receives"] == [{"from": 0, "tag": 0, "tensors": [tensor]}]


def test_check_of_an_invalid_plan_is_1_with_the_reasons(run, tmp_path: Path) -> None:
    done = run("check", "m.onnx", "--cut", "a-b", "--json")
    assert done.code == 1
    assert done.errors == ""
    document = done.json
    assert document["valid"] is False
    (error,) = (finding for finding in document["diagnostics"] if finding["severity"] == "error")
    assert set(error) == {"code", "severity", "message", "tensors", "nodes", "fixes"}
    assert error["code"] == "incomplete-cut"
    assert error["tensors"] == ["a"]
    assert set(error["nodes"]) <= {"a", "b", "c", "y"}
    assert all(set(fix) == {"title", "edits"} for fix in error["fixes"])
    text = run("check", "m.onnx", "--cut", "a-b")
    assert text.code == 1
    assert "not valid: 2 stages" in text.output
    assert "incomplete-cut" in text.output
    assert {entry.name for entry in tmp_path.iterdir()} == {"m.onnx", "m.cuts.yaml"}


def test_check_warns_when_the_spec_was_made_for_another_structure(run, tmp_path: Path) -> None:
    spec = (tmp_path / "m.cuts.yaml").read_text()
    (tmp_path / "m.cuts.yaml").write_text(f'{spec}model: {{kind: onnx, fingerprint: "sha256:{"0" * 64}"}}\n')
    done = run("check", "m.onnx", "--cuts", "m.cuts.yaml", "--json")
    assert done.code == 0
    assert "model-changed" in {finding["code"] for finding in done.json["diagnostics"]}


def test_one_stage_is_one_stage(run, tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("format: cutter-gui/cuts\nversion: 1\ncuts: []\n")
    assert run("check", "m.onnx", "--cuts", "none.yaml").output.startswith("valid: 1 stage\n")
    assert run("split", "m.onnx", "--cuts", "none.yaml", "--out", "out").output.startswith("out: 1 stage, 3 files, ")


def test_split_then_verify(run, tmp_path: Path) -> None:
    done = run("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out", "out")
    assert (done.code, done.errors) == (0, "")
    assert "2 stages, 5 files" in done.output
    done = run("verify", "out")
    assert (done.code, done.errors) == (0, "")
    assert "identical: every output, bit for bit; 2 compared" in done.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "m_0.onnx",
        "m_0.plain.onnx",
        "m_1.onnx",
        "m_1.plain.onnx",
        "pipeline.yaml",
    }


def test_split_and_verify_as_json(run, tmp_path: Path) -> None:
    document = run("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out", "out", "--json").json
    assert document["files"][-1] == "pipeline.yaml"
    assert document["stages"] == 2
    assert document["bytes"] == sum(file.stat().st_size for file in (tmp_path / "out").iterdir())
    document = run("verify", "out", "--json", "--seed", "3").json
    assert document["identical"] is True
    assert {(output["name"], output["form"]) for output in document["outputs"]} == {("y", "plain"), ("y", "sendrecv")}
    assert document["inputs"] == {"x": "float32[2, 4]"}
    assert document["first_boundary"] is None


def test_split_of_an_invalid_plan_is_1_and_writes_nothing(run, tmp_path: Path) -> None:
    done = run("split", "m.onnx", "--cut", "a-b", "--out", "out", "--json")
    assert done.code == 1
    assert done.json["valid"] is False
    assert done.errors.startswith("error: the plan is not valid: ")
    assert done.errors.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_cuts_are_given_in_the_syntax_of_ort(run, tmp_path: Path) -> None:
    done = run("split", "m.onnx", "--cut", "b:a-c/y", "--cut", "c:a-y", "--out", "out", "--transport", "direct")
    assert done.code == 0
    names = [node.name for node in onnx.load(tmp_path / "out" / "m_0.onnx").graph.node if node.op_type == "Send"]
    assert len(names) == 2
    assert run("verify", "out").code == 0


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_the_transport_of_the_spec_holds_unless_another_is_given(run, tmp_path: Path, transport: str) -> None:
    (tmp_path / "m.cuts.yaml").write_text((tmp_path / "m.cuts.yaml").read_text() + "transport: direct\n")
    run("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out", "spec")
    assert "transport: direct" in (tmp_path / "spec" / "pipeline.yaml").read_text()
    run("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out", "given", "--transport", transport)
    assert f"transport: {transport}" in (tmp_path / "given" / "pipeline.yaml").read_text()


@pytest.mark.parametrize(("form", "endings"), [("plain", {".plain.onnx"}), ("sendrecv", {".onnx"})])
def test_a_form_alone_can_be_written(run, tmp_path: Path, form: str, endings: set[str]) -> None:
    assert run("split", "m.onnx", "--cut", "a", "--out", "out", "--form", form).code == 0
    written = {path.name.removeprefix("m_0").removeprefix("m_1") for path in (tmp_path / "out").glob("*.onnx")}
    assert written == endings


def test_verify_is_1_when_outputs_differ(run, tmp_path: Path) -> None:
    run("split", "m.onnx", "--cut", "b; a-c/y".replace("; ", ":"), "--out", "out")
    path = tmp_path / "out" / "m_0.plain.onnx"
    proto = onnx.load(path)
    next(node for node in proto.graph.node if node.op_type == "Exp").op_type = "Abs"
    onnx.save(proto, path)
    done = run("verify", "out")
    assert done.code == 1
    assert "outputs differ; first at boundary tensor b" in done.output
    assert done.errors == ""
    document = run("verify", "out", "--json")
    assert document.code == 1
    assert document.json["identical"] is False
    assert document.json["first_boundary"] == "b"
    differing = next(output for output in document.json["outputs"] if output["form"] == "plain")
    assert differing["first_difference"] == [0, 0]


def test_verify_takes_inputs_from_a_file(run, tmp_path: Path) -> None:
    run("split", "m.onnx", "--cut", "a", "--out", "out")
    np.savez(tmp_path / "x.npz", x=np.ones((2, 4), np.float32))
    assert run("verify", "out", "--inputs", "x.npz").code == 0


def test_a_type_that_inference_cannot_tell_is_given_by_a_flag(run, tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = my.Twist(x) y = Neg(a) }", opsets=[("my", 1)])
    saved(proto, tmp_path / "t.onnx")
    done = run("check", "t.onnx", "--cut", "a", "--json")
    assert done.code == 1
    (error,) = done.json["diagnostics"]
    assert error["code"] == "unknown-type"
    assert "--type a=float32[" in error["message"]
    assert run("split", "t.onnx", "--cut", "a", "--type", "a=float32[2]", "--out", "out").code == 0
    (value,) = (v for v in onnx.load(tmp_path / "out" / "t_0.plain.onnx").graph.output)
    assert [dim.dim_value for dim in value.type.tensor_type.shape.dim] == [2]


def test_sharing_weights_where_no_path_leads_is_2(run, tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { a = Neg(x) y = MatMul(a, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 300), np.float32), "w"))
    saved(proto, tmp_path / "w.onnx")
    done = run("split", "w.onnx", "--cut", "a", "--out", "out", "--weights", "share")
    assert done.code == 2
    assert "can only be shared" in done.errors
    assert not (tmp_path / "out").exists()
    assert run("split", "w.onnx", "--cut", "a", "--out", ".", "--weights", "share").code == 0
    assert run("verify", ".").code == 0


def test_force_replaces_an_earlier_result(run) -> None:
    run("split", "m.onnx", "--cut", "a", "--out", "out")
    done = run("split", "m.onnx", "--cut", "b:a-c/y", "--out", "out")
    assert done.code == 2
    assert "--force" in done.errors
    assert run("split", "m.onnx", "--cut", "b:a-c/y", "--out", "out", "--force").code == 0
    assert run("verify", "out").code == 0


@pytest.mark.parametrize(
    "name",
    [
        "emoji \U0001f600",
        "new\nline",
        "<b onclick='x()'>&amp;",
        "שלום",
        "tab\there",
        "quote\"'`$(x)",
        "a" * 5000,
        "\x1b[31mred",
        "back\\slash: {yaml}",
        "# no comment",
        " space ",
        "~",
        "0186",
    ],
    ids=lambda name: ascii(name[:12]),
)
def test_names_of_any_kind_pass_through_every_command(run, tmp_path: Path, name: str) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) }")
    proto.graph.node[0].output[0] = proto.graph.node[1].input[0] = name
    proto.graph.node[0].name = name
    saved(proto, tmp_path / "n.onnx")
    quoted = json.dumps(name, ensure_ascii=False)
    (tmp_path / "n.cuts.yaml").write_text(
        f"format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges:\n      - tensor: {quoted}\n", encoding="utf-8"
    )
    checked = run("check", "n.onnx", "--cuts", "n.cuts.yaml")
    assert (checked.code, checked.errors) == (0, "")
    assert "\x1b" not in checked.output
    assert len(checked.output.splitlines()) == 3
    document = run("check", "n.onnx", "--cuts", "n.cuts.yaml", "--json").json
    assert document["stages"][0]["sends"][0]["tensors"][0]["name"] == name
    assert run("split", "n.onnx", "--cuts", "n.cuts.yaml", "--out", "out").code == 0
    verified = run("verify", "out", "--json")
    assert verified.code == 0
    assert verified.json["identical"] is True
    info = run("info", "n.onnx")
    assert "\x1b" not in info.output
