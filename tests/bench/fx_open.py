"""How long a ``.pt2`` takes to open, beside ``torch.export.load`` of the same file in the same run.

An encoder is exported until its graph has 2,000 nodes. It is opened as data and loaded by torch in turn, five times
each, in one process in which torch is imported already; then a plan is made and its stages are found, which runs
nothing of the file either. The parts that are not bounded are printed to be seen.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cutter_gui.core.stages import assign_stages
from cutter_gui.fx.load import load_graph

PAIRS = 5
RATIO = 1.5
NODES = 2000
LAYERS = 100  # gives 2,000 nodes with torch 2.13; fewer are refused below


def measure() -> bool:
    """Prints times; returns whether opening keeps its bound."""
    with tempfile.TemporaryDirectory(prefix="cutter-bench-", dir=".") as folder:
        path = Path(folder) / "encoder.pt2"
        exported = _export(path)
        graph = load_graph(path)
        if graph.node_count < NODES:
            raise AssertionError(f"the model has {graph.node_count} nodes, fewer than {NODES}")
        ours, theirs = _in_turn(path)
        plan = _plan(graph)
        begin = time.perf_counter()
        staging = assign_stages(graph, plan)
        planned = time.perf_counter() - begin
        assert staging.is_valid
        bound = RATIO * theirs
        kept = ours <= bound
        megabytes, edges = path.stat().st_size / 1e6, sum(len(cut.edges) for cut in plan.cuts)
        print(
            f"fx: a .pt2 of {graph.node_count} nodes, {megabytes:.1f} MB, which torch took {exported:.0f} s to export"
        )
        told = "kept" if kept else "MISSED"
        print(
            f"  open           {ours:6.2f} s    bound {bound:.2f} s, torch.export.load takes {theirs:.2f} s    {told}"
        )
        print(f"  stages of a plan {planned * 1000:4.0f} ms   {staging.stage_count} stages, {edges} cut edges")
        return kept


def _export(path: Path) -> float:
    import torch

    sys.path.insert(0, str(Path(__file__).parent.parent))
    from strategies.fx_models import Encoder

    torch.manual_seed(0)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = (torch.randint(0, 11, (2, 5)), torch.ones(2, 5))
        torch.export.save(torch.export.export(Encoder(layers=LAYERS), args, strict=False), path)
    return time.perf_counter() - begin


def _in_turn(path: Path) -> tuple[float, float]:
    """Returns the median seconds of opening the file and of torch's loading it."""
    import torch

    ours, theirs = [], []
    for _ in range(PAIRS):
        ours.append(_seconds(lambda: load_graph(path)))
        theirs.append(_seconds(lambda: torch.export.load(path)))
    return statistics.median(ours), statistics.median(theirs)


def _seconds(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def _plan(graph: Any) -> Any:
    from strategies.fx_plans import level_plan

    return level_plan(graph, [0.25, 0.5, 0.75])
