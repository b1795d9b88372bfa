from __future__ import annotations

import pytest
import sympy

from cutter_gui.fx.symbols import size_text

S = sympy.Symbol("s0", positive=True, integer=True)
T = sympy.Symbol("u1", integer=True)


@pytest.mark.parametrize(
    ("expression", "text"),
    [(S, "s0"), (S**2, "s0**2"), (12 * S, "12*s0"), (S + 1, "s0 + 1"), (2 * (S + T), "2*s0 + 2*u1"), (S * T, "s0*u1")],
)
def test_an_expression_reads_as_sympy_shows_it(expression: sympy.Expr, text: str) -> None:
    assert size_text(sympy.srepr(expression)) == text == str(expression)


def test_a_sum_within_a_product_is_bracketed() -> None:
    assert size_text("Mul(Integer(2), Add(Symbol('a'), Integer(1)))") == "2*(a + 1)"


def test_integer_division_and_other_functions() -> None:
    assert size_text("FloorDiv(Add(Symbol('a'), Integer(1)), Integer(2))") == "(a + 1)//2"
    assert size_text("Max(Symbol('a'), Integer(4))") == "Max(a, 4)"


def test_a_number_is_an_integer() -> None:
    assert size_text("Integer(7)") == 7


@pytest.mark.parametrize("text", ["", "((", "__import__('os').system('true')", "lambda: 1", "a if b else c"])
def test_other_text_is_kept_and_never_run(text: str) -> None:
    assert size_text(text) == text
