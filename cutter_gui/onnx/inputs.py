"""Inputs to verify a model with, made for it; `npz_inputs` reads those that a user gives.

Terms: a *symbol* is a named dimension; every input that has it gets the same size. An *index input* is an integer input
that a Gather reads its positions from, maybe through ops that only move or cast values; it stays below the size of the
table.

Steps: sizes for symbols and unknown dims, and ranks where those are unknown, from short lists of candidates, tried in
turn by the caller until the model runs; floats from a normal distribution, booleans and small integers by coin, index
inputs uniform below their table's size; sequences of a few such tensors, optionals that hold one, maps from the keys
that a node looks up; one seeded generator, inputs in graph order, so that a seed gives the same inputs everywhere.

Left out: knowing what an input means (a sample rate, a mask); `--inputs` is for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, numpy_helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.graph import Dim, Graph, Shape
from cutter_gui.onnx.infer import type_of
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.runtime_values import Array, InputValue, Map

_OPEN_SIZES = (32, 64, 16, 128, 48, 224, 256, 512, 1024, 8, 4, 2, 1)
"""Sizes tried for open dims that are no batch; the first with which the model runs is taken."""

_RANKS = (2, 1, 3, 4, 0)
"""Ranks tried for tensors of unknown rank, likewise."""

_ELEMENTS = 3
# More than models are fed with; a damaged file can ask for any number.
_MOST_ELEMENTS, _MOST_TEXTS = 2**28, 2**20
"""Elements of a sequence, and entries of a map whose keys are open."""

_MOVING = {
    *("Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Flatten", "Slice", "Expand", "Concat"),
    *("SequenceAt", "ConcatFromSequence", "OptionalGetElement"),
}
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


@dataclass(frozen=True)
class _Sizes:
    """A choice of what types leave open: the batch, other dims, and the rank where that is unknown."""

    batches: frozenset[str]
    batch: int
    other: int
    rank: int

    def dims(self, shape: Shape) -> tuple[int, ...]:
        return tuple(
            dim if isinstance(dim, int) else self.batch if (dim in self.batches if dim else at == 0) else self.other
            for at, dim in enumerate((None,) * self.rank if shape is None else shape)
        )


def candidate_inputs(
    model: OnnxModel, graph: Graph, values: Sequence[ValueInfoProto], seed: int
) -> Iterator[tuple[dict[str, InputValue], dict[str, str]]]:
    """Yields sets of inputs, by name, with a remark for each, one for each choice of what types leave open.

    Args:
        model: The model.
        graph: Its graph.
        values: The inputs wanted.
        seed: Seed of the generator.

    Raises:
        CutterError: An input is of a type that cannot be made.
    """
    bounds = {graph.tensor_names[tensor]: size for tensor, size in index_bounds(graph).items()}
    nodes = model.proto.graph.node
    expected, keys = _expected_scalars(nodes), _keys_looked_up(nodes)
    shapes = {value.name: _shape_within(value.type) for value in values}
    is_open = {name: shape is None or not all(isinstance(d, int) for d in shape) for name, shape in shapes.items()}
    for sizes in _choices(shapes.values()) if any(is_open.values()) else [_Sizes(frozenset(), 1, 1, 0)]:
        generator = np.random.default_rng(seed)
        made = {}
        for value in values:
            maker = _Maker(value.name, bounds.get(value.name), expected, keys, sizes, generator)
            made[value.name] = maker.make(value.type)
        yield made, {name: "its open dims chosen" if is_open[name] else "" for name in shapes}


def _shape_within(kind: TypeProto) -> Shape:
    """Returns the shape of a tensor, or of those that a sequence or an optional holds; () where there are none."""
    which = kind.WhichOneof("value")
    if which in ("sequence_type", "optional_type"):
        return _shape_within(getattr(kind, which).elem_type)
    return type_of(kind)[1] if which == "tensor_type" else ()


def _choices(shapes: Iterable[Shape]) -> Iterator[_Sizes]:
    known = list(shapes)
    batches = frozenset(_batch_symbols(known))
    for rank in _RANKS if None in known else (0,):
        for batch, size in _open_sizes():
            yield _Sizes(batches, batch, size, rank)


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


def _keys_looked_up(nodes: Iterable[NodeProto]) -> dict[str, list[int | str]]:
    """Returns, for maps that a DictVectorizer reads, the keys that it looks up."""
    found: dict[str, list[int | str]] = {}
    for node in nodes:
        if node.op_type == "DictVectorizer" and node.input:
            for attribute in node.attribute:
                words = [word.decode("utf-8", "replace") for word in attribute.strings]
                found.setdefault(node.input[0], [*words, *attribute.ints])
    return found


@dataclass(frozen=True)
class _Maker:
    """Makes the value of one input.

    Attributes:
        name: The input.
        bound: Size of the table that it indexes, if it does.
        expected: Values that a model is written to expect, by input.
        keys: Keys that are looked up, by input.
        sizes: What is chosen for open dims.
        generator: Where values come from.
    """

    name: str
    bound: int | None
    expected: Mapping[str, tuple[float, ...]]
    keys: Mapping[str, list[int | str]]
    sizes: _Sizes
    generator: np.random.Generator

    def make(self, kind: TypeProto) -> InputValue:
        which = kind.WhichOneof("value")
        if which == "optional_type":
            return self.make(kind.optional_type.elem_type)
        if which == "sequence_type":
            return [self.make(kind.sequence_type.elem_type) for _ in range(_ELEMENTS)]
        if which == "map_type":
            return self._map(kind)
        dtype, shape = type_of(kind)
        return self._tensor(dtype, self.sizes.dims(shape))

    def _map(self, kind: TypeProto) -> Map:
        """A map's values are scalars: the runtime knows no others."""
        texts = kind.map_type.key_type == TensorProto.STRING
        keys = self.keys.get(self.name) or [f"key {at}" if texts else at for at in range(_ELEMENTS)]
        dtype = type_of(kind.map_type.value_type)[0]
        return {key: self._tensor(dtype, ()).item() for key in keys}

    def _tensor(self, dtype: int, dims: tuple[int, ...]) -> Array:
        known, generator = dtype_of(dtype), self.generator
        count = math.prod(dims)
        if count > (_MOST_TEXTS if dtype == TensorProto.STRING else _MOST_ELEMENTS):
            raise CutterError(
                f"an input of {count:,} elements is not made up", f"input {one_line(self.name, 80)}", "give --inputs"
            )
        if dtype == TensorProto.STRING:
            return np.asarray([f"text {i}" for i in range(count)], dtype=object).reshape(dims)
        if dtype <= 0 or not known.bits:
            raise CutterError(
                f"an input of type {known.name} cannot be made",
                f"input {one_line(self.name, 80)}",
                "this model needs a script",
            )
        numpy_type = np.dtype(helper.tensor_dtype_to_np_dtype(dtype))
        if self.name in self.expected:
            return np.full(dims, self.expected[self.name][0]).astype(numpy_type)
        if known.name == "bool":
            return generator.integers(0, 2, dims).astype(numpy_type)
        if numpy_type.kind in "iu":
            return np.asarray(generator.integers(0, self.bound or 2, dims)).astype(numpy_type)
        if numpy_type.kind == "c":
            return np.asarray(generator.standard_normal(dims) + 1j * generator.standard_normal(dims)).astype(numpy_type)
        return np.asarray(generator.standard_normal(dims)).astype(np.float32).astype(numpy_type)


def describe(values: Mapping[str, InputValue], notes: Mapping[str, str]) -> dict[str, str]:
    """Returns what the inputs were, by name, for the report."""
    return {name: _said(value) + (f" ({notes[name]})" if notes.get(name) else "") for name, value in values.items()}


def _said(value: InputValue) -> str:
    if value is None:
        return "absent"
    if isinstance(value, dict):
        return f"a map of {len(value)}"
    if isinstance(value, list):
        return f"{len(value)} of {', '.join(dict.fromkeys(map(_said, value))) or 'nothing'}"
    return f"{value.dtype}{list(value.shape)}"
