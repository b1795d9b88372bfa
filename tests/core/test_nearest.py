"""Did you mean: the nearest of many names."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core.nearest import CANDIDATES, LIKENESS, NearestName

LAYERS = [f"/encoder/layer.{i}/{part}/MatMul_output_0" for i in range(12) for part in ("attention", "output")]


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("/encoder/layer.3/atention/MatMul_output_0", "/encoder/layer.3/attention/MatMul_output_0"),
        ("/bert/encoder/layer.11/output/MatMul_output_0", "/encoder/layer.11/output/MatMul_output_0"),
        ("/ENCODER/layer.7/output/MatMul_output_0", "/encoder/layer.7/output/MatMul_output_0"),
        ("/encoder/layer.5/output/MatMul_output_0", "/encoder/layer.5/output/MatMul_output_0"),
    ],
)
def test_a_name_slightly_off_finds_the_one_that_was_meant(asked, nearest):
    assert LAYERS[NearestName(LAYERS).find(asked)] == nearest


@pytest.mark.parametrize("asked", ["zzz", "", "186"])
def test_a_name_like_none_finds_none(asked):
    assert NearestName(LAYERS).find(asked) is None


def test_there_is_no_nearest_of_no_names():
    assert NearestName([]).find("a") is None


def test_of_equally_near_names_the_first_is_taken():
    assert NearestName(["185", "187", "188"]).find("186") == 0


def test_very_long_names_and_names_of_any_characters_can_be_compared():
    names = ["a" * 100_000 + "b", "日本語", "x\ny", "\ud800"]
    assert [NearestName(names).find(name) for name in ("a" * 99_000 + "b", "日本", "x\nz", "\ud800")] == [0, 1, 2, 3]


@given(st.lists(st.text("abc1", min_size=1, max_size=8), max_size=CANDIDATES), st.text("abc1", min_size=1, max_size=8))
def test_the_name_found_is_as_like_as_the_likest(names, asked):
    found = NearestName(names).find(asked)
    ratios = [SequenceMatcher(None, name, asked, autojunk=False).ratio() for name in names]
    best = max(ratios, default=0.0)
    if best < LIKENESS:
        assert found is None
    else:
        assert found == ratios.index(best)
