"""A short corpus run: what ``make corpus`` does in full (see run.py)."""

from __future__ import annotations

import zlib

import pytest

from corpus.attempt import Outcome, attempt
from corpus.cases import Case, folder_cases, generated_cases, stored_cases

PLANS = 3
EVERY_STORED, EVERY_GENERATED = 12, 40


def _some(cases: list[Case], every: int) -> list[Case]:
    """Takes about one in ``every`` cases, always the same ones, whatever else the package comes to hold."""
    return [case for case in cases if zlib.crc32(case.name.encode()) % every == 0]


def _outcomes(cases: list[Case]) -> list[Outcome]:
    return [attempt(case, PLANS, seed=0) for case in cases]


def test_models_that_onnx_ships_are_split_and_give_every_bit() -> None:
    outcomes = _outcomes(_some(list(stored_cases()), EVERY_STORED))
    assert not [failure for outcome in outcomes for failure in outcome.failures]
    assert all(outcome.identical for outcome in outcomes if not outcome.refused)


def test_node_tests_that_onnx_generates_are_split_and_give_every_bit() -> None:
    outcomes = _outcomes(_some(list(generated_cases()), EVERY_GENERATED))
    assert not [failure for outcome in outcomes for failure in outcome.failures]
    assert sum(outcome.identical > 0 for outcome in outcomes) >= len(outcomes) // 2


def test_models_of_the_folder_named_for_the_corpus_are_split_and_give_every_bit() -> None:
    cases = list(folder_cases())
    if not cases:
        pytest.skip("CUTTER_GUI_CORPUS names no folder with models")
    outcomes = _outcomes(cases)
    assert not [failure for outcome in outcomes for failure in outcome.failures]
    assert any(outcome.identical for outcome in outcomes)
