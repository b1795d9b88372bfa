"""Comparing values of the whole model with those of its stages, bit for bit."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper

from cutter_gui.onnx.runtime_values import Array, RuntimeValue, small_session, type_proto_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, OrtValue


@dataclass(frozen=True)
class Difference:
    """How two values differ.

    Attributes:
        max_abs: Largest absolute difference; None where the values cannot be subtracted.
        max_rel: Largest difference relative to the original's size; None likewise.
        index: The first element that differs, or None.
        reason: In words, when type, shape or length differ.
    """

    max_abs: float | None = None
    max_rel: float | None = None
    index: tuple[int, ...] | None = None
    reason: str = ""


def difference(original: RuntimeValue, composed: RuntimeValue) -> Difference | None:
    """Returns how two values differ, or None when every bit agrees; sequences are compared element by element."""
    if isinstance(original, dict) or isinstance(composed, dict):
        return None if original == composed else Difference(reason="other contents")
    # The runtime crashes when asked for the type of an optional that holds nothing.
    if original.has_value() != composed.has_value():
        return Difference(reason="one of the two is absent")
    if not original.has_value():
        return None
    if original.data_type() != composed.data_type():
        return Difference(reason=f"type {composed.data_type()} instead of {original.data_type()}")
    if "map(" in original.data_type():
        return None if _contents(original) == _contents(composed) else Difference(reason="other contents")
    if original.is_tensor_sequence():
        ours, theirs = list(_elements(original)), list(_elements(composed))
        if len(ours) != len(theirs):
            return Difference(reason=f"{len(theirs)} elements instead of {len(ours)}")
        for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            found = difference(left, right)
            if found is not None:
                return Difference(found.max_abs, found.max_rel, (number, *(found.index or ())), found.reason)
        return None
    if list(original.shape()) != list(composed.shape()):
        return Difference(reason=f"shape {list(composed.shape())} instead of {list(original.shape())}")
    if original.data_type() == "tensor(string)":
        return _string_difference(original, composed)
    return _array_difference(as_array(original), as_array(composed))


def _string_difference(original: OrtValue, composed: OrtValue) -> Difference | None:
    """Compares strings within the runtime, which hands out only those that are valid UTF-8 (Equal, operator set 19)."""
    inputs = [helper.make_tensor_value_info(name, TensorProto.STRING, None) for name in ("left", "right")]
    output = helper.make_tensor_value_info("equal", TensorProto.BOOL, None)
    session = small_session([helper.make_node("Equal", ["left", "right"], ["equal"])], inputs, [output], opset=19)
    (equal,) = session.run_with_ort_values(["equal"], {"left": original, "right": composed})
    unequal = ~np.asarray(equal.numpy())
    return Difference(index=_first(unequal)) if np.any(unequal) else None


def _array_difference(left: Array, right: Array) -> Difference | None:
    bits = np.dtype(f"u{left.dtype.itemsize}") if left.dtype.itemsize <= 8 else None
    if bits is None:
        unequal = np.any(_bytes(left) != _bytes(right), axis=-1)
    else:
        # Making an array contiguous gives a scalar an axis.
        unequal = (np.ascontiguousarray(left).view(bits) != np.ascontiguousarray(right).view(bits)).reshape(left.shape)
    if not np.any(unequal):
        return None
    if left.dtype.kind not in "fciub":
        return Difference(index=_first(unequal))
    wide = np.complex128 if left.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        gap = np.abs(left.astype(wide) - right.astype(wide))
        relative = gap / np.maximum(np.abs(left.astype(wide)), np.finfo(np.float64).tiny)
    gap, relative = np.where(unequal, gap, 0.0), np.where(unequal & (gap > 0), relative, 0.0)
    return Difference(float(np.max(gap)), float(np.max(relative)), _first(unequal))


def _bytes(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8).reshape(*array.shape, array.dtype.itemsize)


def _first(unequal: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(unequal)), unequal.shape)) if unequal.ndim else ()


def as_array(value: OrtValue) -> Array:
    """Returns a tensor as a numpy array; types that numpy lacks come as their bytes, in one dimension."""
    if value.data_type() in _NUMPY_TYPES:
        return np.asarray(value.numpy())
    size = value.tensor_size_in_bytes()
    return np.frombuffer(ctypes.string_at(value.data_ptr(), size) if size else b"", dtype=np.uint8)


_NUMPY_TYPES = {
    f"tensor({name})"
    for name in (
        "float",
        "double",
        "float16",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
        "string",
        "complex64",
        "complex128",
    )
}


def _elements(sequence: OrtValue) -> Iterator[OrtValue]:
    """Yields the tensors of a sequence, taken out by SequenceAt."""
    import onnxruntime

    element = type_proto_of(sequence.data_type()).sequence_type.elem_type.tensor_type.elem_type
    (length,) = _sequence_op("SequenceLength", element, TensorProto.INT64).run_with_ort_values(
        ["result"], {"sequence": sequence}
    )
    pick = _sequence_op("SequenceAt", element, element)
    for position in range(int(length.numpy())):
        at = onnxruntime.OrtValue.ortvalue_from_numpy(np.asarray(position, dtype=np.int64))
        yield pick.run_with_ort_values(["result"], {"sequence": sequence, "at": at})[0]


def _sequence_op(op: str, element: int, result: int) -> InferenceSession:
    """Returns a session of one op on a sequence (ONNX operator set 11)."""
    inputs = [helper.make_tensor_sequence_value_info("sequence", element, None)]
    if op == "SequenceAt":
        inputs.append(helper.make_tensor_value_info("at", TensorProto.INT64, ()))
    node = helper.make_node(op, [value.name for value in inputs], ["result"])
    return small_session([node], inputs, [helper.make_tensor_value_info("result", result, None)])


def _contents(value: OrtValue) -> object:
    """Returns a value of maps as Python lists and dictionaries: a model that hands it through lets the runtime say."""
    through = helper.make_value_info("value", type_proto_of(value.data_type()))
    return small_session([], [through], [through]).run(["value"], {"value": value})[0]
