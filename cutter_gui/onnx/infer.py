"""Types and shapes of an ONNX graph, inferred without its weights.

Large initializers are shown to the inference as graph inputs of the same type, so no weight is read and the message
stays far below protobuf's limit; small ones, which Reshape and the like compute shapes from, stay.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, TypeProto, ValueInfoProto, helper

from cutter_gui.core import dtypes
from cutter_gui.core.build import topological_order
from cutter_gui.core.graph import Dim, Shape
from cutter_gui.onnx.bodies import captures
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.weights import stored_bytes
from cutter_gui.onnx.wire import INLINE_LIMIT

_INVENTED = "unk__"

_log = logging.getLogger(__name__)


def infer_types(model: OnnxModel) -> dict[str, TypeProto]:
    """Returns the type of every tensor of the main graph for which the file or the inference knows one."""
    known: dict[str, TypeProto] = {}
    graph = model.proto.graph
    for initializer in graph.initializer:
        known[initializer.name] = helper.make_tensor_type_proto(initializer.data_type, list(initializer.dims))
    for sparse in graph.sparse_initializer:
        known[sparse.values.name] = helper.make_sparse_tensor_type_proto(sparse.values.data_type, list(sparse.dims))
    for value in (*graph.value_info, *graph.input, *graph.output):
        _learn(known, value)
    own = {symbol for type_proto in known.values() for symbol in _symbols(type_proto)}
    for value in _inferred(model, known):
        _forget_invented(value.type, own)
        _learn(known, value)
    return known


def _symbols(type_proto: TypeProto) -> Iterator[str]:
    for dim in type_proto.tensor_type.shape.dim:
        if dim.dim_param:
            yield dim.dim_param


def _forget_invented(type_proto: TypeProto, own: set[str]) -> None:
    """Leaves a dimension open, in place, where the inference made up a name that the file does not have."""
    if type_proto.WhichOneof("value") == "tensor_type":
        for dim in type_proto.tensor_type.shape.dim:
            if dim.dim_param.startswith(_INVENTED) and dim.dim_param not in own:
                dim.ClearField("dim_param")


def _learn(known: dict[str, TypeProto], value: ValueInfoProto) -> None:
    """Keeps what tells more: a type over none, a shape over none, fewer open dims over more."""
    if value.name and value.HasField("type") and _openness(value.type) < _openness(known.get(value.name)):
        known[value.name] = value.type


def _openness(type_proto: TypeProto | None) -> int:
    if type_proto is None or type_proto.WhichOneof("value") is None:
        return 1_000_000
    dtype, shape = type_of(type_proto)
    if dtype == dtypes.UNKNOWN:
        return 500_000
    if shape is None:
        return 1_000 if dtype > 0 else 0
    return sum(2 if dim is None else isinstance(dim, str) for dim in shape)


def _inferred(model: OnnxModel, known: Mapping[str, TypeProto]) -> Iterable[ValueInfoProto]:
    """Runs onnx's inference; an inference that fails leaves what the file itself says."""
    lean = ModelProto()
    lean.CopyFrom(model.proto)
    large: list[ValueInfoProto] = []
    for position in range(len(lean.graph.initializer) - 1, -1, -1):
        initializer = lean.graph.initializer[position]
        span = model.ranges.get(position)
        if initializer.data_location == TensorProto.EXTERNAL or stored_bytes(initializer, span) >= INLINE_LIMIT:
            large.append(helper.make_value_info(initializer.name, known[initializer.name]))
            del lean.graph.initializer[position]
    present = {value.name for value in lean.graph.input}
    lean.graph.input.extend(value for value in large if value.name not in present)
    _sort_nodes(lean.graph)
    try:
        inferred = onnx.shape_inference.infer_shapes(lean, data_prop=True)
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError) as error:
        _log.info("shape inference gave up: %s", error)
        return ()
    return (*inferred.graph.value_info, *inferred.graph.output)


def _sort_nodes(graph: GraphProto) -> None:
    """Puts nodes that are in no topological order into one: the inference learns nothing from what comes later."""
    producer = {name: index for index, node in enumerate(graph.node) for name in node.output if name}
    source: list[int] = []
    target: list[int] = []
    for index, node in enumerate(graph.node):
        for name in (*node.input, *captures(node)):
            if name in producer:
                source.append(producer[name])
                target.append(index)
    order = topological_order(np.asarray(source, np.int32), np.asarray(target, np.int32), len(graph.node)).tolist()
    if len(order) == len(graph.node) and order != list(range(len(order))):
        nodes = [graph.node[index] for index in order]
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
    return helper.make_tensor_type_proto(dtype, None if shape is None else list(shape))
