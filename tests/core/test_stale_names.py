"""Names that a re-exported model no longer has: listed once each, renamed one by one or all at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core import Plan, assign_stages
from cutter_gui.core.nearest import NearestName
from cutter_gui.core.plan import Cut, CutEdge
from cutter_gui.core.stale_names import all_renamed, renamed, stale_names
from strategies.graphs import arbitrary_plans, models
from strategies.small_graphs import small_graph

MASKED = small_graph("Neg m -> mask", "Neg x -> a", "Add a mask -> b/out", "Add b/out mask -> c/out", "Neg c/out -> d")


def test_a_name_in_two_cuts_is_listed_once_with_the_names_nearest_to_it():
    plan = Plan((Cut((CutEdge("masks"),)), Cut((CutEdge("c/out"), CutEdge("masks", ("c/out",))))))
    (found,) = stale_names(assign_stages(MASKED, plan))
    assert (found.name, found.consumer, found.cuts) == ("masks", None, (0, 1))
    assert found.nearest[0] == "mask"


def test_one_name_is_renamed_wherever_it_stands_and_the_others_stay():
    plan = Plan((Cut((CutEdge("masks"), CutEdge("aa"))), Cut((CutEdge("masks", ("c/out",)),))))
    after = renamed(plan, {("masks", None): "mask"})
    assert after == Plan((Cut((CutEdge("mask"), CutEdge("aa"))), Cut((CutEdge("mask", ("c/out",)),))))
    assert renamed(plan, {("masks", None): None}) == Plan((Cut((CutEdge("aa"),)), Cut()))


def test_consumers_of_a_tensor_that_was_renamed_are_looked_for_too():
    plan = Plan((Cut((CutEdge("masks", ("b/outs", "c/outs")),)),))
    after, count = all_renamed(MASKED, plan)
    assert after == Plan((Cut((CutEdge("mask", ("b/out", "c/out")),)),))
    assert count == 3


def test_a_name_that_nothing_is_like_stays_in_the_plan_and_in_the_list():
    plan = Plan((Cut((CutEdge("quite another thing"), CutEdge("masks"))),))
    after, count = all_renamed(MASKED, plan)
    assert count == 1
    (left,) = stale_names(assign_stages(MASKED, after))
    assert (left.name, left.nearest) == ("quite another thing", ())


@given(st.data())
def test_after_all_are_renamed_none_is_left_that_anything_is_like(data):
    graph = data.draw(models(max_nodes=8, min_nodes=3)).graph()
    plan = data.draw(arbitrary_plans(graph))
    before = stale_names(assign_stages(graph, plan))
    after, count = all_renamed(graph, plan)
    assert not any(stale.nearest for stale in stale_names(assign_stages(graph, after)))
    assert (count == 0) == (after == plan)
    assert count >= sum(bool(stale.nearest) for stale in before)


@given(st.lists(st.text("ab/0", min_size=1, max_size=6), min_size=1, max_size=12, unique=True), st.text("ab/0"))
def test_the_nearest_of_several_names_is_the_one_found_alone(names, name):
    nearest = NearestName(names)
    found = nearest.nearest(name, 3)
    assert found[:1] == ([] if nearest.find(name) is None else [nearest.find(name)])
    assert len(set(found)) == len(found) <= 3
