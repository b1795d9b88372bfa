"""Running a program and its stages on the same inputs and comparing what comes out.

Steps: (1) inputs from a file, or made from the program's examples and a seed; (2) the original runs twice, so that what
a run leaves in buffers shows in the next; (3) each form of the stages, exported programs and JSON, does the same, in
order; (4) every output of both runs is compared bit for bit, and with ``--train`` the gradient of every parameter;
(5) where something differs, boundary values are compared too and the first that differs is named.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import LoadOptions, OutputReport, Progress
from cutter_gui.core.manifest import MANIFEST_NAME, Manifest, read_manifest
from cutter_gui.fx.draft import Draft
from cutter_gui.fx.in_torch.compare_values import Difference, difference
from cutter_gui.fx.in_torch.composed import StageCall, run_in_order
from cutter_gui.fx.in_torch.deserialize import deserialize_module
from cutter_gui.fx.in_torch.gradients import gradients_of, named_gradients, tie_parameters
from cutter_gui.fx.in_torch.opening import open_program
from cutter_gui.fx.in_torch.program import Program, copy_of, put_back
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.serialize_values import flat_leaves
from cutter_gui.fx.in_torch.verify_inputs import arguments_of, described, inputs_of
from cutter_gui.fx.in_torch.weights_file import all_listed, read_weights
from cutter_gui.fx.source import source_of

RUNS = 2
GRADIENT_TOLERANCE = 1e-5
_ALIGNMENT = 64  # bytes; that of torch's own allocations

TRACED_TOLERANCE = 1e-5
_TRACED = "the model traced as one graph gives the same as the stages, not the same as the model's own code"
_RANDOM = "it depends on random numbers, which differ in every run"
_ORDER = f"gradients that several nodes add to are summed in another order; tolerance {GRADIENT_TOLERANCE:g}"


def verify_folder(
    directory: Path, source: str, options: LoadOptions, request: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Verifies the stages in a folder.

    Args:
        directory: The folder.
        source: The original model.
        options: How it is opened.
        request: ``inputs``, a path or None; ``seed``; ``train``.
        progress: Told what runs.

    Returns:
        ``outputs``, `OutputReport` fields; ``inputs``, their descriptions; ``first_boundary``.
    """
    manifest = read_manifest(directory / MANIFEST_NAME)
    progress("Loading the original", 0.0)
    program = open_program(source_of(source), options, request.get("types"))
    in_memory_of_their_own(program.reference)
    run = Verification(program, calls_of(manifest), request["seed"])
    values = inputs_of(program, request["inputs"], request["seed"])
    reports: list[OutputReport] = []
    first: str | None = None
    for form in forms_of(manifest):
        progress(f"Running the {form} stages", 0.4)
        modules = load_stages(directory, manifest, form)
        reports += run.compare(form, modules, values)
        if first is None and not all(report.identical for report in reports):
            first = run.first_boundary(load_stages(directory, manifest, form), values)
        if request["train"]:
            progress(f"Comparing gradients of the {form} stages", 0.7)
            reports += run.compare_gradients(form, load_stages(directory, manifest, form), values)
    return {"outputs": [asdict(report) for report in reports], "inputs": described(values), "first_boundary": first}


def calls_of(manifest: Manifest) -> list[StageCall]:
    """Returns what each stage of a manifest takes and gives."""
    return [
        StageCall(
            (*(entry.name for entry in stage.inputs), *(e.name for move in stage.receives for e in move.tensors)),
            (*(e.name for move in stage.sends for e in move.tensors), *(entry.name for entry in stage.outputs)),
        )
        for stage in manifest.stages
    ]


def forms_of(manifest: Manifest) -> list[str]:
    """Returns the forms that every stage was written in, but for those that return nothing."""
    telling = [stage for stage in manifest.stages if stage.sends or stage.outputs]
    found = [form for form in ("pt2", "json") if all(getattr(stage.files, form) for stage in telling)]
    if not found or not manifest.stages:
        raise CutterError("no form of the stages is complete", MANIFEST_NAME, "split the model again")
    return found


def load_stages(directory: Path, manifest: Manifest, form: str) -> list[nn.Module]:
    """Loads the stages of a form from their files."""
    if form == "json":
        return [
            load_json_stage(directory / str(stage.files.json), directory / str(stage.files.weights))
            for stage in manifest.stages
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            load_exported_stage(directory / stage.files.pt2)
            if stage.files.pt2
            else load_json_stage(directory / str(stage.files.json), directory / str(stage.files.weights))
            for stage in manifest.stages
        ]


def load_exported_stage(path: Path) -> nn.Module:
    """Returns a stage that was written as an exported program."""
    module = torch.export.load(path).module(check_guards=False)
    in_memory_of_their_own(module)
    return module


