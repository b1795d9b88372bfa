"""Whatever happens to a split, its folder holds the old result or the new one (DESIGN, section 4).

CUTTER_GUI_KILLS says how often each situation is killed at a random moment, 12 times when not set.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.errors import Cancelled, CutterError
from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

TESTS = Path(__file__).parent.parent
KILLS = int(os.environ.get("CUTTER_GUI_KILLS", "12"))
LADDER = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Add(b, a) y = Mul(c, a) }"
OLD_CUTS = ["a"]
NEW_CUTS = ["b; a > c y", "c; a > y"]
FOREIGN = {"notes.txt": b"mine", "bert_9.onnx": b"not a stage"}

Ask = Callable[..., dict[str, Any]]


def heavy_model(steps: int = 60) -> ModelProto:
    """Returns a model whose split takes a while: many nodes, some megabytes of weights."""
    generator = np.random.default_rng(0)
    nodes, weights = [], []
    for step in range(steps):
        weights.append(numpy_helper.from_array(generator.random((128, 128), dtype=np.float32), f"w{step}"))
        nodes.append(helper.make_node("MatMul", [f"t{step}", f"w{step}"], [f"t{step + 1}"]))
    graph = helper.make_graph(
        nodes,
        "heavy",
        [helper.make_tensor_value_info("t0", TensorProto.FLOAT, [1, 128])],
        [helper.make_tensor_value_info(f"t{steps}", TensorProto.FLOAT, [1, 128])],
        weights,
    )
    return helper.make_model(graph, ir_version=8)


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Splits in a process of its own, which may be killed; see `strategies.killed_splits`."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "strategies.killed_splits"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None

        def ask(model: Path, cuts: list[str], out: Path, **moment: float) -> dict[str, Any]:
            request = {"model": str(model), "cuts": cuts, "out": str(out), "force": True, **moment}
            program.stdin.write(json.dumps(request) + "\n")  # type: ignore[union-attr]  # asserted above
            program.stdin.flush()  # type: ignore[union-attr]
            answer: dict[str, Any] = json.loads(program.stdout.readline())  # type: ignore[union-attr]
            return answer

        yield ask
        program.stdin.close()
        assert program.wait() == 0


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the files of a folder, without the workspaces that a killed run leaves."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".cutter-gui-")}


class Situation:
    """A folder that a split is killed over, and what it may hold afterwards."""

    def __init__(self, folder: Path, source: Path, kind: str, ask: Ask, cuts: tuple[list[str], list[str]]) -> None:
        self.folder, self.source, self.kind, self.ask = folder, source, kind, ask
        self.old_cuts, self.new_cuts = cuts
        self.out = folder / "deep" / "out"
        self.prepared = folder / "old"
        ask(source, self.old_cuts, self.prepared)
        ask(source, self.new_cuts, folder / "new")
        self.old, self.new = (whole(contents(folder / name), self.out) for name in ("old", "new"))
        self.reset()
        self.events = ask(source, self.new_cuts, self.out)["events"]
        assert contents(self.out) == {**self.new, **self.foreign}

    @property
    def foreign(self) -> dict[str, bytes]:
        return FOREIGN if self.kind == "beside foreign files" else {}

    def reset(self) -> None:
        shutil.rmtree(self.out.parent, ignore_errors=True)
        if self.kind != "a new folder":
            self.out.parent.mkdir()
            shutil.copytree(self.prepared, self.out)
            (self.out / "pipeline.yaml").write_bytes(self.old["pipeline.yaml"])
            for name, content in self.foreign.items():
                (self.out / name).write_bytes(content)

    def kill(self, **moment: float) -> bool:
        """Splits anew, kills it at the given moment, and judges what is left; returns whether it was killed."""
        self.reset()
        killed = bool(self.ask(self.source, self.new_cuts, self.out, **moment)["killed"])
        self.judge(moment)
        self.ask(self.source, self.new_cuts, self.out)
        assert contents(self.out) == {**self.new, **self.foreign}
        assert {entry.name for entry in self.out.parent.iterdir()} == {"out"}, "something was left behind"
        assert not list(self.out.glob(".*"))
        return killed

    def judge(self, moment: dict[str, float]) -> None:
        if self.kind == "a new folder":
            assert not self.out.exists() or contents(self.out) == self.new, moment
        elif self.kind == "over an earlier result":
            assert contents(self.out) in (self.old, self.new), moment
        else:
            left = contents(self.out)
            assert self.foreign.items() <= left.items(), moment
            left = {name: content for name, content in left.items() if name not in self.foreign}
            assert "pipeline.yaml" not in left or left in (self.old, self.new), moment
            for name, content in left.items():
                assert content in (self.old.get(name), self.new.get(name)), f"{name} is half-written: {moment}"


def whole(files: dict[str, bytes], out: Path) -> dict[str, bytes]:
    """Returns a result as it is in ``out``, whose manifest names the model by another relative path."""
    manifest = files["pipeline.yaml"].replace(b"../bert.onnx", b"../../bert.onnx")
    assert out.parent.name == "deep"
    return {**files, "pipeline.yaml": manifest}


KINDS = ["over an earlier result", "beside foreign files", "a new folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_before_any_change_of_the_file_system_a_split_leaves_no_mixture(
    tmp_path: Path, ask: Ask, kind: str
) -> None:
    proto = model(LADDER.replace("Exp(a)", "MatMul(a, w)"))
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 4), np.float32), "w"))
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((1, 300), np.float32), "v"))
    proto.graph.node.append(helper.make_node("Add", ["v", "v"], ["z"]))
    proto.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 300]))
    source = saved(proto, tmp_path / "bert.onnx")
    situation = Situation(tmp_path, source, kind, ask, (OLD_CUTS, NEW_CUTS))
    assert situation.events > 8
    killed = [situation.kill(event=event) for event in range(1, situation.events + 1)]
    assert all(killed)


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_random_moments_a_split_leaves_no_mixture(tmp_path: Path, ask: Ask, kind: str) -> None:
    source = saved(heavy_model(), tmp_path / "bert.onnx")
    situation = Situation(tmp_path, source, kind, ask, (["t20", "t40"], ["t10", "t30", "t50"]))
    moments = random.Random(kind)
    killed = [situation.kill(share=moments.random()) for _ in range(KILLS)]
    assert any(killed)


def test_a_stopped_split_leaves_nothing(tmp_path: Path) -> None:
    source = saved(heavy_model(6), tmp_path / "bert.onnx")
    told: list[str] = []

    def stop(what: str, fraction: float) -> None:
        told.append(what)
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        FORMAT.split(SplitRequest(source, plan("t3"), tmp_path / "deep" / "out"), stop)
    assert told
    assert {entry.name for entry in tmp_path.iterdir()} == {"bert.onnx"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_says_so_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    source = saved(heavy_model(200), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    code = (
        "import sys, time\n"
        "from cutter_gui.onnx import split\n"
        "write = split._Writer._save\n"
        "def slowly(*arguments):\n"
        "    write(*arguments)\n"
        "    print(arguments[1], flush=True)\n"
        "    time.sleep(30)\n"
        "split._Writer._save = slowly\n"
        "from cutter_gui.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", code, "split", source, "--cut", "t100", "--out", out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline() == "bert_0.onnx\n"
        program.send_signal(number)
        assert program.wait(timeout=20) == 130
        assert program.stderr.read() == "interrupted\n"
    assert {entry.name for entry in tmp_path.iterdir()} == {"bert.onnx"}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Lets no file grow beyond a size, as a disk does that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def weights_in(encoding: str) -> ModelProto:
    """Returns a model whose second stage has 40 KiB of weights, in the given encoding."""
    proto = model("g (int64[5000] x) => (int64[5000] y) { a = Neg(x) y = Add(a, w) }")
    tensor = proto.graph.initializer.add()
    if encoding == "raw":
        tensor.CopyFrom(numpy_helper.from_array(np.arange(5000, dtype=np.int64), "w"))
    else:
        tensor.CopyFrom(helper.make_tensor("w", TensorProto.INT64, [5000], list(range(5000))))
    return proto


@pytest.mark.parametrize("encoding", ["raw", "as integers"])
@pytest.mark.parametrize("room", [100, 20_000, 39_999])
def test_a_split_that_runs_out_of_room_says_so_and_keeps_the_earlier_result(
    tmp_path: Path, encoding: str, room: int
) -> None:
    source = saved(weights_in(encoding), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    split(source, plan(), out)
    before = contents(out)
    with pytest.raises(CutterError, match="cannot be written"), largest_file(room):
        split(source, plan("a"), out, force=True)
    assert contents(out) == before
    assert {entry.name for entry in tmp_path.iterdir()} == {"bert.onnx", "out"}


@contextmanager
def as_nobody() -> Iterator[None]:
    """Gives up root's privileges for a while; without root there is nothing to give up."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_folder_that_may_not_be_written_is_named(open_folder: Path) -> None:
    source = saved(model(LADDER), open_folder / "bert.onnx")
    closed = open_folder / "closed"
    closed.mkdir()
    split(source, plan("a"), open_folder / "warm")
    closed.chmod(0o555)
    with as_nobody():
        with pytest.raises(CutterError, match="Permission denied") as refusal:
            split(source, plan("a"), closed / "out")
        assert str(closed / "out") in str(refusal.value)
        with pytest.raises(CutterError, match="Permission denied"):
            split(source, plan("a"), closed)
    assert not list(closed.iterdir())


