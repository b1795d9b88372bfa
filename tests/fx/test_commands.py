"""The commands on torch.fx models, from the command line to the files."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from cutter_gui.cli import main
from cutter_gui.core.manifest import read_manifest
from cutter_gui.fx.child import run_child
from cutter_gui.fx.load import load_graph
from cutter_gui.fx.source import source_of
from cutter_gui.fx.split import stem_of
from strategies.fx_programs import archive

FACTORY = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 2)

        def forward(self, x, batch):
            assert x.shape[-1] == 4
            return {"y": self.b(torch.relu(self.a(x))) + batch["z"]}

    def make():
        torch.manual_seed(0)
        print("this is printed by the model's own code")
        return Net(), (torch.randn(3, 4), {"z": torch.randn(3, 2)})

    def crash():
        import os
        os.abort()

    def leave():
        try:
            input("name of the model? ")
        except EOFError:
            raise SystemExit("nobody\\nanswers")
"""


@pytest.fixture
def factory(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(textwrap.dedent(FACTORY))
    return path


def test_an_archive_is_split_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], in_this_process: Callable[[], None]
) -> None:
    out = tmp_path / "stages"
    words = ["split", str(archive("nested")), "--cut", "mul", "--out", str(out), "--trust", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == [
        *("nested_0.pt2", "nested_0.json", "nested_0.safetensors"),
        *("nested_1.pt2", "nested_1.json", "nested_1.safetensors"),
        "pipeline.yaml",
    ]
    assert sorted(path.name for path in out.iterdir()) == sorted(told["files"])
    manifest = read_manifest(out)
    assert manifest.source.kind == "fx"
    assert manifest.stages[0].files.items() == (
        ("pt2", "nested_0.pt2"),
        ("json", "nested_0.json"),
        ("weights", "nested_0.safetensors"),
    )
    structure = json.loads(manifest.structure or "")
    assert structure["outputs"]["tuple"][2] == [{"constant": 2}, {"constant": 4}]
    in_this_process()
    assert main(["verify", str(out), "--trust", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["identical"] is True
    assert {output["form"] for output in report["outputs"]} == {"pt2", "json"}
    path = out / "nested_1.json"
    document = json.loads(path.read_text())
    linear = next(node for node in document["nodes"] if node["target"] == "torch.ops.aten.linear.default")
    linear["args"] = linear["args"][:2]
    path.write_text(json.dumps(document))
    assert main(["verify", str(out), "--trust", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {output["form"] for output in report["outputs"] if not output["identical"]} == {"json"}


def test_verifying_without_trust_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pt2").write_bytes(archive("branching").read_bytes())
    out = tmp_path / "stages"
    (out).mkdir()
    (out / "pipeline.yaml").write_text(
        "format: cutter-gui/pipeline\nversion: 1\nsource: {path: ../m.pt2, kind: fx}\ntransport: relay\nstages: []\n"
    )
    assert main(["verify", str(out)]) == 2
    assert "needs trust" in capsys.readouterr().err


def test_optimizations_are_for_onnx(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pipeline.yaml").write_text(
        "format: cutter-gui/pipeline\nversion: 1\nsource: {path: m.pt2, kind: fx}\ntransport: relay\nstages: []\n"
    )
    assert main(["verify", str(tmp_path), "--trust", "--optimized"]) == 2
    error = capsys.readouterr().err
    assert "(--optimized)" in error
    assert len(error.splitlines()) == 1


def result_with(folder: Path, *files: str) -> Path:
    """Makes a folder that holds an earlier result of one stage."""
    folder.mkdir()
    for name in files:
        (folder / name).write_bytes(archive("branching").read_bytes())
    (folder / "pipeline.yaml").write_text(
        "format: cutter-gui/pipeline\nversion: 1\nsource: {path: ../m.pt2, kind: fx}\ntransport: relay\n"
        f"stages:\n  - {{index: 0, files: {{pt2: {files[0]}}}, inputs: [], outputs: [], receives: [], sends: []}}\n"
    )
    return folder


def test_what_a_split_must_not_replace_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(model: Path, out: Path) -> str:
        before = {path: path.read_bytes() for path in out.iterdir()}
        assert main(["split", str(model), "--cut", "linear", "--out", str(out), "--trust", "--force"]) == 2
        assert {path: path.read_bytes() for path in out.iterdir()} == before
        return capsys.readouterr().err

    monkeypatch.setattr("cutter_gui.fx.child.run_child", None)
    own = result_with(tmp_path / "own", "m_0.pt2")
    assert "the model is part of the earlier result" in refused(own / "m_0.pt2", own)
    beside = result_with(tmp_path / "beside", "m_0.pt2", "branching_1.json")
    assert "branching_1.json" in refused(archive("branching"), beside)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "pipeline.yaml").write_text("steps: [build, deploy]\n")
    assert "not from an earlier result" in refused(archive("branching"), foreign)


def test_names_of_stages_are_made_like_those_of_onnx() -> None:
    assert stem_of(source_of("a/net.v2.PT2"), 2) == "net.v2"
    assert stem_of(source_of("a/net.py:make"), 2) == "net"
    assert stem_of(source_of("package.net:make"), 2) == "net"
    assert stem_of(source_of("a/new\nline.pt"), 2) == "new_line"
    long = stem_of(source_of("a/" + "x" * 300 + ".pt2"), 11)
    assert len(f"{long}_10.safetensors") == 255


def test_a_factory_is_opened_split_and_verified_in_a_process_of_its_own(
    factory: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file in the folder where the program is started must not stand in for torch.
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "torch.py").write_text("raise SystemExit('taken')")
    monkeypatch.chdir(tmp_path / "elsewhere")
    model, out = f"{factory}:make", tmp_path / "stages"
    assert main(["split", model, "--cut", "relu", "--out", str(out), "--trust", "--trace", "symbolic"]) == 0
    assert "printed by" not in capfd.readouterr().out
    assert read_manifest(out).source.path == "../net.py:make"
    assert main(["verify", str(out), "--trust", "--train"]) == 0
    shown = capfd.readouterr().out
    assert "gradient of a.weight" in shown
    assert "identical" in shown


def test_code_that_ends_its_process_ends_no_other(factory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", f"{factory}:crash", "--trust"]) == 2
    error = capsys.readouterr().err
    assert "signal 6" in error
    assert f"({factory}:crash" in error
    assert len(error.splitlines()) == 1
    assert main(["info", f"{factory}:leave", "--trust"]) == 2
    error = capsys.readouterr().err
    assert error == (
        f"error: the model's code ends the program, sys.exit(nobody answers) ({factory}:leave): let it return instead\n"
    )


def test_an_invalid_plan_is_refused_before_anything_is_asked_or_run(tmp_path: Path) -> None:
    assert main(["split", str(archive("in place")), "--cut", "view", "--out", str(tmp_path / "o"), "--trust"]) == 1
    assert not (tmp_path / "o").exists()


def test_rules_of_a_file_find_and_replace(
    factory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], in_this_process: Callable[[], None]
) -> None:
    in_this_process()
    rules = tmp_path / "rules.py"
    rules.write_text(
        "import torch\n"
        "relu, sigmoid = torch.ops.aten.relu.default, torch.ops.aten.sigmoid.default\n"
        "def pattern(x): return relu(x)\n"
        "def replacement(x): return sigmoid(x)\n"
        "RULES = [(pattern, None), (pattern, replacement)]\n"
    )
    out = tmp_path / "rewritten.pt2"
    words = ["rewrite", f"{factory}:make", "--pattern", str(rules), "--out", str(out), "--dynamic", "x:0=n"]
    assert main(words) == 2
    assert "needs trust" in capsys.readouterr().err
    words = [*words[:-1], "x:0=n", "--dynamic", "batch_z:0=n", "--trust", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(rule["replaces"], [m["anchor"] for m in rule["matches"]]) for rule in told["rules"]] == [
        (False, ["relu"]),
        (True, ["relu"]),
    ]
    assert told["rules"][0]["matches"][0]["nodes"] == {"x": "linear", "relu_default": "relu"}
    graph = load_graph(out)
    assert "aten.sigmoid" in graph.op_types
    assert "aten.relu" not in graph.op_types
    assert [graph.tensor_names[int(t)] for t in graph.inputs] == ["x", "batch_z"]
    assert isinstance((graph.tensor_shapes[int(graph.inputs[0])] or ())[0], str)


def test_progress_may_cancel_and_the_process_ends(factory: Path) -> None:
    from cutter_gui.core.errors import Cancelled

    def cancel(what: str, fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run_child("draft", {"source": f"{factory}:make"}, cancel)


def test_the_format_is_found_and_imports_no_torch() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom cutter_gui.core.format import format_for, format_named\n"
        "for name in ('m.pt2', 'm.PT', 'm.pth', 'net.py:make', 'package.module:make'):\n"
        "    assert format_for(Path(name)).kind == 'fx', name\n"
        "assert format_for(Path('m.onnx')).kind == 'onnx'\n"
        "import cutter_gui.fx.format\nassert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
