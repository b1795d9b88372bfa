"""Measures panels, preview and event loop in a real window and prints the seconds by name, as one JSON line."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from canvas_models import write_transformer
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from cutter_gui.core import Cut, CutEdge, Graph, GraphBuilder, Plan
from cutter_gui.core.spec import CutSpec
from cutter_gui.gui.commands import SpecFile
from cutter_gui.gui.document import Document
from cutter_gui.gui.stages_preview.window import StagesPreview
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

PATIENCE = 120.0  # seconds
RUNS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name.lower()}"
        print(json.dumps(measure(Path(home))), flush=True)
        sys.stdout.flush()
        os._exit(0)


def measure(folder: Path) -> dict[str, float]:
    application = QApplication([])
    window = MainWindow(Theme(application, "light"))
    window.resize(1280, 800)
    window.show()
    wait(lambda: window.is_complete)
    found = {"longest turn while 10,000 nodes open": longest_turn(window, folder / "large.onnx")}

    document = show(window, chain(500))
    mask = document.graph.tensor_index["mask"]
    document.add_cut()
    document.toggle_tensor(mask)
    consumers = iter(range(250, 250 + RUNS))
    found["a consumer of a mask with 500 is added"] = least(lambda: document.toggle_consumer(mask, next(consumers)))

    document = show(window, chain(1200, mask_every=10_000), cuts(200, 5))
    bar = window.workspace.stages.strip.horizontalScrollBar()
    ends = iter((bar.maximum(), 0) * RUNS)
    found["200 stages are scrolled"] = least(lambda: bar.setValue(next(ends)))
    active = iter(range(150, 0, -20))
    found["another of 200 cuts is made active"] = least(lambda: document.set_active_cut(next(active)))

    show(window, chain(90, mask_every=10_000), cuts(16, 5))
    window.actions_registry["preview.show"].trigger()
    wait(lambda: any(isinstance(it, StagesPreview) and it.isVisible() for it in application.topLevelWidgets()))
    [preview] = (it for it in application.topLevelWidgets() if isinstance(it, StagesPreview))
    if len(preview.view.drawing.stages) != 16:
        raise AssertionError(f"the preview shows {len(preview.view.drawing.stages)} stages")
    found["16 stages are painted"] = least(preview.view.viewport().repaint)
    return found


def wait(until: Callable[[], bool]) -> None:
    """Runs the event loop until something holds."""
    start = time.perf_counter()
    while not until():
        QApplication.processEvents()
        time.sleep(0.0005)
        if time.perf_counter() - start > PATIENCE:
            raise TimeoutError


def least(do: Callable[[], object]) -> float:
    """Returns the least seconds that something takes until all is drawn."""
    taken = []
    for _ in range(RUNS):
        begun = time.process_time()
        do()
        QApplication.processEvents()
        taken.append(time.process_time() - begun)
    return min(taken)


def longest_turn(window: MainWindow, path: Path) -> float:
    """Returns the most seconds that the window's own thread works between two turns of the event loop."""
    write_transformer(path, 10_000)
    longest, last = 0.0, time.thread_time()

    def tick() -> None:
        nonlocal longest, last
        now = time.thread_time()
        longest, last = max(longest, now - last), now

    wait(lambda: window.workspace is not None)
    timer = QTimer()
    timer.timeout.connect(tick)
    timer.start(0)
    last = time.thread_time()
    window.open_paths([path])
    wait(lambda: window.workspace is not None and window.workspace.has_picture and not window.opener.is_busy)
    settled = time.perf_counter() + 0.2
    wait(lambda: time.perf_counter() > settled)
    timer.stop()
    return longest


def show(window: MainWindow, graph: Graph, plan: Plan = Plan()) -> Document:  # noqa: B008 - immutable
    document = Document(Path("model.onnx"), graph, SpecFile(Path("x.cuts.yaml"), CutSpec(plan)))
    window.tabs.current._on_graph(document)
    QApplication.processEvents()
    return document


def chain(length: int, mask_every: int = 1) -> Graph:
    """Returns a chain of nodes of which every ``mask_every``-th also reads the tensor ``mask``."""
    builder = GraphBuilder("onnx")
    for name in ("x", "m"):
        builder.add_input(name)
    builder.add_node("Sigmoid", ["m"], ["mask"])
    before = "x"
    for at in range(length):
        builder.add_node("Add", [before, "mask"] if at % mask_every == 0 else [before], [f"t{at}"], name=f"node {at}")
        before = f"t{at}"
    builder.add_output(before)
    for name in ("x", "m", "mask", *(f"t{at}" for at in range(length))):
        builder.set_type(name, 1, (2, 4))
    return builder.build()


def cuts(stages: int, apart: int) -> Plan:
    return Plan(tuple(Cut((CutEdge(f"t{apart * at}"),)) for at in range(1, stages)))


if __name__ == "__main__":
    main()