def test_a_writable_folder_in_a_closed_one_is_written_into(open_folder: Path) -> None:
    source = saved(model(LADDER), open_folder / "bert.onnx")
    out = open_folder / "closed" / "out"
    out.mkdir(parents=True)
    out.chmod(0o777)
    out.parent.chmod(0o555)
    with as_nobody():
        split(source, plan("a"), out)
        split(source, plan("b; a > c y"), out, force=True)
    assert FORMAT.verify(VerifyRequest(out)).identical
    assert not list(out.glob(".*"))


def test_a_model_that_may_not_be_read_is_named(open_folder: Path) -> None:
    source = saved(model(LADDER), open_folder / "bert.onnx")
    source.chmod(0)
    with as_nobody(), pytest.raises(CutterError, match="Permission denied") as refusal:
        FORMAT.load(source)
    assert str(source) in str(refusal.value)


def test_an_earlier_result_is_replaced_with_force_only(tmp_path: Path) -> None:
    source = saved(model(LADDER), tmp_path / "bert.onnx")
    split(source, plan("a"), tmp_path / "out")
    before = contents(tmp_path / "out")
    with pytest.raises(CutterError, match="--force"):
        split(source, plan("b; a > c y"), tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_a_foreign_file_of_the_same_name_is_never_overwritten(tmp_path: Path) -> None:
    source = saved(model(LADDER), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    out.mkdir()
    (out / "bert_1.onnx").write_text("mine")
    with pytest.raises(CutterError, match=r"bert_1\.onnx"):
        split(source, plan("a"), out, force=True)
    assert contents(out) == {"bert_1.onnx": b"mine"}


@pytest.mark.parametrize("name", ["bert_1.onnx", "bert_1.plain.onnx", "bert_0.onnx.data"])
def test_a_foreign_file_in_the_way_is_told_before_anything_is_written(tmp_path: Path, name: str) -> None:
    source = saved(heavy_model(4), tmp_path / "bert.onnx")
    (tmp_path / name).write_text("mine")
    told: list[str] = []
    with pytest.raises(CutterError, match=name):
        FORMAT.split(SplitRequest(source, plan("t2"), tmp_path), lambda what, _: told.append(what))
    assert not [what for what in told if what.startswith(("Writing", "Copying"))]
    assert set(contents(tmp_path)) == {"bert.onnx", name}


def test_a_foreign_file_named_like_one_that_is_not_written_is_in_nobodys_way(tmp_path: Path) -> None:
    source = saved(model(LADDER), tmp_path / "bert.onnx")
    for name in ("bert_0.onnx.data", "bert_1.onnx"):
        (tmp_path / name).write_text("mine")
    split(source, plan("a"), tmp_path, form="plain")
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical


@pytest.mark.parametrize("content", [b"stages: [build, test]\n", b"", b"\xff\xfe\x00"])
def test_a_foreign_file_named_like_the_manifest_is_never_overwritten(tmp_path: Path, content: bytes) -> None:
    source = saved(model(LADDER), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    out.mkdir()
    (out / "pipeline.yaml").write_bytes(content)
    with pytest.raises(CutterError, match=r"pipeline\.yaml"):
        split(source, plan("a"), out, force=True)
    assert contents(out) == {"pipeline.yaml": content}


def test_a_damaged_manifest_of_ours_can_be_replaced_and_owns_no_other_file(tmp_path: Path) -> None:
    source = saved(model(LADDER), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    out.mkdir()
    (out / "pipeline.yaml").write_text("format: cutter-gui/pipeline\nversion: 1\nstages: [broken\n")
    split(source, plan("a"), out, force=True)
    assert FORMAT.verify(VerifyRequest(out)).identical


def test_a_model_among_the_files_that_would_go_is_not_split_over_itself(tmp_path: Path) -> None:
    out = tmp_path / "out"
    split(saved(heavy_model(4), tmp_path / "bert.onnx"), plan("t2"), out)
    before = contents(out)
    with pytest.raises(CutterError, match="would be replaced"):
        split(out / "bert_0.onnx", plan("t1"), out, force=True)
    assert contents(out) == before
    shutil.copy(out / "bert_0.plain.onnx", out / "copy.onnx")
    before = contents(out)
    with pytest.raises(CutterError, match="would be replaced"):
        split(out / "copy.onnx", plan("t1"), out, force=True)
    assert contents(out) == before


def test_stages_can_be_written_beside_the_model(tmp_path: Path) -> None:
    source = saved(heavy_model(4), tmp_path / "bert.onnx")
    split(source, plan("t2"), tmp_path)
    split(source, plan("t1", "t3"), tmp_path, force=True)
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical
    assert onnx.load(source).graph.node[0].op_type == "MatMul"
    assert not (set(contents(tmp_path)) - {"bert.onnx", "pipeline.yaml"} - stage_names("bert", 3))


def stage_names(stem: str, count: int) -> set[str]:
    return {f"{stem}_{stage}{ending}" for stage in range(count) for ending in (".onnx", ".plain.onnx", ".onnx.data")}


def test_two_splits_into_one_folder_at_once_leave_one_whole_result(tmp_path: Path) -> None:
    source = saved(heavy_model(12), tmp_path / "bert.onnx")
    out = tmp_path / "out"
    split(source, plan("t6"), out)
    code = (
        "import sys; from pathlib import Path\n"
        "from strategies.onnx_text import plan, split\n"
        "split(Path(sys.argv[1]), plan(*sys.argv[3:]), Path(sys.argv[2]), force=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    begin = time.monotonic()
    running = [
        subprocess.Popen([sys.executable, "-c", code, source, out, *cuts], env=environment)
        for cuts in (["t2", "t4"], ["t3"])
    ]
    assert [program.wait(timeout=100) for program in running] == [0, 0], time.monotonic() - begin
    assert FORMAT.verify(VerifyRequest(out)).identical
    assert {entry.name for entry in tmp_path.iterdir()} == {"bert.onnx", "out"}
