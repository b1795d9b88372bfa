"""Proposals on encoders: they are found, and the work for them grows with the number of layers and no faster."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from cutter_gui.core.proposal import Proposal
from strategies.executed_work import bytecodes
from strategies.gestures import GESTURES, CutEncoder, cut_encoder, places_alike

SMALL, LARGE = 20, 160

encoder = cache(cut_encoder)


@pytest.mark.parametrize("gesture", GESTURES)
def test_a_gesture_is_answered_by_a_plan_that_can_be_taken(gesture: Callable[[CutEncoder], Proposal]):
    proposal = gesture(encoder(LARGE))
    assert proposal.staging.is_valid
    assert proposal.plan != encoder(LARGE).plan


@pytest.mark.parametrize("gesture", [*GESTURES, places_alike])
def test_the_work_for_a_gesture_grows_with_the_graph_and_not_faster(gesture: Callable[[CutEncoder], object]):
    encoders = encoder(SMALL), encoder(LARGE)
    for of in encoders:
        gesture(of)  # what is made once is no part of it
    counts = [bytecodes(lambda of=of: gesture(of)) for of in encoders]
    assert counts[1] < 1.15 * LARGE / SMALL * counts[0]


def test_places_that_look_alike_are_found_in_most_layers():
    assert places_alike(encoder(LARGE)) > LARGE // 2
