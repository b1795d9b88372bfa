"""How good the layered engine's pictures are beside those of Graphviz dot, and how its time grows.

Crossings are counted on the curves as drawn, of dot's with dot's own splines and no limit of its time; both engines
place the same boxes and edges, hub edges removed. The width of graphs with hubs is held against the same without.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import layout_quality as quality
from canvas_models import WRITERS, write_transformer
from layout_graphs import graphs, loaded

from cutter_gui.layout import LayoutOptions, lay_out, prepare
from cutter_gui.layout.sketch import make_sketch

CROSSINGS_RATIO = 1.3
HUB_RATIO = 2.0
GROWTH = 1.6
LAYERED = LayoutOptions(engine="layered")


def measure() -> bool:
    """Prints crossings, overlaps, widths and times; returns whether all are within their bounds."""
    return all([_crossings(), _hubs(), _growth()])


def _crossings() -> bool:
    own = dots = overlapping = count = 0
    print("layout: crossings of the layered engine and of dot, over the same edges")
    for name, graph in graphs():
        scene = lay_out(graph, LAYERED)
        one = quality.crossings(quality.scene_lines(scene))
        two = quality.crossings(quality.dot_lines(make_sketch(graph, LAYERED)))
        overlap = quality.overlaps(scene)
        print(f"  {name:32} {one:5} {two:5}  overlaps {overlap}", flush=True)
        own, dots, overlapping, count = own + one, dots + two, overlapping + overlap, count + 1
    kept = own <= CROSSINGS_RATIO * dots and not overlapping
    print(f"  {count} graphs: {own} to {dots}, {own / dots:.2f}, at most {CROSSINGS_RATIO}; overlaps {overlapping}")
    return kept


def _hubs() -> bool:
    kept = True
    with tempfile.TemporaryDirectory(prefix="cutter-bench-") as folder:
        path = Path(folder) / "model.onnx"
        for size in (60, 200, 400):
            widths = []
            for hub in (True, False):
                write_transformer(path, size - 30, hub=hub)
                widths.append(lay_out(loaded(path), LAYERED).bounds[2])
            ratio = widths[0] / widths[1]
            print(f"  width of {size} nodes with hubs {ratio:.2f} of that without, at most {HUB_RATIO}")
            kept &= ratio <= HUB_RATIO
    return kept


def _growth() -> bool:
    prepare()
    kept = True
    largest = 10_000 if os.environ.get("CUTTER_GUI_BENCH_SMALL") else 200_000
    with tempfile.TemporaryDirectory(prefix="cutter-bench-") as folder:
        for kind in ("transformer", "cnn", "random"):
            seconds = {}
            for size in (10_000, 50_000, 200_000):
                if size > largest:
                    continue
                path = Path(folder) / "model.onnx"
                WRITERS[kind](path, size)
                graph = loaded(path)
                begun = time.process_time()
                lay_out(graph, LAYERED)
                seconds[size] = time.process_time() - begun
            growth = seconds[largest] / seconds[10_000] * 10_000 / largest
            told = ", ".join(f"{size // 1000}k {value:.2f} s" for size, value in seconds.items())
            print(f"  {kind:12} {told}; time a node grows by {growth:.2f}, at most {GROWTH}", flush=True)
            kept &= growth <= GROWTH
    return kept
