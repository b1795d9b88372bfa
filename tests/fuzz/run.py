"""Damaged models and cut specs through every command: ``make fuzz``.

    python tests/fuzz/run.py [--seconds 600] [--seed N]

Each case runs in a process of its own: info, check, split, verify. What counts as a fault: a traceback or an error that
no code foresaw, an exit code that is not 0, 1 or 2, a failure without its one line, a crash, over ten seconds, or a
file written outside the output folder. A case that fails is kept and its command printed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import onnx
from onnx import ModelProto

from cutter_gui.cli import main as cutter_gui
from cutter_gui.resource_files import resource
from fuzz.mutations import damaged_bytes, damaged_model, damaged_text

LIMIT_SECONDS = 10.0
COMMANDS = ("info", "check", "split", "verify")


@dataclass(frozen=True)
class Fault:
    """A case that went wrong: its seed, the command, and in which way."""

    seed: int
    command: str
    what: str


def fuzz(seconds: float, seed: int, keep: Path | None = None) -> tuple[int, list[Fault]]:
    """Runs cases until the time is over.

    Args:
        seconds: How long.
        seed: Seed of the first case; the others follow.
        keep: Where to keep the files of cases that fail.

    Returns:
        The number of cases, and the faults.
    """
    import onnxruntime  # noqa: F401  # loaded once, here, so that each forked case starts at once
    import scipy.sparse.csgraph  # noqa: F401

    import cutter_gui.onnx.split
    import cutter_gui.onnx.verify  # noqa: F401

    faults: list[Fault] = []
    end = time.monotonic() + seconds
    case = seed
    while time.monotonic() < end:
        faults += _run_case(case, keep)
        case += 1
    return case - seed, faults


def _run_case(seed: int, keep: Path | None) -> list[Fault]:
    folder = Path(tempfile.mkdtemp(prefix="cutter-fuzz-"))
    try:
        _prepare(folder, random.Random(seed))
        before = _tree(folder)
        found = []
        for command in COMMANDS:
            what = _run_command(folder, command)
            if what:
                found.append(Fault(seed, command, what))
        stray = {path for path in _tree(folder) - before if not path.startswith(("out", "said"))}
        if stray:
            found.append(Fault(seed, "split", f"wrote {sorted(stray)[:3]} outside the output folder"))
        if found and keep is not None:
            shutil.copytree(folder, keep / f"case{seed}", dirs_exist_ok=True)
        return found
    finally:
        shutil.rmtree(folder)


def _prepare(folder: Path, draw: random.Random) -> None:
    """Writes ``model.onnx`` and ``plan.cuts.yaml``, one of them damaged, sometimes both."""
    model = onnx.load(resource("models", "bert_small.onnx"))
    if draw.random() < 0.3:
        model = _small_model()
    spec = resource("models", "bert_small.cuts.yaml").read_text(encoding="utf-8")
    which = draw.choice(("model", "model", "bytes", "spec", "both"))
    if which in ("model", "both"):
        model = damaged_model(model, draw)
    data = model.SerializeToString()
    (folder / "model.onnx").write_bytes(damaged_bytes(data, draw) if which == "bytes" else data)
    text = damaged_text(spec, draw) if which in ("spec", "both") else spec.encode()
    (folder / "plan.cuts.yaml").write_bytes(text)


def _small_model() -> ModelProto:
    """A model with a body that captures, a function, a sparse initializer and a sequence, in a few nodes."""
    return onnx.parser.parse_model(
        """
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        small (float[2] x, bool c) => (float[2] y, float[2] z) <float[2] w = {1, 2}> {
            a = Add(x, w)
            b = local.Twice(a)
            d = If(c) <then_branch = t () => (float[2] p) { p = Neg(b) },
                       else_branch = e () => (float[2] q) { q = Relu(a) }>
            s = SequenceConstruct(d, b)
            i = Constant<value = int64 {0}>()
            y = SequenceAt(s, i)
            z = Mul(y, a)
        }
        <domain: "local", opset_import: ["" : 17]>
        Twice (v) => (r) { r = Add(v, v) }
        """
    )


def _tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _run_command(folder: Path, command: str) -> str:
    """Runs a command in a forked process; returns what went wrong, or ""."""
    words = {
        "info": ["info", "model.onnx", "--json"],
        "check": ["check", "model.onnx", "--cuts", "plan.cuts.yaml", "--json"],
        "split": ["split", "model.onnx", "--cuts", "plan.cuts.yaml", "--out", "out"],
        "verify": ["verify", "out"],
    }[command]
    if command == "verify" and not (folder / "out" / "pipeline.yaml").exists():
        return ""
    code = _exit_code(folder, words)
    if code is None:
        # A machine that was busy elsewhere, or asleep, is no hang: what hangs does so again.
        if command == "split":
            shutil.rmtree(folder / "out", ignore_errors=True)
        code = _exit_code(folder, words)
    if code is None:
        return f"still running after {LIMIT_SECONDS:.0f} s"
    said = (folder / "said").read_text(encoding="utf-8", errors="replace")
    if code not in (0, 1, 2):
        name = signal.Signals(-code).name if code < 0 else code
        return f"ended with {name}"
    if "Traceback" in said or "internal fault" in said:
        return said.strip().splitlines()[-1][:300]
    lines = [line for line in said.splitlines() if not line.startswith("warning: ")]
    failed = code == 2 or (code == 1 and command == "split")
    if failed and (len(lines) != 1 or not lines[0].startswith("error: ")):
        return f"not one line: {said[:300]!r}"
    return ""


def _exit_code(folder: Path, words: list[str]) -> int | None:
    """Runs a command in a forked process; returns its exit code, None when it had to be killed."""
    process = get_context("fork").Process(target=_child, args=(str(folder), words))
    process.start()
    process.join(LIMIT_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        return None
    return process.exitcode


def _child(folder: str, words: list[str]) -> None:
    os.chdir(folder)
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os._exit(cutter_gui(words))


def main() -> int:
    parser = argparse.ArgumentParser(description="damaged models and cut specs through every command")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("FUZZ_SECONDS", "600")))
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=Path, default=Path("fuzz-output"), help="where to keep cases that fail")
    arguments = parser.parse_args()
    cases, faults = fuzz(arguments.seconds, arguments.seed, arguments.keep)
    for fault in faults[:20]:
        print(f"case {fault.seed}, {fault.command}: {fault.what}")
    for what, count in Counter(fault.what[:80] for fault in faults).most_common(10):
        print(f"{count:6}   {what}")
    print(f"{cases} cases from seed {arguments.seed}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
