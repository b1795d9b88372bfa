"""The same cut again, wherever the graph looks the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core import Graph, Plan, assign_stages, diagnose
from cutter_gui.core.groups import find_groups
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.repeat import IN_EQUAL_GROUPS, places_like, repeat
from cutter_gui.core.start_stage import cut_after, cut_before
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan
from strategies.transformers import transformer


def node(graph: Graph, tensor: str) -> int:
    return int(graph.tensor_producer[graph.tensor_index[tensor]])


def leads(graph: Graph, found) -> list[str]:
    return [graph.consumer_name(place.node) or "" for place in found]


def plan_at(graph: Graph, tensor: str) -> Plan:
    found = cut_after(graph, Plan(), node(graph, tensor))
    assert isinstance(found, Proposal)
    return found.plan


def test_after_one_layer_is_like_after_every_other_layer():
    graph = transformer(12)
    staging = assign_stages(graph, plan_at(graph, "layer5/out"))
    found = places_like(staging, 0)
    assert sorted(leads(graph, found)) == sorted(f"layer{i}/out" for i in range(11) if i != 5)
    assert [place.likeness for place in found] == sorted((place.likeness for place in found), reverse=True)


def test_every_place_ticked_gets_one_cut():
    graph = transformer(12)
    plan = plan_at(graph, "layer2/out")
    found = places_like(assign_stages(graph, plan), 0)
    ticked = [place for place in found if leads(graph, [place])[0] in ("layer5/out", "layer8/out")]
    made = repeat(graph, plan, ticked)
    assert isinstance(made, Proposal)
    assert made.staging.is_valid
    assert not [f for f in diagnose(made.staging) if f.is_error]
    assert [cut.edges[-1].tensor for cut in made.plan.cuts] == ["layer2/out", "layer5/out", "layer8/out"]
    assert made.staging.node_stage[node(graph, "layer8/out")] == 2


def test_a_cut_of_several_tensors_is_found_again_with_all_of_them():
    graph = transformer(8)
    made = cut_before(graph, Plan(), node(graph, "layer3/residual"))
    assert isinstance(made, Proposal)
    crossing = {graph.tensor_names[tensor] for tensor in made.tensors}
    assert crossing == {"mask", "layer2/out", "layer3/output/add"}
    found = places_like(made.staging, 0)
    other = next(place for place in found if leads(graph, [place]) == ["layer5/output/add"])
    assert {graph.tensor_names[graph.edge_tensor[edge]] for edge in other.edges} == {"layer4/out", "layer5/output/add"}


@pytest.mark.parametrize("layers", [6, 13])
def test_equal_groups_put_places_first_whatever_is_around_them(layers):
    graph = transformer(layers)
    groups = find_groups(graph)
    staging = assign_stages(graph, plan_at(graph, "layer3/out"))
    found = places_like(staging, 0, groups)
    assert sorted(leads(graph, found)) == sorted(f"layer{i}/out" for i in range(layers - 1) if i != 3)
    assert {place.likeness for place in found} == {IN_EQUAL_GROUPS}


def test_a_cut_of_which_nothing_recurs_has_no_like():
    graph = small_graph("Neg x -> a", "Exp a -> b", "Abs b -> c")
    assert places_like(assign_stages(graph, small_plan("a")), 0) == ()


def test_places_that_are_cut_already_are_not_offered():
    graph = transformer(6)
    plan = plan_at(graph, "layer1/out")
    made = repeat(graph, plan, places_like(assign_stages(graph, plan), 0)[:1])
    assert isinstance(made, Proposal)
    taken = {tensor for cut in made.plan.cuts for tensor in (edge.tensor for edge in cut.edges)}
    again = places_like(made.staging, 0)
    assert len(again) == 3
    assert not taken & set(leads(graph, again))


def test_nothing_chosen_is_refused():
    assert isinstance(repeat(transformer(1), Plan(), []), Refusal)


@given(st.data())
def test_repeating_anywhere_keeps_the_plan_valid_or_says_why_not(data):
    graph = data.draw(models(max_nodes=12, min_nodes=6, connected=True)).graph()
    plan = data.draw(valid_plans(graph, max_cuts=2, constants=False).filter(lambda plan: plan.cuts))
    staging = assign_stages(graph, plan)
    cut = data.draw(st.integers(0, len(plan.cuts) - 1))
    found = places_like(staging, cut, find_groups(graph))
    if not found:
        return
    made = repeat(graph, plan, data.draw(st.lists(st.sampled_from(found), min_size=1, max_size=2)))
    if isinstance(made, Proposal):
        assert not [f for f in diagnose(made.staging) if f.is_error]
        assert len(made.plan.cuts) > len(plan.cuts)
    else:
        assert made.reason
