"""From a plan to stages, one sentence of DESIGN section 2 after the other (rules 1 to 5)."""

import numpy as np
import pytest

from cutter_gui.core import Cut, CutEdge, Plan, assign_stages, diagnose, stage_contents
from strategies.small_graphs import small_graph, small_plan


def stages(graph, *cuts):
    """Stage of each node by its first output; None for those that are copied."""
    staging = assign_stages(graph, small_plan(*cuts))
    numbers = staging.node_stage.tolist()
    return {graph.consumer_name(node): stage if stage >= 0 else None for node, stage in enumerate(numbers)}


def valid(graph, *cuts):
    return assign_stages(graph, small_plan(*cuts)).is_valid


def codes(graph, *cuts):
    return [finding.code for finding in diagnose(assign_stages(graph, small_plan(*cuts)))]


CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", outputs=["d"])


# Rule 1: what joins nodes.


def test_nodes_joined_by_an_edge_that_is_not_cut_lie_in_one_stage():
    assert stages(CHAIN, "b") == {"a": 0, "b": 0, "c": 1, "d": 1}


def test_an_edge_into_a_subgraph_body_joins():
    graph = small_graph("Neg x -> a", "Cast x -> c", "If c [a] -> b", "Neg b -> d")
    assert stages(graph, "c->b a") == {"a": 0, "c": 0, "b": 1, "d": 1}
    assert stages(graph, "c") == {"a": 1, "c": 0, "b": 1, "d": 1}


def test_a_graph_input_joins_nothing():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add x b -> c")
    assert stages(graph, "b") == {"a": 0, "b": 0, "c": 1}


def test_an_initializer_joins_nothing():
    graph = small_graph("Add x w -> a", "Neg a -> b", "Add b w -> c", weights=["w"])
    assert valid(graph, "b")
    assert stages(graph, "b") == {"a": 0, "b": 0, "c": 1}


def test_a_shared_constant_node_does_not_glue_stages_together():
    graph = small_graph("Constant -> k", "Add x k -> a", "Neg a -> b", "Add b k -> c")
    assert valid(graph, "b")
    assert stages(graph, "b") == {"k": None, "a": 0, "b": 0, "c": 1}


def test_a_chain_of_constant_nodes_does_not_glue_stages_together():
    graph = small_graph("Constant -> k", "Neg k -> m", "Add x m -> a", "Add a m -> b")
    assert stages(graph, "a") == {"k": None, "m": None, "a": 0, "b": 1}


def test_a_shared_random_node_does_join():
    graph = small_graph("!RandomNormal -> r", "Add x r -> a", "Add a r -> b")
    assert codes(graph, "a") == ["incomplete-cut"]


def test_nodes_that_share_mutated_storage_are_one_component():
    graph = small_graph("View x -> v", "Neg v -> a", "!add_ x -> m", "Neg m -> b", together=[(0, 2)])
    assert stages(graph, "v") == {"v": 0, "m": 0, "a": 1, "b": 0}
    assert valid(graph, "v m")
    assert codes(small_graph("Neg x -> a", "Neg a -> b", together=[(0, 1)]), "a") == ["incomplete-cut"]


# Rule 2: components that remain lie each in one stage.


def test_nodes_that_hang_together_only_backward_lie_in_one_stage():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg x -> s", "Add s b -> c")
    assert stages(graph, "a") == {"a": 0, "b": 1, "s": 1, "c": 1}


# Rule 3: the stage of a component.


def test_a_component_lies_just_behind_the_highest_cut_that_enters_it():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add a b -> c")
    assert stages(graph, "a", "b a->c") == {"a": 0, "b": 1, "c": 2}


def test_a_component_that_nothing_enters_lies_before_the_lowest_cut_that_leaves_it():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg x -> s", "Add b s -> c", "Neg s -> d", "Add c d -> e")
    assert stages(graph, "a", "b s") == {"a": 0, "b": 1, "s": 1, "c": 2, "d": 2, "e": 2}
    assert stages(graph, "a s->c", "b s") == {"a": 0, "b": 1, "s": 0, "c": 2, "d": 2, "e": 2}


