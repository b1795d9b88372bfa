"""Opens one model in the real window and prints what that took, as one JSON line."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from canvas_frames import measure_frames
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from cutter_gui.frames import OpenModel
from cutter_gui.gui.canvas.hit import HitKind
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow
from cutter_gui.layout.scene import BoxKind

PATIENCE = 300.0  # seconds
CLICKS = 12


def wait(until: Callable[[], bool]) -> float:
    """Runs the event loop until something holds; returns the seconds."""
    start = time.perf_counter()
    while not until():
        QApplication.processEvents()
        time.sleep(0.0005)
        if time.perf_counter() - start > PATIENCE:
            raise TimeoutError
    return time.perf_counter() - start


def is_interactive(canvas: GraphCanvas, random: np.random.Generator) -> bool:
    """Whether the canvas is drawn and a hit test in the middle of a random box in sight finds that box."""
    picture, base = canvas._picture, canvas._base
    drawn = base._shown or base._made
    if picture is None or not canvas.isVisible() or drawn is None or drawn.picture is not picture:
        return False
    size = canvas.viewport().size()
    boxes = picture.sheet.index.boxes_in(*canvas._camera.visible(size.width(), size.height()))
    boxes = boxes[np.isin(picture.scene.box_kind[boxes], (BoxKind.NODE, BoxKind.GROUP))]
    if not len(boxes):
        return False
    left, top, width, height = picture.scene.box_rect[int(random.choice(boxes))].tolist()
    hit = canvas.hit(QPointF(*canvas._camera.to_view(left + width / 2, top + height / 2)))
    return hit.kind in (HitKind.NODE, HitKind.GROUP)


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name.lower()}"
        print(json.dumps(measure(path)), flush=True)
        os._exit(0)


def measure(path: Path) -> dict[str, object]:
    application = QApplication([])
    window = MainWindow(Theme(application, "light"))
    window.resize(1600, 1000)
    window.show()
    wait(lambda: window.is_complete)
    wait_until = time.perf_counter() + 3.0  # as a user would: the worker in reserve has started
    wait(lambda: time.perf_counter() > wait_until)
    random = np.random.default_rng(0)
    begun = time.perf_counter()
    window.open_paths([path])
    wait(lambda: window.workspace is not None and is_interactive(window.workspace.canvas, random))
    found: dict[str, object] = {"first": time.perf_counter() - begun}
    workspace = window.workspace
    assert workspace is not None
    wait(lambda: not window.opener.is_busy and not workspace.folds.is_busy)
    graph, folds = workspace.document.graph, workspace.folds
    found["boxes"] = workspace.canvas._picture.scene.box_count
    first = workspace.canvas._picture
    begun = time.perf_counter()
    if folds.has_groups and not folds.folding.is_all_open(folds.groups):
        folds.unfold_all()
        wait(lambda: workspace.canvas._picture.scene is not first.scene)
        wait(lambda: not window.opener.is_busy and is_interactive(workspace.canvas, random))
        found["unfolded"] = time.perf_counter() - begun
    found["clicks"] = clicks(workspace, graph, random)
    found["cancel"] = cancel(window, path)
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    found["memory"] = max(usage) * 1024
    found["nodes"] = graph.node_count
    found |= measure_frames(workspace.canvas, graph, workspace.canvas._picture.scene)
    return found


def cancel(window: MainWindow, path: Path) -> float:
    """Returns the seconds from Cancel until the process that reads and lays out a model is gone."""
    job = window.workers.run(OpenModel(path))
    working_from = time.perf_counter() + 0.3
    wait(lambda: time.perf_counter() > working_from)
    begun = time.perf_counter()
    job.cancel()
    wait(lambda: job not in window.workers.running)
    return time.perf_counter() - begun


def clicks(workspace: object, graph: object, random: np.random.Generator) -> list[float]:
    """Returns the seconds from a click on an edge until stages and panels are drawn anew."""
    made = np.flatnonzero((graph.tensor_producer >= 0) & (np.diff(graph.tensor_edges) > 0))
    seconds = []
    for tensor in random.choice(made, CLICKS).tolist():
        begun = time.perf_counter()
        workspace.document.toggle_tensor(tensor)
        workspace.canvas.viewport().repaint()
        for _ in range(3):
            QApplication.processEvents()
        seconds.append(time.perf_counter() - begun)
    return seconds


if __name__ == "__main__":
    main()
