"""Four stages of the sample by each of the ways of cutting by hand, with few uses and a valid plan after each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cutter_gui.core import Graph, Plan, assign_stages, diagnose
from cutter_gui.core.assign import assign_nodes
from cutter_gui.core.knife import KnifeCut, knife
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.repeat import places_like, repeat
from cutter_gui.core.spec import read_spec
from cutter_gui.core.start_stage import cut_after, cut_before
from cutter_gui.onnx.load import load_graph
from cutter_gui.resource_files import resource

LAYER_ENDS = ("186", "308", "430")


@cache
def sample() -> Graph:
    return load_graph(Path(resource("models", "bert_small.onnx")))


def node(tensor: str) -> int:
    return int(sample().tensor_producer[sample().tensor_index[tensor]])


def after(plan: Plan, tensor: str) -> Proposal | Refusal:
    return cut_after(sample(), plan, node(tensor))


def before(plan: Plan, tensor: str) -> Proposal | Refusal:
    return cut_before(sample(), plan, int(sample().consumers(sample().tensor_index[tensor])[0]))


def by_knife(plan: Plan, tensor: str) -> Proposal | Refusal:
    """A line just across the edges that the last node of a layer feeds, which misses the mask."""
    found = knife(sample(), plan, sample().edges_of(sample().tensor_index[tensor]))
    return found.proposal if isinstance(found, KnifeCut) else found


def by_number(plan: Plan, tensor: str) -> Proposal | Refusal:
    readers = sample().consumers(sample().tensor_index[tensor]).tolist()
    return assign_nodes(sample(), plan, dict.fromkeys(readers, plan.stage_count))


@pytest.mark.parametrize("way", [after, before, by_knife, by_number])
def test_three_uses_make_four_valid_stages(way: Callable[[Plan, str], Proposal | Refusal]):
    plan = Plan()
    for count, tensor in enumerate(LAYER_ENDS, start=2):
        found = way(plan, tensor)
        assert isinstance(found, Proposal), found
        assert found.plan.stage_count == count
        assert not [finding for finding in diagnose(found.staging) if finding.is_error]
        plan = found.plan
    assert all(np.bincount(assign_stages(sample(), plan).node_stage[~sample().node_constant]))


def test_cuts_after_two_layers_are_the_cuts_that_come_with_the_sample():
    plan = Plan()
    for tensor in LAYER_ENDS[:2]:
        found = after(plan, tensor)
        assert isinstance(found, Proposal)
        plan = found.plan
    known = assign_stages(sample(), read_spec(Path(resource("models", "bert_small.cuts.yaml"))).plan)
    assert np.array_equal(assign_stages(sample(), plan).node_stage, known.node_stage)
    for cut in range(2):
        listed = [set(staging.listings.edge[staging.listings.cut == cut]) for staging in (known, found.staging)]
        assert listed[0] == listed[1]


def test_one_cut_and_its_repetition_make_all_layers_stages():
    found = after(Plan(), LAYER_ENDS[0])
    assert isinstance(found, Proposal)
    places = places_like(found.staging, 0)
    assert sample().consumer_name(places[0].node) == LAYER_ENDS[1]
    assert all(place.likeness < places[0].likeness for place in places[1:])
    repeated = repeat(sample(), found.plan, places[:1])
    assert isinstance(repeated, Proposal)
    assert repeated.plan.stage_count == 3
    assert not [finding for finding in diagnose(repeated.staging) if finding.is_error]
