"""What the findings say, one code after the other, and which code when several fit (DESIGN, section 7)."""

import pickle

import pytest

from cutter_gui.core import Cut, CutEdge, GraphBuilder, Plan, Severity, assign_stages, diagnose
from strategies.findings import codes, findings, mended, only
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", outputs=["d"])
FORK = small_graph("Neg x -> a", "Neg a -> b", "Neg a -> s", "Add b s -> c", outputs=["c"])
WILD = "line\nbreak\x00<b>مرحبا😀" + "long" * 2000


def test_a_valid_plan_has_no_finding():
    assert findings(CHAIN, "b") == []


def test_problems_of_the_graph_itself_come_first():
    graph = small_graph("Neg x -> a", "Neg gone -> b")
    assert codes(graph, "zzz") == ["missing-input", "unknown-tensor", "empty-stage"]


# incomplete-cut


def test_an_incomplete_cut_names_the_tensor_and_the_way_that_is_still_joined():
    found = only(FORK, "b")
    assert (found.code, found.severity, found.cut) == ("incomplete-cut", Severity.ERROR, 0)
    assert found.tensors == ("b",)
    assert found.node_names == ("b", "a", "s", "c")
    assert found.message == (
        "Cut 0 is incomplete: b is cut, but its producer is still joined to c through b <- a -> s -> c."
    )


def test_an_incomplete_cut_names_the_tensor_that_alone_still_joins_two_nodes():
    graph = small_graph("Split x -> a a2", "Add a a2 -> b")
    found = only(graph, "a")
    assert found.node_names == ("a", "b")
    assert found.message == "Cut 0 is incomplete: a is cut, but its producer is still joined to b through a2."


def test_an_incomplete_cut_says_when_only_shared_storage_joins():
    graph = small_graph("View x -> a", "!add_ a -> b", together=[(0, 1)])
    assert only(graph, "a").message == (
        "Cut 0 is incomplete: a is cut, but its producer is still joined to b "
        "because they share storage that is changed in place."
    )


def test_the_path_takes_shared_storage_along():
    graph = small_graph("View x -> a", "Neg a -> b", "!add_ x -> m", "Add m b -> c", together=[(0, 2)])
    found = only(graph, "b")
    assert found.node_names == ("b", "a", "m", "c")
    assert "through b <- a -- m -> c." in found.message


def test_a_long_way_is_shortened_in_the_sentence_and_whole_in_the_nodes():
    nodes = [f"Neg t{i} -> t{i + 1}" for i in range(20)]
    graph = small_graph("Neg x -> t0", *nodes, "Add t20 t0 -> y")
    found = only(graph, "t0->y")
    assert len(found.nodes) == 22
    assert "through t0 -> t1 -> t2 ... (16 more) -> t19 -> t20 -> y." in found.message


def test_tensors_of_one_component_are_one_finding_and_components_are_told_apart():
    graph = small_graph(
        *("Neg x -> a", "Neg a -> b", "Neg a -> c", "Add b c -> d", "Add d a -> e"),
        *("Neg y -> p", "Neg p -> q", "Add q p -> r"),
        inputs=["x", "y"],
    )
    first, second = findings(graph, "b c q")
    assert (first.tensors, second.tensors) == (("b", "c"), ("q",))
    assert first.message.startswith("Cut 0 is incomplete: b and c are cut, but the producer of b is still joined to d")


def test_each_cut_has_its_own_finding_with_its_name():
    plan = small_plan("b", "b")
    first, second = diagnose(assign_stages(FORK, plan))
    assert (first.cut, second.cut) == (0, 1)


def test_paths_of_more_cuts_than_are_searched_are_left_out_but_not_their_tensors():
    found = findings(FORK, *["b"] * 40)
    assert [finding.cut for finding in found] == list(range(40))
    assert {finding.tensors for finding in found} == {("b",)}
    assert found[0].node_names == ("b", "a", "s", "c")
    assert found[-1].node_names == ("b", "c")


# cuts-out-of-order


def test_cuts_in_the_wrong_order_are_one_finding_that_reorders_them():
    found = only(CHAIN, "c", "a", "b")
    assert (found.code, found.severity) == ("cuts-out-of-order", Severity.ERROR)
    assert found.tensors == ("c",)
    (fix,) = found.fixes
    assert fix.edits == ({"edit": "reorder-cuts", "order": [1, 2, 0]},)
    assert fix.plan == small_plan("a", "b", "c")
    assert fix.title == "Reorder the cuts: 1, 2, 0"
    assert found.message == "The cuts are out of order: c runs backward; the order cut 1, cut 2, cut 0 is valid."


