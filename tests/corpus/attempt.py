"""One model of the corpus through split and verify, plan by plan."""

from __future__ import annotations

import shutil
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, TypeProto, numpy_helper

from corpus.cases import Case
from corpus.plans import random_valid_plans
from cutter_gui.core import CutterError, InvalidPlan, Plan
from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.onnx.load import load_graph
from cutter_gui.onnx.runtime_values import as_ort_value, runtime_value, sequence_value
from cutter_gui.onnx.split import split_model
from cutter_gui.onnx.verify import verify_stages


@dataclass
class Outcome:
    """What became of one model.

    Attributes:
        name: The model.
        identical: Plans whose stages gave every bit of the original in every form written.
        plain_only: Of those, plans whose boundary no Send can carry: verified in the plain form.
        exempt: (plan, largest difference, why) where rule 7 promises no bits.
        refused: Why the model is not split or cannot be run, or "".
        failures: What went wrong, in words.
    """

    name: str
    identical: int = 0
    plain_only: int = 0
    exempt: list[tuple[str, float, str]] = field(default_factory=list)
    refused: str = ""
    failures: list[str] = field(default_factory=list)


def attempt(case: Case, plans: int, seed: int) -> Outcome:
    """Splits a model by random valid plans, in both forms and transports, and compares every output."""
    outcome = Outcome(case.name)
    folder = Path(tempfile.mkdtemp(prefix="cutter-corpus-"))
    try:
        path = case.path
        if path is None:
            assert case.model is not None
            path = folder / "model.onnx"
            path.write_bytes(case.model.SerializeToString())
        _attempt(case, path, folder, plans, seed, outcome)
    except Exception:  # noqa: BLE001  # whatever a model brings to light is a failure of ours, and is reported as one
        outcome.failures.append(traceback.format_exc(limit=-4))
    finally:
        shutil.rmtree(folder)
    return outcome


def _attempt(case: Case, path: Path, folder: Path, plans: int, seed: int, outcome: Outcome) -> None:
    try:
        graph = load_graph(path)
    except CutterError as error:
        outcome.refused = f"not readable: {error.what}"
        return
    problems = [problem for problem in graph.problems if problem.is_error]
    if problems:
        outcome.refused = problems[0].code
        return
    reason = _why_it_cannot_run(path)
    given = None
    if case.inputs is not None and not reason:
        try:
            given = _values(path, case.inputs)
        except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
            reason = f"its inputs cannot be handed to onnxruntime: {str(error)[:60]}"
    for number, plan in enumerate(random_valid_plans(graph, plans, seed)):
        out = folder / f"stages{number}"
        try:
            form = _split(path, plan, out)
        except CutterError as error:
            outcome.refused = f"{error.where if isinstance(error, InvalidPlan) else error.what}"
            continue
        if reason:
            outcome.refused = reason
            return
        _verify(out, given, form, plan, outcome)
        shutil.rmtree(out)


def _split(path: Path, plan: Plan, out: Path) -> str:
    try:
        split_model(SplitRequest(path, plan, out))
    except InvalidPlan as error:
        if {d.code for d in error.diagnostics if d.is_error} != {"unsendable-type"}:
            raise
        split_model(SplitRequest(path, plan, out, form="plain"))
        return "plain"
    return "both"


def _verify(out: Path, given: dict[str, Any] | None, form: str, plan: Plan, outcome: Outcome) -> None:
    try:
        report = verify_stages(VerifyRequest(out), given=given)
    except CutterError as error:
        if "onnxruntime" in error.what and not list(out.glob("*_1.*")):
            outcome.refused = error.what[:90]
            return
        outcome.failures.append(f"{_words(plan)}: {error}")
        return
    if report.identical:
        outcome.identical += 1
        outcome.plain_only += form == "plain"
    elif report.accepted:
        worst = max((o.max_abs or 0.0 for o in report.outputs), default=0.0)
        note = next(o.note for o in report.outputs if not o.identical)
        outcome.exempt.append((_words(plan), worst, note))
    else:
        wrong = next(o for o in report.outputs if not o.accepted)
        outcome.failures.append(f"{_words(plan)}: {wrong.form} {wrong.name}: {wrong.sentence()}")


def _words(plan: Plan) -> str:
    cuts = ",".join(
        ":".join(e.tensor + ("-" + "/".join(e.consumers) if e.consumers else "") for e in cut.edges)
        for cut in plan.cuts
    )
    return f"{plan.transport} {cuts}"[:300]


def _why_it_cannot_run(path: Path) -> str:
    """Returns why the original itself does not run in this onnxruntime, or ""."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001  # onnxruntime raises many kinds; each means that it does not run
        return f"onnxruntime does not take the original: {_short(error)}"
    return ""


def _short(error: Exception) -> str:
    text = str(error).replace("\n", " ")
    for start in ("Could not find an implementation for ", "is not a registered function/op", "Unsupported model IR"):
        if start in text:
            return start.strip()
    return text[:70]


def _values(path: Path, inputs: tuple[Any, ...]) -> dict[str, Any]:
    model = onnx.load(path, load_external_data=False)
    stored = {tensor.name for tensor in model.graph.initializer}
    values = [value for value in model.graph.input if value.name not in stored]
    return {value.name: _value(held, value.type) for value, held in zip(values, inputs, strict=True)}


def _value(held: Any, kind: TypeProto) -> Any:
    """Returns a runtime value; sequences and optionals are made by the runtime itself."""
    which = kind.WhichOneof("value")
    if which == "optional_type":
        return runtime_value(None, kind) if held is None else _value(held, kind.optional_type.elem_type)
    if which == "sequence_type":
        element = kind.sequence_type.elem_type
        return sequence_value([np.asarray(item) for item in held], element)
    # The onnx package keeps values of types that numpy lacks as messages.
    array = numpy_helper.to_array(held) if isinstance(held, TensorProto) else np.asarray(held)
    return as_ort_value(array, kind.tensor_type.elem_type)
