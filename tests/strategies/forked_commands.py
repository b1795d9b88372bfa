"""A program that runs ``cutter-gui`` commands, each in a process of its own, without starting Python anew for each.

It reads requests from standard input, one JSON document a line, ``{"words", "folder", "output", "errors", "debug"}``:
the command's words, the folder to run in, and the files that take its standard output and standard error. It answers
with the exit code. Children are forks of a program that has imported everything, so that a command takes milliseconds;
what a person runs, the installed script, is tried by tests of its own.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from cutter_gui.cli import main as run_words
from strategies.onnx_text import model, saved


def _load_everything() -> None:
    import onnxruntime  # noqa: F401

    import cutter_gui.onnx.verify  # noqa: F401

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        path = saved(model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Neg(a) }"), Path(folder) / "m.onnx")
        spec = Path(folder) / "m.cuts.yaml"
        spec.write_text("format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges: [{tensor: a}]\n")
        out = str(Path(folder) / "out")
        for words in (
            ["info", str(path)],
            ["check", str(path), "--cuts", str(spec)],
            ["check", str(path), "--cut", "b", "--json"],
            ["split", str(path), "--cut", "a", "--out", out],
            ["split", str(path), "--cut", "a", "--out", out, "--force"],
        ):
            run_words(words)


def _run(request: dict[str, str | list[str]]) -> int:
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.chdir(str(request["folder"]))
            for stream, descriptor in (("output", 1), ("errors", 2)):
                os.dup2(os.open(str(request[stream]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
            code = run_words(list(request["words"]))
            sys.stdout.flush()
        except SystemExit as leaving:
            sys.stdout.flush()
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    _load_everything()
    for line in sys.stdin:
        os.write(1, f"{_run(json.loads(line))}\n".encode())


if __name__ == "__main__":
    main()
