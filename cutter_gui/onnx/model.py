"""An ONNX file as opened: its protobuf without large weights, and where those are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto

from cutter_gui.core.errors import CutterError
from cutter_gui.onnx.bodies import bodies
from cutter_gui.onnx.wire import ByteRange, read_skeleton


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A model file.

    Attributes:
        path: The file.
        proto: The model; treat it as read-only. Initializers in ``ranges`` have no data here.
        ranges: Where the data of an initializer stands in the model file, by position in ``graph.initializer``.
    """

    path: Path
    proto: ModelProto
    ranges: dict[int, ByteRange]


def open_model(path: Path) -> OnnxModel:
    """Opens a model file without reading its weights.

    Raises:
        CutterError: The file cannot be read, is no ONNX model, has no graph, or a text that is not valid UTF-8.
    """
    skeleton = read_skeleton(path)
    proto = ModelProto()
    try:
        proto.ParseFromString(skeleton.data)
    except DecodeError:
        raise CutterError(
            "the file is not an ONNX model, or it is damaged", str(path), "export it again, or give another file"
        ) from None
    if not proto.HasField("graph") or not (proto.ir_version or proto.opset_import):
        raise CutterError("the file holds no ONNX graph", str(path), "export it again, or give another file")
    if any(isinstance(text, bytes) for text in _texts(proto)):
        raise CutterError(
            "a name or text in the model is not valid UTF-8", str(path), "export it again; the file may be damaged"
        )
    return OnnxModel(path, proto, skeleton.ranges)


def _texts(proto: ModelProto) -> Iterator[object]:
    """Yields the texts of a model; protobuf gives those that are not valid as bytes."""
    yield from (proto.producer_name, proto.producer_version, proto.domain, proto.doc_string)
    yield from (opset.domain for opset in proto.opset_import)
    yield from _entries(proto.metadata_props)
    yield from _graph_texts(proto.graph)
    for function in proto.functions:
        yield from (function.name, function.domain, function.doc_string, *function.input, *function.output)
        yield from (*function.attribute, *(opset.domain for opset in function.opset_import))
        yield from _node_texts(function.node)


def _graph_texts(graph: GraphProto) -> Iterator[object]:
    yield from (graph.name, graph.doc_string)
    yield from _entries(graph.metadata_props)
    for tensor in (*graph.initializer, *(sparse.values for sparse in graph.sparse_initializer)):
        yield tensor.name
        yield from _entries(tensor.external_data)
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for annotation in graph.quantization_annotation:
        yield annotation.tensor_name
        yield from _entries(annotation.quant_parameter_tensor_names)
    yield from _node_texts(graph.node)


def _node_texts(nodes: Iterable[NodeProto]) -> Iterator[object]:
    for node in nodes:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from _entries(node.metadata_props)
        for attribute in node.attribute:
            yield from (attribute.name, attribute.ref_attr_name)
        for body in bodies(node):
            yield from _graph_texts(body)


def _entries(entries: Iterable[StringStringEntryProto]) -> Iterator[object]:
    for entry in entries:
        yield from (entry.key, entry.value)


def referring(model: OnnxModel) -> ModelProto:
    """Returns the model with each weight that stands in its file as external data of that very file.

    Locations are relative to the model's folder. Without such weights it is the model's own protobuf.
    """
    if not model.ranges:
        return model.proto
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    for position, span in model.ranges.items():
        tensor = proto.graph.initializer[position]
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", span.path.name), ("offset", span.offset), ("length", span.length)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
    return proto
