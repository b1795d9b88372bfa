"""Running ``cutter-gui`` as others run it: a process, its exit code, what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from strategies.onnx_text import model, saved

TESTS = Path(__file__).parent.parent
LADDER = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Add(b, a) y = Mul(c, a) }"
SPEC = "format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges:\n      - tensor: a\n"


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    output: str
    errors: str

    @property
    def json(self) -> Any:
        """The one JSON document that standard output must be."""
        return json.loads(self.output)


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def forks() -> Iterator[subprocess.Popen[str]]:
    """The program of `strategies.forked_commands`."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "strategies.forked_commands"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        yield program
        assert program.stdin is not None
        program.stdin.close()
        assert program.wait() == 0


@pytest.fixture
def run(forks: subprocess.Popen[str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command in the test's folder."""
    captured = tmp_path_factory.mktemp("captured")

    def run(*words: object) -> Done:
        files = captured / "output", captured / "errors"
        request = {
            "words": [str(word) for word in words],
            "folder": str(tmp_path),
            "output": str(files[0]),
            "errors": str(files[1]),
        }
        assert forks.stdin is not None
        assert forks.stdout is not None
        forks.stdin.write(json.dumps(request) + "\n")
        forks.stdin.flush()
        code = int(forks.stdout.readline())
        output, errors = (file.read_text(encoding="utf-8") for file in files)
        assert "Traceback" not in errors
        return Done(code, output, errors)

    return run


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """A small model in the test's folder, ``m.onnx``, and a spec with one cut for it, ``m.cuts.yaml``."""
    (tmp_path / "m.cuts.yaml").write_text(SPEC)
    return saved(model(LADDER), tmp_path / "m.onnx")
