"""What crosses each boundary, counted against the transfers that are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core import assign_stages, stage_contents, transfers
from cutter_gui.core.sides import cost_of
from cutter_gui.core.traffic import balance, boundary_bytes, crossing_tensors
from strategies.graphs import valid_cases
from strategies.small_graphs import small_graph, small_plan

SKIP = small_graph(
    *("Neg x -> a", "Neg a -> b", "Add b a -> c", "Add c a -> d"),
    types={"a": ("float32", ("n", 2)), "b": ("float16", (3,)), "c": ("unknown", (5, None))},
)


def test_a_relayed_tensor_counts_at_every_boundary_and_once_for_all_its_readers():
    staging = assign_stages(SKIP, small_plan("a", "b a->c,d", "c a->d"))
    assert [crossing_tensors(staging, boundary) for boundary in range(3)] == [(1,), (1, 2), (1, 3)]
    assert balance(staging, {"n": 10}).boundary_bytes == (80, 86, 100)
    assert balance(staging).tensors == (1, 2, 2)


def test_open_dimensions_count_as_1_and_unknown_types_as_4_bytes():
    staging = assign_stages(SKIP, small_plan("a", "b a->c,d", "c a->d"))
    assert [boundary_bytes(staging, boundary) for boundary in range(3)] == [8, 14, 28]
    assert balance(staging).total_bytes == 50


@given(valid_cases(connected=True), st.sampled_from([{}, {"n": 3}]))
def test_boundaries_carry_what_the_relay_transfers_carry(case, symbols):
    model, plan = case
    graph = model.graph()
    staging = assign_stages(graph, plan.with_transport("relay"))
    figures = balance(staging, symbols)
    sent = [0] * len(plan.cuts)
    for transfer in transfers(staging):
        sent[transfer.source] += sum(cost_of(graph, tensor, symbols) for tensor in transfer.tensors)
        assert sorted(transfer.tensors) == list(crossing_tensors(staging, transfer.source))
    assert figures.boundary_bytes == tuple(sent)
    assert figures.weight_bytes == tuple(stage.weight_bytes for stage in stage_contents(staging))
    assert sum(figures.nodes) == int((~graph.node_constant).sum())