def test_a_component_that_no_cut_touches_lies_in_stage_0():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg x -> alone", outputs=["b", "alone"])
    assert stages(graph, "a") == {"a": 0, "b": 1, "alone": 0}


def test_a_cut_graph_input_puts_its_reader_in_a_later_stage():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> late", inputs=["x", "y"], outputs=["b", "late"])
    assert stages(graph, "a y") == {"a": 0, "b": 1, "late": 1}
    assert valid(graph, "a y")


def test_a_cut_initializer_puts_its_reader_in_a_later_stage():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add x w -> late", weights=["w"])
    assert stages(graph, "a w") == {"a": 0, "b": 1, "late": 1}


def test_a_cut_edge_from_a_constant_node_puts_its_reader_in_a_later_stage():
    graph = small_graph("Constant -> k", "Neg x -> a", "Neg a -> b", "Add x k -> late")
    assert stages(graph, "a k") == {"k": None, "a": 0, "b": 1, "late": 1}


def test_a_cut_edge_from_a_graph_input_breaks_no_rule_and_sends_nothing():
    graph = small_graph("Neg x -> a", "Add a x -> b")
    staging = assign_stages(graph, small_plan("x->b a"))
    assert staging.is_valid
    assert [move.tensors for move in stage_contents(staging)[0].sends] == [(graph.tensor_index["a"],)]
    assert codes(graph, "x->b a") == ["sends-nothing"]


def test_a_cut_edge_into_a_constant_node_is_ignored():
    graph = small_graph("Constant -> k", "Neg k -> m", "Add x m -> a", "Neg a -> b")
    assert stages(graph, "a k") == stages(graph, "a")
    assert valid(graph, "a k")
    assert codes(graph, "a k") == ["into-constant"]


# Rule 4: validity.


def test_without_cuts_there_is_one_stage():
    assert set(stages(CHAIN).values()) == {0}
    assert valid(CHAIN)


def test_a_cut_that_leaves_a_way_around_is_invalid():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add a b -> c")
    assert not valid(graph, "b")
    assert valid(graph, "b a->c")


def test_a_backward_cut_is_invalid_and_said_to_be():
    assert not valid(CHAIN, "c", "a")
    assert codes(CHAIN, "c", "a") == ["cuts-out-of-order"]


@pytest.mark.parametrize("cuts", [("b", ""), ("", "b"), ("b", "b")])
def test_a_plan_with_a_stage_without_a_component_is_invalid(cuts):
    staging = assign_stages(CHAIN, small_plan(*cuts))
    assert not staging.is_valid
    assert len(staging.empty) == 1


def test_a_stage_that_would_hold_only_constants_is_empty():
    graph = small_graph("Constant -> k", "Neg k -> m", outputs=["m"])
    assert assign_stages(graph, small_plan("k")).empty == (0, 1)


def test_a_model_of_constants_alone_is_one_stage_without_cuts():
    graph = small_graph("Constant -> k", outputs=["k"])
    staging = assign_stages(graph, Plan())
    assert staging.is_valid
    assert stage_contents(staging)[0].nodes.tolist() == [0]


def test_a_model_without_nodes_is_one_stage_without_cuts_and_has_none_to_cut():
    graph = small_graph(outputs=["x"])
    assert valid(graph)
    assert stage_contents(assign_stages(graph, Plan()))[0].outputs.tolist() == [0]
    assert not valid(graph, "x")


