"""Mends as data: what the edits say and what they do."""

from cutter_gui.core import Cut, CutEdge, Plan
from cutter_gui.core.fixes import (
    AddEdges,
    MergeCuts,
    RemoveCut,
    RemoveEdge,
    ReorderCuts,
    ReplaceEdge,
    SetTransport,
    fix,
    union,
)
from strategies.small_graphs import small_plan


def test_a_fix_applies_its_edits_one_after_the_other_and_prints_each():
    mend = fix(small_plan("a b", "c"), "Mend", [RemoveEdge(0, 1), AddEdges(1, CutEdge("b", ["n"]))])
    assert mend.plan == small_plan("a", "c b->n")
    assert mend.edits == (
        {"edit": "remove-edge", "cut": 0, "position": 1},
        {"edit": "add-edges", "cut": 1, "edge": {"tensor": "b", "consumers": ["n"]}},
    )


def test_edits_of_cuts():
    plan = small_plan("a", "b", "c")
    assert ReorderCuts((1, 2, 0)).apply(plan) == small_plan("b", "c", "a")
    assert RemoveCut(2).apply(plan) == small_plan("a", "b")
    assert ReplaceEdge(1, 0, CutEdge("z")).apply(plan) == small_plan("a", "z", "c")
    assert SetTransport("direct").apply(plan) == plan.with_transport("direct")


def test_merged_cuts_list_every_edge_once_and_keep_a_name():
    plan = Plan((Cut((CutEdge("a", ["n"]), CutEdge("b"))), Cut((CutEdge("a", ["m", "n"]), CutEdge("c")), "late")))
    assert MergeCuts(0).apply(plan) == Plan((Cut((CutEdge("a", ["n", "m"]), CutEdge("b"), CutEdge("c")), "late"),))


def test_an_entry_that_is_there_is_extended_where_it_stands():
    plan = AddEdges(0, CutEdge("a", ["m"])).apply(small_plan("a->n b a->k"))
    assert plan == small_plan("a->n,k,m b")


def test_all_edges_of_a_tensor_take_in_those_to_single_consumers():
    assert union(small_plan("a->n b").cuts[0].edges, [CutEdge("a")]) == small_plan("a b").cuts[0].edges
    assert union(small_plan("a").cuts[0].edges, [CutEdge("a", ["n"])]) == small_plan("a").cuts[0].edges


def test_entries_of_other_tensors_stay_as_they_are():
    edges = small_plan("a->n a->m b b").cuts[0].edges
    assert union(edges, [CutEdge("c")]) == (*edges, CutEdge("c"))


def test_edges_added_in_a_row_give_the_plan_that_adding_one_by_one_gives():
    plan = small_plan("a->n b a->k", "c")
    edits = [
        AddEdges(0, CutEdge("a", ["m"])),
        AddEdges(0, CutEdge("d")),
        AddEdges(0, CutEdge("a", ["l", "n"])),
        AddEdges(1, CutEdge("c", ["n"])),
        AddEdges(1, CutEdge("d", ["n"])),
        RemoveEdge(0, 0),
        AddEdges(0, CutEdge("b", ["n"])),
    ]
    one_by_one = plan
    for edit in edits:
        one_by_one = edit.apply(one_by_one)
    assert fix(plan, "Mend", edits).plan == one_by_one