def test_an_order_that_leaves_no_stage_empty_is_found_where_the_given_one_does():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg y -> p", inputs=["x", "y"])
    found = findings(graph, "y", "a")[0]
    assert found.message == "The cuts are out of order: stage 0 is empty; the order cut 1, cut 0 is valid."
    assert found.fixes[0].plan == small_plan("a", "y")
    assert codes(graph, "a", "y") == ["sends-nothing"]


def test_no_order_is_looked_for_while_a_cut_is_incomplete():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg b -> d", "Add c d -> e")
    assert set(codes(graph, "c", "a")) >= {"incomplete-cut"}
    assert "cuts-out-of-order" not in codes(graph, "c", "a")


def test_a_cut_without_edges_is_not_taken_for_a_wrong_order():
    assert codes(CHAIN, "b", "") == ["empty-stage"]


# backward-edge


def test_an_edge_that_no_order_of_the_cuts_lets_run_forward_is_told_with_its_stages():
    found = only(CHAIN, "a c", "b")
    assert (found.code, found.severity, found.cut) == ("backward-edge", Severity.ERROR, 0)
    assert found.tensors == ("c",)
    assert found.node_names == ("c", "d")
    assert found.message == (
        "Tensor c runs from stage 2 back to stage 1, but is in cut 0; c is in stage 2 because cut 1 lists b."
    )


def test_a_tensor_in_a_cut_that_it_does_not_cross_is_told_where_it_runs():
    assert [found.message for found in findings(CHAIN, "a c", "b c")] == [
        "Tensor c stays in stage 2, but is in cut 0; c is in stage 2 because cut 1 lists b.",
        "Tensor c stays in stage 2, but is in cut 1; c is in stage 2 because cut 1 lists b.",
    ]
    assert [found.message for found in findings(CHAIN, "a c", "b", "c")] == [
        "Tensor c runs from stage 2 to stage 3, but is in cut 0, which separates stages 0 and 1; "
        "c is in stage 2 because cut 1 lists b."
    ]


def test_backward_edges_are_grouped_by_cut_and_tensor():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg b -> d", "Neg y -> e", inputs=["x", "y"])
    found = [finding for finding in findings(graph, "b", "a b->d", "b->c y") if finding.code == "backward-edge"]
    assert [(finding.cut, finding.tensors) for finding in found] == [(0, ("b",)), (1, ("b",))]
    assert found[0].node_names == ("b", "c", "d")


# empty-stage


def test_a_new_cut_without_edges_is_said_to_have_none_yet():
    found = only(CHAIN, "b", "")
    assert (found.code, found.severity, found.cut) == ("empty-stage", Severity.ERROR, 1)
    assert found.message == "Stage 2 is empty: cut 1 has no edges yet."
    assert found.fixes[0].title == "Remove cut 1"
    assert found.fixes[0].plan == small_plan("b")


def test_two_cuts_that_cut_the_same_can_be_merged():
    found = only(CHAIN, "b", "b")
    assert found.message == "Stage 1 is empty: all that comes after cut 0 also comes after cut 1."
    assert found.fixes[0].title == "Merge cut 0 with cut 1"
    assert found.fixes[0].plan == small_plan("b")


def test_a_last_cut_that_nothing_comes_after_is_told():
    graph = small_graph("Constant -> k", "Neg k -> m", "Add x m -> a", "Neg a -> b")
    found = findings(graph, "a", "k")[0]
    assert found.message == "Stage 2 is empty: no node comes after cut 1."
    assert mended(graph, found) == []


def test_a_first_cut_that_nothing_comes_before_is_told():
    found = findings(CHAIN, "x", "b")[0]
    assert found.message == "Stage 0 is empty: no node comes before cut 0."
    assert mended(CHAIN, found) == []


def test_empty_stages_are_not_told_beside_an_incomplete_cut():
    assert codes(FORK, "b", "") == ["incomplete-cut"]


# unknown names


def test_a_stale_tensor_name_is_told_with_its_nearest_match():
    graph = small_graph("Neg x -> /layer.0/Neg_output_0", "Neg /layer.0/Neg_output_0 -> /layer.1/Neg_output_0")
    found = findings(graph, "/layer0/Neg_output_0")[0]
    assert (found.code, found.severity, found.tensors) == ("unknown-tensor", Severity.ERROR, ("/layer0/Neg_output_0",))
    assert found.message == (
        "Cut 0 cuts /layer0/Neg_output_0, but the model has no tensor of that name; did you mean /layer.0/Neg_output_0?"
    )
    assert found.fixes[0].plan == small_plan("/layer.0/Neg_output_0")
    assert mended(graph, found) == []


