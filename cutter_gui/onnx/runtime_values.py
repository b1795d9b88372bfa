"""Values as onnxruntime takes them: dense tensors of every type, sequences, maps, optionals.

The runtime makes values of numpy arrays alone. All others come out of models of one node: strings of a Constant,
sequences of SequenceConstruct, sequences of maps of ZipMap. Nothing makes it hand out a single map, which stays a
dictionary of Python; see `cutter_gui.onnx.session.run_session`. An optional that holds something is the same to the
runtime as what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, OrtValue

Array = npt.NDArray[Any]
Map: TypeAlias = "dict[int | str, object]"
InputValue: TypeAlias = "Array | list[InputValue] | Map | None"
"""A value before the runtime has it: a tensor, a sequence, a map from keys to scalars, an optional that is absent."""

RuntimeValue: TypeAlias = "OrtValue | Map"

_OPSET, _ML_OPSET = 17, 2


def runtime_value(value: InputValue, kind: TypeProto) -> RuntimeValue:
    """Returns a value as the runtime takes it; a map stays a dictionary.

    Args:
        value: The value.
        kind: Its ONNX type.

    Raises:
        Exception: One of `session.run_error_types`, for element types that the runtime has no values of.
    """
    if kind.WhichOneof("value") == "optional_type":
        inner = kind.optional_type.elem_type
        return _absent(inner) if value is None else runtime_value(value, inner)
    assert value is not None
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return sequence_value(value, kind.sequence_type.elem_type)
    return as_ort_value(value, kind.tensor_type.elem_type)


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
    tensor = TensorProto(name="value", data_type=TensorProto.STRING, dims=array.shape)
    tensor.string_data.extend(str(text).encode() for text in array.ravel())
    node = helper.make_node("Constant", [], ["value"], value=tensor)
    return _made(node, {}, [], helper.make_tensor_value_info("value", TensorProto.STRING, array.shape))


def _absent(kind: TypeProto) -> OrtValue:
    """Returns an optional that holds nothing."""
    output = helper.make_value_info("value", helper.make_optional_type_proto(kind))
    return _made(helper.make_node("Optional", [], ["value"], type=kind), {}, [], output)


def sequence_value(elements: Sequence[InputValue], kind: TypeProto) -> OrtValue:
    """Returns a sequence as a runtime value.

    Args:
        elements: Its elements: arrays, or maps with equal keys.
        kind: The type of an element.
    """
    output = helper.make_value_info("sequence", helper.make_sequence_type_proto(kind))
    if kind.WhichOneof("value") == "map_type":
        return _sequence_of_maps([element for element in elements if isinstance(element, dict)], kind, output)
    dtype = kind.tensor_type.elem_type
    open_kind = helper.make_tensor_type_proto(dtype, None)
    output = helper.make_value_info("sequence", helper.make_sequence_type_proto(open_kind))
    if not elements:
        return _made(helper.make_node("SequenceEmpty", [], ["sequence"], dtype=dtype), {}, [], output)
    parts = {f"x{at}": as_ort_value(np.asarray(element), dtype) for at, element in enumerate(elements)}
    inputs = [helper.make_value_info(name, open_kind) for name in parts]
    return _made(helper.make_node("SequenceConstruct", list(parts), ["sequence"]), parts, inputs, output)


def _sequence_of_maps(elements: Sequence[Map], kind: TypeProto, output: ValueInfoProto) -> OrtValue:
    """ZipMap (ai.onnx.ml) makes one map of each row of a matrix."""
    keys = list(elements[0]) if elements else []
    texts = kind.map_type.key_type == TensorProto.STRING
    rows = np.asarray([[element[key] for key in keys] for element in elements], np.float32).reshape(-1, len(keys))
    node = helper.make_node("ZipMap", ["rows"], ["sequence"], domain="ai.onnx.ml")
    node.attribute.append(helper.make_attribute("classlabels_strings" if texts else "classlabels_int64s", keys))
    inputs = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [None, len(keys)])]
    return _made(node, {"rows": as_ort_value(rows, TensorProto.FLOAT)}, inputs, output)


def _made(
    node: NodeProto, feeds: Mapping[str, OrtValue], inputs: Sequence[ValueInfoProto], output: ValueInfoProto
) -> OrtValue:
    """Runs a model of one node and returns its output."""
    session = small_session([node], inputs, [output])
    return session.run_with_ort_values([output.name], dict(feeds))[0]


def small_session(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    opset: int = _OPSET,
) -> InferenceSession:
    """Returns a session of a model made for the purpose."""
    import onnxruntime

    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
    graph = helper.make_graph(nodes, "values", inputs, outputs)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def type_proto_of(text: str) -> TypeProto:
    """Reads a runtime's type name, such as ``seq(map(int64,tensor(float)))``."""
    for begin, make in (("seq(", helper.make_sequence_type_proto), ("optional(", helper.make_optional_type_proto)):
        if text.startswith(begin):
            return make(type_proto_of(text[len(begin) : -1]))
    if text.startswith("map("):
        key, _, value = text[4:-1].partition(",")
        return helper.make_map_type_proto(element_type(key), type_proto_of(value))
    return helper.make_tensor_type_proto(element_type(text.removeprefix("tensor(").removesuffix(")")), None)


def element_type(name: str) -> int:
    """Returns the ONNX data type of an element type's name in the runtime."""
    return int(TensorProto.DataType.Value(name.upper()))
