"""Two plans side by side."""

from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core import assign_stages
from cutter_gui.core.compare_plans import compare_plans
from strategies.graphs import models, plans
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph(
    *("MatMul x w0 -> a", "MatMul a w1 -> b", "Neg b -> c", "Neg c -> d", "Neg d -> e"),
    weights={"w0": 100, "w1": 200},
    types={"a": ("float32", (2,)), "c": ("float32", ("n",))},
)


def compared(left: tuple[str, ...], right: tuple[str, ...], **symbols: int):
    return compare_plans(*(assign_stages(CHAIN, small_plan(*cuts)) for cuts in (left, right)), symbols)


def pairs(difference) -> list[tuple[int | None, int | None]]:
    return [(cut.left, cut.right) for cut in difference.cuts]


def test_a_cut_that_moved_is_one_difference_with_the_nodes_on_other_sides():
    found = compared(("a", "c"), ("b", "c"))
    assert pairs(found) == [(0, 0), (1, 1)]
    assert found.cuts[0].moved == (1,)
    assert [CHAIN.tensor_names[CHAIN.edge_tensor[edge]] for edge in found.cuts[0].removed] == ["a"]
    assert [CHAIN.tensor_names[CHAIN.edge_tensor[edge]] for edge in found.cuts[0].added] == ["b"]
    assert found.cuts[1].is_same
    assert not found.is_same


def test_a_cut_that_only_one_plan_has_stands_alone():
    found = compared(("a", "d"), ("a", "b", "d"))
    assert pairs(found) == [(0, 0), (None, 1), (1, 2)]
    assert found.cuts[2].is_same
    assert pairs(compared(("a", "b", "d"), ("d",))) == [(0, None), (1, None), (2, 0)]


def test_bytes_and_balance_stand_side_by_side():
    found = compared(("a",), ("c",), n=100)
    assert found.left.boundary_bytes == (8,)
    assert found.right.boundary_bytes == (400,)
    assert found.more_bytes == 392
    assert (found.left.weight_bytes, found.right.weight_bytes) == ((100, 200), (300, 0))
    assert (found.left.nodes, found.right.nodes) == ((1, 4), (3, 2))


def test_the_same_edges_in_other_words_are_no_difference():
    assert compared(("a",), ("a->b",)).is_same
    relayed, direct = (assign_stages(CHAIN, small_plan("a", transport=t)) for t in ("relay", "direct"))
    assert not compare_plans(relayed, direct).is_same


@given(st.data())
def test_every_cut_is_in_one_pair_in_order_and_a_plan_differs_from_itself_in_nothing(data):
    graph = data.draw(models()).graph()
    left, right = (assign_stages(graph, data.draw(plans(graph))) for _ in range(2))
    found = compare_plans(left, right)
    for side, staging in (("left", left), ("right", right)):
        cuts = [getattr(cut, side) for cut in found.cuts if getattr(cut, side) is not None]
        assert cuts == list(range(len(staging.plan.cuts)))
    assert compare_plans(left, left).is_same
    mirrored = compare_plans(right, left)
    assert mirrored.more_bytes == -found.more_bytes
