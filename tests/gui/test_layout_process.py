"""A layout process that dies or is cancelled while it works leaves a working program."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from bench.canvas_models import write_transformer
from cutter_gui.gui.dialogs.message import Message


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
