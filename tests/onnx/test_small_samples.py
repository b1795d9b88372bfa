"""The residual network and the model with branches: as their builders say, with plans that hold."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto

from cutter_gui.core.diagnostic import Severity
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.spec import model_file, read_spec
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.load import load_model
from cutter_gui.onnx.sample_branches import build_branches_small
from cutter_gui.onnx.sample_cnn import build_cnn_small
from cutter_gui.resource_files import resource

SAMPLES = {"cnn": build_cnn_small, "branches": build_branches_small}

each_sample = pytest.mark.parametrize(("name", "build"), SAMPLES.items(), ids=SAMPLES)


def bundled(name: str, ending: str) -> Path:
    return Path(resource("models", f"{name}_small{ending}"))


def run(model: ModelProto, inputs: dict[str, np.ndarray]) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    scores = session.run(["scores"], inputs)[0]
    assert isinstance(scores, np.ndarray)
    return scores


@each_sample
def test_the_bundled_file_is_small_and_what_the_builder_makes(name: str, build: Callable[[], ModelProto]) -> None:
    assert onnx.load(bundled(name, ".onnx")) == build()
    assert bundled(name, ".onnx").stat().st_size < 300_000


@each_sample
def test_the_writer_writes_the_bundled_file(name: str, build: Callable[[], ModelProto], tmp_path: Path) -> None:
    command = [sys.executable, "-m", f"cutter_gui.onnx.sample_{name}"]
    subprocess.run([*command, str(tmp_path / "written.onnx")], check=True)
    assert onnx.load(tmp_path / "written.onnx") == build()
    wrong = subprocess.run(command, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(f"usage: python -m cutter_gui.onnx.sample_{name} FILE")


@each_sample
def test_it_passes_the_full_check_and_every_tensor_is_typed(name: str, build: Callable[[], ModelProto]) -> None:
    model = build()
    onnx.checker.check_model(model, full_check=True)
    typed = {info.name for info in (*model.graph.value_info, *model.graph.output)}
    assert {output for node in model.graph.node for output in node.output} <= typed


@each_sample
def test_its_plan_names_it_and_makes_three_stages_with_weights_in_each(
    name: str, build: Callable[[], ModelProto]
) -> None:
    spec = read_spec(bundled(name, ".cuts.yaml"))
    assert model_file(spec, bundled(name, ".cuts.yaml")) == bundled(name, ".onnx")
    staging = assign_stages(load_model(bundled(name, ".onnx")).graph, spec.plan)
    assert not [found for found in diagnose(staging) if found.severity is not Severity.INFO]
    assert staging.stage_count == 3


def test_the_scores_of_the_residual_network_differ_from_image_to_image() -> None:
    images = np.random.default_rng(1).normal(size=(3, 3, 32, 32)).astype(np.float32)
    scores = run(build_cnn_small(), {"image": images})
    assert scores.shape == (3, 10)
    assert np.isfinite(scores).all()
    assert np.abs(scores).max() < 100
    assert np.abs(scores[0] - scores[1]).max() > 0.01


def test_a_cut_within_a_block_without_its_shortcut_is_incomplete() -> None:
    graph = load_model(bundled("cnn", ".onnx")).graph
    for edges, codes in (
        (("layer3.0/act1/Relu_output",), {"incomplete-cut"}),
        (("layer3.0/act1/Relu_output", "layer3.0/shortcut/Conv_output"), set()),
    ):
        plan = Plan((Cut(tuple(map(CutEdge, edges))),))
        assert {found.code for found in diagnose(assign_stages(graph, plan))} == codes


def test_both_branches_run_and_give_other_scores() -> None:
    signal = np.random.default_rng(2).normal(size=(2, 24)).astype(np.float32)
    quick, thorough = (run(build_branches_small(), {"signal": signal, "thorough": np.array(v)}) for v in (False, True))
    np.testing.assert_allclose(quick.sum(axis=1), 1, rtol=1e-5)
    assert quick.max() < 0.99
    assert np.abs(quick - thorough).max() > 0.001


def test_the_bodies_of_the_if_read_tensors_that_are_none_of_its_inputs() -> None:
    [branch] = [node for node in build_branches_small().graph.node if node.op_type == "If"]
    assert list(branch.input) == ["thorough"]
    for body in branch.attribute:
        assert {"features", "scale"} <= {name for node in body.g.node for name in node.input}
