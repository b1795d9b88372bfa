"""The assignment of stages against DESIGN section 2 read word by word, on random graphs and plans."""

from hypothesis import event, given
from hypothesis import strategies as st

from cutter_gui.core import assign_stages
from strategies.graphs import models, plans, valid_cases
from strategies.literal_design import constant_nodes, read


@given(st.data())
def test_stages_and_validity_are_what_the_design_says(data):
    model = data.draw(models())
    graph = model.graph()
    plan = data.draw(plans(graph))
    reading = read(model, plan)
    staging = assign_stages(graph, plan)
    stages = dict(enumerate(staging.node_stage.tolist()))
    assert {node: stage for node, stage in stages.items() if stage >= 0} == reading.stage
    assert set(staging.empty) == reading.empty
    listings = staging.listings
    failing = {
        (
            int(listings.cut[at]),
            graph.tensor_names[graph.edge_tensor[listings.edge[at]]],
            int(graph.edge_consumer[listings.edge[at]]),
        )
        for at in staging.failing
    }
    assert failing == reading.failing
    assert {(name.cut, name.tensor, name.consumer) for name in listings.unknown} == reading.unknown
    assert staging.is_valid == reading.valid
    event(f"valid: {reading.valid}")


@given(st.data())
def test_nodes_hang_together_as_the_design_says(data):
    model = data.draw(models())
    graph = model.graph()
    plan = data.draw(plans(graph))
    staging = assign_stages(graph, plan)
    together: dict[int, set[int]] = {}
    for node, component in enumerate(staging.component.tolist()):
        together.setdefault(component, set()).add(node)
    together.pop(-1, None)
    assert {frozenset(nodes) for nodes in together.values()} == set(read(model, plan).component.values())


@given(models())
def test_constant_nodes_are_those_of_the_design(model):
    constant = {node for node, flag in enumerate(model.graph().node_constant.tolist()) if flag}
    assert constant == constant_nodes(model)


@given(valid_cases())
def test_a_plan_made_from_wanted_stages_is_valid(case):
    model, plan = case
    assert read(model, plan).valid
    assert assign_stages(model.graph(), plan).is_valid
    event(f"stages: {plan.stage_count}")