def test_a_name_like_no_other_is_told_without_a_guess_and_can_be_taken_out():
    found = findings(CHAIN, "b zzz")[0]
    assert found.message == "Cut 0 cuts zzz, but the model has no tensor of that name."
    assert [fix.plan for fix in found.fixes] == [small_plan("b")]


def test_the_name_of_a_node_is_not_that_of_its_tensor_but_leads_to_it():
    graph = small_graph("MatMul_12: Neg x -> a", "Neg a -> b")
    found = findings(graph, "MatMul_12")[0]
    assert found.message == "Cut 0 cuts MatMul_12, which is the name of a node; its output is a."
    assert found.fixes[0].plan == small_plan("a")


def test_a_consumer_named_by_its_node_name_is_told_its_output():
    graph = small_graph("Neg x -> a", "MatMul_12: Neg a -> b", "Neg a -> c")
    found = findings(graph, "a->MatMul_12,c")[0]
    assert found.code == "unknown-consumer"
    assert found.message == (
        "Cut 0 cuts a from MatMul_12, but that is the name of a node, and consumers are named by an output; "
        "did you mean b?"
    )
    assert found.fixes[0].plan == small_plan("a->b,c")
    assert mended(graph, found) == []


@pytest.mark.parametrize(
    ("consumer", "why"),
    [
        ("a", "that node produces it; it is read by bb and s"),
        ("c", "that node does not read it; it is read by bb and s"),
        ("x", "that is a graph input, not the output of a node; it is read by bb and s"),
        ("w", "that is an initializer, not the output of a node; it is read by bb and s"),
        ("zzz", "no node has that name; it is read by bb and s"),
        ("bbb", "no node has that name; did you mean bb?"),
        ("show", "that node has no output to be named by: leave out consumers to cut all its edges; it is read by"),
        ("far", "the node of that name does not read it; it is read by bb and s"),
    ],
)
def test_why_a_name_is_no_consumer(consumer, why):
    nodes = ["Neg x -> a", "Neg a -> bb", "Neg a -> s", "Add bb s -> c", "far: Add c w -> e"]
    nodes += ["show: Print a -> _"] if consumer == "show" else []
    graph = small_graph(*nodes, weights=["w"])
    found = next(f for f in findings(graph, f"a->bb,s,{consumer}") if f.code == "unknown-consumer")
    assert found.message.startswith(f"Cut 0 cuts a from {consumer}, but {why}")
    assert any(fix.plan == small_plan("a->bb,s") for fix in found.fixes)


def test_the_only_consumer_is_proposed_whatever_the_name():
    found = findings(CHAIN, "a->zzz")[0]
    assert found.message.endswith("but no node has that name; did you mean b?")
    assert found.fixes[0].plan == small_plan("a->b")


def test_a_spec_of_another_model_is_told_name_by_name_without_searching_for_each():
    graph = small_graph(*(f"Neg t{i} -> t{i + 1}" for i in range(300)), inputs=["t0"])
    found = findings(graph, " ".join(f"u{i}" for i in range(300)))
    assert sum(finding.code == "unknown-tensor" for finding in found) == 300
    fixes = [finding.fixes for finding in found if finding.code == "unknown-tensor"]
    assert sum(len(mends) == 2 for mends in fixes) == 30, "of the 40 searched for, those that are like t10 to t39"
    assert all(mends[-1].title.startswith("Take u") for mends in fixes)


# Entries one by one.


@pytest.mark.parametrize("cut", ["b b", "b->c b", "b b->c", "b->c,c", "b->c b->c"])
def test_an_edge_listed_twice_in_a_cut_is_a_warning_that_lists_it_once(cut):
    found = only(CHAIN, cut)
    assert (found.code, found.severity) == ("duplicate-edge", Severity.WARNING)
    assert (found.tensors, found.node_names) == (("b",), ("c",))
    assert mended(CHAIN, found) == []


def test_a_node_listed_under_two_of_its_outputs_is_listed_twice():
    graph = small_graph("Neg x -> a", "Split a -> b c", "Neg a -> d")
    found = next(f for f in findings(graph, "a->c,b,d") if f.code == "duplicate-edge")
    assert found.fixes[0].plan == small_plan("a->c,d")


def test_an_edge_in_two_cuts_is_no_duplicate():
    graph = small_graph("Neg x -> a", "Neg a -> b", "Add b a -> c")
    assert findings(graph, "a", "b a->c") == []


