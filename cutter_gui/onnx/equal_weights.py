"""Weights that hold the same bytes under several names, as exporters leave them when they untie shared weights.

Such weights are written once per name; the user may want to tie them before splitting. Steps: group weights by type,
dims and length; within a group compare a digest of their bytes, of all of them up to 256 KiB, else of pages spread
evenly over the tensor, so that opening a model never reads its weights. Complexity: at most 256 KiB per weight that
shares type, dims and a first page with another. Left out: weights below 1 KiB, which are often equal by nature.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.units import bytes_text
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.weights import external_entry, raw_bytes, resolve_external
from cutter_gui.onnx.wire import INLINE_LIMIT, ByteRange

_WHOLE = 1 << 18
_PAGE = 4096
_SHOWN = 3


def equal_weights(model: OnnxModel) -> list[Diagnostic]:
    """Returns one finding per set of weights with equal bytes, largest first."""
    alike: defaultdict[tuple[int, int, tuple[int, ...]], list[int]] = defaultdict(list)
    sources: dict[int, ByteRange | bytes] = {}
    for position, tensor in enumerate(model.proto.graph.initializer):
        source = _source(model, position)
        length = source.length if isinstance(source, ByteRange) else len(source)
        if length >= INLINE_LIMIT:
            sources[position] = source
            alike[length, tensor.data_type, tuple(tensor.dims)].append(position)
    groups: list[tuple[int, list[int]]] = []
    for (length, _, _), positions in alike.items():
        for same_start in _by_digest(positions, sources, [0]):
            pages = _pages(length)
            groups += [(length, same) for same in _by_digest(same_start, sources, pages)]
    return [_finding(model, length, same) for length, same in sorted(groups, reverse=True)]


def _source(model: OnnxModel, position: int) -> ByteRange | bytes:
    """Returns where a weight's bytes are; nothing where they are missing or wrong, which splitting reports."""
    tensor = model.proto.graph.initializer[position]
    try:
        entry = external_entry(tensor)
        if entry is not None:
            return resolve_external(tensor, entry, model.path.parent)
        return model.ranges.get(position) or raw_bytes(tensor) or b""
    except CutterError:
        return b""


def _pages(length: int) -> list[int]:
    """Returns the offsets of the pages to compare."""
    if length <= _WHOLE:
        return list(range(0, length, _PAGE))
    count = _WHOLE // _PAGE
    return [(length - _PAGE) * page // (count - 1) for page in range(count)]


def _by_digest(
    positions: list[int], sources: dict[int, ByteRange | bytes], pages: Iterable[int]
) -> Iterable[list[int]]:
    """Splits weights by the digest of some of their pages; weights that are alone are left out."""
    if len(positions) < 2:
        return
    found: defaultdict[bytes, list[int]] = defaultdict(list)
    offsets = list(pages)
    for position in positions:
        found[_digest(sources[position], offsets)].append(position)
    yield from (same for same in found.values() if len(same) > 1)


def _digest(source: ByteRange | bytes, offsets: list[int]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(source, bytes):
        for offset in offsets:
            digest.update(source[offset : offset + _PAGE])
        return digest.digest()
    with source.path.open("rb", buffering=0) as file:
        for offset in offsets:
            file.seek(source.offset + offset)
            digest.update(file.read(min(_PAGE, source.length - offset)))
    return digest.digest()


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
