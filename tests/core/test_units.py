"""Sizes, shapes and types as people read them."""

import pytest

from cutter_gui.core.units import bytes_text, shape_text, tensor_size_text, type_text
from strategies.small_graphs import small_graph


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "?"),
        (0, "0 B"),
        (1000, "1000 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (16 * 2**20, "16 MiB"),
        (1_340_000_000, "1.2 GiB"),
        (5 * 2**40, "5 TiB"),
        (2**60, "1048576 TiB"),
    ],
)
def test_bytes_are_written_in_the_unit_that_fits(size, text):
    assert bytes_text(size) == text


@pytest.mark.parametrize("size", [2**20 - 1, 2**20 - 500, 2**30 - 1])
def test_a_size_just_below_a_unit_is_not_written_as_1024_of_the_smaller_one(size):
    assert bytes_text(size) in ("1 MiB", "1 GiB")


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (("past + 2", 7), "(past + 2)×7"),
        (("past + 2",), "past + 2"),
        (("2*s0", 7), "2*s0×7"),
        (None, "?"),
        ((), "scalar"),
        ((8, 512, 1024), "8×512×1024"),
        (("batch", None, 0), "batch×?×0"),
    ],
)
def test_shapes_are_written_with_symbols_and_question_marks(shape, text):
    assert shape_text(shape) == text


def test_a_type_is_its_shape_and_its_short_element_type():
    graph = small_graph("Neg x -> a", types={"x": ("int64", ("n", 4)), "a": ("unknown", None)})
    assert [type_text(graph, tensor) for tensor in range(2)] == ["n×4 i64", "? ?"]


@pytest.mark.parametrize(
    ("dtype", "shape", "text"),
    [
        ("float32", (2, 512), "4 KiB"),
        ("float32", ("batch", 2048), "8·batch KiB"),
        ("float32", ("a", "b"), "4·a·b B"),
        ("float32", ("a + 2", "b"), "4·(a + 2)·b B"),
        ("float32", (None, 4), "?"),
        ("float32", None, "?"),
        ("string", (4,), "?"),
        ("int4", (3,), "2 B"),
        ("float32", (0, 4), "0 B"),
    ],
)
def test_the_size_of_a_tensor_keeps_its_symbols(dtype, shape, text):
    graph = small_graph("Neg x -> a", types={"x": (dtype, shape)})
    assert tensor_size_text(graph, 0) == text
