from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest
import torch

from cutter_gui.cli import main
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions
from cutter_gui.fx.load import load_graph, read_archive
from strategies.fx_programs import archive
from strategies.pt2_archives import archive_of, rewritten, with_program


class WritesFile:
    """Pickles to what writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.path),))


@pytest.fixture(scope="module")
def nested() -> Path:
    return archive("nested")


def test_opening_an_archive_unpickles_nothing_in_it(
    nested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    payload = pickle.dumps(WritesFile(trap))
    text = (".json", "version", "archive_format", "byteorder", "serialization_id")

    def plant(entries: dict[str, bytes]) -> None:
        (folder,) = {name.partition("/")[0] for name in entries}
        for name in entries:
            if not name.endswith(text):
                entries[name] = payload
        # Places where torch looks for more: files of the user's, constants, and samples of inputs.
        for name in ("extra/notes.pkl", "data/constants/custom_obj_0", "data/sample_inputs/model.pt", "data.pkl"):
            entries[f"{folder}/{name}"] = payload
        (config,) = (name for name in entries if name.endswith("model_weights_config.json"))
        told = json.loads(entries[config])
        for weight in told["config"].values():
            weight["use_pickle"] = True
        entries[config] = json.dumps(told).encode()

    path = rewritten(nested, tmp_path / "planted.pt2", plant)
    graph, loaded = load_graph(path), load_graph(nested)
    assert list(graph.node_names) == list(loaded.node_names)
    assert graph.tensor_stored.tolist() == loaded.tensor_stored.tolist()
    monkeypatch.setattr("cutter_gui.fx.child.run_child", None)
    assert main(["info", str(path)]) == 0
    assert main(["check", str(path), "--cut", "mul"]) == 0
    assert main(["render", str(path), "--cut", "mul", "--out", str(tmp_path / "picture.svg")]) == 0
    assert (tmp_path / "picture.svg").stat().st_size > 0
    assert not trap.exists()
    pickle.loads(payload)
    assert trap.exists(), "the trap must work, or the test shows nothing"


def test_a_pickled_module_is_not_unpickled_without_trust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trap, path = tmp_path / "trap", tmp_path / "model.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(WritesFile(trap), path)
    for words in (
        ["info", str(path)],
        ["check", str(path), "--cut", "x"],
        ["split", str(path), "--cut", "x", "--out", "o"],
        ["render", str(path), "--out", str(tmp_path / "picture.svg")],
    ):
        assert main(words) == 2
        assert "needs trust" in capsys.readouterr().err
    assert not trap.exists()
    with pytest.raises(CutterError, match=r"not \(module, args\)"):
        load_graph(path, options=LoadOptions(trust=True))
    assert trap.exists()


def test_splitting_an_archive_without_trust_runs_nothing_and_leaves_nothing(
    nested: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["check", str(nested), "--cut", "mul"]) == 0
    assert main(["split", str(nested), "--cut", "mul", "--out", str(out)]) == 2
    assert "needs trust" in capsys.readouterr().err
    assert not out.exists()


def test_reading_an_archive_loads_no_torch(nested: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom cutter_gui.core.format import format_for\n"
        f"path = Path({str(nested)!r})\nassert format_for(path).load(path).node_count\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_torch_an_archive_opens_and_the_rest_says_what_to_install(
    nested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name, *rest))
    assert main(["info", str(nested)]) == 0
    capsys.readouterr()
    pickled = tmp_path / "model.pt"
    pickled.write_bytes(b"")
    for model in (str(pickled), f"{__file__}:factory"):
        assert main(["info", model, "--trust"]) == 2
        error = capsys.readouterr().err
        assert "pip install 'cutter-gui[torch]'" in error
        assert len(error.splitlines()) == 1


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.pt2"
    path.write_text("not a zip")
    with pytest.raises(CutterError, match=r"is no \.pt2 archive"):
        read_archive(path)


def test_a_missing_file_is_an_error_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path / "absent.pt2")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("name", ["../models/model.json", "/models/model.json", "m\\..\\model.json", "m/../../x"])
def test_an_archive_that_names_a_place_outside_itself_is_refused(tmp_path: Path, name: str) -> None:
    path = archive_of(tmp_path / "out.pt2", {name: b"{}"})
    with pytest.raises(CutterError, match="outside itself"):
        read_archive(path)
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_that_would_swell_beyond_reason_is_refused_unread(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "bomb.pt2", {"m/models/model.json": b" " * (1 << 26)}, compressed=True)
    with pytest.raises(CutterError, match="more than a model has"):
        read_archive(path)


def test_an_archive_that_lists_a_file_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.pt2"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("m/models/model.json", "{}")
        archive.writestr("m/models/model.json", "[]")
    with pytest.raises(CutterError, match="twice"):
        read_archive(path)


def test_an_archive_in_the_layout_of_an_older_torch_says_so(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "old.pt2", {"serialized_exported_program.json": b"{}", "version": b"1"})
    with pytest.raises(CutterError, match=r"before 2\.8"):
        read_archive(path)


@pytest.mark.parametrize(
    "text", [b"{}", b"[]", b"null", b"not json", b"[" * 100_000, b'{"graph_module": {"graph": 1}}']
)
def test_a_graph_that_is_no_graph_is_refused_in_one_line(tmp_path: Path, text: bytes) -> None:
    path = archive_of(tmp_path / "odd.pt2", {"m/models/model.json": text})
    with pytest.raises(CutterError, match=r"not as torch writes it|holds no JSON"):
        read_archive(path)


def test_names_in_an_archive_are_only_names(nested: Path, tmp_path: Path) -> None:
    def rename(program: dict) -> None:
        for node in program["graph_module"]["graph"]["nodes"]:
            node["target"] = "__import__('os').mkdir('trap')"

    graph = load_graph(with_program(nested, tmp_path / "named.pt2", rename))
    assert graph.op(0) == "__import__('os').mkdir('trap')"
    assert not Path("trap").exists()
