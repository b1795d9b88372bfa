"""The sample is what its plan and its builder say, and computes something worth comparing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.spec import model_file, read_spec
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.load import load_model
from cutter_gui.onnx.sample import build_bert_small
from cutter_gui.resource_files import resource

MODEL = Path(resource("models", "bert_small.onnx"))
CUTS = Path(resource("models", "bert_small.cuts.yaml"))

PLAN = Plan(
    (
        Cut((CutEdge("186"), CutEdge("71", ["273", "395"])), "after layer 0"),
        Cut((CutEdge("308"), CutEdge("71", ["395"])), "after layer 1"),
    )
)


@pytest.fixture(scope="module")
def model() -> ModelProto:
    return build_bert_small()


def feeds(batch: int) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(batch)
    mask = np.ones((batch, 16), np.int64)
    mask[:, 12:] = 0
    return {
        "input_ids": numbers.integers(0, 512, (batch, 16)),
        "attention_mask": mask,
        "token_type_ids": numbers.integers(0, 2, (batch, 16)),
    }


def run(model: ModelProto, inputs: dict[str, np.ndarray], *also: str) -> list[np.ndarray]:
    """Returns the logits, and the values of other tensors."""
    shown = ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(info for name in also for info in model.graph.value_info if info.name == name)
    session = onnxruntime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(["logits", *also], inputs))


def test_the_bundled_file_is_what_the_builder_makes(model: ModelProto) -> None:
    assert onnx.load(MODEL) == model
    assert MODEL.stat().st_size < 1_000_000


def test_the_writer_writes_the_bundled_file(tmp_path: Path) -> None:
    written = tmp_path / "written.onnx"
    subprocess.run([sys.executable, "-m", "cutter_gui.onnx.sample", str(written)], check=True)
    assert onnx.load(written) == onnx.load(MODEL)


def test_it_passes_the_full_check_and_old_runtimes_can_read_it(model: ModelProto) -> None:
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version <= 8
    assert [(entry.domain, entry.version) for entry in model.opset_import] == [("", 13)]


def test_tensors_are_numbered_in_the_order_of_the_file_and_all_are_typed(model: ModelProto) -> None:
    *numbered, last = [output for node in model.graph.node for output in node.output]
    assert last == "logits"
    assert list(map(int, numbered)) == sorted(set(map(int, numbered)))
    infos = {info.name: info.type.tensor_type for info in model.graph.value_info}
    assert infos.keys() >= set(numbered)
    shapes = {name: [dim.dim_param or dim.dim_value for dim in kind.shape.dim] for name, kind in infos.items()}
    assert shapes["71"] == ["batch", 1, 1, 16]
    assert shapes["186"] == shapes["308"] == shapes["430"] == ["batch", 16, 64]
    assert all(all(shape) for shape in shapes.values())


def test_the_mask_is_added_to_the_attention_scores_of_each_layer(model: ModelProto) -> None:
    readers = [node for node in model.graph.node if "71" in node.input]
    assert [(node.op_type, *node.output) for node in readers] == [("Add", "151"), ("Add", "273"), ("Add", "395")]


def test_each_weight_is_used_once_and_each_node_has_a_name(model: ModelProto) -> None:
    used = [name for node in model.graph.node for name in node.input]
    assert all(used.count(weight.name) == 1 for weight in model.graph.initializer)
    assert len({node.name for node in model.graph.node}) == len(model.graph.node)


@pytest.mark.parametrize("batch", [1, 3])
def test_it_computes_finite_numbers_that_are_not_saturated(model: ModelProto, batch: int) -> None:
    logits, attention, pooled, last = run(model, feeds(batch), "396", "434", "430")
    assert logits.shape == (batch, 3)
    assert np.isfinite(logits).all()
    assert np.abs(logits).max() < 10
    assert attention.max() < 0.9
    assert 0.1 < np.abs(pooled).mean() < 0.9
    assert last.std(axis=1).mean() > 0.1


def test_what_the_mask_hides_does_not_matter_and_what_it_shows_does(model: ModelProto) -> None:
    inputs = feeds(2)
    [before] = run(model, inputs)
    inputs["input_ids"][:, 12:] = 7
    np.testing.assert_array_equal(run(model, inputs)[0], before)
    inputs["input_ids"][:, 11] = 7
    assert np.abs(run(model, inputs)[0] - before).min() > 0


def test_its_plan_is_the_known_one_and_is_valid() -> None:
    spec = read_spec(CUTS)
    assert spec.plan == PLAN
    named = model_file(spec, CUTS)
    assert named is not None
    assert named == MODEL
    graph = load_model(named).graph
    assert diagnose(assign_stages(graph, spec.plan)) == ()
    stages = assign_stages(graph, spec.plan).node_stage
    layer_ends = [graph.tensor_producer[graph.tensor_index[name]] for name in ("186", "308", "430")]
    assert [int(stages[node]) for node in layer_ends] == [0, 1, 2]


def test_wrong_use_of_the_writer_is_answered_with_its_use() -> None:
    done = subprocess.run([sys.executable, "-m", "cutter_gui.onnx.sample"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m cutter_gui.onnx.sample FILE")
