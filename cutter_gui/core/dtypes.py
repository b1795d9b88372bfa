"""Element types of tensors.

The codes are those of ONNX ``TensorProto.DataType`` (onnx.proto, "DataType"); other formats map theirs onto them.
Values that are no dense tensors have negative codes; 0 is "not known".
"""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = 0
SEQUENCE = -1
MAP = -2
OPTIONAL = -3
SPARSE = -4
OPAQUE = -5  # anything else a runtime passes along: None, ints and tuples of torch.fx, opaque ONNX types


@dataclass(frozen=True)
class Dtype:
    """One element type.

    Attributes:
        code: The ONNX data type number, or one of the negative codes above.
        name: The name used in files: ``float32``, ``int64``, ...
        short: The name used where room is short: ``f32``, ``i64``, ...
        bits: Bits of one element, 0 where that is not fixed (strings, sequences).
        sendable: Whether ``com.microsoft`` Send and Recv take it (op schemas, version 1).
    """

    code: int
    name: str
    short: str
    bits: int
    sendable: bool = False


_TABLE = (
    Dtype(UNKNOWN, "unknown", "?", 0),
    Dtype(1, "float32", "f32", 32, True),
    Dtype(2, "uint8", "u8", 8, True),
    Dtype(3, "int8", "i8", 8, True),
    Dtype(4, "uint16", "u16", 16, True),
    Dtype(5, "int16", "i16", 16, True),
    Dtype(6, "int32", "i32", 32, True),
    Dtype(7, "int64", "i64", 64, True),
    Dtype(8, "string", "str", 0),
    Dtype(9, "bool", "bool", 8, True),
    Dtype(10, "float16", "f16", 16, True),
    Dtype(11, "float64", "f64", 64, True),
    Dtype(12, "uint32", "u32", 32, True),
    Dtype(13, "uint64", "u64", 64, True),
    Dtype(14, "complex64", "c64", 64),
    Dtype(15, "complex128", "c128", 128),
    Dtype(16, "bfloat16", "bf16", 16),
    Dtype(17, "float8e4m3fn", "f8e4m3fn", 8),
    Dtype(18, "float8e4m3fnuz", "f8e4m3fnuz", 8),
    Dtype(19, "float8e5m2", "f8e5m2", 8),
    Dtype(20, "float8e5m2fnuz", "f8e5m2fnuz", 8),
    Dtype(21, "uint4", "u4", 4),
    Dtype(22, "int4", "i4", 4),
    Dtype(23, "float4e2m1", "f4e2m1", 4),
    Dtype(24, "float8e8m0", "f8e8m0", 8),
    Dtype(25, "uint2", "u2", 2),
    Dtype(26, "int2", "i2", 2),
    Dtype(27, "float6e2m3", "f6e2m3", 6),
    Dtype(28, "float6e3m2", "f6e3m2", 6),
    Dtype(SEQUENCE, "sequence", "seq", 0),
    Dtype(MAP, "map", "map", 0),
    Dtype(OPTIONAL, "optional", "opt", 0),
    Dtype(SPARSE, "sparse", "sparse", 0),
    Dtype(OPAQUE, "opaque", "opaque", 0),
)

BY_CODE: dict[int, Dtype] = {dtype.code: dtype for dtype in _TABLE}
BY_NAME: dict[str, Dtype] = {dtype.name: dtype for dtype in _TABLE}


def dtype_of(code: int) -> Dtype:
    """Returns the element type with this code; a code newer than the table gives an unknown type of that code."""
    found = BY_CODE.get(code)
    return found if found is not None else Dtype(code, f"type{code}", f"type{code}", 0)
