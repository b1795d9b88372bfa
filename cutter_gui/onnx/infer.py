"""Types and shapes of an ONNX graph, inferred without its weights.

Large initializers are shown to the inference as graph inputs of the same type, so no weight is read and the message
stays far below protobuf's limit; small ones, which Reshape and the like compute shapes from, stay. Sparse ones are
shown as inputs too, dense as their readers see them, and ``ai.onnx`` is called by its other name, the empty one: the
inference knows neither.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, TypeProto, ValueInfoProto, helper

from cutter_gui.core import dtypes
from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Dim, Ints, Shape
from cutter_gui.onnx.bodies import bodies
from cutter_gui.onnx.external_files import ExternalFiles
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.volatile import normal_domain
from cutter_gui.onnx.weights import external_entry, inlined, stored_bytes
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange

_INVENTED = "unk__"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KnownType:
    """What is known of a tensor: its ONNX type, and the same as the core's dtype code and shape."""

    proto: TypeProto
    dtype: int
    shape: Shape

    @property
    def openness(self) -> int:
        """How much is left open: a type tells more than none, a shape more than none, each known dim more still."""
        if self.dtype == dtypes.UNKNOWN:
            return 500_000
        if self.shape is None:
            return 1_000 if self.dtype > 0 else 0
        return sum(2 if dim is None else isinstance(dim, str) for dim in self.shape)


def infer_types(model: OnnxModel, order: Ints) -> dict[str, KnownType]:
    """Returns the type of every tensor of the main graph for which the file or the inference knows one.

    Args:
        model: The model.
        order: Its nodes in a topological order.
    """
    known: dict[str, KnownType] = {}
    graph = model.proto.graph
    for initializer in graph.initializer:
        dims = tuple(initializer.dims)
        known[initializer.name] = KnownType(type_proto_for(initializer.data_type, dims), initializer.data_type, dims)
    for sparse in graph.sparse_initializer:
        sparse_type = helper.make_sparse_tensor_type_proto(sparse.values.data_type, list(sparse.dims))
        known[sparse.values.name] = KnownType(sparse_type, *type_of(sparse_type))
    for value in (*graph.value_info, *graph.input, *graph.output):
        _learn(known, value)
    own = {dim for entry in known.values() for dim in entry.shape or () if isinstance(dim, str)}
    for value in _inferred(model, known, order):
        _learn(known, value, own)
    return known


def _learn(known: dict[str, KnownType], value: ValueInfoProto, own: set[str] | None = None) -> None:
    """Keeps what tells more.

    Args:
        known: What is known so far; changed in place.
        value: One more statement.
        own: For statements of the inference: the dimension names that the file has. Others are made up by the
            inference, and the dimension is left open.
    """
    if not value.name or not value.HasField("type"):
        return
    type_proto = value.type
    dtype, shape = type_of(type_proto)
    if own is not None and any(isinstance(dim, str) and dim.startswith(_INVENTED) for dim in shape or ()):
        for dim in type_proto.tensor_type.shape.dim:
            if dim.dim_param.startswith(_INVENTED) and dim.dim_param not in own:
                dim.ClearField("dim_param")
        dtype, shape = type_of(type_proto)
    found = KnownType(type_proto, dtype, shape)
    before = known.get(value.name)
    if before is None or found.openness < before.openness:
        known[value.name] = found


