"""Reading an ONNX file without its weights.

A model file is one protobuf message (protobuf encoding guide, "Message structure"; field numbers from onnx.proto).
Weights stored in it are long runs of bytes inside ``graph.initializer[i].raw_data``. `read_skeleton` walks the fields,
copies everything but those runs and notes where they stand, so a model of any size, also above protobuf's 2 GiB, is
opened in the memory its graph needs, and weights can later go from file to file.

Steps: walk the fields of the model, of its graph, and of each large initializer; keep the bytes between the runs; put
them together under new length prefixes. Complexity: linear in fields, not in bytes. Left out: weights inside node
attributes, which stay where they are.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cutter_gui.core.errors import CutterError, one_line

INLINE_LIMIT = 1024
"""Weights below this many bytes stay in the protobuf (DESIGN, section 4)."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_MODEL_GRAPH = 7
_GRAPH_INITIALIZER = 5
_TENSOR_FLOAT_DATA, _TENSOR_RAW_DATA, _TENSOR_DOUBLE_DATA = 4, 9, 10
_MALFORMED = "the file is not an ONNX model, or it is damaged"


@dataclass(frozen=True)
class ByteRange:
    """Bytes of a file: ``length`` bytes from ``offset``."""

    path: Path
    offset: int
    length: int


@dataclass(frozen=True)
class Skeleton:
    """A model without the weights that stand in its file.

    Attributes:
        data: The serialized ModelProto; the initializers in ``ranges`` have no data.
        ranges: Where the bytes of an initializer stand, by its position in ``graph.initializer``. They are the
            tensor's elements in order, little-endian, as ``raw_data`` would hold them.
    """

    data: bytes
    ranges: dict[int, ByteRange]


class _Malformed(Exception):
    pass


def read_skeleton(path: Path) -> Skeleton:
    """Reads a model file, leaving large weights where they are.

    Raises:
        CutterError: The file is missing, unreadable, empty or no ONNX model.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ValueError("it is no regular file")  # a pipe would be waited for
        with path.open("rb") as file:
            if not file.seek(0, 2):
                raise CutterError("the model file is empty", str(path), "give an ONNX file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
                return _skeleton(view, path)
    except _Malformed:
        raise CutterError(_MALFORMED, str(path), "export it again, or give another file") from None
    except FileNotFoundError:
        raise CutterError("the model file does not exist", str(path), "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CutterError(f"the model file cannot be read: {one_line(reason)}", str(path), "check the file") from None


def _skeleton(view: memoryview, path: Path) -> Skeleton:
    ranges: dict[int, ByteRange] = {}
    pieces: list[bytes] = []
    count = 0
    kept = 0
    for field, wire, start, begin, end in _fields(view, 0, len(view)):
        if field != _MODEL_GRAPH or wire != _LENGTH:
            continue
        pieces.append(bytes(view[kept:start]))
        graph, count = _graph(view, begin, end, path, ranges, count)
        pieces.append(_prefixed(_MODEL_GRAPH, graph))
        kept = end
    pieces.append(bytes(view[kept:]))
    return Skeleton(b"".join(pieces), ranges)


def _graph(
    view: memoryview, begin: int, end: int, path: Path, ranges: dict[int, ByteRange], count: int
) -> tuple[bytes, int]:
    """Returns the graph's bytes without large weights, and the number of initializers so far."""
    pieces: list[bytes] = []
    kept = begin
    for field, wire, start, inner, stop in _fields(view, begin, end):
        if field != _GRAPH_INITIALIZER or wire != _LENGTH:
            continue
        if stop - inner >= INLINE_LIMIT:
            run = _weight_run(view, inner, stop)
            if run is not None:
                run_start, first, last = run
                pieces.append(bytes(view[kept:start]))
                pieces.append(_prefixed(_GRAPH_INITIALIZER, bytes(view[inner:run_start]) + bytes(view[last:stop])))
                ranges[count] = ByteRange(path, first, last - first)
                kept = stop
        count += 1
    pieces.append(bytes(view[kept:end]))
    return b"".join(pieces), count


def _weight_run(view: memoryview, begin: int, end: int) -> tuple[int, int, int] | None:
    """Returns (start of the field, first byte, last byte + 1) of a tensor's one run of weight bytes, if it has one.

    Packed ``float_data`` and ``double_data`` are the same little-endian bytes as ``raw_data``; float_data of a
    complex tensor holds pairs, likewise in order. A tensor whose data comes in several pieces is left alone.
    """
    found: tuple[int, int, int] | None = None
    for field, wire, start, inner, stop in _fields(view, begin, end):
        if field in (_TENSOR_FLOAT_DATA, _TENSOR_RAW_DATA, _TENSOR_DOUBLE_DATA):
            if found is not None or wire != _LENGTH:
                return None
            found = (start, inner, stop)
    if found is None or found[2] - found[1] < INLINE_LIMIT:
        return None
    return found


def _fields(view: memoryview, begin: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Yields (field number, wire type, start of the tag, start of the value, end of the value)."""
    position = begin
    while position < end:
        start = position
        tag, position = _varint(view, position, end)
        field, wire = tag >> 3, tag & 7
        if field == 0:
            raise _Malformed
        if wire == _LENGTH:
            length, position = _varint(view, position, end)
            stop = position + length
        elif wire == _VARINT:
            _, stop = _varint(view, position, end)
        elif wire == _FIXED32:
            stop = position + 4
        elif wire == _FIXED64:
            stop = position + 8
        else:
            raise _Malformed
        if stop > end:
            raise _Malformed
        yield field, wire, start, position, stop
        position = stop


def _varint(view: memoryview, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while position < end and shift < 70:
        byte = view[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise _Malformed


def _prefixed(field: int, payload: bytes) -> bytes:
    return _encode_varint(field << 3 | _LENGTH) + _encode_varint(len(payload)) + payload


def _encode_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
