"""The way of tensors from stage to stage."""

from hypothesis import given

from cutter_gui.core import assign_stages, stage_contents, transfers
from cutter_gui.core.hops import hops, passed_on, received_and_read, sent_over
from strategies.graphs import valid_cases
from strategies.small_graphs import small_graph, small_plan

FOUR = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", outputs=["d"])
CUTS = ("a->b", "b", "c a->d")


def ways(transport):
    """(tensor, from, to, number, count) of every hop."""
    moved = transfers(assign_stages(FOUR, small_plan(*CUTS, transport=transport)))
    names = FOUR.tensor_names
    return [(names[h.tensor], h.transfer.source, h.transfer.destination, h.number, h.count) for h in hops(moved)]


def test_a_relayed_tensor_has_a_hop_at_every_boundary():
    assert ways("relay") == [
        ("a", 0, 1, 1, 3),
        ("a", 1, 2, 2, 3),
        ("b", 1, 2, 1, 1),
        ("a", 2, 3, 3, 3),
        ("c", 2, 3, 1, 1),
    ]


def test_a_tensor_sent_directly_has_a_hop_for_each_stage_that_reads_it():
    assert ways("direct") == [("a", 0, 1, 1, 2), ("a", 0, 3, 2, 2), ("b", 1, 2, 1, 1), ("c", 2, 3, 1, 1)]


def test_a_stage_passes_on_what_it_receives_and_sends_whether_it_reads_it_or_not():
    staging = assign_stages(FOUR, small_plan(*CUTS))
    a = FOUR.tensor_index["a"]
    stages = stage_contents(staging)
    assert [passed_on(stage) for stage in stages] == [set(), {a}, {a}, set()]
    assert [a in received_and_read(staging, stage) for stage in range(4)] == [False, True, False, True]


def test_what_is_sent_directly_past_a_stage_spans_both_boundaries():
    moved = transfers(assign_stages(FOUR, small_plan(*CUTS, transport="direct")))
    over = [[FOUR.tensor_names[tensor] for tensor in sent_over(moved, boundary)] for boundary in range(3)]
    assert over == [["a", "a"], ["a", "b"], ["a", "c"]]


@given(valid_cases())
def test_every_tensor_received_is_read_or_passed_on(case):
    model, plan = case
    staging = assign_stages(model.graph(), plan)
    for stage in stage_contents(staging):
        received = {tensor for transfer in stage.receives for tensor in transfer.tensors}
        assert received == received_and_read(staging, stage.index) | passed_on(stage)
