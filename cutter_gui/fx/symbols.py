"""Symbolic sizes as text.

A ``.pt2`` writes a size as the text of a sympy expression, ``Pow(Symbol('s31', positive=True), Integer(2))``; people
know it as ``s31**2``. The text is parsed as Python syntax and never evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cutter_gui.core.errors import one_line

_LOOSE, _SUM, _PRODUCT, _TIGHT = range(4)
_NUMBERS = ("Integer", "Float", "Rational")


def size_text(expression: str) -> str | int:
    """Returns a size as an integer, where it is one, or as text; text that is no known expression stays as it is."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
        text, _ = _text(tree)
    except (SyntaxError, ValueError, MemoryError, RecursionError, _NotKnown):
        return one_line(expression, 80)
    return int(text) if text.lstrip("-").isdigit() else text


class _NotKnown(Exception):
    """A piece of syntax that sizes do not have."""


def _text(node: ast.expr) -> tuple[str, int]:
    """Returns an expression's text and how tightly its outermost operator binds."""
    if isinstance(node, ast.Constant):
        return str(node.value), _TIGHT
    if isinstance(node, ast.Name):
        return node.id, _TIGHT
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"-{_within(node.operand, _TIGHT)}", _SUM
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node.args)
    raise _NotKnown


def _call(name: str, arguments: Sequence[ast.expr]) -> tuple[str, int]:
    if name == "Symbol" and arguments and isinstance(arguments[0], ast.Constant):
        return str(arguments[0].value), _TIGHT
    if name in _NUMBERS:
        text = "/".join(_text(argument)[0] for argument in arguments)
        return text, _PRODUCT if len(arguments) > 1 or text.startswith("-") else _TIGHT
    if name == "Add":
        return " + ".join(_within(argument, _SUM) for argument in arguments), _SUM
    if name == "Mul":
        return "*".join(_within(argument, _PRODUCT) for argument in arguments), _PRODUCT
    if name == "Pow" and len(arguments) == 2:
        return f"{_within(arguments[0], _TIGHT)}**{_within(arguments[1], _TIGHT)}", _PRODUCT
    operators = {"FloorDiv": "//", "PythonMod": "%", "Mod": "%", "IntTrueDiv": "/"}
    if name in operators and len(arguments) == 2:
        return operators[name].join(_within(argument, _TIGHT) for argument in arguments), _PRODUCT
    return f"{name}({', '.join(_text(argument)[0] for argument in arguments)})", _TIGHT


def _within(node: ast.expr, needed: int) -> str:
    text, binding = _text(node)
    return text if binding >= needed else f"({text})"
