"""Element types of torch in the core's codes (`cutter_gui.core.dtypes`)."""

from __future__ import annotations

from cutter_gui.core.dtypes import OPAQUE

# torch's schema of .pt2 (torch/_export/serde/schema.py, ScalarType) numbers the types; the keys are its numbers.
BY_SCHEMA_NUMBER: dict[int, int] = {
    1: 2,  # uint8
    2: 3,  # int8
    3: 5,  # int16
    4: 6,  # int32
    5: 7,  # int64
    6: 10,  # float16
    7: 1,  # float32
    8: 11,  # float64
    9: OPAQUE,  # complex32, which ONNX has no number for
    10: 14,  # complex64
    11: 15,  # complex128
    12: 9,  # bool
    13: 16,  # bfloat16
    28: 4,  # uint16
    29: 17,  # float8_e4m3fn
    30: 19,  # float8_e5m2
    31: 18,  # float8_e4m3fnuz
    32: 20,  # float8_e5m2fnuz
    33: 24,  # float8_e8m0fnu
    34: 12,  # uint32
    35: 13,  # uint64
}

BY_TORCH_NAME: dict[str, int] = {
    "uint8": 2,
    "int8": 3,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "float16": 10,
    "float32": 1,
    "float64": 11,
    "complex64": 14,
    "complex128": 15,
    "bool": 9,
    "bfloat16": 16,
    "uint16": 4,
    "float8_e4m3fn": 17,
    "float8_e5m2": 19,
    "float8_e4m3fnuz": 18,
    "float8_e5m2fnuz": 20,
    "float8_e8m0fnu": 24,
    "uint32": 12,
    "uint64": 13,
    "quint8": 2,
    "qint8": 3,
    "qint32": 6,
}

TORCH_NAMES: dict[int, str] = {}
for _name, _code in BY_TORCH_NAME.items():
    TORCH_NAMES.setdefault(_code, _name)

COMPLEX32_BYTES = 4
