"""An ONNX file as opened: its protobuf without large weights, and where those are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto

from cutter_gui.core.errors import CutterError
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
        CutterError: The file cannot be read, is no ONNX model, or has no graph.
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
    return OnnxModel(path, proto, skeleton.ranges)


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
