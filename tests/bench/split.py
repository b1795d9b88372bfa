"""What a split costs, against the copy of the data file by ``cp``.

A model of BERT-large's size is built for the run: 24 layers, 1.3 GB of external data. It is split into 4 stages in both
forms and its data file copied, in turn, five times each; nothing is synced to disk. Then the same split with shared
weights, and graphs of 1k, 10k and 100k nodes without weights, where only the graph work is left.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from models import write_bert_large, write_chain_of_blocks

HERE = Path(__file__).parent
PAIRS = 5
TIME_RATIO, TIME_EXTRA = 1.5, 0.5
PEAK = 250e6
BYTES_RATIO = 1.01
SHARED_BYTES, SHARED_TIME = 0.01, 0.1
TEN_THOUSAND_SECONDS = 1.0
GROWTH = 1.5


def measure() -> bool:
    """Prints times, memory and bytes; returns whether all are within their bounds."""
    with tempfile.TemporaryDirectory(prefix="cutter-bench-", dir=".") as folder:
        return all([_weights(Path(folder)), _graphs(Path(folder))])


def _weights(folder: Path) -> bool:
    model, ends = write_bert_large(folder)
    data = folder / "bert_large.onnx.data"
    spec = folder / "plan.cuts.yaml"
    spec.write_text(_spec(ends))
    out = folder / "stages"
    runs, copies = [], []
    for _ in range(PAIRS):
        runs.append(_split(model, spec, out))
        written = sum(file.stat().st_size for file in out.iterdir())
        shutil.rmtree(out)
        copies.append(_copy(data, folder / "copy"))
    seconds, copy = statistics.median(run["split"] for run in runs), statistics.median(copies)
    imports = statistics.median(run["imports"] for run in runs)
    peak = max(run["peak"] for run in runs)
    weights = data.stat().st_size
    bound = TIME_RATIO * copy + TIME_EXTRA
    print(f"split: 4 stages, both forms, of a model with {weights / 1e9:.2f} GB of external data")
    print(f"  imports        {imports:6.2f} s (not counted)")
    time_kept = _said("  split          ", seconds, bound, "s", f"cp takes {copy:.2f} s")
    peak_kept = _said("  peak memory    ", peak / 1e6, PEAK / 1e6, "MB")
    bytes_kept = _said("  bytes written  ", written / weights, BYTES_RATIO, "of the weights")
    runs = []
    for _ in range(PAIRS):
        before = set(folder.iterdir())
        runs.append(_split(model, spec, folder, "--weights", "share"))
        stage_files = set(folder.iterdir()) - before
        shared = sum(file.stat().st_size for file in stage_files)
        for file in stage_files:
            file.unlink()
    shared_seconds = statistics.median(run["split"] for run in runs)
    shared_kept = _said("  bytes, shared  ", shared / weights, SHARED_BYTES, "of the weights")
    shared_time_kept = _said("  time, shared   ", shared_seconds / seconds, SHARED_TIME, "of the split with copies")
    return all([time_kept, peak_kept, bytes_kept, shared_kept, shared_time_kept])


def _graphs(folder: Path) -> bool:
    print("split of graphs without weights, 4 stages, both forms")
    seconds = {}
    for count in (1_000, 10_000, 100_000):
        model = folder / f"blocks{count}.onnx"
        ends = write_chain_of_blocks(model, count)
        cuts = [word for at in (1, 2, 3) for word in ("--cut", ends[len(ends) * at // 4 - 1])]
        runs = []
        for _ in range(3):
            runs.append(_run("split", str(model), *cuts, "--out", str(folder / "stages"))["split"])
            shutil.rmtree(folder / "stages")
        seconds[count] = statistics.median(runs)
        print(f"  {count:7} nodes  {seconds[count]:6.2f} s, {seconds[count] / count * 1e6:5.1f} us a node")
    kept = _said("  10,000 nodes   ", seconds[10_000], TEN_THOUSAND_SECONDS, "s")
    growth = seconds[100_000] / seconds[10_000] / 10
    return _said("  100k to 10k    ", growth, GROWTH, "of linear growth") and kept


def _said(what: str, value: float, bound: float, unit: str, remark: str = "") -> bool:
    kept = value <= bound
    print(f"{what}{value:7.3f} {unit}, at most {bound:.3f}: {'ok' if kept else 'too much'}  {remark}".rstrip())
    return kept


def _spec(ends: list[str]) -> str:
    lines = ["format: cutter-gui/cuts", "version: 1", "cuts:"]
    for at in (5, 11, 17):
        consumers = ", ".join(f"layer.{layer}/scores/add" for layer in range(at + 1, len(ends)))
        lines += ["  - edges:", f"      - tensor: {ends[at]}", f"      - {{tensor: mask, consumers: [{consumers}]}}"]
    return "\n".join(lines) + "\n"


def _split(model: Path, spec: Path, out: Path, *more: str) -> dict[str, float]:
    return _run("split", str(model), "--cuts", str(spec), "--out", str(out), *more)


def _run(*words: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(HERE / "split_once.py"), *words], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    if found["code"]:
        raise SystemExit(f"cutter-gui {' '.join(words)} returned {found['code']}")
    return found


def _copy(source: Path, target: Path) -> float:
    begun = time.monotonic()
    subprocess.run(["cp", "--reflink=never", str(source), str(target)], check=True)
    seconds = time.monotonic() - begun
    target.unlink()
    return seconds
