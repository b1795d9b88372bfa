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
    assert short.replace("\u200c", "").replace("\u200d", "").isprintable()


def test_joined_emoji_stay_whole_and_what_turns_the_direction_of_text_shows() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert short_name(family) == family
    assert short_name("a\u202eb\nc") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


@pytest.mark.parametrize("name", ["186", "layer.7/output/add", "onnx::MatMul_12"])
def test_a_name_that_fits_stays_as_it_is(name: str) -> None:
    assert short_name(name) == name


def test_a_long_path_keeps_its_first_and_last_parts() -> None:
    assert short_name("encoder/layer.7/attention/self/query/MatMul", 24) == "encoder/…/query/MatMul"


def test_a_long_word_loses_its_middle() -> None:
    assert short_name("abcdefghijklmnopqrstuvwxyz", 11) == "abcde…vwxyz"


def test_one_use_is_not_plural() -> None:
    assert (uses_text(1), uses_text(24)) == ("1 use", "24 uses")
