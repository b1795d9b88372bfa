"""Inputs to verify a model with: made for it, or taken from an ``.npz``.

Terms: a *symbol* is a named dimension; every input that has it gets the same size. An *index input* is an integer input
that a Gather reads its positions from, maybe through ops that only move or cast values; it stays below the size of the
table.

Steps: sizes for symbols and unknown dims from a short list of candidates, tried in turn by the caller until the model
runs; floats from a normal distribution, booleans and small integers by coin, index inputs uniform below their table's
size; one seeded generator, inputs in graph order, so that a seed gives the same inputs everywhere.

Left out: knowing what an input means (a sample rate, a mask); `--inputs` is for that.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, ValueInfoProto, helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.graph import Dim, Graph, Shape
from cutter_gui.onnx.infer import type_of
from cutter_gui.onnx.model import OnnxModel

if TYPE_CHECKING:
    from onnxruntime import OrtValue

Array = npt.NDArray[Any]

_OPEN_SIZES = (32, 64, 16, 128, 48, 224, 256, 512, 1024, 8, 4, 2, 1)
"""Sizes tried for open dims that are no batch; the first with which the model runs is taken."""

_MOVING = {"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Flatten", "Slice", "Expand", "Concat"}
_READS_INDEX = {"Gather": 1, "GatherElements": 1, "GatherND": 1}


def index_bounds(graph: Graph) -> dict[int, int]:
    """Returns, for each index input, the size of the smallest table it indexes.

    Args:
        graph: The graph; tables are initializers or tensors of known shape.

    Returns:
        Exclusive upper bounds by input tensor.
    """
    found: dict[int, int] = {}
    for start in graph.inputs.tolist():
        seen, frontier = {start}, [start]
        while frontier:
            tensor = frontier.pop()
            for node in graph.consumers(tensor).tolist():
                op = graph.op(node)
                slots = graph.node_inputs.row(node).tolist()
                if op in _READS_INDEX and len(slots) > 1 and slots[1] == tensor:
                    size = _table_size(graph, node, slots[0])
                    if size is not None:
                        found[start] = min(found.get(start, size), size)
                elif op in _MOVING and tensor in slots:
                    more = [t for t in graph.node_outputs.row(node).tolist() if t >= 0 and t not in seen]
                    seen.update(more)
                    frontier.extend(more)
    return found


def _table_size(graph: Graph, node: int, table: int) -> int | None:
    shape = graph.tensor_shapes[table]
    if not shape:
        return None
    if graph.op(node) == "GatherND":
        return _smallest_axis(graph, node, shape)
    axis = next((int(text) for name, text in graph.node_attributes[node] if name == "axis"), 0)
    size = shape[axis] if -len(shape) <= axis < len(shape) else None
    return size if isinstance(size, int) and size > 0 else None


def _smallest_axis(graph: Graph, node: int, shape: Sequence[Dim]) -> int | None:
    """Returns the size of the smallest axis that a GatherND's positions index, one axis for each of their columns."""
    first = next((int(text) for name, text in graph.node_attributes[node] if name == "batch_dims"), 0)
    columns = (graph.tensor_shapes[graph.node_inputs.row(node)[1]] or (None,))[-1]
    indexed = shape[first : first + columns] if isinstance(columns, int) else shape[first:]
    return min((size for size in indexed if isinstance(size, int) and size > 0), default=None)


def candidate_inputs(
    model: OnnxModel, graph: Graph, values: Sequence[ValueInfoProto], seed: int
) -> Iterator[tuple[dict[str, Array], dict[str, str]]]:
    """Yields sets of inputs, by name, with a remark for each, one for each choice of open dims.

    Args:
        model: The model.
        graph: Its graph.
        values: The inputs wanted.
        seed: Seed of the generator.

    Raises:
        CutterError: An input is no dense tensor of a type that can be made.
    """
    bounds = {graph.tensor_names[tensor]: size for tensor, size in index_bounds(graph).items()}
    expected = _expected_scalars(model.proto.graph.node)
    types = {value.name: type_of(value.type) for value in values}
    is_open = {name: shape is None or not all(isinstance(d, int) for d in shape) for name, (_, shape) in types.items()}
    batches = _batch_symbols(shape for _, shape in types.values())
    for batch, size in _open_sizes() if any(is_open.values()) else [(1, 1)]:
        generator = np.random.default_rng(seed)
        made = {}
        for name, (dtype, shape) in types.items():
            dims = tuple(
                dim if isinstance(dim, int) else batch if (dim in batches if dim else at == 0) else size
                for at, dim in enumerate(shape or ())
            )
            made[name] = _make(name, dtype, dims, bounds.get(name), expected, generator)
        yield made, {name: "its open dims chosen" if is_open[name] else "" for name in types}


def _open_sizes() -> Iterator[tuple[int, int]]:
    """Yields (batch, other open dims): batches of two, of one, then batches as large as the rest."""
    for batch in (2, 1):
        for size in _OPEN_SIZES:
            yield batch, size
    for size in _OPEN_SIZES:
        yield size, size


def _batch_symbols(shapes: Iterable[Shape]) -> set[str]:
    """Returns the symbols that stand first in a shape or say that they are a batch, unless they say otherwise."""
    found = set()
    for shape in shapes:
        for at, dim in enumerate(shape or ()):
            if isinstance(dim, str):
                word = dim.lower()
                if "batch" in word or (at == 0 and not any(part in word for part in ("seq", "len", "time"))):
                    found.add(dim)
    return found


