"""The installed script as a process: start, streams, signals, locale."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from functools import partial
from pathlib import Path

import pytest

from cutter_gui import __version__
from strategies.onnx_text import model, saved

SCRIPT = Path(sysconfig.get_path("scripts")) / "cutter-gui"


def cutter_gui(*words: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([SCRIPT, *map(str, words)], capture_output=True, check=False, timeout=100, **options)  # type: ignore[call-overload,no-any-return]  # options vary by test


def test_the_script_says_its_version() -> None:
    done = cutter_gui("--version")
    assert (done.returncode, done.stdout.decode().strip(), done.stderr) == (0, f"cutter-gui {__version__}", b"")


def test_the_package_runs_as_a_module(ladder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cutter_gui", "info", ladder, "--json"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["nodes"] == 4


def test_help_names_every_command_and_every_command_has_help() -> None:
    done = cutter_gui("--help")
    assert done.returncode == 0
    commands = re.findall(r"(?m)^  (\w+)  +\S.*$", done.stdout.decode().split("without a window:")[1])
    assert {"info", "check", "split", "verify", "render", "demo"} <= set(commands)
    help_of_split = cutter_gui("split", "--help").stdout.decode()
    for option in ("--cuts", "--cut", "--out", "--form", "--transport", "--weights", "--force", "--json", "--trust"):
        assert option in help_of_split


def test_an_error_goes_to_standard_error_and_its_traceback_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    done = cutter_gui("info", "none.onnx", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1
    debugged = cutter_gui("--debug", "info", "none.onnx", cwd=tmp_path)
    assert debugged.returncode == 2
    assert b"Traceback (most recent call last)" in debugged.stderr
    assert debugged.stderr.endswith(done.stderr)


def test_without_a_display_the_window_is_refused_in_one_line(ladder: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = cutter_gui(ladder, env=environment)
    assert done.returncode == 2
    assert re.fullmatch(r"error: there is no display .+ \(.+\): .+\n", done.stderr.decode())


def test_a_reader_that_leaves_early_is_no_fault(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }")
    for number in range(3000):
        proto.graph.output.add().CopyFrom(proto.graph.output[0])
        proto.graph.node.add(op_type="Neg", input=["x"], output=[f"another output of some length {number}"])
        proto.graph.output[-1].name = f"another output of some length {number}"
    saved(proto, tmp_path / "m.onnx")
    with subprocess.Popen(
        [SCRIPT, "info", "m.onnx", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.read(10)
        program.stdout.close()
        assert program.wait(timeout=100) in (0, 130)
        assert program.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_an_output_that_cannot_be_written_is_told(ladder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [SCRIPT, "info", ladder, "--json"], stdout=full, stderr=subprocess.PIPE, check=False, timeout=100
        )
    assert done.returncode == 2
    said = done.stderr.decode()
    assert re.fullmatch(r"error: [^\n]*No space left[^\n]* \(standard output\): [^\n]+\n", said), said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_the_exit_code_says_it_when_standard_error_cannot(ladder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([SCRIPT, "info", ladder / "none.onnx"], stderr=full, check=False, timeout=100)
    assert done.returncode == 2


def test_a_current_folder_that_is_gone_is_told_where_it_matters(ladder: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for words in (["split", ladder, "--cut", "a", "--out", "out"], ["check", ladder, "--cut", "a", "--mend", "m.yaml"]):
        gone.mkdir()
        done = subprocess.run(
            ["/bin/sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", SCRIPT, *words],
            cwd=gone, capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        said = f"error: the current folder is gone ({words[-1]}): change into one that exists\n"
        assert (done.returncode, done.stderr) == (2, said)


def test_verifying_leaves_nothing_in_the_users_folders_and_tells_nobody(ladder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
    run = partial(subprocess.run, capture_output=True, check=False, timeout=100)
    assert run([SCRIPT, "split", ladder, "--cut", "a", "--out", tmp_path / "out"]).returncode == 0
    for place in (home, "/nonexistent"):
        done = run([SCRIPT, "verify", tmp_path / "out"], env={**environment, "HOME": str(place)})
        assert (done.returncode, done.stderr) == (0, b"")
    assert list(home.rglob("*")) == []


def test_a_closed_output_is_no_traceback(ladder: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" info "$1" >&-', SCRIPT, ladder], capture_output=True, check=False, timeout=100
    )
    assert b"Traceback" not in done.stderr
    assert b"internal fault" not in done.stderr


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=["C", "POSIX", "latin-1"],
)
def test_names_are_shown_in_any_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) }")
    proto.graph.node[0].output[0] = proto.graph.node[1].input[0] = "größe \U0001f600"
    saved(proto, tmp_path / "größe.onnx")
    (tmp_path / "c.yaml").write_text(
        "format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges: [{tensor: größe \U0001f600}]\n", encoding="utf-8"
    )
    environment = {**os.environ, **locale}
    text = cutter_gui("check", "größe.onnx", "--cuts", "c.yaml", cwd=tmp_path, env=environment)
    assert (text.returncode, text.stderr) == (0, b"")
    document = cutter_gui("check", "größe.onnx", "--cuts", "c.yaml", "--json", cwd=tmp_path, env=environment)
    encoding = "latin-1" if "PYTHONIOENCODING" in locale else "utf-8"
    found = json.loads(document.stdout.decode(encoding))
    assert found["stages"][0]["sends"][0]["tensors"][0]["name"] == "größe \U0001f600"
    wrong = cutter_gui("info", "größ.onnx", cwd=tmp_path, env=environment)
    assert wrong.returncode == 2
    assert wrong.stderr.count(b"\n") == 1
    assert b"Traceback" not in wrong.stderr


def test_two_runs_write_the_same_bytes(ladder: Path, tmp_path: Path) -> None:
    found = []
    for seed in ("1", "2"):
        out = tmp_path / f"out{seed}"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = cutter_gui("split", ladder, "--cut", "b:a-c/y", "--out", out, env=environment)
        assert done.returncode == 0
        found.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert found[0] == found[1]


def test_an_interrupt_is_130_in_one_line(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }")
    for number in range(40_000):
        proto.graph.node.add(op_type="Neg", input=["x"], output=[f"t{number}"])
    saved(proto, tmp_path / "m.onnx")
    with subprocess.Popen(
        [SCRIPT, "info", "m.onnx"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as program:
        wait_for_the_model(program.pid, tmp_path / "m.onnx")
        program.send_signal(signal.SIGINT)
        output, errors = program.communicate(timeout=100)
    assert (program.returncode, errors) == (130, b"interrupted\n"), output


def wait_for_the_model(pid: int, model_file: Path) -> None:
    """Waits until a process has the model mapped into its memory, which is long after its imports."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if str(model_file) in Path(f"/proc/{pid}/maps").read_text():
            return
        time.sleep(0.001)
    pytest.fail("the model was not opened")