def test_outputs_that_are_inputs_weights_or_constants_belong_to_stage_0():
    graph = small_graph(
        "Constant -> k", "Neg x -> a", "Neg a -> b", inputs=["x", "y"], weights=["w"], outputs=["b", "y", "w", "k"]
    )
    first, second = stage_contents(assign_stages(graph, small_plan("a")))
    assert [graph.tensor_names[t] for t in first.outputs] == ["y", "w", "k"]
    assert [graph.tensor_names[t] for t in second.outputs] == ["b"]
    assert [graph.tensor_names[t] for t in first.inputs] == ["x", "y"]
    assert [graph.tensor_names[t] for t in first.weights] == ["w"]
    assert graph.consumer_name(int(first.nodes[0])) == "k"


def test_a_graph_with_a_cycle_has_no_valid_plan_but_stages_to_show():
    graph = small_graph("Add x c -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d")
    staging = assign_stages(graph, small_plan("c->d"))
    assert not staging.is_valid
    assert staging.node_stage.tolist() == [0, 0, 0, 1]
    assert [finding.code for finding in diagnose(staging)] == ["cyclic-graph"]


# Rule 5: an edge in several cuts.


SKIP = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", outputs=["d"])


def test_an_edge_may_be_listed_in_several_cuts():
    staging = assign_stages(SKIP, small_plan("a", "b a->d"))
    assert staging.is_valid
    assert staging.node_stage.tolist() == [0, 1, 2, 2]
    assert staging.cuts_of_edge(SKIP.edge(SKIP.tensor_index["a"], 3)) == [0, 1]


def test_an_edge_in_three_cuts_keeps_its_way_through_all_of_them():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", "Add a d -> e", outputs=["e"])
    plan = small_plan("a", "b a->e", "c a->e")
    before = repr(plan)
    contents = stage_contents(assign_stages(graph, plan))
    a = graph.tensor_index["a"]
    assert [[a in move.tensors for move in stage.sends] for stage in contents] == [[True], [True], [True], []]
    assert repr(plan) == before


def test_an_edge_that_crosses_more_boundaries_than_list_it_is_accepted_with_a_remark():
    assert valid(SKIP, "a", "b")
    assert stages(SKIP, "a", "b") == {"a": 0, "b": 1, "c": 2, "d": 2}
    assert codes(SKIP, "a", "b") == ["crosses-several-boundaries"]
    assert codes(SKIP, "a", "b a->d") == []


# Names.


def test_any_output_names_a_consumer():
    graph = small_graph("Neg x -> a", "Split a -> b c", "Neg c -> d")
    assert stages(graph, "a->c") == {"a": 0, "b": 1, "d": 1}


def test_a_node_without_outputs_is_cut_only_with_all_consumers():
    graph = small_graph("Neg x -> a", "Print a -> _", "Neg a -> b")
    staging = assign_stages(graph, small_plan("a"))
    assert staging.node_stage.tolist() == [0, 1, 1]
    assert assign_stages(graph, small_plan("a->b")).node_stage.tolist() == [0, 0, 1]


def test_the_order_of_entries_within_a_cut_does_not_change_the_stages():
    for cuts in (("a", "b a->d"), ("a", "a->d b")):
        assert assign_stages(SKIP, small_plan(*cuts)).node_stage.tolist() == [0, 1, 2, 2]


def test_unknown_names_make_a_plan_invalid():
    for cut in ("nothing", "a->nothing", "a->a", "a->d"):
        assert not valid(CHAIN, cut)


def test_the_plan_of_the_first_seed_document_gives_three_stages():
    graph = small_graph(
        "Cast mask -> 71",
        "Gather x -> 186",
        "Add 186 71 -> 273",
        "Add 273 71 -> 308",
        "Add 308 71 -> 395",
        inputs=["x", "mask"],
        outputs=["395"],
    )
    plan = Plan(
        (
            Cut((CutEdge("186"), CutEdge("71", {"273", "308", "395"}))),
            Cut((CutEdge("308"), CutEdge("71", {"395"}))),
        )
    )
    staging = assign_stages(graph, plan)
    assert staging.is_valid
    assert staging.node_stage.tolist() == [0, 0, 1, 1, 2]
    assert np.all(np.diff(staging.component_stage) >= 0)
