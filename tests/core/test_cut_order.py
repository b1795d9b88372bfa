"""The search for an order of the cuts that makes a plan valid."""

from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import assign_stages, cut_order
from cutter_gui.core.cut_order import valid_order
from strategies.graphs import careless_plans, damaged_plans, models
from strategies.literal_design import read, valid_orders
from strategies.small_graphs import small_graph, small_plan


def long_chain(count):
    return small_graph(*(f"Neg t{i} -> t{i + 1}" for i in range(count)), inputs=["t0"])


def order(graph, *cuts):
    return valid_order(assign_stages(graph, small_plan(*cuts)))


def test_a_valid_plan_keeps_its_order():
    assert order(long_chain(4), "t1", "t2", "t3") == (0, 1, 2)


def test_only_cuts_that_stand_wrong_are_moved_behind():
    assert order(long_chain(5), "t2", "t1", "t3") == (1, 0, 2)


def test_a_cut_that_enters_and_leaves_one_component_has_no_place():
    assert order(long_chain(4), "t1 t2", "t3") is None


def test_cuts_that_must_each_precede_the_other_have_no_order():
    assert order(long_chain(5), "t1 t3", "t2") is None


def test_hundreds_of_cuts_are_put_in_order():
    cuts = [f"t{i}" for i in range(1, 301)]
    assert order(long_chain(302), *reversed(cuts)) == tuple(reversed(range(300)))


def test_an_order_is_searched_for_further_when_the_first_leaves_a_stage_empty():
    graph = small_graph("Neg x -> u", "Add y z -> d", "Neg v -> e", "Neg z -> f", inputs=["x", "y", "z", "v"])
    assert order(graph, "y", "v", "z") == (1, 2, 0)


def test_the_search_gives_up_where_too_many_orders_are_hopeless(monkeypatch):
    monkeypatch.setattr(cut_order, "BUDGET", 50)
    names = [f"y{i}" for i in range(12)]
    graph = small_graph("Neg x -> u", "Neg x -> v", *(f"Neg {name} -> d{name}" for name in names), inputs=["x", *names])
    assert order(graph, *names) == tuple(range(12))
    assert order(graph, *names, "") is None


def test_fewer_components_than_stages_have_no_order_whatever_the_cuts():
    assert order(long_chain(3), "t1", "t2", "t2", "") is None


def test_an_empty_plan_is_in_order():
    assert order(small_graph(inputs=())) == ()


@given(st.data())
def test_an_order_is_found_exactly_when_there_is_one_and_then_it_is_valid(data):
    model = data.draw(models(max_nodes=9, min_nodes=4, connected=data.draw(st.booleans())))
    graph = model.graph()
    plan = data.draw(
        st.one_of(
            damaged_plans(graph, max_cuts=3, damages=["exchange", "move"]),
            damaged_plans(graph, max_cuts=3, damages=["exchange"]),
            careless_plans(graph, max_cuts=4),
        )
    )
    orders = valid_orders(model, plan)
    found = valid_order(assign_stages(graph, plan))
    event(f"orders: {min(len(orders), 3)}, cuts: {len(plan.cuts)}, valid as it is: {read(model, plan).valid}")
    assert (found in orders) if orders else found is None
    if orders:
        assert found == min(orders)