def test_a_tensor_that_nothing_reads_is_a_warning():
    found = only(CHAIN, "b d")
    assert (found.code, found.severity) == ("nothing-reads", Severity.WARNING)
    assert found.message == "Cut 0 cuts d, but no node reads it."
    assert found.fixes[0].plan == small_plan("b")


@pytest.mark.parametrize(("tensor", "what"), [("x", "a graph input"), ("w", "an initializer"), ("k", "constant")])
def test_a_cut_tensor_that_is_not_sent_is_worth_knowing(tensor, what):
    graph = small_graph("Constant -> k", "Sum x w k -> a", "Sum a x w k -> b", weights={"w": 0})
    found = next(f for f in findings(graph, f"a {tensor}->b") if f.code != "shared-weight")
    assert (found.code, found.severity, found.node_names) == ("sends-nothing", Severity.INFO, ("b",))
    assert found.message == (
        f"{tensor}, cut by cut 0, is {what}: nothing is sent, each stage that reads it gets its own copy."
    )


def test_an_edge_into_a_constant_node_is_said_to_have_no_effect():
    graph = small_graph("Constant -> k", "Neg k -> m", "Add x m -> a", "Neg a -> b")
    found = only(graph, "a k")
    assert (found.code, found.severity) == ("into-constant", Severity.INFO)
    assert found.message == (
        "Cut 0 cuts k from m, which is constant and copied wherever it is needed: the entry has no effect."
    )


def test_a_tensor_read_only_inside_a_body_is_worth_knowing():
    graph = small_graph("Neg x -> a", "If c [a] -> b", inputs=["x", "c"])
    found = only(graph, "a")
    assert (found.code, found.severity) == ("inside-subgraph", Severity.INFO)
    assert (found.tensors, found.node_names) == (("a",), ("b",))


def test_a_tensor_read_by_a_slot_as_well_is_not_only_inside():
    graph = small_graph("Neg x -> a", "If a [a] -> b")
    assert findings(graph, "a") == []


# Boundaries.

SKIP = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Add c a -> d", outputs=["d"])


def test_an_edge_over_more_boundaries_than_list_it_is_worth_knowing_and_can_be_listed():
    found = only(SKIP, "a", "b")
    assert (found.code, found.severity) == ("crosses-several-boundaries", Severity.INFO)
    assert found.message == (
        "a runs from stage 0 to stage 2 but is listed only in cut 0; it is relayed through stage 1."
    )
    assert found.node_names == ("d",)
    listed, direct = found.fixes
    assert listed.plan == small_plan("a", "b a->d")
    assert mended(SKIP, found) == []
    assert direct.plan.transport == "direct"


def test_sent_directly_the_same_edge_passes_no_stage():
    found = only(SKIP, "a", "b", transport="direct")
    assert found.message.endswith("listed only in cut 0; it is sent there directly.")
    assert len(found.fixes) == 1


# Whatever the names.


def test_sentences_are_one_line_and_short_whatever_the_names():
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    names = [f"{WILD}{i}" for i in range(6)]
    builder.add_node("Neg", ["x"], [names[0]], name=WILD)
    builder.add_node("Neg", [names[0]], [names[1]])
    builder.add_node("Neg", [names[0]], [names[2]])
    builder.add_node("Add", [names[1], names[2]], [names[3]])
    entries = (CutEdge(names[1]), CutEdge(WILD), CutEdge(names[0], [WILD, names[3]]), CutEdge(names[3]))
    found = diagnose(assign_stages(builder.build(), Plan((Cut(entries, WILD), Cut((), WILD)))))
    assert {finding.code for finding in found} >= {"incomplete-cut", "unknown-tensor", "unknown-consumer"}
    for finding in found:
        assert finding.message.isprintable()
        assert len(finding.message) < 1000
        for fix in finding.fixes:
            assert fix.title.isprintable()


def test_mends_are_worked_out_when_they_are_first_looked_at_and_go_to_another_process_as_data():
    found = only(FORK, "a->b")
    assert found.fixes, "that there are some is known"
    assert not found.fixes.are_known
    titles = [fix.title for fix in found.fixes]
    assert found.fixes.are_known
    assert titles
    sent = pickle.loads(pickle.dumps(only(FORK, "a->b")))
    assert isinstance(sent.fixes, tuple)
    assert sent == found


def test_which_findings_have_more_than_one_mend_does_not_depend_on_who_looks_first():
    cuts = ["b", "s", "a->b"]
    forward, backward = findings(FORK, *cuts), findings(FORK, *cuts)
    for found in reversed(backward):
        assert len(found.fixes) >= 0
    assert [list(found.fixes) for found in forward] == [list(found.fixes) for found in backward]
