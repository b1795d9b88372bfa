"""What a stage holds, receives and sends (DESIGN 2.6), and what the first seed script got wrong here."""

from hypothesis import given

from cutter_gui.core import Plan, assign_stages, stage_contents, transfers
from strategies.graphs import valid_cases
from strategies.literal_design import producers, read
from strategies.small_graphs import small_graph, small_plan

SKIP = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", outputs=["d"])


def moves(graph, *cuts, transport="relay"):
    """(source, destination, tensors) of every transfer."""
    found = transfers(assign_stages(graph, small_plan(*cuts, transport=transport)))
    return [(t.source, t.destination, [graph.tensor_names[tensor] for tensor in t.tensors]) for t in found]


def contents(graph, *cuts):
    return stage_contents(assign_stages(graph, small_plan(*cuts)))


def names(graph, tensors):
    return [graph.tensor_names[tensor] for tensor in tensors]


def nodes(graph, stage):
    return [graph.consumer_name(int(node)) for node in stage.nodes]


def test_a_plan_without_cuts_moves_nothing():
    assert transfers(assign_stages(SKIP, Plan())) == ()
    (stage,) = stage_contents(assign_stages(SKIP, Plan()))
    assert nodes(SKIP, stage) == ["a", "b", "c", "d"]
    assert (stage.sends, stage.receives) == ((), ())


def test_relay_passes_a_tensor_over_every_boundary_between():
    assert moves(SKIP, "a", "b a->d") == [(0, 1, ["a"]), (1, 2, ["a", "b"])]


def test_relay_passes_a_tensor_on_through_a_stage_that_does_not_read_it():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d")
    assert moves(graph, "a->b", "b", "c a->d") == [(0, 1, ["a"]), (1, 2, ["a", "b"]), (2, 3, ["a", "c"])]


def test_direct_sends_once_for_each_pair_of_stages():
    assert moves(SKIP, "a", "b a->d", transport="direct") == [(0, 1, ["a"]), (0, 2, ["a"]), (1, 2, ["b"])]


def test_tensors_of_a_transfer_are_in_the_order_of_first_listing_in_the_plan():
    graph = small_graph("Split x -> a b c", "Sum a b c -> d", "Sum a b c d -> e", outputs=["e"])
    assert moves(graph, "c a b") == [(0, 1, ["c", "a", "b"])]
    assert moves(graph, "b->d c->d a->d", "d a->e b->e c->e")[1] == (1, 2, ["b", "c", "a", "d"])


def test_sends_and_receives_of_a_stage_are_the_two_ends_of_the_same_transfers():
    stages = contents(SKIP, "a", "b a->d")
    assert stages[0].sends == stages[1].receives
    assert stages[1].sends == stages[2].receives
    assert (stages[0].receives, stages[2].sends) == ((), ())


def test_a_transfer_is_numbered_by_its_boundary_or_by_both_stages_when_direct():
    graph, plan = SKIP, small_plan("a", "b a->d", transport="direct")
    assert [move.label("direct") for move in transfers(assign_stages(graph, plan))] == ["0_1", "0_2", "1_2"]
    relay = transfers(assign_stages(graph, plan.with_transport("relay")))
    assert [move.label("relay") for move in relay] == ["0", "1"]


def test_a_consumer_that_reads_two_cut_edges_receives_both():
    graph = small_graph("Neg x -> a", "Neg x -> b", "Sub a b -> c", outputs=["c"])
    assert moves(graph, "a b") == [(0, 1, ["a", "b"])]


def test_a_graph_input_used_by_two_stages_is_an_input_of_both():
    graph = small_graph("Neg x -> a", "Add a x -> b")
    assert [names(graph, stage.inputs) for stage in contents(graph, "a")] == [["x"], ["x"]]


def test_a_graph_input_that_no_stage_reads_is_an_input_of_none():
    graph = small_graph("Neg x -> a", "Neg a -> b", inputs=["x", "x1"])
    assert [names(graph, stage.inputs) for stage in contents(graph, "a")] == [["x"], []]


def test_an_omitted_optional_input_takes_no_graph_input_along():
    graph = small_graph("Neg x -> a", "Clip a _ top -> b", inputs=["x", "y"], weights=["top"])
    assert [names(graph, stage.inputs) for stage in contents(graph, "a")] == [["x"], []]


