"""Diagnostics of random plans: an error if and only if the plan is invalid, and the code that section 7 says."""

from dataclasses import replace

from hypothesis import assume, event, given
from hypothesis import strategies as st

from cutter_gui.core import Diagnostic, Plan, Severity, assign_stages, diagnose
from strategies.graphs import ModelSpec, arbitrary_plans, careless_plans, damaged_plans, models, plans, valid_cases
from strategies.literal_design import producers, read, valid_orders


def errors(model: ModelSpec, plan: Plan) -> list[Diagnostic]:
    return [finding for finding in diagnose(assign_stages(model.graph(), plan)) if finding.is_error]


def codes(model: ModelSpec, plan: Plan) -> set[str]:
    return {finding.code for finding in errors(model, plan)}


@given(st.data())
def test_there_is_an_error_exactly_when_the_plan_is_invalid(data):
    model = data.draw(models())
    plan = data.draw(plans(model.graph()))
    found = errors(model, plan)
    assert bool(found) == (not read(model, plan).valid)
    for finding in found:
        event(finding.code)


@given(st.data())
def test_a_cut_is_incomplete_when_both_ends_lie_in_one_component(data):
    model = data.draw(models(min_nodes=4, connected=True))
    plan = data.draw(st.one_of(careless_plans(model.graph()), plans(model.graph())))
    reading, producer = read(model, plan), producers(model)
    expected = {
        (cut, reading.component[node]): set()
        for cut, tensor, node in reading.failing
        if node in reading.component[producer[tensor]]
    }
    for cut, tensor, node in reading.failing:
        if node in reading.component[producer[tensor]]:
            expected[cut, reading.component[node]].add(tensor)
    found = [finding for finding in errors(model, plan) if finding.code == "incomplete-cut"]
    assert len(found) == len(expected)
    for finding in found:
        assert set(finding.tensors) == expected[finding.cut, reading.component[finding.nodes[0]]]


@given(st.data())
def test_the_path_of_an_incomplete_cut_is_still_joined_from_producer_to_consumer(data):
    model = data.draw(models(min_nodes=4, connected=True))
    plan = data.draw(careless_plans(model.graph()))
    reading, producer = read(model, plan), producers(model)
    graph = model.graph()
    staging = assign_stages(graph, plan)
    kept = {
        frozenset((int(graph.tensor_producer[graph.edge_tensor[edge]]), int(graph.edge_consumer[edge])))
        for edge in range(graph.edge_count)
        if graph.edge_joins[edge] and not staging.edge_listed[edge]
    }
    found = [finding for finding in errors(model, plan) if finding.code == "incomplete-cut"]
    event(f"incomplete: {bool(found)}")
    for finding in found:
        ends = {(producer[tensor], node) for cut, tensor, node in reading.failing if cut == finding.cut}
        assert (finding.nodes[0], finding.nodes[-1]) in ends
        assert len(set(finding.nodes)) == len(finding.nodes) > 1
        for first, second in zip(finding.nodes, finding.nodes[1:], strict=False):
            assert frozenset((first, second)) in kept


@given(st.data())
def test_cuts_are_out_of_order_exactly_when_another_order_is_valid(data):
    model = data.draw(models(max_nodes=8, min_nodes=4, connected=True))
    graph = model.graph()
    plan = data.draw(st.one_of(damaged_plans(graph, max_cuts=3, damages=["exchange"]), plans(graph, max_cuts=3)))
    if read(model, plan).valid:
        return
    orders = valid_orders(model, plan)
    found = errors(model, plan)
    if not orders:
        assert "cuts-out-of-order" not in {finding.code for finding in found}
        return
    event("another order is valid")
    assert [finding.code for finding in found] == ["cuts-out-of-order"]
    (fix,) = found[0].fixes
    assert tuple(fix.edits[0]["order"]) in orders
    assert read(model, fix.plan).valid


@given(st.data())
def test_every_other_failure_is_a_backward_edge_and_empty_stages_are_told_only_without_those(data):
    model = data.draw(models())
    plan = data.draw(plans(model.graph(), max_cuts=3))
    reading, producer = read(model, plan), producers(model)
    found = errors(model, plan)
    told = {finding.code for finding in found}
    assume("cuts-out-of-order" not in told)
    backward = {
        (cut, tensor) for cut, tensor, node in reading.failing if node not in reading.component[producer[tensor]]
    }
    assert {(f.cut, f.tensors[0]) for f in found if f.code == "backward-edge"} == backward
    assert ("empty-stage" in told) == (bool(reading.empty) and not reading.failing)
    if "empty-stage" in told:
        assert sum(finding.code == "empty-stage" for finding in found) == len(reading.empty)


@given(st.data())
def test_findings_come_errors_first_and_in_the_same_order_every_time(data):
    model = data.draw(models())
    plan = data.draw(plans(model.graph()))
    found = diagnose(assign_stages(model.graph(), plan))
    assert [finding.severity.rank for finding in found] == sorted(finding.severity.rank for finding in found)
    assert found == diagnose(assign_stages(model.graph(), plan))
    for finding in found:
        assert "\n" not in finding.message
        assert len(finding.nodes) == len(finding.node_names)


@given(st.data())
def test_mending_empty_stages_one_after_the_other_ends_in_a_valid_plan(data):
    model = data.draw(models(min_nodes=3, connected=True))
    plan = data.draw(damaged_plans(model.graph(), damages=["add", "twice"]))
    if codes(model, plan) != {"empty-stage"}:
        return
    event("empty stages only")
    for _ in range(len(plan.cuts)):
        found = errors(model, plan)
        if not found:
            break
        plan = found[0].fixes[0].plan
        assert codes(model, plan) <= {"empty-stage", "cuts-out-of-order"}
    assert read(model, plan).valid


@given(st.data())
def test_mends_of_unknown_names_take_one_unknown_name_away(data):
    model = data.draw(models())
    graph = model.graph()
    plan = data.draw(arbitrary_plans(graph))
    before = assign_stages(graph, plan)
    for finding in diagnose(before):
        for fix in finding.fixes if finding.code.startswith("unknown-") else ():
            event(fix.title.split()[0])
            left = len(assign_stages(graph, fix.plan).listings.unknown)
            assert left < len(before.listings.unknown) or (finding.code == "unknown-tensor" and fix.title[:3] == "Cut")


@given(valid_cases(connected=True))
def test_mends_of_a_valid_plan_leave_it_valid_with_the_same_stages(case):
    model, plan = case
    reading = read(model, plan)
    for finding in diagnose(assign_stages(model.graph(), plan)):
        assert finding.severity is not Severity.ERROR
        for fix in finding.fixes:
            event(finding.code)
            after = read(model, replace(fix.plan, transport=plan.transport))
            assert after.valid
            assert after.stage == reading.stage
            again = diagnose(assign_stages(model.graph(), fix.plan))
            if fix.plan.cuts != plan.cuts:
                assert (finding.code, finding.tensors) not in {(other.code, other.tensors) for other in again}
