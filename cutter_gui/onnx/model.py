"""An ONNX file as opened: its protobuf without large weights, and where those are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto

from cutter_gui.core.errors import CutterError
from cutter_gui.onnx.bodies import bodies
from cutter_gui.onnx.weights import External, external_entry
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

    @cached_property
    def external(self) -> tuple[External | None, ...]:
        """The external data entry of each initializer of the graph, None for those that have none.

        Raises:
            CutterError: An entry has no location or a number that is none.
        """
        return tuple(external_entry(initializer) for initializer in self.proto.graph.initializer)


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


def _texts(proto: ModelProto) -> set[object]:
    """Returns the distinct texts of a model; protobuf gives those that are not valid as bytes."""
    found: set[object] = {proto.producer_name, proto.producer_version, proto.domain, proto.doc_string}
    found.update(opset.domain for opset in proto.opset_import)
    _add_entries(found, proto.metadata_props)
    _add_graph(found, proto.graph)
    for function in proto.functions:
        found.update((function.name, function.domain, function.doc_string))
        for texts in (function.input, function.output, function.attribute):
            found.update(texts)
        found.update(opset.domain for opset in function.opset_import)
        _add_nodes(found, function.node)
    return found


def _add_graph(found: set[object], graph: GraphProto) -> None:
    found.update((graph.name, graph.doc_string))
    _add_entries(found, graph.metadata_props)
    for tensor in (*graph.initializer, *(sparse.values for sparse in graph.sparse_initializer)):
        found.add(tensor.name)
        _add_entries(found, tensor.external_data)
    for value in (*graph.input, *graph.output, *graph.value_info):
        found.add(value.name)
        found.update(dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for annotation in graph.quantization_annotation:
        found.add(annotation.tensor_name)
        _add_entries(found, annotation.quant_parameter_tensor_names)
    _add_nodes(found, graph.node)


def _add_nodes(found: set[object], nodes: Iterable[NodeProto]) -> None:
    for node in nodes:
        found.update((node.name, node.op_type, node.domain))
        found.update(node.input)
        found.update(node.output)
        _add_entries(found, node.metadata_props)
        for attribute in node.attribute:
            found.update((attribute.name, attribute.ref_attr_name))
        for body in bodies(node):
            _add_graph(found, body)


def _add_entries(found: set[object], entries: Iterable[StringStringEntryProto]) -> None:
    for entry in entries:
        found.add(entry.key)
        found.add(entry.value)


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
