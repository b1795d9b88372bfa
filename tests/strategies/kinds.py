"""One model of each kind, split in every way it can be and run with nothing of this program.

`tried` splits a model, runs the stages of each form and transport with onnx and onnxruntime alone, compares every
output bit for bit, has `verify` agree, and has `onnx.checker` look at every plain stage in full where the original
passes it. What is special about a kind is then asserted on the stages that it returns.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import ruamel.yaml
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.core.format import TypeHint, VerifyRequest
from cutter_gui.core.plan import Transport
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import plan, saved, split
from strategies.stage_files import (
    assert_same,
    plain_files,
    run,
    run_plain,
    run_sendrecv,
    same_bits,
    sendrecv_files,
    session,
)

BOTH: tuple[Transport, ...] = ("relay", "direct")
ROWS = 2
"""Size of every open dimension."""


@dataclass(frozen=True)
class Stages:
    """What a split wrote, read anew by onnx.

    Attributes:
        folder: Where.
        plain: The plain stages in order; none when only the other form was written.
        sendrecv: The Send/Recv stages likewise.
        manifest: The parsed manifest.
        outputs: What the original puts out, by name; empty when it was not run.
    """

    folder: Path
    plain: list[ModelProto]
    sendrecv: list[ModelProto]
    manifest: dict[str, Any]
    outputs: dict[str, Any]

    def both(self, stage: int) -> list[ModelProto]:
        """Returns the forms of a stage that were written."""
        return [models[stage] for models in (self.plain, self.sendrecv) if models]

    @property
    def sent(self) -> list[list[str]]:
        """Names of the tensors that each stage sends."""
        return [
            [tensor["name"] for transfer in stage["sends"] for tensor in transfer["tensors"]]
            for stage in self.manifest["stages"]
        ]

    @property
    def results(self) -> list[list[str]]:
        """Names of the model outputs that each stage makes."""
        return [[tensor["name"] for tensor in stage["outputs"]] for stage in self.manifest["stages"]]

    @property
    def fed(self) -> list[list[str]]:
        """Names of the model inputs that each stage reads."""
        return [[tensor["name"] for tensor in stage["inputs"]] for stage in self.manifest["stages"]]


def tried(
    proto: ModelProto | Path,
    folder: Path,
    *cuts: str,
    form: str = "both",
    transports: Sequence[Transport] = BOTH,
    feeds: Mapping[str, Any] | None = None,
    runs: bool = True,
    types: Mapping[str, TypeHint] | None = None,
) -> Stages:
    """Splits a model in every transport, checks all that holds for any model, and returns the stages of the first.

    Args:
        proto: The model, or a file that holds it.
        folder: An empty folder to work in.
        cuts: The cuts as `onnx_text.plan` reads them.
        form: The forms to write.
        transports: The transports to try.
        feeds: Inputs to run on; made from the graph inputs when left out.
        runs: Whether onnxruntime has kernels for the model.
        types: Types that the user gives.
    """
    path = proto if isinstance(proto, Path) else saved(proto, folder / "m.onnx")
    given = dict(feeds) if feeds is not None else made_inputs(onnx.load(path, load_external_data=False).graph)
    outputs = run_values(path, given) if runs else {}
    complete = passes_full_check(path)
    for transport in transports:
        out = folder / transport
        split(path, plan(*cuts, transport=transport), out, form=form, types=types)
        stages = _read(out, outputs)
        if complete:
            _check_in_full(out, stages)
        if runs:
            _run_and_compare(out, stages, given, outputs)
            report = FORMAT.verify(VerifyRequest(out, inputs=_npz(folder / "inputs.npz", feeds)))
            assert report.identical, [output.sentence() for output in report.outputs]
    return _read(folder / transports[0], outputs)


def _npz(path: Path, feeds: Mapping[str, Any] | None) -> Path | None:
    """Writes inputs that were given; others `verify` makes itself."""
    if feeds is not None:
        np.savez(path, **feeds)
    return None if feeds is None else path


def _read(out: Path, outputs: dict[str, Any]) -> Stages:
    manifest = ruamel.yaml.YAML(typ="safe").load(out / "pipeline.yaml")
    plain, channels = ([onnx.load(path) for path in files(out)] for files in (plain_files, sendrecv_files))
    return Stages(out, plain, channels, manifest, outputs)


def _run_and_compare(out: Path, stages: Stages, feeds: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    if stages.plain:
        exotic = any(not _is_numpy(value.type) for stage in stages.plain for value in stage.graph.output)
        composed = _run_plain_values(out, feeds) if exotic else run_plain(out, feeds)
        assert_alike(outputs, composed)
    if stages.sendrecv:
        assert_same(outputs, run_sendrecv(out, feeds))


def passes_full_check(path: Path) -> bool:
    """Whether onnx's checker, in full, has nothing to say about a file."""
    try:
        onnx.checker.check_model(path, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


def _check_in_full(out: Path, stages: Stages) -> None:
    """A tensor of unknown rank would fail the check as a graph input, though it is right to leave the rank open."""
    ranks_known = all(
        entry["shape"] is not None or entry["dtype"] in ("sequence", "map", "optional")
        for stage in stages.manifest["stages"]
        for transfer in stage["sends"]
        for entry in transfer["tensors"]
    )
    for file in plain_files(out) if ranks_known else []:
        onnx.checker.check_model(file, full_check=True)


def found(proto: ModelProto, folder: Path, *cuts: str, form: Any = "both") -> list[Diagnostic]:
    """Returns what is said about a plan."""
    graph = FORMAT.load(saved(proto, folder / "found.onnx"))
    return list(diagnose(assign_stages(graph, plan(*cuts)), form))


def codes(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def nodes_of(model: ModelProto, op: str) -> list[NodeProto]:
    return [node for node in model.graph.node if node.op_type == op]


def names(values: Any) -> list[str]:
    return [value.name for value in values]


def made_inputs(graph: GraphProto, seed: int = 0) -> dict[str, Any]:
    """Returns an array for each input without an initializer; open dims are of one size."""
    generator = np.random.default_rng(seed)
    stored = {tensor.name for tensor in graph.initializer}
    made: dict[str, Any] = {}
    for value in graph.input:
        tensor = value.type.tensor_type
        if value.name in stored or not value.type.HasField("tensor_type"):
            continue
        dims = [dim.dim_value if dim.dim_value > 0 or dim.HasField("dim_value") else ROWS for dim in tensor.shape.dim]
        dims = [ROWS if dim < 0 else dim for dim in dims]
        if tensor.elem_type == TensorProto.STRING:
            count = int(np.prod(dims))
            made[value.name] = np.asarray([f"word {i}" for i in range(count)], dtype=object).reshape(dims)
            continue
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        values = generator.integers(0, 2, dims) if dtype.kind in "iub" else generator.standard_normal(dims)
        made[value.name] = np.asarray(values).astype(dtype)
    return made


def _is_numpy(kind: onnx.TypeProto) -> bool:
    """Whether onnxruntime hands values of a type out as arrays, lists and dictionaries."""
    which = kind.WhichOneof("value")
    if which == "tensor_type":
        return kind.tensor_type.elem_type <= TensorProto.COMPLEX128
    if which == "sequence_type":
        return _is_numpy(kind.sequence_type.elem_type)
    return which == "map_type"


def run_values(path: Path, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a whole model; results that numpy cannot hold stay values of the runtime."""
    opened = onnx.load(path, load_external_data=False)
    if all(_is_numpy(value.type) for value in opened.graph.output):
        return run(path, feeds)
    return _run_values(path, {name: _value(array) for name, array in feeds.items()})


def _run_plain_values(folder: Path, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """Runs plain stages whose boundaries hold what numpy does not."""
    pool = {name: _value(array) for name, array in feeds.items()}
    for path in plain_files(folder):
        pool |= _run_values(path, pool)
    return pool


def _run_values(path: Path, feeds: Mapping[str, onnxruntime.OrtValue]) -> dict[str, Any]:
    opened = session(path)
    given = {value.name: feeds[value.name] for value in opened.get_inputs()}
    names = list(dict.fromkeys(value.name for value in opened.get_outputs()))
    return dict(zip(names, opened.run_with_ort_values(names, given), strict=True)) if names else {}


def _value(array: Any) -> onnxruntime.OrtValue:
    if isinstance(array, onnxruntime.OrtValue):
        return array
    return onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array).reshape(array.shape))


def assert_alike(original: Mapping[str, Any], composed: Mapping[str, Any]) -> None:
    """Fails unless every output of the original is made by the stages, bit for bit, whatever it is held in."""
    for name, value in original.items():
        assert name in composed, f"no stage puts out {name}"
        assert _alike(plainly(value), plainly(composed[name])), f"{name}: {value} became {composed[name]}"


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left, list):
        return len(left) == len(right) and all(_alike(one, other) for one, other in zip(left, right, strict=True))
    return left == right if isinstance(left, dict) else same_bits(left, right)


def plainly(value: Any) -> Any:
    """Returns a runtime's tensor as an array; of a type that numpy lacks, as its bytes."""
    if not isinstance(value, onnxruntime.OrtValue):
        return value
    if value.element_type() <= TensorProto.COMPLEX128:
        return value.numpy()
    size = value.tensor_size_in_bytes()
    return np.frombuffer(ctypes.string_at(value.data_ptr(), size) if size else b"", dtype=np.uint8)
