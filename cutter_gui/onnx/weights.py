"""Where the bytes of each initializer are.

A weight is a range of a file (the model's own, or an external data file beside it), or bytes that the protobuf holds
in another encoding and that are turned into raw bytes here. `external_files` finds external data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, numpy_helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange

_HELD_BY_NUMPY = {
    TensorProto.FLOAT,
    TensorProto.UINT8,
    TensorProto.INT8,
    TensorProto.UINT16,
    TensorProto.INT16,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.BOOL,
    TensorProto.FLOAT16,
    TensorProto.DOUBLE,
    TensorProto.UINT32,
    TensorProto.UINT64,
    TensorProto.COMPLEX64,
    TensorProto.COMPLEX128,
}
_BITS_IN_INT32 = {
    TensorProto.BFLOAT16,
    TensorProto.FLOAT8E4M3FN,
    TensorProto.FLOAT8E4M3FNUZ,
    TensorProto.FLOAT8E5M2,
    TensorProto.FLOAT8E5M2FNUZ,
    getattr(TensorProto, "FLOAT8E8M0", TensorProto.UNDEFINED),
    TensorProto.INT4,
    TensorProto.UINT4,
    getattr(TensorProto, "FLOAT4E2M1", TensorProto.UNDEFINED),
    getattr(TensorProto, "INT2", TensorProto.UNDEFINED),
    getattr(TensorProto, "UINT2", TensorProto.UNDEFINED),
} - {TensorProto.UNDEFINED}
"""Types whose bits ``int32_data`` holds as they are: 16 to a value, or a byte of one or more elements."""

_SIX_BITS = {getattr(TensorProto, name, TensorProto.UNDEFINED) for name in ("FLOAT6E2M3", "FLOAT6E3M2")} - {
    TensorProto.UNDEFINED
}
"""Types of which ``int32_data`` holds one element a value, and raw bytes four in three."""

_MOST_BYTES = 1 << 62
"""More than any file holds; damaged dims multiply to more than arrays of sizes can."""


@dataclass(frozen=True)
class External:
    """The external data entry of a tensor, as written: nothing about the file is checked yet."""

    location: str
    offset: int
    length: int | None


def stored_bytes(tensor: TensorProto, span: ByteRange | None) -> int:
    """Returns how many bytes a tensor's elements take as stored, without reading them."""
    if span is not None:
        return span.length
    if tensor.raw_data:
        return len(tensor.raw_data)
    if tensor.data_type == TensorProto.STRING:
        return sum(len(text) for text in tensor.string_data)
    return element_bytes(tensor.data_type, tensor.dims)


def element_bytes(data_type: int, dims: Iterable[int]) -> int:
    """Returns the bytes of a dense tensor of this type and these dims; 0 where the type has no fixed size."""
    count = 1
    for dim in dims:
        count *= dim
    return min(max(0, (count * dtype_of(data_type).bits + 7) // 8), _MOST_BYTES)


def external_entry(tensor: TensorProto) -> External | None:
    """Returns a tensor's external data entry, or None where its data is in the protobuf.

    Raises:
        CutterError: The entry has no location or a number that is none.
    """
    if tensor.data_location != TensorProto.EXTERNAL:
        return None
    entries = {entry.key: entry.value for entry in tensor.external_data}
    try:
        offset = _plain_number(entries.get("offset") or "0")
        length = _plain_number(entries["length"]) if entries.get("length") else None
    except ValueError:
        raise CutterError(
            "external data has a bad offset or length", f"tensor {tensor.name}", "export it again"
        ) from None
    location = entries.get("location", "")
    if not location or "\0" in location or not 0 <= offset <= _MOST_BYTES or not 0 <= (length or 0) <= _MOST_BYTES:
        raise CutterError(
            "external data has a bad location, offset or length", f"tensor {tensor.name}", "export it again"
        )
    return External(location, offset, length)


def _plain_number(text: str) -> int:
    """Reads digits as ONNX's own readers do; Python's would take signs, blanks, underscores and digits of any script.

    Raises:
        ValueError: It is anything else.
    """
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


def raw_bytes(tensor: TensorProto) -> bytes | None:
    """Returns the raw bytes of a tensor held in the protobuf when they are better kept outside, else None.

    None for small tensors, for strings, and for element types that are not known here.

    Raises:
        CutterError: The values are more or fewer than the shape needs.
    """
    if tensor.raw_data:
        return tensor.raw_data if len(tensor.raw_data) >= INLINE_LIMIT else None
    needed = element_bytes(tensor.data_type, tensor.dims)
    if tensor.data_type not in _HELD_BY_NUMPY | _BITS_IN_INT32 | _SIX_BITS or needed < INLINE_LIMIT:
        return None
    if not (tensor.float_data or tensor.int32_data or tensor.int64_data or tensor.double_data or tensor.uint64_data):
        return None
    try:
        if tensor.data_type in _SIX_BITS:
            data = _packed(tensor)
        else:
            data = _bits(tensor) if tensor.data_type in _BITS_IN_INT32 else _elements(tensor)
    except ValueError:
        data = b""
    if len(data) != needed:
        raise CutterError(
            "a weight has more or fewer values than its shape needs",
            f"tensor {one_line(tensor.name, 80)}",
            "export it again",
        )
    return data


def _bits(tensor: TensorProto) -> bytes:
    width = "<u2" if dtype_of(tensor.data_type).bits == 16 else "u1"
    return np.asarray(tensor.int32_data, dtype=np.int32).astype(width).tobytes()


def _packed(tensor: TensorProto) -> bytes:
    """Returns elements of six bits end to end, lowest bits first (onnx.proto, ``raw_data``)."""
    elements = np.asarray(tensor.int32_data, dtype=np.int32).astype("u1")
    bits = np.unpackbits(elements[:, np.newaxis], axis=1, count=6, bitorder="little")
    return np.packbits(bits.ravel(), bitorder="little").tobytes()


def _elements(tensor: TensorProto) -> bytes:
    array = numpy_helper.to_array(tensor)
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def inlined(tensor: TensorProto, span: ByteRange) -> TensorProto:
    """Returns a tensor with the bytes of a range as its own data."""
    with span.path.open("rb") as file:
        file.seek(span.offset)
        data = file.read(span.length)
    inline = without_data(tensor)
    inline.ClearField("data_location")
    inline.raw_data = data
    return inline


def without_data(tensor: TensorProto) -> TensorProto:
    """Returns a tensor's name, type and dims alone."""
    bare = TensorProto()
    bare.CopyFrom(tensor)
    for field in (
        "raw_data",
        "float_data",
        "int32_data",
        "int64_data",
        "double_data",
        "uint64_data",
        "string_data",
        "external_data",
    ):
        bare.ClearField(field)
    return bare
