"""Send and Recv as written are what onnxruntime's training build takes them to be.

A stock onnxruntime does not know the two ops. The last training build knows their schemas and has no kernels for them:
it reads a well-formed stage, then says that it has no implementation of Send or Recv; a malformed one it refuses to
read. It wants packages of its own time, hence an environment of its own, which is built once and kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from corpus.plans import random_valid_plans
from cutter_gui.core.errors import InvalidPlan
from cutter_gui.core.format import SplitRequest, format_for
from cutter_gui.resource_files import resource

ROOT = Path(__file__).parent.parent.parent
SAMPLE = resource("models", "bert_small.onnx")
SAMPLE_CUTS = resource("models", "bert_small.cuts.yaml")
ENVIRONMENT = ROOT / ".venv-ort-training"
REQUIREMENTS = ["onnxruntime-training==1.19.2", "onnx<1.17", "numpy<2", "cerberus", "h5py"]
WHEELS_EXIST_FOR = [(3, 8), (3, 9), (3, 10), (3, 11)]
NEWEST_IR, NEWEST_OPSET = 10, 21
PLANS_PER_TRANSPORT = 3
NO_CORPUS = pytest.param(Path(), marks=pytest.mark.skip(reason="CUTTER_GUI_CORPUS names no folder with models"))
SENT_DTYPES = ["BOOL", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT", "DOUBLE"]

WELL_FORMED = "well-formed"
NO_KERNEL = re.compile(r"NOT_IMPLEMENTED .*Could not find an implementation for (Send|Recv)\(1\)")
# Between reading a model and looking for kernels the runtime puts casts around float16, for which it has few kernels,
# and then checks Send again: by that time the model has been read and its element types found right.
CASTS_INSERTED = re.compile(r"FAIL : Node \(.*\) Op \(Send\) .*element_types does not match")

JUDGE = """
import json, sys, onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state
onnxruntime.set_default_logger_severity(4)
verdicts = {}
for path in json.load(sys.stdin):
    try:
        onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        verdicts[path] = ""
    except (state.NotImplemented, state.InvalidGraph, state.Fail) as error:
        verdicts[path] = str(error)
json.dump(verdicts, sys.stdout)
"""

# Building the environment downloads some 300 MB.
pytestmark = pytest.mark.timeout(1200)


def python_with_wheel() -> str | None:
    """Returns a Python that the training build was released for, or None."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    if sys.version_info[:2] in WHEELS_EXIST_FOR:
        return sys.executable
    found = (shutil.which(f"python{major}.{minor}") for major, minor in reversed(WHEELS_EXIST_FOR))
    return next((python for python in found if python), None)


@pytest.fixture(scope="module")
def training_python() -> Iterator[Path]:
    """The Python of an environment with the training build, which is built where it does not stand yet."""
    base = python_with_wheel()
    if base is None:
        versions = ", ".join(f"{major}.{minor}" for major, minor in WHEELS_EXIST_FOR)
        pytest.skip(f"{REQUIREMENTS[0]} was released for Linux on x86_64 and Python {versions} only, and none is here")
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "ready.txt"
    wanted = "\n".join(REQUIREMENTS)
    # Other test processes wait for the one that builds.
    with ENVIRONMENT.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists() or ready.read_text() != wanted:
            subprocess.run([base, "-m", "venv", "--clear", ENVIRONMENT], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-input", *REQUIREMENTS], check=True)
            ready.write_text(wanted)
    return python


def verdicts(python: Path, stages: list[Path]) -> dict[str, str]:
    """Returns by file name what the training build makes of each stage: `WELL_FORMED`, or its words against it."""
    done = subprocess.run(
        [python, "-I", "-c", JUDGE],
        input=json.dumps([str(stage) for stage in stages]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, str] = json.loads(done.stdout)
    return {stage.name: judged(stage, said[str(stage)]) for stage in stages}


def judged(stage: Path, said: str) -> str:
    ops = {node.op_type for node in onnx.load(stage, load_external_data=False).graph.node} & {"Send", "Recv"}
    if NO_KERNEL.search(said) or (CASTS_INSERTED.search(said) and "Send" in ops):
        return WELL_FORMED
    if not ops and not said:
        return WELL_FORMED  # the only stage of a plan without cuts
    return said or "loaded, although the build has no kernel for Send and Recv"


def corpus() -> list[Path]:
    """The models of the folder that CUTTER_GUI_CORPUS names, where it is set, that the training build can read."""
    folder = os.environ.get("CUTTER_GUI_CORPUS")
    return [path for path in sorted(Path(folder).rglob("*.onnx")) if can_be_read(path)] if folder else []


def can_be_read(path: Path) -> bool:
    model = onnx.load(path, load_external_data=False)
    opset = next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), 0)
    return model.ir_version <= NEWEST_IR and opset <= NEWEST_OPSET