def test_a_stage_holds_only_the_weights_it_uses_and_their_bytes():
    graph = small_graph("Add x w -> a", "Add a v -> b", weights={"w": 100, "v": 10, "unused": 1})
    first, second = contents(graph, "a")
    assert (names(graph, first.weights), first.weight_bytes) == (["w"], 100)
    assert (names(graph, second.weights), second.weight_bytes) == (["v"], 10)


def test_a_weight_used_by_several_stages_is_held_by_each():
    graph = small_graph("Add x w -> a", "Add a w -> b", weights={"w": 100})
    assert [stage.weight_bytes for stage in contents(graph, "a")] == [100, 100]


def test_constant_nodes_are_copied_to_every_stage_that_needs_them_with_their_weights():
    graph = small_graph(
        "Constant -> k", "Add k w -> m", "Add x m -> a", "Add a m -> b", "Neg k -> unused", weights=["w"]
    )
    first, second = contents(graph, "a")
    assert nodes(graph, first) == ["k", "m", "a"]
    assert nodes(graph, second) == ["k", "m", "b"]
    assert [names(graph, stage.weights) for stage in (first, second)] == [["w"], ["w"]]
    assert [graph.consumer_name(int(node)) for node in second.own_nodes] == ["b"]


def test_what_a_body_captures_is_received_by_its_stage():
    graph = small_graph("Cast c -> d", "Neg x -> a", "If d [a w] -> b", inputs=["x", "c"], weights=["w"])
    assert moves(graph, "a d") == [(0, 1, ["a", "d"])]
    assert names(graph, contents(graph, "a d")[1].weights) == ["w"]


def test_a_boundary_tensor_may_be_a_model_output_as_well():
    graph = small_graph("Neg x -> a", "Neg a -> b", outputs=["a", "b", "a"])
    first, second = contents(graph, "a")
    assert names(graph, first.outputs) == ["a", "a"]
    assert names(graph, second.outputs) == ["b"]


def test_an_output_is_made_in_the_stage_of_its_node_only():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg x -> z", outputs=["z", "b"])
    assert [names(graph, stage.outputs) for stage in contents(graph, "a")] == [["z"], ["b"]]


@given(valid_cases())
def test_every_tensor_a_stage_reads_is_made_received_or_held_there(case):
    model, plan = case
    graph = model.graph()
    staging = assign_stages(graph, plan)
    stage_of, producer = read(model, plan).stage, producers(model)
    for stage in stage_contents(staging):
        received = {t for move in stage.receives for t in names(graph, move.tensors)}
        there = received | {*names(graph, stage.inputs), *names(graph, stage.weights)}
        there |= {tensor for node in stage.nodes.tolist() for tensor in model.nodes[node].outputs}
        for node in stage.nodes.tolist():
            assert model.nodes[node].reads <= there
        assert set(names(graph, stage.outputs)) <= there
        assert {node for node, at in stage_of.items() if at == stage.index} == set(stage.own_nodes.tolist())
        for tensor in received:
            assert stage_of[producer[tensor]] < stage.index


@given(valid_cases())
def test_every_tensor_that_is_sent_is_made_or_was_received_before(case):
    model, plan = case
    graph = model.graph()
    for stage in stage_contents(assign_stages(graph, plan)):
        have = {tensor for node in stage.own_nodes.tolist() for tensor in model.nodes[node].outputs}
        have |= {t for move in stage.receives for t in names(graph, move.tensors)}
        assert len({move.destination for move in stage.sends}) == len(stage.sends)
        for move in stage.sends:
            assert set(names(graph, move.tensors)) <= have
            assert move.destination == stage.index + 1 or plan.transport == "direct"


@given(valid_cases())
def test_outputs_of_the_stages_are_the_outputs_of_the_model(case):
    model, plan = case
    graph = model.graph()
    made = [name for stage in stage_contents(assign_stages(graph, plan)) for name in names(graph, stage.outputs)]
    assert sorted(made) == sorted(model.outputs)


@given(valid_cases())
def test_direct_sends_only_what_the_receiver_reads(case):
    model, plan = case
    graph = model.graph()
    for stage in stage_contents(assign_stages(graph, plan.with_transport("direct"))):
        read_there = {tensor for node in stage.nodes.tolist() for tensor in model.nodes[node].reads}
        for move in stage.receives:
            assert set(names(graph, move.tensors)) <= read_there
