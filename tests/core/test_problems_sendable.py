"""Types that cannot cross a boundary, and where to cut instead."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import assign_stages, diagnose
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.mend import mend, settled
from strategies.graphs import models, valid_plans
from strategies.small_graphs import small_graph, small_plan

TYPES = {"b": ("string", (1,)), "a": ("float32", (8,)), "c": ("float32", (2,))}
CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", types=TYPES)


def test_a_cut_of_a_type_that_cannot_be_sent_moves_to_the_cheaper_side():
    (found,) = diagnose(assign_stages(CHAIN, small_plan("b")))
    assert found.code == "unsendable-type"
    assert [fix.plan for fix in found.fixes] == [small_plan("c"), small_plan("a")]
    assert found.fixes[0].title == "Cut after what reads them instead of tensors that cannot be sent (8 B in all)"
    assert found.fixes[0].edits == ({"edit": "replace-edges", "cut": 0, "edges": [{"tensor": "c"}]},)


def test_a_type_that_is_not_known_is_avoided_in_the_plain_form_too():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", types={**TYPES, "b": ("unknown", None)})
    (found,) = diagnose(assign_stages(graph, small_plan("b")), form="plain")
    assert [fix.plan for fix in found.fixes] == [small_plan("a")]


def test_the_plain_form_passes_any_known_type_on_and_needs_no_mend():
    (found,) = diagnose(assign_stages(CHAIN, small_plan("b")), form="plain")
    assert found.fixes == ()


def test_where_every_cut_would_send_such_a_type_there_is_no_mend_but_the_reason():
    graph = small_graph("Neg x -> a", "Neg a -> b", types={"a": ("string", (1,))})
    mended = mend(graph, small_plan("a"))
    assert mended.plan == small_plan("a")
    assert mended.reason is not None
    assert "string" in mended.reason
    assert isinstance(settled(graph, small_plan("a")), tuple)


@given(st.data())
def test_mending_ends_with_types_that_can_be_sent_or_says_that_none_can(data):
    graph = data.draw(models(max_nodes=9, min_nodes=4, connected=True)).graph()
    strings = data.draw(st.sets(st.sampled_from(graph.tensor_names), max_size=4))
    graph = graph.with_types(dict.fromkeys(strings, (BY_NAME["string"].code, (1,))))
    plan = data.draw(valid_plans(graph))
    mended = mend(graph, plan)
    left = [finding for finding in diagnose(assign_stages(graph, mended.plan)) if finding.is_error]
    event(f"steps: {len(mended.steps)}, mended: {mended.reason is None}")
    assert bool(left) == (mended.reason is not None)
    for finding in left:
        assert finding.code == "unsendable-type"
        assert finding.fixes == ()
    assert len(mended.plan.cuts) == len(plan.cuts)
