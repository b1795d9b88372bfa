"""Arguments that can be read but mean nothing: empty names, sizes that are none, files that are no files."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cutter_gui.cli import COMMANDS
from cutter_gui.commands.arguments import read_types
from cutter_gui.core.errors import CutterError

PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")


def path_arguments() -> list[tuple[str, argparse.Action]]:
    """Every argument of every command that becomes a path."""
    found = []
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"cutter_gui.commands.{name}").add_arguments(parser)
        found.extend((name, action) for action in parser._actions if _makes_a_path(action))
    return found


def _makes_a_path(action: argparse.Action) -> bool:
    return callable(action.type) and action.type is not int and isinstance(action.type("1"), Path)


@pytest.mark.parametrize(("command", "action"), path_arguments(), ids=lambda value: getattr(value, "dest", value))
def test_no_command_takes_an_empty_name_for_the_current_folder(command: str, action: argparse.Action) -> None:
    assert callable(action.type)
    with pytest.raises(argparse.ArgumentTypeError, match="empty"):
        action.type("")


def test_there_are_path_arguments_to_look_at() -> None:
    found = {(command, action.dest) for command, action in path_arguments()}
    assert {("info", "model"), ("check", "cuts"), ("split", "out"), ("verify", "directory"), ("render", "out")} <= found


def test_an_empty_output_folder_is_bad_usage_and_writes_nothing(
    run: Callable[..., Any], ladder: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    done = run("split", ladder, "--cuts", "m.cuts.yaml", "--out", "")
    assert done.code == 2
    assert done.errors == ("error: argument --out: the name is empty (cutter-gui split): see cutter-gui split --help\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("dims", ["-1", "1,,2", ",", "+3", "1.5", "1e3", "9223372036854775808", "9" * 5000, "0x10"])
def test_dims_that_are_no_sizes_are_refused(dims: str) -> None:
    with pytest.raises(CutterError, match="a type cannot be read"):
        read_types([f"a=float32[{dims}]"])


@pytest.mark.parametrize(
    ("dims", "shape"),
    [
        ("", ()),
        (" ", ()),
        ("0", (0,)),
        (" 1 , 16,?", (1, 16, None)),
        ("batch,seq len,2*h", ("batch", "seq len", "2*h")),
        ("9223372036854775807", (2**63 - 1,)),
    ],
)
def test_dims_may_be_sizes_names_or_open(dims: str, shape: tuple[object, ...]) -> None:
    assert read_types([f"a=float32[{dims}]"])["a"].shape == shape


@PIPES
def test_a_pipe_is_refused_as_a_model_instead_of_waited_for(run: Callable[..., Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    done = run("info", "pipe.onnx")
    assert (done.code, done.errors) == (
        2,
        "error: the model file cannot be read: it is no regular file (pipe.onnx): check the file\n",
    )


@PIPES
def test_a_pipe_is_refused_as_inputs_instead_of_waited_for(
    run: Callable[..., Any], ladder: Path, tmp_path: Path
) -> None:
    assert run("split", ladder, "--cuts", "m.cuts.yaml", "--out", "out").code == 0
    os.mkfifo(tmp_path / "x.npz")
    done = run("verify", "out", "--inputs", "x.npz")
    assert (done.code, done.errors) == (
        2,
        "error: the inputs cannot be read: it is no regular file (x.npz): give an .npz written by numpy.savez\n",
    )


@pytest.mark.parametrize("word", ["splitt", "Info", "help", ""])
def test_a_word_that_is_neither_a_command_nor_a_file_is_called_so(run: Callable[..., Any], word: str) -> None:
    done, empty = run(word), "''"
    assert (done.code, done.errors) == (
        2,
        f"error: this is neither a command nor a file ({word or empty}): see cutter-gui --help\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("info", "m.onnx", "--type=--"),
        ("check", "m.onnx", "--cut=--"),
        ("check", "m.onnx", "--cuts=--"),
        ("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out=--"),
        ("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out", "out", "--form=--"),
        ("verify", "out", "--seed=--"),
        ("verify", "out", "--inputs=--"),
        ("--cuts=--",),
    ],
    ids=" ".join,
)
def test_two_dashes_are_no_value_of_an_option(run: Callable[..., Any], ladder: Path, words: tuple[str, ...]) -> None:
    option = words[-1].removesuffix("=--")
    program = "cutter-gui" if len(words) == 1 else f"cutter-gui {words[0]}"
    done = run(*words)
    assert (done.code, done.output) == (2, "")
    assert done.errors == f"error: argument {option}: expected one argument ({program}): see {program} --help\n"
    assert sorted(path.name for path in ladder.parent.iterdir()) == ["m.cuts.yaml", "m.onnx"]


@PIPES
def test_a_pipe_that_nobody_writes_to_is_an_empty_spec_instead_of_waited_for(
    run: Callable[..., Any], ladder: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    done = run("check", ladder, "--cuts", "pipe.yaml")
    assert (done.code, done.errors) == (
        2,
        "error: the file is empty (pipe.yaml:1:1): check that it is the right file\n",
    )


@PIPES
def test_a_spec_is_read_from_a_pipe_however_late_its_writer_writes(ladder: Path) -> None:
    slow = "import sys, time; time.sleep(0.2); sys.stdout.write(open('m.cuts.yaml').read())"
    with subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE, cwd=ladder.parent) as writer:
        command = [sys.executable, "-m", "cutter_gui", "check", "m.onnx", "--cuts", "/dev/stdin"]
        done = subprocess.run(command, stdin=writer.stdout, cwd=ladder.parent, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("valid: 2 stages")


@pytest.mark.skipif(sys.platform == "win32", reason="making links wants rights there")
@pytest.mark.parametrize("place", ["loop", "loop/x"])
@pytest.mark.parametrize(
    "words",
    [
        ("split", "m.onnx", "--cuts", "m.cuts.yaml", "--out"),
        ("check", "m.onnx", "--cuts", "m.cuts.yaml", "--mend"),
        ("check", "m.onnx", "--cuts"),
        ("verify",),
    ],
    ids=lambda words: words[-1],
)
def test_a_loop_of_links_is_told_with_its_place(
    run: Callable[..., Any], ladder: Path, words: tuple[str, ...], place: str
) -> None:
    (ladder.parent / "loop").symlink_to("loop")
    done = run(*words, place)
    assert done.code == 2
    assert place in done.errors
    assert "internal fault" not in done.errors
    assert sorted(path.name for path in ladder.parent.iterdir()) == ["loop", "m.cuts.yaml", "m.onnx"]
    assert (ladder.parent / "loop").is_symlink()


@pytest.mark.parametrize("words", [("--trace", "symbolic"), ("--dynamic", "x:0")])
def test_a_file_that_holds_a_graph_is_not_told_how_to_trace(words: tuple[str, str]) -> None:
    sample = Path(__file__).parents[2] / "resources/models/cnn_small.onnx"
    command = [sys.executable, "-m", "cutter_gui", "info", str(sample), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"error: the file holds a graph, so there is nothing to trace with {words[0]} ({sample}): leave it out\n"
    )
