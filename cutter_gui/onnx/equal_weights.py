"""Weights that hold the same bytes under several names, as exporters leave them when they untie shared weights.

Such weights are written once per name; the user may want to tie them before splitting. Steps: group weights by type,
dims and length; within a group compare a digest of their bytes, of all of them up to 256 KiB, else of pages spread
evenly over the tensor, so that opening a model never reads its weights. Complexity: at most 256 KiB per weight that
shares type, dims and a first page with another. Left out: weights below 1 KiB, which are often equal by nature.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from onnx import TensorProto

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.units import bytes_text
from cutter_gui.onnx.external_files import ExternalFiles
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.weights import raw_bytes
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange

_WHOLE = 1 << 18
_PAGE = 4096
_SHOWN = 3


def equal_weights(model: OnnxModel) -> list[Diagnostic]:
    """Returns one finding per set of weights with equal bytes, largest first."""
    alike: defaultdict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    sources: dict[int, ByteRange | bytes] = {}
    files = ExternalFiles(model.path.parent)
    for position, tensor in enumerate(model.proto.graph.initializer):
        source = _source(model, position, tensor, files)
        length = source.length if isinstance(source, ByteRange) else len(source)
        if length >= INLINE_LIMIT:
            sources[position] = source
            alike[length, tensor.data_type, tuple(tensor.dims)].append(position)
    groups: list[tuple[int, list[int]]] = []
    with ExitStack() as stack:
        digests = _Digests(sources, stack)
        for (length, _, _), positions in alike.items():
            for same_start in digests.alike(positions, [0]):
                groups += [(length, same) for same in digests.alike(same_start, _pages(length))]
    return [_finding(model, length, same) for length, same in sorted(groups, reverse=True)]


def _source(model: OnnxModel, position: int, tensor: TensorProto, files: ExternalFiles) -> ByteRange | bytes:
    """Returns where a weight's bytes are; nothing where they are missing or wrong, which splitting reports."""
    try:
        entry = model.external[position]
        if entry is not None:
            return files.find(tensor, entry)
        return model.ranges.get(position) or raw_bytes(tensor) or b""
    except CutterError:
        return b""


def _pages(length: int) -> list[int]:
    """Returns the offsets of the pages to compare."""
    if length <= _WHOLE:
        return list(range(0, length, _PAGE))
    count = _WHOLE // _PAGE
    return [(length - _PAGE) * page // (count - 1) for page in range(count)]


class _Digests:
    """Digests of pages of weights; the file read last stays open, since most weights share one."""

    def __init__(self, sources: Mapping[int, ByteRange | bytes], stack: ExitStack) -> None:
        self._sources = sources
        self._stack = stack
        self._path: Path | None = None
        self._file: BinaryIO | None = None

    def alike(self, positions: list[int], pages: Sequence[int]) -> list[list[int]]:
        """Returns the sets of weights whose pages at these offsets are equal; weights that are alone are left out."""
        if len(positions) < 2:
            return []
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for position in positions:
            found[self._digest(self._sources[position], pages)].append(position)
        return [same for same in found.values() if len(same) > 1]

    def _digest(self, source: ByteRange | bytes, pages: Sequence[int]) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        if isinstance(source, bytes):
            for offset in pages:
                digest.update(source[offset : offset + _PAGE])
            return digest.digest()
        file = self._opened(source.path)
        for offset in pages:
            file.seek(source.offset + offset)
            digest.update(file.read(min(_PAGE, source.length - offset)))
        return digest.digest()

    def _opened(self, path: Path) -> BinaryIO:
        if self._file is None or path != self._path:
            self._stack.close()
            self._path = path
            self._file = self._stack.enter_context(path.open("rb", buffering=0))
        return self._file


def _finding(model: OnnxModel, length: int, positions: list[int]) -> Diagnostic:
    names = tuple(model.proto.graph.initializer[position].name for position in positions)
    shown = ", ".join(one_line(name, 80) for name in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    seen = "" if length <= _WHOLE else f" in the {bytes_text(_WHOLE)} of them that were compared"
    return Diagnostic(
        "equal-weights",
        Severity.INFO,
        f"{len(names)} weights of {bytes_text(length)} each hold the same bytes{seen}: {shown}; "
        "each is written by itself.",
        tensors=names,
    )
