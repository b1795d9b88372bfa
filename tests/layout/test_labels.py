"""Short names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.layout.labels import short_name, uses_text


@given(st.text(max_size=120), st.integers(8, 40))
def test_a_short_name_fits_and_can_be_printed(name: str, limit: int) -> None:
    short = short_name(name, limit)
    assert len(short) <= limit
    assert short.isprintable()


@pytest.mark.parametrize("name", ["186", "layer.7/output/add", "onnx::MatMul_12"])
def test_a_name_that_fits_stays_as_it_is(name: str) -> None:
    assert short_name(name) == name


def test_a_long_path_keeps_its_first_and_last_parts() -> None:
    assert short_name("encoder/layer.7/attention/self/query/MatMul", 24) == "encoder/…/query/MatMul"


def test_a_long_word_loses_its_middle() -> None:
    assert short_name("abcdefghijklmnopqrstuvwxyz", 11) == "abcde…vwxyz"


def test_one_use_is_not_plural() -> None:
    assert (uses_text(1), uses_text(24)) == ("1 use", "24 uses")