def _expected_scalars(nodes: Sequence[NodeProto]) -> dict[str, tuple[float, ...]]:
    """Returns, for tensors compared with a constant by Equal, the constants: values a model is written to expect."""
    constants: dict[str, Array] = {}
    expected: dict[str, list[float]] = {}
    from onnx import numpy_helper

    for node in nodes:
        if node.op_type == "Constant" and len(node.output) == 1:
            for attribute in node.attribute:
                if attribute.name == "value" and not any(dim != 1 for dim in attribute.t.dims):
                    constants[node.output[0]] = numpy_helper.to_array(attribute.t)
        elif node.op_type == "Equal":
            for tensor, other in (tuple(node.input), tuple(reversed(node.input))):
                if other in constants and constants[other].dtype.kind in "iuf":
                    expected.setdefault(tensor, []).append(constants[other].item())
    return {tensor: tuple(values) for tensor, values in expected.items()}


def _make(
    name: str,
    dtype: int,
    dims: tuple[int, ...],
    bound: int | None,
    expected: Mapping[str, tuple[float, ...]],
    generator: np.random.Generator,
) -> Array:
    known = dtype_of(dtype)
    if dtype == TensorProto.STRING:
        return np.asarray([f"text {i}" for i in range(int(np.prod(dims)))], dtype=object).reshape(dims)
    if dtype <= 0 or not known.bits:
        raise CutterError(
            f"an input of type {known.name} cannot be made", f"input {one_line(name, 80)}", "this model needs a script"
        )
    numpy_type = np.dtype(helper.tensor_dtype_to_np_dtype(dtype))
    if name in expected:
        return np.full(dims, expected[name][0]).astype(numpy_type)
    if known.name == "bool":
        return generator.integers(0, 2, dims).astype(numpy_type)
    if numpy_type.kind in "iu":
        return generator.integers(0, bound or 2, dims).astype(numpy_type)
    if numpy_type.kind == "c":
        return (generator.standard_normal(dims) + 1j * generator.standard_normal(dims)).astype(numpy_type)
    return generator.standard_normal(dims).astype(np.float32).astype(numpy_type)


def read_npz(path: Path, values: Sequence[ValueInfoProto]) -> dict[str, Array]:
    """Reads inputs from an ``.npz`` file, checked against the model.

    Raises:
        CutterError: The file cannot be read, lacks an input, has one too many, or one of another type or rank.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ValueError("it is no regular file")  # a pipe would be waited for
        # numpy leaves a file open that it opened itself and finds damaged.
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("it is no .npz archive")
            file.seek(0)
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("it holds a single array, without a name")
            with archive:
                arrays = {name: np.asarray(archive[name]) for name in archive.files}
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CutterError(
            f"the inputs cannot be read: {one_line(reason)}", str(path), "give an .npz written by numpy.savez"
        ) from None
    wanted = {value.name: value for value in values}
    missing = [name for name in wanted if name not in arrays]
    surplus = [name for name in arrays if name not in wanted]
    if missing or surplus:
        name = (missing or surplus)[0]
        what = "lack the input" if missing else "have an entry that is no input:"
        raise CutterError(f"the inputs {what} {one_line(name, 80)}", str(path), f"inputs are {', '.join(wanted)}"[:300])
    for name, value in wanted.items():
        dtype, shape = type_of(value.type)
        numpy_type = np.dtype(helper.tensor_dtype_to_np_dtype(dtype)) if dtype > 0 else None
        array = arrays[name]
        if array.dtype.kind == "V" and numpy_type is not None and array.dtype.itemsize == numpy_type.itemsize:
            # Types that are not numpy's own, such as bfloat16, are saved as bytes without a name.
            array = arrays[name] = array.view(numpy_type)
        same_type = dtype == TensorProto.STRING or numpy_type is None or array.dtype == numpy_type
        if not same_type or (shape is not None and array.ndim != len(shape)):
            raise CutterError(
                f"input {one_line(name, 80)} is {array.dtype} of rank {array.ndim}, not what the model takes",
                str(path),
                f"the model takes {dtype_of(dtype).name}{list(shape) if shape is not None else ''}",
            )
        if dtype == TensorProto.STRING:
            arrays[name] = array.astype(object)
    return arrays


def as_ort_value(array: Array, dtype: int) -> OrtValue:
    """Returns an array as a runtime value of the ONNX type, also where numpy has no such type of its own."""
    import onnxruntime

    make = onnxruntime.OrtValue
    if dtype == TensorProto.STRING:
        return _string_value(array)
    if np.dtype(array.dtype).kind in "fciub" and array.dtype.isbuiltin == 1:
        return make.ortvalue_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    bits = np.ascontiguousarray(array).view(np.dtype(f"u{array.dtype.itemsize}")).reshape(array.shape)
    return make.ortvalue_from_numpy_with_onnx_type(bits, dtype)


def _string_value(array: Array) -> OrtValue:
    """The runtime makes no string values from arrays, but hands out those of a Constant node."""
    import onnxruntime

    tensor = TensorProto(name="value", data_type=TensorProto.STRING, dims=array.shape)
    tensor.string_data.extend(str(text).encode() for text in array.ravel())
    graph = helper.make_graph(
        [helper.make_node("Constant", [], ["value"], value=tensor)],
        "strings",
        [],
        [helper.make_tensor_value_info("value", TensorProto.STRING, array.shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run_with_ort_values(["value"], {})[0]


def describe(arrays: Mapping[str, Array], notes: Mapping[str, str]) -> dict[str, str]:
    """Returns what the inputs were, by name, for the report."""
    return {
        name: f"{array.dtype}{list(array.shape)}" + (f" ({notes[name]})" if notes.get(name) else "")
        for name, array in arrays.items()
    }
