"""Sizes of several tensors together, with what is symbolic or not known kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.graph import Graph
from cutter_gui.core.units import bytes_text


def total_text(graph: Graph, tensors: Iterable[int]) -> str:
    """Returns the bytes of tensors together: ``16 MiB``, ``16 MiB + 8 KiB·batch``, ``16 MiB + ?``."""
    known = 0
    symbolic: Counter[tuple[str, ...]] = Counter()
    unknown = False
    for tensor in tensors:
        size = graph.tensor_bytes(tensor)
        if size is not None:
            known += size
            continue
        shape, bits = graph.tensor_shapes[tensor], dtype_of(int(graph.tensor_dtype[tensor])).bits
        if shape is None or not bits or any(dim is None for dim in shape):
            unknown = True
            continue
        elements = 1
        for dim in shape:
            elements *= dim if isinstance(dim, int) else 1
        symbolic[tuple(sorted(dim for dim in shape if isinstance(dim, str)))] += (elements * bits + 7) // 8
    terms = [bytes_text(known)] if known or not (symbolic or unknown) else []
    terms += ["·".join([bytes_text(size), *symbols]) for symbols, size in symbolic.items()]
    return " + ".join([*terms, "?"] if unknown else terms)
