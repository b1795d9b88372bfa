"""Sizes of several tensors together, as they are told."""

import pytest

from cutter_gui.gui.panels.sizes import size_text, total_text, valued_text
from strategies.small_graphs import small_graph

GRAPH = small_graph(
    "Neg x -> a",
    "Neg a -> b",
    "Neg b -> c",
    types={
        "x": ("float32", (256, 4)),
        "a": ("float32", ("n", 4)),
        "b": ("float32", ("n", "m + 1", 4)),
        "c": ("float32", None),
    },
)


@pytest.mark.parametrize(
    ("names", "symbols", "text"),
    [
        ("x", {}, "4 KiB"),
        ("xa", {}, "4 KiB + 16·n B"),
        ("aa", {}, "32·n B"),
        ("xa", {"n": 256}, "8 KiB"),
        ("ab", {}, "16·n B + 16·(m + 1)·n B"),
        ("ab", {"n": 2}, "32 B + 32·(m + 1) B"),
        ("xc", {}, "4 KiB + ?"),
        ("", {}, "0 B"),
    ],
)
def test_bytes_are_added_up_and_what_stays_open_is_kept_apart(names, symbols, text):
    assert total_text(GRAPH, [GRAPH.tensor_index[name] for name in names], symbols) == text


def test_with_values_both_are_told():
    a = GRAPH.tensor_index["a"]
    assert valued_text(GRAPH, [a], {"n": 64}) == "16·n B = 1 KiB"
    assert valued_text(GRAPH, [a], {}) == "16·n B"


@pytest.mark.parametrize(
    ("name", "symbols", "text"),
    [
        ("x", {"n": 2}, "4 KiB"),
        ("a", {}, "16·n B"),
        ("a", {"m": 5}, "16·n B"),
        ("a", {"n": 64}, "16·n B = 1 KiB"),
        ("b", {"n": 2}, "16·n·(m + 1) B = 32·(m + 1) B"),
        ("b", {"n": 2, "m + 1": 4}, "16·n·(m + 1) B = 128 B"),
        ("c", {"n": 2}, "?"),
    ],
)
def test_the_size_of_one_tensor_says_what_it_comes_to_with_values(name, symbols, text):
    assert size_text(GRAPH, GRAPH.tensor_index[name], symbols) == text
