"""A layout process that dies or is cancelled while it works leaves a working program."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from bench.canvas_models import write_transformer
from cutter_gui.gui import folds as folds_module
from cutter_gui.gui.dialogs.message import Message

Key = Qt.Key


@pytest.fixture
def folded(open_model, tmp_path: Path, qtbot):
    """The window with some layers open, all folded, and no picture kept of them unfolded."""
    path = tmp_path / "layers.onnx"
    write_transformer(path, 400)
    window = open_model(path)
    folds = window.workspace.folds
    folds.fold_to_level(0)
    qtbot.waitUntil(lambda: not folds.is_busy and not window.opener.is_busy, timeout=30_000)
    folds.forget_pictures()
    return window


def test_a_layout_process_killed_while_a_graph_unfolds_is_told_and_unfolding_again_works(folded, hand, qtbot):
    folds = folded.workspace.folds
    before = folds.folding
    boxes = folded.workspace.scene.box_count
    with workers_held():
        folds.unfold_all()
        os.kill(folds._job.process_id, signal.SIGKILL)
    message = hand.dialog(Message)
    assert "ended unexpectedly" in message.sentence
    hand.key(message, Qt.Key.Key_Escape)
    assert folds.folding == before
    assert folded.workspace.scene.box_count == boxes
    folded.document.toggle_tensor(int(folded.document.graph.edge_tensor[-1]))
    assert len(folded.document.plan.cuts) == 1
    folds.unfold_all()
    qtbot.waitUntil(lambda: folded.workspace.scene.box_count > boxes and not folds.is_busy, timeout=30_000)


def test_a_folding_replaced_while_it_is_laid_out_ends_its_process(folded, qtbot):
    folds = folded.workspace.folds
    folds.unfold_all()
    process = folds._job.process_id
    folds.fold_to_level(0)
    qtbot.waitUntil(lambda: not folds.is_busy and not folded.workers.running, timeout=30_000)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert folds.folding.open == frozenset()


def test_unfolding_keeps_the_engine_of_the_picture_so_that_boxes_stay_near(folded, qtbot):
    folds = folded.workspace.folds
    folds.fold_to_level(1)
    qtbot.waitUntil(lambda: not folds.is_busy, timeout=30_000)
    engine = folded.workspace.scene.engine
    for level in (2, 3):
        folds.fold_to_level(level)
        qtbot.waitUntil(lambda: not folds.is_busy, timeout=30_000)
        assert folded.workspace.scene.engine == engine


@pytest.fixture
def large(folded, monkeypatch):
    """The window with the same layers, which count as many: pictures are made with a page that shows progress."""
    monkeypatch.setattr(folds_module, "LARGE", 10)
    return folded


@contextlib.contextmanager
def workers_held() -> Iterator[None]:
    """Stops the processes that wait for work, so that what is asked of them takes as long as the test needs."""
    listings = [listing.read_text() for listing in Path("/proc/self/task").glob("*/children")]
    workers = [int(process) for listing in listings for process in listing.split()]
    for process in workers:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def unfold_all(window, hand) -> None:
    hand.key(window.workspace.canvas, Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)


def test_cancelling_a_large_unfolding_goes_back_to_the_picture_before_and_the_same_key_asks_anew(large, hand, qtbot):
    workspace, canvas = large.workspace, large.workspace.canvas
    before, boxes, sight = workspace.folds.folding, workspace.scene.box_count, canvas.sight
    with workers_held():
        unfold_all(large, hand)
        assert large.opener.is_busy
        assert workspace.loading.isVisible()
        qtbot.mouseClick(workspace.loading.cancel_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not large.opener.is_busy)
    assert canvas.isVisible()
    assert workspace.folds.folding == before
    assert workspace.scene.box_count == boxes
    assert canvas.sight == sight
    unfold_all(large, hand)
    qtbot.waitUntil(lambda: workspace.scene.box_count > boxes and not large.opener.is_busy, timeout=30_000)


def test_a_worker_killed_in_a_large_unfolding_leaves_the_picture_before(large, hand, qtbot):
    folds, boxes = large.workspace.folds, large.workspace.scene.box_count
    before = folds.folding
    with workers_held():
        unfold_all(large, hand)
        os.kill(large.workers.running[0].process_id, signal.SIGKILL)
        qtbot.waitUntil(lambda: not large.opener.is_busy)
    assert large.workspace.canvas.isVisible()
    assert folds.folding == before
    unfold_all(large, hand)
    qtbot.waitUntil(lambda: large.workspace.scene.box_count > boxes and not large.opener.is_busy, timeout=30_000)


def test_a_large_unfolding_keeps_zoom_and_what_is_in_the_middle(large, hand, qtbot):
    canvas, folds = large.workspace.canvas, large.workspace.folds
    node = int(folds.groups.nodes(4)[0])
    canvas.reset_zoom()
    canvas.reveal(nodes=[node])
    hand.settle()
    zoom, boxes, point = canvas.zoom_percent, large.workspace.scene.box_count, canvas.node_point(node)
    folds.unfold(4)
    qtbot.waitUntil(lambda: large.workspace.scene.box_count > boxes and not large.opener.is_busy, timeout=30_000)
    assert canvas.zoom_percent == zoom
    assert abs(canvas.node_point(node).y() - point.y()) < 60


def test_of_two_large_foldings_the_latest_wins(large, hand, qtbot):
    folds, boxes = large.workspace.folds, large.workspace.scene.box_count
    wished = folds.folding
    unfold_all(large, hand)
    folds.fold_to_level(0)
    qtbot.waitUntil(lambda: not large.opener.is_busy and not folds.is_busy, timeout=30_000)
    assert folds.folding == wished
    assert large.workspace.scene.box_count == boxes
    assert large.workspace.canvas.isVisible()
