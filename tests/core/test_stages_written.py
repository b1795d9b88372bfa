"""From stages to a plan: what is right stays as it is written, and the stages come out as wanted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import Cut, CutEdge, Plan, Staging, assign_stages, diagnose
from cutter_gui.core.stages_written import Refusal, with_boundary, write_stages
from strategies.graphs import models, plans, valid_cases
from strategies.small_graphs import small_graph, small_plan

FAN = small_graph("Neg x -> a", "Neg a -> b", "Neg a -> c", "Add b c -> d", "Add d a -> e")


def written(graph, stages: list[int], plan: Plan, **options) -> Plan:
    found = write_stages(graph, np.asarray(stages, dtype=np.int32), plan, **options)
    assert isinstance(found, Staging), found
    assert found.node_stage.tolist() == stages
    assert found.is_valid
    return found.plan


@given(valid_cases())
def test_a_valid_plan_written_for_its_own_stages_stays_word_for_word(case):
    model, plan = case
    staging = assign_stages(model.graph(), plan)
    found = write_stages(staging.graph, staging.node_stage, plan, staging.node_stage)
    assert isinstance(found, Staging)
    assert found.plan == plan


@given(st.data())
def test_any_stages_without_a_backward_edge_can_be_written_over_any_plan(data):
    graph = data.draw(models(max_nodes=8, min_nodes=3)).graph()
    count = data.draw(st.integers(1, 3))
    wanted = np.full(graph.node_count, -1, dtype=np.int32)
    for node in graph.order.tolist():
        if not graph.node_constant[node]:
            sources = graph.tensor_producer[graph.edge_tensor[graph.node_edges.row(node)]]
            lowest = max((int(wanted[source]) for source in sources if source >= 0), default=0)
            wanted[node] = data.draw(st.integers(max(lowest, 0), count - 1))
    cuts = data.draw(plans(graph, max_cuts=2).filter(lambda plan: len(plan.cuts) <= count - 1)).cuts
    plan = Plan((*cuts, *(Cut() for _ in range(count - 1 - len(cuts)))))
    found = write_stages(graph, wanted, plan, data.draw(st.sampled_from([None, wanted])))
    event(type(found).__name__)
    if isinstance(found, Refusal):
        assert "would be empty" in found.reason or "Nothing runs" in found.reason
        return
    assert np.array_equal(found.node_stage, wanted)
    assert {f.code for f in diagnose(found) if f.is_error} <= {"unknown-tensor", "unknown-consumer"}
    gone = {(name.tensor, name.consumer) for name in assign_stages(graph, plan).listings.unknown}
    assert {(name.tensor, name.consumer) for name in found.listings.unknown} == gone


def test_entries_keep_their_order_and_their_words_where_they_are_still_right():
    plan = Plan((Cut((CutEdge("c", ["d"]), CutEdge("a", ["e"]), CutEdge("b")), "middle"),))
    assert written(FAN, [0, 0, 0, 1, 1], plan) == plan
    assert written(FAN, [0, 0, 1, 1, 1], plan) == Plan((Cut((CutEdge("a", ["e", "c"]), CutEdge("b")), "middle"),))


def test_a_tensor_that_is_no_longer_cut_from_all_its_readers_names_those_that_remain():
    assert written(FAN, [0, 0, 1, 1, 1], small_plan("a")) == small_plan("a->c,e b")


def test_an_edge_that_was_listed_once_for_several_boundaries_stays_so():
    plan = small_plan("a", "d")
    stood = assign_stages(FAN, plan).node_stage
    assert written(FAN, stood.tolist(), plan, stood=stood) == plan
    assert written(FAN, stood.tolist(), plan) == small_plan("a", "d a->e")


def test_names_that_do_not_exist_stay():
    found = write_stages(FAN, np.asarray([0, 0, 0, 1, 1], dtype=np.int32), small_plan("gone a->gone2,e b"))
    assert isinstance(found, Staging)
    assert found.plan == small_plan("gone a->gone2,e b c")


def test_an_input_that_held_a_branch_back_leaves_the_cut_when_the_branch_comes_forward():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> c", inputs=("x", "y"))
    assert written(graph, [0, 1, 0], small_plan("a y")) == small_plan("a")
    assert written(graph, [0, 1, 1], small_plan("a")) == small_plan("a y")


@pytest.mark.parametrize("stages", [[0, 0, 0, 1], [0, 1, 0, 0]])
def test_a_reader_without_a_name_beside_others_is_the_reason(stages):
    graph = small_graph("Neg x -> a", "Print a -> _", "Neg a -> b", "Neg b -> c")
    wanted = np.asarray(stages, dtype=np.int32)
    found = write_stages(graph, wanted, small_plan("b"))
    if stages[1]:
        assert isinstance(found, Refusal)
        assert found.nodes == (1,)
        assert "has no name as a consumer" in found.reason
    else:
        assert isinstance(found, Staging)


def test_a_stage_divided_gets_a_cut_in_between_listed_in_full():
    plan = small_plan("a", "d")
    staging = assign_stages(FAN, plan)
    before = np.asarray([False, True, True, False, False])
    found = with_boundary(staging, 1, before, "new")
    assert isinstance(found, Staging)
    assert found.plan == Plan(
        (plan.cuts[0], Cut((CutEdge("a", ["e"]), CutEdge("b"), CutEdge("c")), "new"), plan.cuts[1])
    )