def random_stages(model: Path, out: Path) -> list[Path]:
    """Splits a model by a few random valid plans, the same ones at every run, and returns the stages' files."""
    graph = format_for(model).load(model)
    stages = []
    for number, plan in enumerate(random_valid_plans(graph, PLANS_PER_TRANSPORT, seed=0)):
        folder = out / f"plan_{number}"
        try:
            format_for(model).split(SplitRequest(model, plan, folder, form="sendrecv"))
        except InvalidPlan as error:
            # The plan is fine, but Send does not carry what crosses a boundary.
            if {each.code for each in error.diagnostics if each.is_error} != {"unsendable-type"}:
                raise
        stages += [file.rename(file.with_stem(f"{file.stem}_of_plan_{number}")) for file in folder.glob("*.onnx")]
    return stages


def split(model: Path, cuts: Path, out: Path, transport: str) -> list[Path]:
    """Writes the Send/Recv form of the stages with the command and returns their files."""
    command = Path(sysconfig.get_path("scripts")) / "cutter-gui"
    done = subprocess.run(
        [command, "split", model, "--cuts", cuts, "--out", out, "--form", "sendrecv", "--transport", transport],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return sorted(out.glob("*.onnx"))


def changed(stage: Path, target: Path, op_type: str) -> Path:
    """Writes a copy of a stage in which the first Send or Recv lists int64 in place of its first element type."""
    model = onnx.load(stage, load_external_data=True)
    node = next(node for node in model.graph.node if node.op_type == op_type)
    types = next(attribute for attribute in node.attribute if attribute.name == "element_types")
    assert types.ints[0] != TensorProto.INT64
    types.ints[0] = TensorProto.INT64
    onnx.save(model, target)
    return target


def sending_stage(path: Path, dtype: int, listed: list[int], *, tag: bool = True) -> Path:
    """Writes a stage that sends one tensor of a dtype and lists the given element types."""
    attributes = {"element_types": listed, "domain": "com.microsoft"} | ({"tag": 0} if tag else {})
    nodes = [
        helper.make_node("Identity", ["x"], ["y"]),
        helper.make_node("Send", ["signal", "rank", "y"], ["sent"], **attributes),
    ]
    graph = helper.make_graph(
        nodes,
        "stage",
        [
            helper.make_tensor_value_info("x", dtype, [2, 3]),
            helper.make_tensor_value_info("signal", TensorProto.BOOL, []),
            helper.make_tensor_value_info("rank", TensorProto.INT64, []),
        ],
        [helper.make_tensor_value_info("sent", TensorProto.BOOL, None)],
        [numpy_helper.from_array(np.array(True), "signal"), numpy_helper.from_array(np.array(1), "rank")],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_every_stage_of_the_sample_is_accepted(training_python: Path, tmp_path: Path, transport: str) -> None:
    assert can_be_read(SAMPLE)
    stages = split(SAMPLE, SAMPLE_CUTS, tmp_path / "stages", transport)
    assert len(stages) == 3
    assert verdicts(training_python, stages) == {stage.name: WELL_FORMED for stage in stages}


@pytest.mark.parametrize("model", corpus() or [NO_CORPUS], ids=lambda path: path.name)
def test_every_stage_of_a_real_model_is_accepted(training_python: Path, tmp_path: Path, model: Path) -> None:
    stages = random_stages(model, tmp_path)
    assert len(stages) > 2
    assert verdicts(training_python, stages) == {stage.name: WELL_FORMED for stage in stages}


@pytest.mark.parametrize("op_type", ["Send", "Recv"])
def test_a_written_stage_with_a_wrong_element_type_is_refused(
    training_python: Path, tmp_path: Path, op_type: str
) -> None:
    stages = split(SAMPLE, SAMPLE_CUTS, tmp_path / "stages", "relay")
    has_op = next(stage for stage in stages if op_type in {node.op_type for node in onnx.load(stage).graph.node})
    wrong = changed(has_op, tmp_path / "wrong.onnx", op_type)
    assert verdicts(training_python, [wrong])["wrong.onnx"] != WELL_FORMED


def test_a_send_of_every_dtype_it_takes_is_told_from_one_that_lists_another(
    training_python: Path, tmp_path: Path
) -> None:
    expected = {}
    stages = []
    for name in [*SENT_DTYPES, "FLOAT16"]:
        dtype = TensorProto.DataType.Value(name)
        other = TensorProto.FLOAT if dtype == TensorProto.INT64 else TensorProto.INT64
        stages.append(sending_stage(tmp_path / f"right_{name}.onnx", dtype, [dtype]))
        stages.append(sending_stage(tmp_path / f"wrong_{name}.onnx", dtype, [other]))
        expected |= {f"right_{name}.onnx": True, f"wrong_{name}.onnx": False}
    found = verdicts(training_python, stages)
    assert {name: verdict == WELL_FORMED for name, verdict in found.items()} == expected


def test_a_send_without_a_tag_or_with_too_many_types_is_refused(training_python: Path, tmp_path: Path) -> None:
    stages = [
        sending_stage(tmp_path / "untagged.onnx", TensorProto.FLOAT, [TensorProto.FLOAT], tag=False),
        sending_stage(tmp_path / "two.onnx", TensorProto.FLOAT, [TensorProto.FLOAT, TensorProto.FLOAT]),
    ]
    assert WELL_FORMED not in verdicts(training_python, stages).values()
