"""Symbols of open dimensions, and the values that users give them.

Terms: a *symbol* is a dimension that is a name, such as ``batch``. A dimension may also be written as an *expression*
of symbols, such as ``2*batch + 1``, by exporters that trace sizes.

Steps: an expression is parsed as Python and taken to pieces: whole numbers, names, ``+ - * // %``, ``max``, ``min``,
small powers and parentheses; whatever else stands in it leaves it open. Nothing is ever evaluated as code.

Complexity: linear in the dimensions of the graph. Left out: solving an expression for its symbols.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping

from cutter_gui.core.graph import Graph

LARGEST = 2**31 - 1
"""The largest value that a symbol can be given."""

_LONGEST = 200  # characters of an expression that is looked at
_HIGHEST_POWER = 8
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"max": max, "min": min, "Max": max, "Min": min}


def symbols_of(graph: Graph, tensors: Iterable[int] | None = None) -> tuple[str, ...]:
    """Returns the symbols in the shapes of tensors, those of graph inputs first, each once.

    Args:
        graph: The graph.
        tensors: The tensors, besides the graph inputs; all of them unless given.
    """
    found: dict[str, None] = {}
    for tensor in (*graph.inputs.tolist(), *(range(graph.tensor_count) if tensors is None else tensors)):
        for dim in graph.tensor_shapes[tensor] or ():
            if isinstance(dim, str):
                found.update(dict.fromkeys(_names_in(dim)))
    return tuple(found)


def with_expressions(graph: Graph, symbols: Mapping[str, int]) -> dict[str, int]:
    """Returns values by dimension as it is written: those given, and those of expressions that follow from them."""
    values = dict(symbols)
    if not symbols:
        return values
    for dim in {dim for shape in graph.tensor_shapes for dim in shape or () if isinstance(dim, str)}:
        if dim not in values:
            value = _value(dim, symbols)
            if value is not None:
                values[dim] = value
    return values


def _parsed(dim: str) -> ast.expr | None:
    """Returns an expression that is more than a name, None for a plain symbol."""
    if dim.isidentifier() or len(dim) > _LONGEST:
        return None
    try:
        return ast.parse(dim.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _names_in(dim: str) -> list[str]:
    """Returns the symbols that a dimension is made of; a text that is no expression is one symbol."""
    tree = _parsed(dim)
    if tree is None:
        return [dim]
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    return sorted(set(names)) or [dim]


def _value(dim: str, symbols: Mapping[str, int]) -> int | None:
    """Returns what an expression comes to, None where that is open or no size."""
    tree = _parsed(dim)
    value = None if tree is None else _computed(tree, symbols)
    return value if value is not None and 0 <= value <= LARGEST else None


def _computed(tree: ast.expr, symbols: Mapping[str, int]) -> int | None:
    match tree:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return symbols.get(name)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            first, second = _computed(left, symbols), _computed(right, symbols)
            if first is None or second is None or (second == 0 and isinstance(sign, (ast.FloorDiv, ast.Mod))):
                return None
            return _OPERATORS[type(sign)](first, second)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if 0 <= power <= _HIGHEST_POWER:
            base = _computed(left, symbols)
            return None if base is None else int(base**power)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _computed(operand, symbols)
            return None if value is None else -value
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
            values = [_computed(argument, symbols) for argument in arguments]
            known = [value for value in values if value is not None]
            return _FUNCTIONS[name](known) if len(known) == len(values) else None
    return None
