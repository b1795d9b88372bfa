"""Workers: what they send, how they are cancelled, what happens when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.frames import (
    Assembly,
    FrameReader,
    InternalError,
    LayOut,
    OpenModel,
    Result,
    decode,
    encode,
    in_pieces,
    request_in_pieces,
)
from cutter_gui.gui.jobs import Workers
from cutter_gui.layout.folding import Folding
from cutter_gui.layout.scene import LayoutOptions, Scene


@pytest.fixture
def workers(qapp):
    made = Workers()
    yield made
    made.close()
    made.deleteLater()


def outcome_of(job, qtbot, timeout: int = 60_000) -> list[tuple[str, object]]:
    """Waits for the end of a job and returns all it told, in order."""
    told: list[tuple[str, object]] = []
    job.progress.connect(lambda what, fraction: told.append(("progress", (what, fraction))))
    job.part.connect(lambda part: told.append(("part", part)))
    job.finished.connect(lambda result: told.append(("finished", result)))
    job.failed.connect(lambda error: told.append(("failed", error)))
    job.cancelled.connect(lambda: told.append(("cancelled", None)))
    qtbot.waitUntil(lambda: job.is_over, timeout=timeout)
    return told


def test_opening_sends_the_graph_before_the_picture_and_progress_that_never_goes_back(workers, model, qtbot):
    told = outcome_of(workers.run(OpenModel(model)), qtbot)
    parts = [value for kind, value in told if kind == "part"]
    assert [type(part) for part in parts] == [Graph, Groups, Folding, Scene]
    assert parts[0].node_count == 7
    fractions = [value[1] for kind, value in told if kind == "progress"]
    assert fractions == sorted(fractions)
    assert told[-1][0] == "finished"
    assert [kind for kind, _ in told].count("finished") == 1


def test_an_error_of_the_format_arrives_with_its_parts(workers, tmp_path, qtbot):
    kind, error = outcome_of(workers.run(OpenModel(tmp_path / "missing.onnx")), qtbot)[-1]
    assert kind == "failed"
    assert type(error) is CutterError
    assert "missing.onnx" in error.where


def test_a_killed_worker_is_an_error_that_says_so(workers, model, qtbot):
    job = workers.run(OpenModel(model))
    os.kill(job.process_id, signal.SIGKILL)
    kind, error = outcome_of(job, qtbot)[-1]
    assert kind == "failed"
    assert "ended unexpectedly" in error.what
    assert outcome_of(workers.run(OpenModel(model)), qtbot)[-1][0] == "finished"


def test_cancelling_ends_the_worker_within_the_time_it_is_given(workers, model, qtbot):
    job = workers.run(OpenModel(model))
    process = job.process_id
    job.cancel()
    assert outcome_of(job, qtbot, timeout=5_000) == [("cancelled", None)]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_worker_ends_when_its_window_is_gone():
    worker = subprocess.Popen(
        [sys.executable, "-m", "cutter_gui.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    worker.communicate(timeout=30)
    assert worker.returncode == 0


def test_stray_prints_do_not_reach_the_messages(tmp_path: Path):
    """A job that prints, as compiled code may, must not corrupt the frames."""
    script = (
        "import os, sys\n"
        "from cutter_gui import worker, frames\n"
        "channel = worker.Channel(worker._claim_stdout())\n"
        "print('stray'); os.write(1, b'stray from C'); sys.stdout.flush()\n"
        "channel.send(frames.Result(7))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert [decode(body) for body in FrameReader().feed(done.stdout)] == [Result(7)]
    assert b"stray from C" in done.stderr


def test_frames_survive_being_cut_anywhere():
    stream = b"".join(encode(value) for value in (1, "two", [3] * 5000))
    for step in (1, 7, 4096):
        reader = FrameReader()
        bodies = [body for at in range(0, len(stream), step) for body in reader.feed(stream[at : at + step])]
        assert [decode(body) for body in bodies] == [1, "two", [3] * 5000]


def test_an_internal_error_keeps_its_details_when_sent():
    sent = decode(encode(InternalError("what", "where", "remedy", "traceback"))[8:])
    assert (sent.what, sent.where, sent.remedy, sent.details) == ("what", "where", "remedy", "traceback")


def test_a_large_graph_arrives_whole_in_pieces_of_a_few_thousand_values():
    builder = GraphBuilder("test")
    builder.add_input("t0")
    for at in range(10_000):
        name = f"/encoder/layer.{at // 40}/block/t{at + 1}"
        before = "t0" if at == 0 else f"/encoder/layer.{(at - 1) // 40}/block/t{at}"
        builder.add_node("Add", [before], [name], name=name, attributes=(("axis", "-1"), ("to", "float32")))
        builder.set_type(name, 1, ("batch", 128, 64))
    graph = builder.build()
    begins, *pieces, _ends = [decode(encode(message)[8:]) for message in in_pieces(graph)]
    assert all(len(piece.value) <= 4000 for piece in pieces if isinstance(piece.value, tuple))
    assert sum(piece.field == "tensor_names" for piece in pieces) == 3
    assembly = Assembly(begins)
    for piece in pieces:
        assembly.add(piece)
    whole = assembly.finish()
    assert whole.node_names == graph.node_names
    assert whole.node_attributes == graph.node_attributes
    assert whole.tensor_shapes == graph.tensor_shapes
    assert whole.fingerprint == graph.fingerprint
    assert (whole.edge_consumer == graph.edge_consumer).all()


@pytest.fixture
def long_graph() -> Graph:
    """A chain so long that it goes to a worker in pieces."""
    builder = GraphBuilder("test")
    builder.add_input("t0")
    for at in range(9000):
        builder.add_node("Add", [f"t{at}"], [f"t{at + 1}"], name=f"n{at}")
    builder.add_output("t9000")
    return builder.build()


def test_a_large_graph_reaches_the_worker_whole_in_pieces_before_the_request(workers, long_graph, qtbot):
    request = LayOut(long_graph, LayoutOptions(engine="layered"))
    assert len(list(request_in_pieces(request))) > 20
    assert len(list(request_in_pieces(OpenModel(Path("x.onnx"))))) == 1
    told = outcome_of(workers.run(request), qtbot)
    (scene,) = [value for kind, value in told if kind == "part"]
    assert scene.box_count == 9002
    assert told[-1][0] == "finished"


def test_a_job_cancelled_or_killed_while_its_graph_is_still_on_the_way_ends(workers, long_graph, qtbot):
    job = workers.run(LayOut(long_graph, LayoutOptions()))
    job.cancel()
    assert outcome_of(job, qtbot, timeout=5_000) == [("cancelled", None)]
    job = workers.run(LayOut(long_graph, LayoutOptions()))
    os.kill(job.process_id, signal.SIGKILL)
    assert outcome_of(job, qtbot, timeout=5_000)[-1][0] == "failed"
