"""Mending plans: every error has a mend, first mends lead to a valid plan, and nothing goes round in circles."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Plan, assign_stages, diagnose
from cutter_gui.core.mend import mend, settled
from strategies.graphs import arbitrary_plans, careless_plans, damaged_plans, models
from strategies.literal_design import read
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d")


@st.composite
def broken_cases(draw):
    """A model and a plan, most likely an invalid one."""
    model = draw(models(max_nodes=10, min_nodes=4, connected=draw(st.booleans())))
    graph = model.graph()
    return model, draw(st.one_of(careless_plans(graph, 4), damaged_plans(graph), arbitrary_plans(graph)))


@given(broken_cases())
def test_first_mends_applied_again_and_again_end_in_a_valid_plan(case):
    model, plan = case
    graph = model.graph()
    seen: list[Plan] = []
    while True:
        assert plan not in seen
        seen.append(plan)
        errors = [finding for finding in diagnose(assign_stages(graph, plan)) if finding.is_error]
        if not errors:
            break
        for finding in errors:
            assert finding.fixes, finding.message
        event(errors[0].code)
        plan = errors[0].fixes[0].plan
    event(f"steps: {min(len(seen) - 1, 6)}")
    assert read(model, plan).valid


@given(broken_cases())
def test_mending_all_gives_a_valid_plan_and_leaves_a_valid_one_alone(case):
    model, plan = case
    mended = mend(model.graph(), plan)
    assert mended.reason is None
    assert read(model, mended.plan).valid
    assert (mended.plan == plan) == (not mended.steps) == read(model, plan).valid


@given(broken_cases(), st.data())
def test_any_mends_in_any_order_end_too(case, data):
    model, plan = case
    graph = model.graph()
    for _ in range(60):
        fixes = [fix for finding in diagnose(assign_stages(graph, plan)) if finding.is_error for fix in finding.fixes]
        if not fixes:
            break
        plan = data.draw(st.sampled_from(fixes)).plan
    assert mend(graph, plan).reason is None


def first_fix(graph, *cuts: str):
    return next(finding.fixes[0] for finding in diagnose(assign_stages(graph, small_plan(*cuts))) if finding.is_error)


def test_two_tensors_of_one_chain_in_one_cut_leave_the_cheaper_one():
    sizes = {"a": ("float32", (100,)), "b": ("float32", (1000,))}
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", types=sizes)
    fix = first_fix(graph, "a b")
    assert fix.title == "Take b out of cut 0"
    assert fix.plan == small_plan("a")


def test_a_tensor_cut_whole_beside_what_one_of_its_readers_makes_is_cut_from_the_later_readers_only():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> b2", "Add b2 a -> c", "Add a c -> d")
    mended = mend(graph, small_plan("a b2"))
    assert mended.plan == small_plan("a->c,d b2")
    assert mended.steps == ("Take a out of cut 0",)


def test_a_tensor_in_a_cut_that_comes_too_late_moves_to_the_one_it_crosses():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", "Neg d -> e", "Add a e -> f")
    mended = mend(graph, small_plan("b a->f", "d"))
    assert mended.plan.stage_count == 3
    assert mended.reason is None


def test_incomplete_cuts_in_the_wrong_order_are_put_in_order_first():
    graph = small_graph("Neg x -> a", "Add a x -> b", "Add b a -> c", "Add c b -> d", "Add d c -> e")
    fix = first_fix(graph, "d", "b")
    assert fix.title == "Reorder the cuts: 1, 0"
    assert mend(graph, small_plan("d", "b")).plan == small_plan("b a->c", "d c->e")


def test_a_component_held_by_a_later_cut_is_parted_where_it_runs_backward():
    graph = small_graph("Neg x -> u", "Neg u -> y", "Neg y -> z", "Neg z -> v", "Add u v -> w")
    staging = assign_stages(graph, small_plan("u->y", "z"))
    (found,) = [finding for finding in diagnose(staging) if finding.is_error]
    assert found.code == "backward-edge"
    assert found.fixes[0].title.startswith("Also cut u in cut 0")
    assert mend(graph, small_plan("u->y", "z")).plan == small_plan("u", "z")


def test_an_edge_within_shared_storage_leaves_the_plan_with_its_cut():
    graph = small_graph("View x -> a", "!add_ a -> b", "Neg b -> c", together=[(0, 1)])
    assert mend(graph, small_plan("a", "b")).plan == small_plan("b")


def test_many_names_of_another_model_are_mended_in_batches():
    entries = " ".join(f"{name}9" for name in "abc")
    mended = mend(CHAIN, small_plan(entries, "nothing-like-it->neither,nor"))
    assert mended.reason is None
    assert len(mended.steps) >= 4


def test_what_no_edit_of_the_plan_can_mend_is_the_reason():
    graph = small_graph("Neg x -> a", "Neg missing -> b", "Add a b -> c")
    missing = mend(graph, small_plan("a"))
    assert missing.reason is None or "Nothing produces" in missing.reason
    types = small_graph("Neg x -> a", "Neg a -> b", types={"a": ("string", (1,))})
    mended = mend(types, small_plan("a"))
    assert mended.reason is not None
    assert mended.reason.startswith("a is of type string")
    assert mend(types, small_plan("a"), form="plain").reason is None


@pytest.mark.parametrize("cuts", [("a",), ("a", "c"), ()])
def test_a_valid_plan_is_settled_as_it_is(cuts):
    found = settled(CHAIN, small_plan(*cuts))
    assert isinstance(found, tuple)
    assert found[0].plan == small_plan(*cuts)
    assert found[1] == ()


@pytest.mark.parametrize(
    ("code", "cuts"),
    [
        ("unknown-tensor", [f"gone{at}" for at in range(45)]),
        ("unknown-consumer", [f"t{at}->t{at + 1},gone,neither" for at in range(23)]),
        ("incomplete-cut", [f"t{at}->t{at + 1}" for at in range(45)]),
        ("backward-edge", [f"x{at} t{at}" for at in range(1, 46)]),
    ],
)
def test_each_of_many_errors_has_a_mend(code, cuts):
    nodes = ["Neg x -> t0", *(f"Add t{at} t0 -> t{at + 1}" for at in range(45))]
    nodes += [f"Neg t0 -> x{at}" for at in range(1, 46)]
    nodes += [f"Add x{at} t{at} -> y{at}" for at in range(1, 46)]
    graph = small_graph(*nodes)
    plan = small_plan(*cuts)
    errors = [finding for finding in diagnose(assign_stages(graph, plan)) if finding.is_error]
    assert sum(finding.code == code for finding in errors) >= 40
    for finding in errors:
        assert finding.fixes, finding.message
        assert len(finding.fixes) >= 1
        assert finding.fixes[0].plan != plan
    assert mend(graph, plan).reason is None
