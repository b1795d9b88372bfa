"""Comparing written stages with the original model by running both.

Steps: (1) read the manifest and open original and stages, each without its weights; (2) find inputs with which the
original runs, and run it, optimizations off; (3) run the plain stages in order and compare every output; (4) run the
Send/Recv stages all at once and compare again; (5) where something differs, run once more with the boundary tensors
of the original exposed and name the first one that differs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from onnx import ModelProto, TypeProto

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import OutputReport, Progress, VerifyReport, VerifyRequest, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.core.manifest import MANIFEST_NAME, Manifest, read_manifest
from cutter_gui.onnx.channels import DetachedStage, detach, is_channel
from cutter_gui.onnx.compare import Difference, as_array, difference
from cutter_gui.onnx.exemptions import FLOAT16_TOLERANCE, OPTIMIZED_TOLERANCE, randomized_outputs, rounded_outputs
from cutter_gui.onnx.inputs import candidate_inputs, describe
from cutter_gui.onnx.listed import refuse_unlisted, refuse_unpaired
from cutter_gui.onnx.load import LoadedModel, load_model
from cutter_gui.onnx.model import OnnxModel, open_model, referring
from cutter_gui.onnx.npz_inputs import read_npz
from cutter_gui.onnx.run_stages import Values, run_plain, run_sendrecv
from cutter_gui.onnx.runtime_values import InputValue, RuntimeValue, runtime_value
from cutter_gui.onnx.session import first_line, open_session, run_error_types, run_session


def verify_stages(
    request: VerifyRequest, progress: Progress = no_progress, given: Values | None = None
) -> VerifyReport:
    """Runs the original and the stages on the same inputs and compares every output.

    Args:
        request: The folder, and how to make inputs.
        progress: Told what is being done; may raise `Cancelled`.
        given: Runtime values for the inputs, for inputs that no ``.npz`` can hold.

    Returns:
        One entry per form and output.

    Raises:
        CutterError: Gradients are asked for, which only torch.fx has; the folder holds no result, the original is
            missing or has changed, or something cannot be run.
    """
    begin = time.monotonic()
    if request.train:
        raise CutterError("stages of ONNX are run for their outputs only, without gradients", "--train", "leave it out")
    progress("Reading", 0.0)
    run = _Verification(request, read_manifest(request.directory / MANIFEST_NAME))
    forms = run.forms()
    progress("Running the original", 0.1)
    feeds, inputs = run.feeds(given)
    outputs: list[OutputReport] = []
    if "plain" in forms:
        count = len(run.manifest.stages)
        stages = run.stages("plain")
        values = run_plain(
            stages,
            feeds,
            request.optimized,
            started=lambda stage: progress(f"Running plain stage {stage}", 0.3 + 0.35 * stage / count),
        )
        outputs += run.compare("plain", values)
        if all(output.accepted for output in outputs):
            run.check_listed(stages, "plain")
    if "sendrecv" in forms:
        progress("Running all Send/Recv stages at once", 0.65)
        stages = run.stages("sendrecv")
        values = run_sendrecv(stages, feeds, request.optimized, run.own_sent)
        outputs += run.compare("sendrecv", values)
        if all(output.accepted for output in outputs):
            run.check_listed(stages, "sendrecv")
    first_boundary = None
    if not all(output.identical for output in outputs) and "plain" in forms:
        progress("Looking for the first difference", 0.9)
        first_boundary = run.first_boundary(feeds)
    progress("Verified", 1.0)
    return VerifyReport(tuple(outputs), inputs, first_boundary, time.monotonic() - begin)


@dataclass(eq=False)
class _Verification:
    """One verification: what was read, and the original's outputs once it has run."""

    request: VerifyRequest
    manifest: Manifest

    @cached_property
    def loaded(self) -> LoadedModel:
        """The original model.

        Raises:
            CutterError: It is missing, or its structure is not the one that was split.
        """
        path = Path(self.manifest.source.path or "")
        model = path if path.is_absolute() else self.request.directory / path
        if not model.is_file():
            raise CutterError("the original model is missing", str(model), "put it back, or split again")
        loaded = load_model(model)
        fingerprint = self.manifest.source.fingerprint
        if fingerprint and fingerprint != loaded.graph.fingerprint:
            raise CutterError("the original model has changed since it was split", str(model), "split it again")
        return loaded

    @property
    def graph(self) -> Graph:
        return self.loaded.graph

    @cached_property
    def own_signals(self) -> frozenset[str]:
        """Output signals of the Send and Recv nodes that the original has itself."""
        nodes = self.loaded.model.proto.graph.node
        return frozenset(node.output[0] for node in nodes if is_channel(node) and node.output)

    @cached_property
    def original(self) -> DetachedStage:
        return detach(self.loaded.model, self.own_signals)

    @cached_property
    def own_sent(self) -> dict[str, tuple[str, ...]]:
        """What the original's own Sends send, by their output signal."""
        return {end.signal: end.tensors for end in self.original.own_sends}

    def forms(self) -> list[str]:
        """Returns the forms that the stages were written in.

        Raises:
            CutterError: There are none, a stage lacks one that others have, or a file that the manifest lists is
                missing.
        """
        for name in self.manifest.files():
            if not (self.request.directory / name).is_file():
                raise CutterError(
                    "a file of the stages does not exist",
                    str(self.request.directory / name),
                    "put it back, or split the model again",
                )
        manifest, found = str(self.request.directory / MANIFEST_NAME), []
        for form in ("plain", "sendrecv"):
            without = [stage.index for stage in self.manifest.stages if not getattr(stage.files, form)]
            if not without:
                found.append(form)
            elif len(without) < len(self.manifest.stages):
                raise CutterError(
                    f"stage {without[0]} has no {form} form, though other stages have one",
                    manifest,
                    "list its file again, or split the model again",
                )
        if not found or not self.manifest.stages:
            raise CutterError("the manifest lists no stage files", manifest, "split the model again")
        refuse_unpaired(self.manifest, manifest)
        return found

    def stages(self, form: str) -> list[DetachedStage]:
        """Opens the stage files of a form."""
        names = [str(getattr(stage.files, form)) for stage in self.manifest.stages]
        return [detach(open_model(self.request.directory / name), self.own_signals) for name in names]

    def check_listed(self, stages: Sequence[DetachedStage], form: str) -> None:
        """Holds the manifest against stages that have run well, so that what ails a file itself is told first."""
        own = {value.name for value in self.original.model.proto.graph.input} | self.own_signals
        refuse_unlisted(self.manifest, stages, form, own, str(self.request.directory / MANIFEST_NAME))

    def feeds(self, given: Values | None) -> tuple[Values, dict[str, str]]:
        """Makes or reads inputs, or takes those given, and runs the original on them.

        Returns:
            The inputs, and what they were in words.

        Raises:
            CutterError: The original runs with no inputs that can be made.
        """
        stored = {tensor.name for tensor in self.original.model.proto.graph.initializer}
        stored.update(sparse.values.name for sparse in self.original.model.proto.graph.sparse_initializer)
        values = [value for value in self.original.model.proto.graph.input if value.name not in stored]
        types = {value.name: value.type for value in values}
        session = open_session(self.original.model, self.request.optimized)
        wanted = [value.name for value in session.get_outputs()]
        if not wanted:
            raise CutterError(
                "the model has no outputs, so there is nothing to compare",
                str(self.original.model.path),
                "list its results among the outputs of its graph, and split it again",
            )
        if given is not None:
            self._outputs = run_session(session, wanted, given, self.original.model.path)
            return given, {
                name: "a map" if isinstance(value, dict) else value.data_type() for name, value in given.items()
            }
        candidates: Iterator[tuple[dict[str, InputValue], dict[str, str]]]
        if self.request.inputs is not None:
            candidates = iter([(read_npz(self.request.inputs, values), {})])
        else:
            candidates = candidate_inputs(self.loaded.model, self.graph, values, self.request.seed)
        failure: CutterError | None = None
        for made, notes in candidates:
            feeds = {name: self._runtime_value(name, value, types[name]) for name, value in made.items()}
            try:
                self._outputs = run_session(session, wanted, feeds, self.original.model.path)
            except CutterError as error:
                failure = failure or error
                if np.any(self.graph.node_volatile):
                    # A seeded random node has drawn numbers by now; the stages will begin with the first ones.
                    session = open_session(self.original.model, self.request.optimized)
                continue
            return feeds, describe(made, notes)
        assert failure is not None
        raise failure

    def _runtime_value(self, name: str, value: InputValue, kind: TypeProto) -> RuntimeValue:
        try:
            return runtime_value(value, kind)
        except run_error_types() as error:
            raise CutterError(
                f"onnxruntime makes no such value: {first_line(error)}",
                f"input {one_line(name, 80)}",
                "this model needs a script",
            ) from None

    def compare(self, form: str, values: Mapping[str, RuntimeValue]) -> list[OutputReport]:
        """Compares the outputs of a form with those of the original."""
        reports = []
        for stage in self.manifest.stages:
            for name in self._results(entry.name for entry in stage.outputs):
                if name not in values or name not in self._outputs:
                    raise self._not_made(name, form)
                found = difference(self._outputs[name], values[name])
                reports.append(self._report(name, stage.index, form, found))
        compared = {report.name for report in reports}
        for name in self.original.outputs:
            if name not in compared:
                raise self._not_made(name, form)
        return reports

    def _not_made(self, name: str, form: str) -> CutterError:
        where = str(self.request.directory)
        return CutterError(f"no {form} stage makes the output {one_line(name, 80)}", where, "split the model again")

    def _results(self, outputs: Iterable[str]) -> Iterator[str]:
        """Yields the outputs to compare; in place of the signal of the original's own Send, what it sends."""
        for name in outputs:
            if name in self.own_signals:
                yield from self.own_sent.get(name, ())
            else:
                yield name

    def _report(self, name: str, stage: int, form: str, found: Difference | None) -> OutputReport:
        if found is None:
            return OutputReport(name, stage, form, identical=True, accepted=True)
        tolerance, why = self._exemption(name)
        accepted = bool(why) and (tolerance is None or self._within(name, found, tolerance))
        note = "; ".join(part for part in (found.reason, why) if part)
        return OutputReport(name, stage, form, False, accepted, found.max_abs, found.max_rel, found.index, note)

    def _exemption(self, name: str) -> tuple[float | None, str]:
        """Returns the tolerance that applies to an output, None for any size, and why; "" when none applies."""
        tensor = self.graph.tensor_index[name]
        if tensor in randomized_outputs(self.graph):
            return None, "it depends on random nodes without a seed, which differ in every run"
        if tensor in rounded_outputs(self.graph, self._crossing):
            return FLOAT16_TOLERANCE, (
                f"float16 that crosses a boundary is rounded where the runtime would have kept float32; "
                f"tolerance {FLOAT16_TOLERANCE:g}"
            )
        if self.request.optimized:
            return OPTIMIZED_TOLERANCE, f"optimizations fuse across boundaries; tolerance {OPTIMIZED_TOLERANCE:g}"
        return None, ""

    def _within(self, name: str, found: Difference, tolerance: float) -> bool:
        """Whether a difference is within ``tolerance`` of the output's largest magnitude."""
        value = self._outputs[name]
        if isinstance(value, dict) or found.max_abs is None or not np.isfinite(found.max_abs):
            return False
        array = as_array(value)
        if array.dtype.kind not in "fciub" or not array.size:
            return False
        with np.errstate(all="ignore"):
            largest = float(np.nanmax(np.abs(array.astype(np.float64))))
        return found.max_abs <= tolerance * max(1.0, largest)

    @property
    def _crossing(self) -> Iterable[int]:
        for stage in self.manifest.stages:
            for transfer in stage.sends:
                yield from (self.graph.tensor_index[entry.name] for entry in transfer.tensors)

    def first_boundary(self, feeds: Mapping[str, RuntimeValue]) -> str | None:
        """Returns the first boundary tensor, in stage order, that differs from the original's."""
        names = [entry.name for stage in self.manifest.stages for transfer in stage.sends for entry in transfer.tensors]
        exposed = _exposing(self.original.model, self.loaded, list(dict.fromkeys(names)))
        session = open_session(exposed, self.request.optimized)
        expected = run_session(session, names, feeds, exposed.path)
        differing: list[str] = []

        def watch(name: str, value: RuntimeValue) -> None:
            if name in expected and name not in differing and difference(expected[name], value) is not None:
                differing.append(name)

        run_plain(self.stages("plain"), feeds, self.request.optimized, watch=watch)
        return differing[0] if differing else None


def _exposing(model: OnnxModel, loaded: LoadedModel, names: Sequence[str]) -> OnnxModel:
    """Returns the model with more of its tensors as graph outputs."""
    proto = ModelProto()
    proto.CopyFrom(referring(model))
    present = {value.name for value in proto.graph.output}
    for name in names:
        if name not in present:
            value = proto.graph.output.add()
            value.name = name
            if name in loaded.types:
                value.type.CopyFrom(loaded.types[name])
    return OnnxModel(model.path, proto, {})
