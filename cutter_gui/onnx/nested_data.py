"""External data of tensors that are no dense initializers of the main graph.

Terms: a *nested* tensor stands in an attribute of a node, in a body of a node, in a model-local function, or is half of
a sparse initializer. Few files have external data there, but ONNX allows it and onnxruntime reads it, and a stage in
another folder would not find it.

Steps: walk the parts of a stage; the ranges of files that nested tensors refer to go where its weights go; then let
each tensor refer to its new place. Complexity: linear in nodes, attributes and bodies. Left out: nested tensors with
their data in the protobuf, which stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from onnx import ModelProto, NodeProto, SparseTensorProto, TensorProto

from cutter_gui.onnx.bodies import bodies
from cutter_gui.onnx.external_files import ExternalFiles
from cutter_gui.onnx.weight_files import Placed, Weight, placed_tensor
from cutter_gui.onnx.weights import external_entry, inlined
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange


def nested_tensors(nodes: Iterable[NodeProto], sparse: Iterable[SparseTensorProto] = ()) -> Iterator[TensorProto]:
    """Yields the tensors in attributes and bodies of nodes, at any depth, and the halves of sparse ones."""
    for tensor in sparse:
        yield from (tensor.values, tensor.indices)
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            if attribute.HasField("sparse_tensor"):
                yield from (attribute.sparse_tensor.values, attribute.sparse_tensor.indices)
            for inner in attribute.sparse_tensors:
                yield from (inner.values, inner.indices)
        for body in bodies(node):
            yield from body.initializer
            for inner in body.sparse_initializer:
                yield from (inner.values, inner.indices)
            waiting.extend(body.node)


def tensors_nested_in(model: ModelProto) -> Iterator[TensorProto]:
    """Yields every nested tensor of a model."""
    yield from nested_tensors(model.graph.node, model.graph.sparse_initializer)
    for function in model.functions:
        yield from nested_tensors(function.node)


def external_tensors_nested_in(model: ModelProto) -> list[TensorProto]:
    """Returns the nested tensors of a model that have their data elsewhere."""
    return [tensor for tensor in tensors_nested_in(model) if tensor.data_location == TensorProto.EXTERNAL]


def external_ranges(tensors: Iterable[TensorProto], files: ExternalFiles) -> Iterator[tuple[ByteRange, Weight]]:
    """Yields what the nested tensors of a stage need written outside its protobuf, a range maybe several times.

    Args:
        tensors: Nested tensors of the source.
        files: The source's external data.

    Raises:
        CutterError: External data that is missing, cut short, or outside the folder.
    """
    for tensor in tensors:
        entry = external_entry(tensor)
        if entry is not None:
            span = files.find(tensor, entry)
            if span.length >= INLINE_LIMIT:
                yield span, Weight(tensor, span)


def place_nested(model: ModelProto, files: ExternalFiles, placed: Mapping[ByteRange, Placed]) -> None:
    """Lets the nested tensors of a stage refer to their new places, in place; small ones become inline.

    Args:
        model: The stage, whose nested tensors still refer to the source's files.
        files: The source's external data.
        placed: The new places.
    """
    for tensor in external_tensors_nested_in(model):
        entry = external_entry(tensor)
        if entry is None:
            continue
        span = files.find(tensor, entry)
        if span.length < INLINE_LIMIT:
            tensor.CopyFrom(inlined(tensor, span))
        else:
            tensor.CopyFrom(placed_tensor(Weight(tensor, span), placed[span]))
