"""How sizes and shapes are written for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.graph import Graph, Shape


def bytes_text(size: int | None) -> str:
    """Returns an IEC size such as ``16 MiB``; ``?`` where it is not known."""
    if size is None:
        return "?"
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1023.5 or unit == "TiB":  # what would round to 1024 belongs to the next unit
            break
        value /= 1024
    digits = f"{value:.0f}" if unit == "B" or value >= 100 else f"{value:.1f}".removesuffix(".0")
    return f"{digits} {unit}"


def shape_text(shape: Shape) -> str:
    """Returns ``8×512×1024``, symbols as they are, ``?`` for what is not known, ``scalar`` for rank 0.

    A sum of symbols is in parentheses: ``(past + 2)×7``.
    """
    if shape is None:
        return "?"
    if not shape:
        return "scalar"
    texts = ["?" if dim is None else str(dim) for dim in shape]
    return "×".join(map(factor_text, texts)) if len(texts) > 1 else texts[0]


def factor_text(dim: str) -> str:
    """Returns a dimension as it stands among factors: a sum of symbols in parentheses."""
    return f"({dim})" if " " in dim or "+" in dim[1:] or "-" in dim[1:] else dim


def type_text(graph: Graph, tensor: int) -> str:
    """Returns shape and short element type, such as ``8×512×1024 f32``."""
    return f"{shape_text(graph.tensor_shapes[tensor])} {dtype_of(int(graph.tensor_dtype[tensor])).short}"


def tensor_size_text(graph: Graph, tensor: int, symbols: Mapping[str, int] | None = None) -> str:
    """Returns the bytes of a tensor: ``16 MiB``, with symbols ``8·batch KiB``, or ``?``.

    Args:
        graph: The graph.
        tensor: The tensor.
        symbols: Values of symbols; those not given stay symbols.
    """
    values = dict(symbols or {})
    size = graph.tensor_bytes(tensor, values)
    if size is not None:
        return bytes_text(size)
    shape, bits = graph.tensor_shapes[tensor], dtype_of(int(graph.tensor_dtype[tensor])).bits
    if shape is None or not bits or any(dim is None for dim in shape):
        return "?"
    dims = [values.get(dim, dim) if isinstance(dim, str) else dim for dim in shape]
    elements = 1
    for dim in dims:
        if isinstance(dim, int):
            elements *= dim
    open_dims = [factor_text(dim) for dim in dims if isinstance(dim, str)]
    return symbolic_bytes_text((elements * bits + 7) // 8, open_dims)


def symbolic_bytes_text(size: int, symbols: Sequence[str]) -> str:
    """Returns a size that grows with symbols: ``8·batch KiB``."""
    number, unit = bytes_text(size).split(" ")
    return f"{'·'.join([number, *symbols])} {unit}"
