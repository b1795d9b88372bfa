"""Random models and plans: the stages compose to the original, and an invalid plan writes nothing (DESIGN 2.4, 2.7)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from onnx import ModelProto

from cutter_gui.core import Graph, InvalidPlan, Plan, assign_stages
from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.graphs import arbitrary_plans, damaged_plans, valid_plans
from strategies.onnx_models import feeds_for, runnable_models
from strategies.onnx_text import saved
from strategies.stage_files import assert_same, run, run_plain, run_sendrecv

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)


def drawn_model(data: st.DataObject, folder: str) -> tuple[ModelProto, Path, Graph]:
    proto = data.draw(runnable_models(), label="model")
    path = saved(proto, Path(folder) / "model.onnx")
    return proto, path, FORMAT.load(path)


@settings(SLOW, max_examples=80)
@given(st.data())
def test_stages_of_a_valid_plan_compose_to_the_original_in_both_forms(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        proto, path, graph = drawn_model(data, folder)
        plan: Plan = data.draw(valid_plans(graph), label="plan")
        event(f"{plan.stage_count} stages, {plan.transport}")
        out = Path(folder) / "stages"
        FORMAT.split(SplitRequest(path, plan, out))
        feeds = feeds_for(proto)
        original = run(proto, feeds)
        assert_same(original, run_plain(out, feeds))
        assert_same(original, run_sendrecv(out, feeds))


@settings(SLOW, max_examples=40)
@given(st.data())
def test_verify_finds_every_output_of_both_forms_identical(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        proto, path, graph = drawn_model(data, folder)
        plan: Plan = data.draw(valid_plans(graph), label="plan")
        out = Path(folder) / "stages"
        FORMAT.split(SplitRequest(path, plan, out))
        report = FORMAT.verify(VerifyRequest(out, seed=data.draw(st.integers(0, 3))))
        assert report.identical, [(output.name, output.form, output.sentence()) for output in report.outputs]
        names = {value.name for value in proto.graph.output}
        assert {(output.name, output.form) for output in report.outputs} == {
            (name, form) for name in names for form in ("plain", "sendrecv")
        }
        assert report.first_boundary is None


@settings(SLOW, max_examples=60)
@given(st.data())
def test_an_invalid_plan_is_told_with_diagnostics_and_writes_nothing(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _, path, graph = drawn_model(data, folder)
        plans = st.one_of(damaged_plans(graph), arbitrary_plans(graph))
        plan = data.draw(plans.filter(lambda plan: not assign_stages(graph, plan).is_valid), label="plan")
        out = Path(folder) / "deep" / "stages"
        with pytest.raises(InvalidPlan) as refusal:
            FORMAT.split(SplitRequest(path, plan, out))
        errors = [finding for finding in refusal.value.diagnostics if finding.is_error]
        assert errors
        assert all(
            finding.message and (finding.tensors or finding.nodes or finding.cut is not None or finding.fixes)
            for finding in errors
        )
        assert {entry.name for entry in Path(folder).iterdir()} == {"model.onnx"}
        event(errors[0].code)
