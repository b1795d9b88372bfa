"""Every failure is one line, ``error: <what> (<where>): <what to do>``, and an exit code; never a traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from strategies.onnx_text import model, plan, saved, split

LINE = re.compile(r"error: (?P<what>.+?) \((?P<where>.+)\): (?P<remedy>.+)\n")
HEADER = "format: cutter-gui/cuts\nversion: 1\n"


def weighted(folder: Path, **entry: str) -> None:
    """Writes ``w.onnx``, whose weight is external data of the given entry."""
    proto = model("g (float[2,4] x) => (float[2,300] y) { a = Neg(x) y = MatMul(a, w) }")
    tensor = proto.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[4, 300])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entry.items():
        added = tensor.external_data.add()
        added.key, added.value = key, value
    saved(proto, folder / "w.onnx")


def spec(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "bad.cuts.yaml").write_text(text) and None


def file(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def graph(text: str) -> Callable[[Path], None]:
    return lambda folder: saved(model(text), folder / "bad.onnx") and None


def stages(change: Callable[[Path], object]) -> Callable[[Path], None]:
    """Splits the model of the folder into ``out`` and changes something there."""

    def prepare(folder: Path) -> None:
        split(folder / "m.onnx", plan("a"), folder / "out")
        change(folder / "out")

    return prepare


def archive(**arrays: np.ndarray) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        split(folder / "m.onnx", plan("a"), folder / "out")
        np.savez(folder / "x.npz", **arrays)

    return prepare


def nothing(folder: Path) -> None:
    """Leaves the folder as it is."""


def training(folder: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Neg(a) }")
    proto.training_info.add()
    saved(proto, folder / "bad.onnx")


def unknown_code(folder: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Neg(a) }")
    proto.graph.initializer.append(TensorProto(name="w", data_type=99, dims=[2], raw_data=b"12345678"))
    proto.graph.node.append(helper.make_node("Identity", ["w"], ["z"]))
    saved(proto, folder / "bad.onnx")


def foreign_stage(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "m_0.onnx").write_text("mine")


CHECK = ["check", "m.onnx", "--cuts", "bad.cuts.yaml"]
SPLIT = ["split", "m.onnx", "--cut", "a", "--out", "out"]

CASES: dict[str, tuple[Callable[[Path], None], list[str], int, str, str]] = {
    # what is wrong: how it is made, the command, the exit code, a piece of <what>, a piece of <where>
    "no model": (nothing, ["info", "none.onnx"], 2, "does not exist", "none.onnx"),
    "no suffix": (nothing, ["info", "m.txt"], 2, "cannot be told", "m.txt"),
    "a folder": (lambda f: (f / "d.onnx").mkdir(), ["info", "d.onnx"], 2, "cannot be read", "d.onnx"),
    "an empty model": (file("bad.onnx", b""), ["info", "bad.onnx"], 2, "empty", "bad.onnx"),
    "no protobuf": (file("bad.onnx", b"\xff" * 50), ["info", "bad.onnx"], 2, "not an ONNX model", "bad.onnx"),
    "text": (file("bad.onnx", b"hello world\n" * 9), ["info", "bad.onnx"], 2, "not an ONNX model", "bad.onnx"),
    "no graph": (file("bad.onnx", b"\x08\x08"), ["info", "bad.onnx"], 2, "no ONNX graph", "bad.onnx"),
    "no spec": (nothing, ["check", "m.onnx", "--cuts", "none.yaml"], 2, "does not exist", "none.yaml"),
    "an empty spec": (spec(""), CHECK, 2, "", "bad.cuts.yaml"),
    "no YAML": (spec("a: [1, 2"), CHECK, 2, "", "bad.cuts.yaml:1"),
    "a YAML tab": (spec(HEADER + "cuts:\n\t- edges: []\n"), CHECK, 2, "", "bad.cuts.yaml:4"),
    "another format": (spec("format: other\nversion: 1\ncuts: []\n"), CHECK, 2, "another format", "bad.cuts.yaml:1:9"),
    "another version": (
        spec("format: cutter-gui/cuts\nversion: 2\ncuts: []\n"),
        CHECK,
        2,
        "unknown version",
        "bad.cuts.yaml:2:10",
    ),
    "an unknown key": (spec(HEADER + "cuts: []\ncolor: red\n"), CHECK, 2, "unknown key", "bad.cuts.yaml:4:1"),
    "no consumers": (
        spec(HEADER + "cuts:\n  - edges:\n      - {tensor: a, consumers: []}\n"),
        CHECK,
        2,
        "consumers",
        "bad.cuts.yaml:5",
    ),
    "a spec that is no text": (file("bad.cuts.yaml", b"\xff\xfe\x00\xd8"), CHECK, 2, "", "bad.cuts.yaml"),
    "a spec of another kind": (
        spec(HEADER + "model: {kind: fx}\ncuts: []\n"),
        CHECK,
        2,
        "kind fx, not onnx",
        "bad.cuts.yaml",
    ),
    "a cut without a name": (nothing, ["check", "m.onnx", "--cut", "a:"], 2, "", "character 3"),
    "two cuts in one": (nothing, ["check", "m.onnx", "--cut", "a,b"], 2, "one cut", "--cut"),
    "an empty cut": (nothing, ["check", "m.onnx", "--cut", ""], 2, "", "character 1"),
    "a type without a dtype": (nothing, ["info", "m.onnx", "--type", "a"], 2, "type cannot be read", "--type a"),
    "a type of no dtype": (nothing, ["info", "m.onnx", "--type", "a=floot"], 2, "type cannot be read", "--type"),
    "a type of no tensor": (nothing, ["info", "m.onnx", "--type", "q=int8"], 2, "does not exist", "tensor q"),
    "a type that is wrong": (nothing, ["info", "m.onnx", "--type", "a=int8"], 2, "says float32", "tensor a"),
    "an unknown tensor": (nothing, ["split", "m.onnx", "--cut", "q", "--out", "out"], 1, "not valid", "unknown-tensor"),
    "an unknown consumer": (
        nothing,
        ["split", "m.onnx", "--cut", "a-x", "--out", "out"],
        1,
        "not valid",
        "unknown-consumer",
    ),
    "an incomplete cut": (
        nothing,
        ["split", "m.onnx", "--cut", "a-b", "--out", "out"],
        1,
        "incomplete",
        "incomplete-cut",
    ),
    "an earlier result": (stages(lambda _: None), SPLIT, 2, "earlier result", "out"),
    "a foreign file": (foreign_stage, SPLIT, 2, "not from an earlier result", "out"),
    "a file for a folder": (file("out", b"mine"), SPLIT, 2, "is a file", "out"),
    "a file among the folders": (
        file("f", b"mine"),
        ["split", "m.onnx", "--cut", "a", "--out", "f/out"],
        2,
        "cannot be written",
        "f/out",
    ),
    "a missing data file": (
        lambda f: weighted(f, location="w.bin"),
        ["split", "w.onnx", "--cut", "a", "--out", "out"],
        2,
        "w.bin is missing",
        "tensor w",
    ),
    "data outside the folder": (
        lambda f: weighted(f, location="../w.bin"),
        ["split", "w.onnx", "--cut", "a", "--out", "out"],
        2,
        "outside the model's folder",
        "tensor w",
    ),
    "a data file with a null character": (
        lambda f: weighted(f, location="w\0.bin"),
        ["split", "w.onnx", "--cut", "a", "--out", "out"],
        2,
        "external data",
        "tensor w",
    ),
    "training info": (training, ["split", "bad.onnx", "--cut", "a", "--out", "out"], 2, "training_info", "bad.onnx"),
    "a cycle": (
        graph("g (float[2] x) => (float[2] y) { a = Add(x, b) b = Neg(a) y = Neg(b) }"),
        ["split", "bad.onnx", "--cut", "b", "--out", "out"],
        1,
        "not valid",
        "cyclic-graph",
    ),
    "two producers": (
        graph("g (float[2] x) => (float[2] y) { a = Neg(x) a = Abs(x) y = Neg(a) }"),
        ["split", "bad.onnx", "--cut", "a", "--out", "out"],
        1,
        "not valid",
        "duplicate-producer",
    ),
    "a string that is sent": (
        graph("g (string[2] x) => (string[2] y) { a = Identity(x) y = Identity(a) }"),
        ["split", "bad.onnx", "--cut", "a", "--out", "out"],
        1,
        "not valid",
        "unsendable-type",
    ),
    "no result": (nothing, ["verify", "."], 2, "does not exist", "pipeline.yaml"),
    "no folder": (nothing, ["verify", "none"], 2, "does not exist", "pipeline.yaml"),
    "a damaged manifest": (
        stages(lambda out: (out / "pipeline.yaml").write_text("format: cutter-gui/pipeline\nversion: 1\nstages: 3\n")),
        ["verify", "out"],
        2,
        "",
        "pipeline.yaml:",
    ),
    "a manifest of another kind": (
        stages(lambda out: rewrite(out / "pipeline.yaml", "kind: onnx", "kind: tflite")),
        ["verify", "out"],
        2,
        "no installed format",
        "tflite",
    ),
    "a missing stage": (
        stages(lambda out: (out / "m_1.onnx").unlink()),
        ["verify", "out"],
        2,
        "does not exist",
        "m_1.onnx",
    ),
    "a damaged stage": (
        stages(lambda out: (out / "m_1.plain.onnx").write_bytes(b"\xff" * 9)),
        ["verify", "out"],
        2,
        "not an ONNX model",
        "m_1.plain.onnx",
    ),
    "a model that is gone": (
        stages(lambda out: (out.parent / "m.onnx").unlink()),
        ["verify", "out"],
        2,
        "original model is missing",
        "m.onnx",
    ),
    "no inputs": (stages(lambda _: None), ["verify", "out", "--inputs", "x.npz"], 2, "cannot be read", "x.npz"),
    "an input that is missing": (
        archive(z=np.zeros(2)),
        ["verify", "out", "--inputs", "x.npz"],
        2,
        "lack the input x",
        "x.npz",
    ),
    "an input of another type": (
        archive(x=np.zeros((2, 4))),
        ["verify", "out", "--inputs", "x.npz"],
        2,
        "float64",
        "x.npz",
    ),
    "a negative seed": (stages(lambda _: None), ["verify", "out", "--seed", "-1"], 2, "negative", "--seed -1"),
    "no command's argument": (nothing, ["info"], 2, "required: MODEL", "cutter-gui info"),
    "no plan": (nothing, ["check", "m.onnx"], 2, "--cuts", "cutter-gui check"),
    "two plans": (nothing, [*SPLIT, "--cuts", "m.cuts.yaml"], 2, "not allowed", "cutter-gui split"),
    "no output folder": (nothing, ["split", "m.onnx", "--cut", "a"], 2, "required: --out", "cutter-gui split"),
    "an unknown option": (nothing, ["info", "m.onnx", "--fast"], 2, "--fast", "cutter-gui info"),
    "an unknown form": (nothing, [*SPLIT, "--form", "x"], 2, "invalid choice", "cutter-gui split"),
    "an unknown transport": (nothing, [*SPLIT, "--transport", "pigeon"], 2, "invalid choice", "cutter-gui split"),
    "a seed that is no number": (nothing, ["verify", "out", "--seed", "x"], 2, "invalid int", "cutter-gui verify"),
    "a name with a newline": (nothing, ["info", "a\nb.onnx"], 2, "does not exist", "a\\nb.onnx"),
    "a name with an escape": (nothing, ["info", "\x1b[31m.onnx"], 2, "does not exist", "\\x1b[31m.onnx"),
    "a name that is no text": (nothing, ["info", "\udcff.onnx"], 2, "does not exist", ".onnx"),
    "a name with a null character": (nothing, ["info", "a\0b.onnx"], 2, "", "b.onnx"),
    "a name that is too long": (nothing, ["info", "n" * 5000 + ".onnx"], 2, "cannot be read", "..."),
}


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def contents(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said_in_one_line(run, ladder: Path, tmp_path: Path, case: str) -> None:
    prepare, words, code, what, where = CASES[case]
    prepare(tmp_path)
    before = contents(tmp_path)
    done = run(*words)
    assert done.output == ""
    said = LINE.fullmatch(done.errors)
    assert said is not None, done.errors
    assert what in said["what"]
    assert where in said["where"]
    assert done.code == code
    assert "internal fault" not in done.errors
    assert contents(tmp_path) == before, "something was written"
    assert ladder.exists() or case == "a model that is gone"


@pytest.mark.parametrize("case", ["an incomplete cut", "no model", "a cycle"])
def test_json_is_one_document_or_nothing_also_when_it_fails(run, ladder: Path, tmp_path: Path, case: str) -> None:
    prepare, words, code, _, _ = CASES[case]
    prepare(tmp_path)
    done = run(*words, "--json")
    assert done.code == code
    assert LINE.fullmatch(done.errors)
    if done.output:
        assert done.json["valid"] is False
    assert ladder.exists()


def test_a_tensor_name_that_is_no_text_is_told_as_json_too(run, ladder: Path) -> None:
    done = run("check", "m.onnx", "--cut", "\udcff", "--json")
    assert done.code == 1
    assert {finding["code"] for finding in done.json["diagnostics"]} >= {"unknown-tensor"}
    assert run("check", "m.onnx", "--cut", "\udcff").code == 1
    assert ladder.exists()


def test_a_model_of_a_dtype_nobody_knows_is_shown(run, tmp_path: Path) -> None:
    unknown_code(tmp_path)
    done = run("info", "bad.onnx", "--json")
    assert done.code == 0
    assert done.json["nodes"] == 3


def test_a_graph_that_cannot_be_split_is_shown_with_its_problems(run, tmp_path: Path) -> None:
    CASES["a cycle"][0](tmp_path)
    done = run("info", "bad.onnx")
    assert done.code == 0
    assert "cyclic-graph" in done.output
    assert run("info", "bad.onnx", "--json").json["problems"][0]["code"] == "cyclic-graph"


def test_a_weight_that_reaches_outside_is_shown_and_checked(run, tmp_path: Path) -> None:
    weighted(tmp_path, location="../w.bin")
    assert run("info", "w.onnx", "--json").json["weight_bytes"] == 4800
    assert run("check", "w.onnx", "--cut", "a").code == 0


def test_a_model_that_onnxruntime_does_not_take_is_split_and_verify_says_why(run, tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = my.Twist(x) y = Neg(a) }", opsets=[("my", 1)])
    saved(proto, tmp_path / "t.onnx")
    assert run("split", "t.onnx", "--cut", "a", "--type", "a=float32[2]", "--out", "out").code == 0
    done = run("verify", "out")
    assert done.code == 2
    said = LINE.fullmatch(done.errors)
    assert said is not None
    assert "onnxruntime does not take the model" in said["what"]
    assert "Twist" in said["what"]


def test_what_a_stage_cannot_run_with_is_said(run, tmp_path: Path) -> None:
    proto = model("g (float[4] x) => (float[2] y) <int64[1] shape = {3}> { a = Reshape(x, shape) y = Slice(a, s, e) }")
    for name, value in (("s", 0), ("e", 2)):
        proto.graph.initializer.append(numpy_helper.from_array(np.asarray([value], np.int64), name))
    onnx.save(proto, tmp_path / "r.onnx")
    assert run("split", "r.onnx", "--cut", "a", "--out", "out").code == 0
    done = run("verify", "out")
    assert done.code == 2
    assert LINE.fullmatch(done.errors)
