"""The weight file of a stage, and the initializers that refer to it.

Each weight of a stage is one of: *inline* (small, or in an encoding that stays in the protobuf), a *range* of a file
that is copied by the system, or *bytes* that had to be decoded. Equal ranges under several names are written once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from onnx import TensorProto

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.real_path import real_path
from cutter_gui.onnx.byte_copy import copy_range, write_all
from cutter_gui.onnx.external_files import ExternalFiles
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.weights import inlined, raw_bytes, without_data
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange

_SMALL_ALIGNMENT = 64
_LARGE_ALIGNMENT = 4096
_LARGE = 1 << 20

_Key = TypeVar("_Key", bound=Hashable)

WeightSource: TypeAlias = "ByteRange | bytes | None"
"""Where a weight comes from; None when it stays inline."""


@dataclass(frozen=True)
class Placed:
    """Where a weight of a stage stands: ``length`` bytes at ``offset`` of ``location``, relative to the stage file."""

    location: str
    offset: int
    length: int


@dataclass(frozen=True)
class Weight:
    """One initializer as the source has it.

    Attributes:
        tensor: Its protobuf, maybe without data.
        source: Where its data comes from.
    """

    tensor: TensorProto
    source: WeightSource


def weight_of(model: OnnxModel, position: int, files: ExternalFiles) -> Weight:
    """Finds the data of an initializer.

    Args:
        model: The model.
        position: The initializer's position in the graph.
        files: The model's external data.

    Raises:
        CutterError: External data that is missing, cut short, or outside the model's folder.
    """
    tensor = model.proto.graph.initializer[position]
    span = model.ranges.get(position)
    entry = model.external[position]
    if entry is not None:
        span = files.find(tensor, entry)
        if span.length < INLINE_LIMIT:
            return Weight(inlined(tensor, span), None)
    if span is not None:
        return Weight(tensor, span)
    return Weight(tensor, raw_bytes(tensor))


def placed_tensor(weight: Weight, placed: Placed | None) -> TensorProto:
    """Returns the initializer as a stage has it: inline, or referring to its place."""
    if placed is None:
        return weight.tensor
    tensor = without_data(weight.tensor)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", placed.location), ("offset", placed.offset), ("length", placed.length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return tensor


def write_weights(path: Path, weights: Mapping[_Key, Weight], copied: Callable[[int], None]) -> dict[_Key, Placed]:
    """Writes the weight file of a stage; no file when all weights stay inline.

    Args:
        path: The file to write.
        weights: The stage's weights in order, by name or whatever else tells them apart.
        copied: Told the bytes written, as they are; may raise to stop.

    Returns:
        The place of every weight that is in the file.

    Raises:
        OSError: The file cannot be written.
        CutterError: A source file is too short.
    """
    outside = {name: weight for name, weight in weights.items() if weight.source is not None}
    if not outside:
        return {}
    placed: dict[_Key, Placed] = {}
    written: dict[ByteRange, Placed] = {}
    with ExitStack() as stack:
        target = stack.enter_context(path.open("wb", buffering=0))
        sources: dict[Path, int] = {}
        end = 0
        for name, weight in outside.items():
            source = weight.source
            if isinstance(source, ByteRange) and source in written:
                placed[name] = written[source]
                continue
            length = source.length if isinstance(source, ByteRange) else len(source or b"")
            offset = _aligned(end, length)
            # Writing past the end leaves a hole; setting the length first would make the file system write out a page.
            target.seek(offset)
            end = offset + length
            place = placed[name] = Placed(path.name, offset, length)
            if isinstance(source, ByteRange):
                if source.path not in sources:
                    sources[source.path] = stack.enter_context(source.path.open("rb", buffering=0)).fileno()
                copy_range(source, sources[source.path], target, copied)
                written[source] = place
            elif source is not None:
                write_all(source, target.fileno())
                copied(length)
        if target.seek(0, os.SEEK_END) < end:
            target.truncate(end)  # the last weight has no bytes
    return placed


def _aligned(position: int, length: int) -> int:
    """Large weights start at a page, so that runtimes can map them; small ones at a cache line."""
    step = _LARGE_ALIGNMENT if length >= _LARGE else _SMALL_ALIGNMENT
    return -(-position // step) * step


def share_weights(out: Path, weights: Mapping[_Key, Weight]) -> dict[_Key, Placed]:
    """Returns the places of weights in the source's own files, seen from the output folder.

    Raises:
        CutterError: The output folder is not the data file's folder or an ancestor of it, so no relative path that
            ONNX allows leads there.
    """
    placed = {}
    base = real_path(out)
    locations: dict[Path, str] = {}
    for name, weight in weights.items():
        if not isinstance(weight.source, ByteRange):
            continue
        path = weight.source.path
        if path not in locations:
            locations[path] = _location(real_path(path), base, out)
        placed[name] = Placed(locations[path], weight.source.offset, weight.source.length)
    return placed


def _location(file: Path, base: Path, out: Path) -> str:
    if not file.is_relative_to(base):
        raise CutterError(
            "weights can only be shared with stages in the data file's folder or one above it",
            one_line(str(out)),
            f"write into {one_line(str(file.parent))}, or copy the weights",
        )
    return file.relative_to(base).as_posix()
