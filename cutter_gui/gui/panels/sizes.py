"""Counts, and sizes of several tensors together, with what is symbolic or not known kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from PySide6.QtCore import QCoreApplication

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.graph import Graph
from cutter_gui.core.units import bytes_text, factor_text, symbolic_bytes_text, tensor_size_text


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPanel", text)


def count_text(one: str, many: str, count: int) -> str:
    """Returns the text for one, or that for many with their number."""
    return one if count == 1 else many.format(count)


def nodes_text(count: int) -> str:
    return count_text(_tr("1 node"), _tr("{} nodes"), count)


def tensors_text(count: int) -> str:
    return count_text(_tr("1 tensor"), _tr("{} tensors"), count)


def parameter_count(graph: Graph, weights: Iterable[int]) -> int | None:
    """Returns the elements of weights together; None when a shape is not known."""
    total = 0
    for tensor in weights:
        shape = graph.tensor_shapes[tensor]
        if shape is None or not all(isinstance(dim, int) for dim in shape):
            return None
        total += int(np.prod([dim for dim in shape if isinstance(dim, int)], dtype=np.int64))
    return total


def total_text(graph: Graph, tensors: Iterable[int], symbols: Mapping[str, int] | None = None) -> str:
    """Returns the bytes of tensors together: ``16 MiB``, ``16 MiB + 8·batch KiB``, ``16 MiB + ?``.

    Args:
        graph: The graph.
        tensors: The tensors; one that is there twice counts twice.
        symbols: Values of symbols; those not given stay symbols.
    """
    values = dict(symbols or {})
    known = 0
    symbolic: Counter[tuple[str, ...]] = Counter()
    unknown = False
    for tensor in tensors:
        size = graph.tensor_bytes(tensor, values)
        if size is not None:
            known += size
            continue
        shape, bits = graph.tensor_shapes[tensor], dtype_of(int(graph.tensor_dtype[tensor])).bits
        if shape is None or not bits or any(dim is None for dim in shape):
            unknown = True
            continue
        elements = 1
        open_dims = []
        for dim in shape:
            size_of_dim = values.get(dim) if isinstance(dim, str) else dim
            if size_of_dim is None:
                open_dims.append(factor_text(str(dim)))
            else:
                elements *= size_of_dim
        symbolic[tuple(sorted(open_dims))] += (elements * bits + 7) // 8
    terms = [bytes_text(known)] if known or not (symbolic or unknown) else []
    terms += [symbolic_bytes_text(size, symbols) for symbols, size in symbolic.items()]
    return " + ".join([*terms, "?"] if unknown else terms)


def size_text(graph: Graph, tensor: int, symbols: Mapping[str, int]) -> str:
    """Returns the bytes of a tensor, and what they come to with values: ``8·batch KiB = 64 KiB``."""
    written, valued = tensor_size_text(graph, tensor), tensor_size_text(graph, tensor, symbols)
    return written if valued == written else f"{written} = {valued}"


def valued_text(graph: Graph, tensors: Iterable[int], symbols: Mapping[str, int]) -> str:
    """Returns the bytes of tensors together, and what they come to with values: ``8·batch KiB = 64 KiB``."""
    listed = tuple(tensors)
    written, valued = total_text(graph, listed), total_text(graph, listed, symbols)
    return written if valued == written else f"{written} = {valued}"