def in_memory_of_their_own(module: nn.Module) -> None:
    """Moves weights that start at odd places, as those read from files do: kernels differ there in the last bits.

    Buffers that are views of what was read become tensors of their own, as autograd cannot forget what changed a view.
    """
    shared = Counter(_storage(tensor) for tensor in [*module.parameters(), *module.buffers()])
    for tensor in [*module.parameters(), *module.buffers()]:
        if not tensor.is_quantized and not tensor.is_meta and tensor.data_ptr() % _ALIGNMENT:
            tensor.data = tensor.data.clone()
    for part in module.modules():
        for name, buffer in part._buffers.items():
            if buffer is not None and buffer._is_view() and shared[_storage(buffer)] < 2:
                part._buffers[name] = buffer.detach().clone()


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def load_json_stage(path: Path, weights: Path) -> fx.GraphModule:
    """Returns a stage that was written as JSON and safetensors; nothing is unpickled.

    Raises:
        CutterError: A file is missing or not as it was written.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CutterError(f"the stage cannot be read: {one_line(str(error), 80)}", str(path), "split again") from None
    return deserialize_module(document, read_weights(weights, all_listed(document)))


@dataclass(eq=False)
class Verification:
    """A program, how its stages are called, and what its outputs were.

    Attributes:
        program: The original.
        calls: What each stage takes and gives.
        seed: Seed before each run, for programs that draw random numbers.
    """

    program: Program
    calls: Sequence[StageCall]
    seed: int = 0

    def __post_init__(self) -> None:
        self._draft: Draft = draft_of(self.program)
        self._stage = {name: i for i, call in enumerate(self.calls) for name in call.returned}
        self._expected: list[list[Any]] | None = None
        self._traced: list[list[Any]] | None = None

    def expected(self, values: Mapping[str, Any]) -> list[list[Any]]:
        """Runs the original and returns its outputs, flat, of each run; its buffers are put back."""
        if self._expected is None:
            with torch.no_grad(), kept_buffers(self.program.reference):
                torch.manual_seed(self.seed)
                self._expected = [copy_of(self._original(values)) for _ in range(RUNS)]
        return self._expected

    def _original(self, values: Mapping[str, Any]) -> list[Any]:
        args, kwargs = arguments_of(self.program, copy_of(dict(values)))
        return flat_leaves(self.program.call(*args, **kwargs))

    def compare(
        self, form: str, modules: Sequence[Callable[..., Any]], values: Mapping[str, Any]
    ) -> list[OutputReport]:
        """Runs stages and compares every output of every run."""
        expected = self.expected(values)
        found: dict[str, Difference | None] = {}
        given: dict[str, list[tuple[Any, Any]]] = {}  # by output: the original's value and the stages', of each run
        with torch.no_grad():
            torch.manual_seed(self.seed)
            for run in range(RUNS):
                made = run_in_order(self.calls, modules, copy_of(dict(values)))
                rest = iter(expected[run])
                for leaf in self.program.outputs:
                    if not isinstance(leaf, str):
                        next(rest)
                        continue
                    if leaf not in made:
                        what = f"no stage gives the output {one_line(leaf, 80)}"
                        raise CutterError(what, MANIFEST_NAME, "split the model again")
                    # A value of a graph that was traced symbolically may be a tuple of several of the model's outputs.
                    parts = flat_leaves(made[leaf])
                    wanted = [next(rest) for _ in parts]
                    found[leaf] = found.get(leaf) or difference(wanted, parts)
                    given.setdefault(leaf, []).append((wanted, copy_of(parts)))
        return [self._report(form, name, seen, given[name], values) for name, seen in found.items()]

    def _report(
        self,
        form: str,
        name: str,
        found: Difference | None,
        given: Sequence[tuple[Any, Any]],
        values: Mapping[str, Any],
    ) -> OutputReport:
        stage = self._stage.get(name, 0)
        if found is None:
            return OutputReport(name, stage, form, identical=True, accepted=True)
        accepted = name in self._random_values()
        notes = [found.reason, _RANDOM if accepted else ""]
        if not accepted and self._is_of_the_trace(name, [made for _, made in given], values):
            accepted = all(_close(wanted, made, TRACED_TOLERANCE) for wanted, made in given)
            notes.append(f"{_TRACED}; tolerance {TRACED_TOLERANCE:g}")
        note = "; ".join(part for part in notes if part)
        return OutputReport(name, stage, form, False, accepted, found.max_abs, found.max_rel, found.index, note)

    def _is_of_the_trace(self, name: str, made: Sequence[Any], values: Mapping[str, Any]) -> bool:
        """Whether the whole graph gives what the stages gave, so that tracing made the difference and not cutting."""
        if self._traced is None:
            with torch.no_grad(), kept_buffers(self.program.module):
                torch.manual_seed(self.seed)
                inputs = [values[name] for name in self.program.input_names]
                self._traced = [list(copy_of(self.program.module(*copy_of(inputs)))) for _ in range(RUNS)]
        place = self.program.outputs.index(name)
        return all(
            difference(flat_leaves(run[place]), parts) is None for run, parts in zip(self._traced, made, strict=True)
        )

    def _random_values(self) -> set[str]:
        found: set[str] = set()
        for node in self._draft.nodes:
            if node.random or found.intersection(node.inputs):
                found.add(node.name)
        return found

    def compare_gradients(
        self, form: str, modules: Sequence[nn.Module], values: Mapping[str, Any]
    ) -> list[OutputReport]:
        """Compares the gradient of every parameter, of a sum of all outputs with fixed weights."""
        with kept_buffers(self.program.reference), _gradients_of_what("the original"):
            torch.manual_seed(self.seed)
            outputs = self._original(values)
            expected = named_gradients(self.program, gradients_of(outputs, [self.program.reference], self.seed))
        tie_parameters(self.program, modules)
        with _gradients_of_what(f"a model of the {form} stages"):
            torch.manual_seed(self.seed)
            made = run_in_order(self.calls, modules, copy_of(dict(values)))
            returned = [made[leaf] if isinstance(leaf, str) else leaf["constant"] for leaf in self.program.outputs]
            actual = named_gradients(self.program, gradients_of(returned, modules, self.seed))
        reports = []
        for name in sorted(expected.keys() | actual.keys()):
            left, right = expected.get(name), actual.get(name)
            if left is None and right is None:
                continue
            found = difference(left, right)
            close = found is not None and _close([left], [right], GRADIENT_TOLERANCE)
            report = OutputReport(f"gradient of {name}", 0, form, found is None, found is None or close)
            if found is not None:
                note = _ORDER if close else found.reason
                report = OutputReport(
                    report.name, 0, form, False, close, found.max_abs, found.max_rel, found.index, note
                )
            reports.append(report)
        return reports

    def first_boundary(self, modules: Sequence[Callable[..., Any]], values: Mapping[str, Any]) -> str | None:
        """Returns the first value that a stage sends and that differs from the original's, or None."""
        recorder = _Recorder(self.program.module, set(self._stage))
        differing: list[str] = []
        with torch.no_grad(), kept_buffers(self.program.module):
            torch.manual_seed(self.seed)
            recorder.run(*(copy_of(values[name]) for name in self.program.input_names))

            def watch(_stage: int, name: str, value: Any) -> None:
                if name in recorder.values and difference(recorder.values[name], value) is not None:
                    differing.append(name)

            torch.manual_seed(self.seed)
            run_in_order(self.calls, modules, copy_of(dict(values)), watch)
        return differing[0] if differing else None