def _inferred(model: OnnxModel, known: Mapping[str, KnownType], order: Ints) -> Iterable[ValueInfoProto]:
    """Runs onnx's inference; an inference that fails leaves what the file itself says."""
    lean = ModelProto()
    lean.CopyFrom(model.proto)
    _normalize_domains(lean)
    large: dict[str, TypeProto] = {}
    kept: list[TensorProto] = []
    files = ExternalFiles(model.path.parent)
    for position, initializer in enumerate(lean.graph.initializer):
        small = _small(initializer, model.ranges.get(position), files)
        if small is not None:
            kept.append(small)
        else:
            large.setdefault(initializer.name, known[initializer.name].proto)
    for sparse in lean.graph.sparse_initializer:
        large.setdefault(sparse.values.name, type_proto_for(sparse.values.data_type, tuple(sparse.dims)))
    del lean.graph.sparse_initializer[:]
    if large or any(tensor.data_location == TensorProto.EXTERNAL for tensor in lean.graph.initializer):
        del lean.graph.initializer[:]
        lean.graph.initializer.extend(kept)
        present = {value.name for value in lean.graph.input}
        for name, type_proto in large.items():
            if name not in present:
                lean.graph.input.add(name=name).type.CopyFrom(type_proto)
    _sort_nodes(lean.graph, order)
    try:
        inferred = onnx.shape_inference.infer_shapes(lean, data_prop=True)
    except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError, RuntimeError, ValueError) as error:
        _log.info("shape inference gave up: %s", error)
        return ()
    return (*inferred.graph.value_info, *inferred.graph.output)


def _normalize_domains(model: ModelProto) -> None:
    """Gives ONNX's own domain its empty name, in place."""
    for opset in model.opset_import:
        opset.domain = normal_domain(opset.domain)
    waiting = list(model.graph.node)
    while waiting:
        node = waiting.pop()
        node.domain = normal_domain(node.domain)
        for body in bodies(node):
            waiting.extend(body.node)


def _small(initializer: TensorProto, span: ByteRange | None, files: ExternalFiles) -> TensorProto | None:
    """Returns a small initializer with its data, also where that stands outside; None when it is large or missing."""
    if stored_bytes(initializer, span) >= INLINE_LIMIT:
        return None
    try:
        entry = external_entry(initializer)
        return initializer if entry is None else inlined(initializer, files.find(initializer, entry))
    except (CutterError, OSError):
        return None


def _sort_nodes(graph: GraphProto, order: Ints) -> None:
    """Puts nodes into a topological order, in place: the inference learns nothing from what comes later."""
    if len(order) == len(graph.node) and np.any(np.diff(order) < 0):
        nodes = [graph.node[index] for index in order.tolist()]
        del graph.node[:]
        graph.node.extend(nodes)


def type_of(type_proto: TypeProto) -> tuple[int, Shape]:
    """Returns dtype code and shape of an ONNX type; negative dims, which some exporters write, are unknown."""
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type":
        tensor = type_proto.tensor_type
        return tensor.elem_type, _shape(tensor.shape) if tensor.HasField("shape") else None
    if kind == "sequence_type":
        return dtypes.SEQUENCE, None
    if kind == "map_type":
        return dtypes.MAP, None
    if kind == "optional_type":
        return dtypes.OPTIONAL, None
    if kind == "sparse_tensor_type":
        sparse = type_proto.sparse_tensor_type
        return dtypes.SPARSE, _shape(sparse.shape) if sparse.HasField("shape") else None
    return (dtypes.OPAQUE, None) if kind else (dtypes.UNKNOWN, None)


def _shape(shape: onnx.TensorShapeProto) -> Shape:
    dims: list[Dim] = []
    for dim in shape.dim:
        which = dim.WhichOneof("value")
        if which == "dim_value":
            dims.append(int(dim.dim_value) if dim.dim_value >= 0 else None)
        else:
            dims.append(dim.dim_param or None if which == "dim_param" else None)
    return tuple(dims)


def type_proto_for(dtype: int, shape: Shape) -> TypeProto:
    """Returns the ONNX type of a dense tensor; unknown dims are left open."""
    proto = TypeProto()
    proto.tensor_type.elem_type = dtype
    if shape is not None:
        dims = proto.tensor_type.shape
        dims.SetInParent()  # a scalar's shape is there, without dims
        for dim in shape:
            added = dims.dim.add()
            if isinstance(dim, int):
                added.dim_value = dim
            elif dim is not None:
                added.dim_param = dim
    return proto
