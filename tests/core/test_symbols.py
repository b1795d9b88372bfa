"""Symbols of open dimensions, and their values."""

import pytest

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.symbols import symbols_of, with_expressions


def graph_with(*shapes):
    builder = GraphBuilder("test")
    builder.add_input("x")
    before = "x"
    for at in range(len(shapes) - 1):
        builder.add_node("Neg", [before], [f"t{at}"])
        before = f"t{at}"
    builder.add_output(before)
    for name, shape in zip(["x", *(f"t{at}" for at in range(len(shapes)))], shapes, strict=False):
        builder.set_type(name, 1, shape)
    return builder.build()


def test_symbols_of_inputs_come_first_and_each_once():
    graph = graph_with(("batch", 4), ("rows", "batch"), ("2*batch + max(cols, 1)",))
    assert symbols_of(graph) == ("batch", "rows", "cols")
    assert symbols_of(graph, [graph.tensor_index["t0"]]) == ("batch", "rows")


def test_a_text_that_is_no_expression_is_a_symbol_of_its_own():
    assert symbols_of(graph_with(("past len", "a:b"))) == ("past len", "a:b")


@pytest.mark.parametrize(
    ("dim", "value"),
    [
        ("2*n", 14),
        ("n - 1", 6),
        ("(n + 1)//2*3", 12),
        ("n % 4", 3),
        ("max(n, 9)", 9),
        ("Min(n, 9)", 7),
        ("-n", None),
        ("n - 8", None),
        ("n // 0", None),
        ("n*m", None),
        ("n**2 + 1", 50),
        ("n**n", None),
        ("n**999999999", None),
        ("(" * 150 + "n" + ")" * 150, None),
        ("__import__('os')", None),
        ("n.real", None),
        ("n*" * 300 + "n", None),
    ],
)
def test_expressions_follow_from_the_values_given(dim, value):
    graph = graph_with(("n", dim))
    assert with_expressions(graph, {"n": 7}).get(dim) == value


def test_a_value_given_for_an_expression_itself_counts_before_what_follows():
    assert with_expressions(graph_with(("n", "2*n")), {"n": 7, "2*n": 5}) == {"n": 7, "2*n": 5}
    assert with_expressions(graph_with(("n", "2*n")), {}) == {}
