"""Models and folders in odd places: names in capitals, names too long or no text, the folder one stands in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

from strategies.onnx_text import model, saved

Run = Callable[..., Any]
SPLIT = ("--cuts", "m.cuts.yaml", "--out", "out")


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_ending_in_capitals_is_an_ending(run: Run, ladder: Path) -> None:
    ladder.rename(ladder.with_name("BIG.ONNX"))
    assert run("split", "BIG.ONNX", *SPLIT).code == 0
    assert files(ladder.parent / "out") == [
        "BIG_0.onnx",
        "BIG_0.plain.onnx",
        "BIG_1.onnx",
        "BIG_1.plain.onnx",
        "pipeline.yaml",
    ]
    assert run("verify", "out").code == 0


def test_dots_in_a_name_stay(run: Run, ladder: Path) -> None:
    ladder.rename(ladder.with_name("a.onnx.b.onnx"))
    assert run("split", "a.onnx.b.onnx", *SPLIT, "--form", "plain").code == 0
    assert files(ladder.parent / "out")[:2] == ["a.onnx.b_0.plain.onnx", "a.onnx.b_1.plain.onnx"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["two\nlines", "\u202eright to left", "bell\a", "line\u2028end"])
def test_characters_that_break_a_line_do_not_reach_the_names_of_stages(run: Run, ladder: Path, name: str) -> None:
    ladder.rename(ladder.with_name(f"{name} 😀.onnx"))
    assert run("split", f"{name} 😀.onnx", *SPLIT).code == 0
    written = files(ladder.parent / "out")
    assert len(written) == 5
    assert all(file.isprintable() and ("😀" in file or file == "pipeline.yaml") for file in written)
    assert run("verify", "out").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has shorter paths")
@pytest.mark.parametrize("letter", ["l", "ä", "😀"])
def test_the_longest_name_a_model_can_have_is_shortened_for_its_stages(run: Run, ladder: Path, letter: str) -> None:
    name = letter * (250 // len(letter.encode())) + ".onnx"
    ladder.rename(ladder.with_name(name))
    assert run("split", name, *SPLIT).code == 0
    written = files(ladder.parent / "out")
    assert len(written) == 5
    assert max(len(file.encode()) for file in written) > 240
    assert run("verify", "out").code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such names")
def test_a_path_that_is_no_text_is_refused_in_words(run: Run, ladder: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"b\xff")
    folder.mkdir()
    ladder.rename(folder / "m.onnx")
    done = run("split", folder / "m.onnx", *SPLIT)
    assert done.code == 2
    assert done.errors.startswith("error: the model's path is not valid UTF-8, so the result cannot refer to it (")
    assert done.errors.endswith("b\\udcff/m.onnx): rename the file or folder\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the current folder from being moved")
@pytest.mark.parametrize("earlier", [True, False], ids=["an earlier result", "nothing"])
def test_the_current_folder_stays_the_same_one(run: Run, ladder: Path, tmp_path: Path, earlier: bool) -> None:
    out = tmp_path / "out"
    out.mkdir()
    if earlier:
        assert run("split", ladder, *SPLIT, "--form", "plain").code == 0
    before = out.stat().st_ino
    words = ["split", "../m.onnx", "--cuts", "../m.cuts.yaml", "--out", ".", "--force"]
    done = subprocess.run(
        [sys.executable, "-m", "cutter_gui", *words], cwd=out, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert out.stat().st_ino == before
    assert len(files(out)) == 5
    assert run("verify", "out").code == 0


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["without --force", "with --force"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_manifest_that_is_none_is_never_called_an_earlier_result(
    run: Run, ladder: Path, tmp_path: Path, kind: str, force: tuple[str, ...]
) -> None:
    manifest = tmp_path / "out" / "pipeline.yaml"
    manifest.parent.mkdir()
    if kind == "file":
        manifest.write_text("services: {}\n")
    else:
        manifest.mkdir()
    done = run("split", ladder, *SPLIT, *force)
    assert done.code == 2
    assert "holds a pipeline.yaml that is not from an earlier result" in done.errors
    assert files(manifest.parent) == ["pipeline.yaml"]
    assert kind == "folder" or manifest.read_text() == "services: {}\n"


def test_inputs_that_are_no_archive_are_refused_without_advice_to_trust_them(
    run: Run, ladder: Path, tmp_path: Path
) -> None:
    assert run("split", ladder, *SPLIT).code == 0
    done = run("verify", "out", "--inputs", ladder)
    assert done.code == 2
    assert "the inputs cannot be read: it is no .npz archive (" in done.errors


def npy(header: str) -> bytes:
    """An array file of numpy with a header of one's own."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 999)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4)}",
        "{'descr': 'zz', 'fortran_order': False, 'shape': (2, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [2, 4]}",
        "{'descr': '<f4', 'shape': (2, 4)}",
        "{['descr']: 1}",
        "(" * 300,
        "'",
        "1 +",
        "",
    ],
)
def test_inputs_whose_headers_are_damaged_are_told_with_their_file(
    run: Run, ladder: Path, tmp_path: Path, header: str
) -> None:
    assert run("split", ladder, *SPLIT).code == 0
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("x.npy", npy(header))
    done = run("verify", "out", "--inputs", "x.npz")
    assert done.code == 2
    assert re.fullmatch(r"error: the inputs cannot be read: [^\n]+ \(x\.npz\): [^\n]+\n", done.errors), done.errors


def test_inputs_in_an_encrypted_archive_are_told(run: Run, ladder: Path, tmp_path: Path) -> None:
    assert run("split", ladder, *SPLIT).code == 0
    np.savez(tmp_path / "x.npz", x=np.ones((2, 4), np.float32))
    content = bytearray((tmp_path / "x.npz").read_bytes())
    content[6] |= 1  # the flag for it, in the header of the entry and in the directory
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "x.npz").write_bytes(content)
    done = run("verify", "out", "--inputs", "x.npz")
    assert done.code == 2
    assert done.errors.startswith("error: the inputs cannot be read: ")
    assert "encrypted" in done.errors


@pytest.mark.parametrize("name", ["m_1.onnx", "m_0.plain.onnx", "m_1.onnx.data"])
def test_a_file_missing_from_a_result_is_named(run: Run, ladder: Path, tmp_path: Path, name: str) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { a = Neg(x) y = MatMul(a, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 300), np.float32), "w"))
    saved(proto, ladder)
    assert run("split", ladder, *SPLIT).code == 0
    (tmp_path / "out" / name).unlink()
    done = run("verify", "out")
    assert (done.code, done.errors) == (
        2,
        f"error: a file of the stages does not exist (out/{name}): put it back, or split the model again\n",
    )