def _close(left: Sequence[Any], right: Sequence[Any], tolerance: float) -> bool:
    """Whether values are floating-point tensors of one type and shape that differ by no more than a tolerance."""
    return len(left) == len(right) and all(
        isinstance(a, torch.Tensor)
        and isinstance(b, torch.Tensor)
        and (a.dtype, a.shape) == (b.dtype, b.shape)
        and not a.is_quantized
        and torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        for a, b in zip(left, right, strict=True)
    )


@contextmanager
def _gradients_of_what(what: str) -> Iterator[None]:
    """Says of what no gradients can be had, where torch refuses to compute them."""
    try:
        yield
    except RuntimeError as error:
        reason = one_line(str(error).partition("\n")[0], 200)
        raise CutterError(f"{what} has no gradients: {reason}", "--train", "verify without it") from error


class _Recorder(fx.Interpreter):
    """Runs a graph and keeps copies of some values."""

    def __init__(self, module: fx.GraphModule, names: set[str]) -> None:
        super().__init__(module)
        self._wanted = names
        self.values: dict[str, Any] = {}

    def run_node(self, n: fx.Node) -> Any:
        result = super().run_node(n)
        if n.name in self._wanted:
            self.values[n.name] = copy_of(result)
        return result


class kept_buffers:  # noqa: N801  # reads as what it does: with kept_buffers(module)
    """Puts the buffers and parameters of a module back to what they were."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module

    def __enter__(self) -> None:
        tensors = [*self._module.named_buffers(), *self._module.named_parameters()]
        self._kept = [(tensor, tensor.detach().clone()) for _, tensor in tensors]

    def __exit__(self, *_: object) -> None:
        put_back(self._kept)
