"""Folded groups: which boxes and wires a view has, and that nothing is lost in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.groups import Groups, find_groups
from cutter_gui.layout.folded_scene import lay_out_folded
from cutter_gui.layout.folding import (
    FOLDED_TO,
    Folding,
    all_open,
    box_count,
    fold_view,
    folding_of_text,
    folding_text,
    opening_folding,
    to_level,
)
from cutter_gui.layout.scene import BoxKind, LayoutOptions, WireKind


def layers_graph(count: int = 3, inner: int = 4) -> Graph:
    """Returns layers, each a scope with a scope ``mlp`` in it, that hand on two tensors and read a mask."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_input("mask_in")
    builder.add_initializer("w", 400)
    builder.add_node("Cast", ["mask_in"], ["mask"])
    main, side = "x", "mask"
    for layer in range(count):
        at = ("layers", f"{layer}")
        builder.add_node("MatMul", [main, "w"], [f"a{layer}"], scope=at)
        builder.add_node("Add", [f"a{layer}", "mask"], [f"b{layer}"], scope=at)
        last = f"b{layer}"
        for step in range(inner):
            builder.add_node("Relu", [last], [f"c{layer}.{step}"], scope=(*at, "mlp"))
            last = f"c{layer}.{step}"
        builder.add_node("Add", [last, side], [f"y{layer}"], scope=at)
        builder.add_node("Neg", [last], [f"z{layer}"], scope=at)
        main, side = f"y{layer}", f"z{layer}"
    builder.add_output(main)
    return builder.build()


@pytest.fixture
def graph() -> Graph:
    return layers_graph()


@pytest.fixture
def groups(graph) -> Groups:
    return find_groups(graph)


def tensors(graph: Graph, numbers) -> set[str]:
    return {graph.tensor_names[int(number)] for number in numbers}


def test_a_folded_group_is_one_box_and_what_is_in_it_is_not_drawn(graph, groups):
    scene = lay_out_folded(graph, groups, to_level(groups, 1))
    kinds = [BoxKind(kind) for kind in scene.box_kind.tolist()]
    assert kinds.count(BoxKind.GROUP) == 3
    assert kinds.count(BoxKind.NODE) == 1
    assert {groups.names[group] for group in scene.group_box} == {"0", "1", "2"}


def test_a_wire_between_folded_groups_carries_all_their_tensors(graph, groups):
    scene = lay_out_folded(graph, groups, to_level(groups, 1))
    first, second = (scene.group_box[groups.names.index(name)] for name in ("0", "1"))
    wires = np.flatnonzero((scene.wire_source == first) & (scene.wire_target == second))
    assert len(wires) == 1
    assert tensors(graph, scene.tensors_of(int(wires[0]))) == {"y0", "z0"}
    for name in ("y0", "z0"):
        assert int(wires[0]) in scene.wires_of(graph.tensor_index[name]).tolist()


def test_a_wire_of_one_tensor_is_that_tensors_wire(graph, groups):
    scene = lay_out_folded(graph, groups, to_level(groups, 1))
    for wire in scene.wires_of(graph.tensor_index["mask"]).tolist():
        assert tensors(graph, scene.tensors_of(wire)) <= {"mask"}
    assert scene.wire_kind[scene.wires_of(graph.tensor_index["y2"])].tolist() == [WireKind.OUTPUT]


def test_every_node_and_every_edge_between_boxes_has_its_place(graph, groups):
    scene = lay_out_folded(graph, groups, to_level(groups, 1))
    assert len(scene.node_box) == graph.node_count
    for edge in range(graph.edge_count):
        tensor, consumer = int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])
        producer = int(graph.tensor_producer[tensor])
        within = producer >= 0 and scene.node_box[producer] == scene.node_box[consumer]
        if within or graph.tensor_kind[tensor] == TensorKind.INITIALIZER:
            assert edge not in scene.edge_wire
        else:
            wire = scene.edge_wire[edge]
            assert tensor in scene.tensors_of(wire).tolist()
            assert scene.wire_target[wire] == scene.node_box[consumer]


def test_unfolding_one_group_leaves_the_others_folded(graph, groups):
    folding = to_level(groups, 1).opened([groups.names.index("1")])
    scene = lay_out_folded(graph, groups, folding)
    assert [groups.path(group) for group in scene.group_box] == [
        ("layers", "0"),
        ("layers", "1", "mlp"),
        ("layers", "2"),
    ]
    assert graph.tensor_producer[graph.tensor_index["b1"]] in scene.node_box


def test_folding_a_group_again_folds_what_was_opened_in_it(graph, groups):
    group = groups.names.index("1")
    folding = all_open(groups).folded(groups, group)
    assert folding.owners(groups)[groups.nodes(group)].tolist() == [group] * groups.node_count[group]
    assert groups.names.index("mlp", group) not in folding.opened([group]).open


def test_a_node_can_be_brought_to_light(graph, groups):
    node = int(graph.tensor_producer[graph.tensor_index["c1.2"]])
    folding = Folding().showing(groups, [node])
    assert folding.owners(groups)[node] == -1
    assert folding.owners(groups)[int(graph.tensor_producer[graph.tensor_index["a0"]])] >= 0


def test_with_everything_open_the_scene_is_the_plain_one(graph, groups):
    assert lay_out_folded(graph, groups, all_open(groups)).fold is None


def test_constants_and_weights_are_drawn_when_asked_for(graph, groups):
    shown = lay_out_folded(graph, groups, to_level(groups, 1), LayoutOptions(show_constants=True))
    assert BoxKind.WEIGHT in shown.box_kind.tolist()
    assert shown.boxes_of(graph.tensor_index["w"])


def test_a_small_graph_opens_unfolded_and_a_large_one_folded_to_what_can_be_overlooked():
    small = layers_graph()
    assert opening_folding(small, find_groups(small)).is_all_open(find_groups(small))
    large = layers_graph(80, 12)
    groups = find_groups(large)
    folding = opening_folding(large, groups)
    assert 1 < box_count(large, groups, folding) <= FOLDED_TO


def test_a_group_of_several_times_the_limit_still_opens_with_more_than_one_box():
    large = layers_graph(300, 4)
    groups = find_groups(large)
    assert box_count(large, groups, opening_folding(large, groups)) > 1


@st.composite
def folded_graphs(draw: st.DrawFn) -> tuple[Graph, Groups, Folding]:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_initializer("w", 8)
    for number in range(draw(st.integers(1, 20))):
        known = ["x", "w", *(f"t{at}" for at in range(number))]
        inputs = draw(st.lists(st.sampled_from(known), max_size=3))
        outputs = [f"t{number}"] + ([f"u{number}"] if draw(st.booleans()) else [])
        scope = tuple(draw(st.text("ab", max_size=3)))
        builder.add_node("Op", inputs, outputs, scope=scope)
    for at in draw(st.sets(st.integers(0, number), max_size=3)):
        builder.add_output(f"t{at}")
    graph = builder.build()
    groups = find_groups(graph)
    opened = draw(st.sets(st.integers(0, max(len(groups) - 1, 0))))
    return graph, groups, Folding(frozenset(group for group in opened if group < len(groups)))


@settings(max_examples=120, deadline=None)
@given(folded_graphs(), st.booleans())
def test_a_view_has_every_edge_between_its_boxes_and_no_other(case, constants):
    graph, groups, folding = case
    view = fold_view(graph, groups, folding, constants)
    found = set()
    for bundle, box in zip(view.graph.edge_tensor.tolist(), view.graph.edge_consumer.tolist(), strict=True):
        source = int(view.graph.tensor_producer[bundle])
        found |= {(source, tensor, box) for tensor in view.bundles.row(bundle).tolist()}
    wanted = set()
    for edge in range(graph.edge_count):
        tensor, consumer = int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])
        producer = int(graph.tensor_producer[tensor])
        source = int(view.node_box[producer]) if producer >= 0 else -1
        target = int(view.node_box[consumer])
        hidden = target < 0 or (producer >= 0 and source in (-1, target))
        if hidden or (graph.tensor_kind[tensor] == TensorKind.INITIALIZER and not constants):
            assert view.edge_bundle[edge] == -1
            continue
        assert tensor in view.bundles.row(int(view.edge_bundle[edge])).tolist()
        wanted.add((source, tensor, target))
    assert found == wanted
    for node in range(graph.node_count):
        box = int(view.node_box[node])
        if box < 0:
            assert graph.node_constant[node]
            assert not constants
        elif view.box_group[box] >= 0:
            assert int(view.box_group[box]) in groups.ancestors(int(groups.node_group[node]))
        else:
            assert view.box_node[box] == node
    assert tensors(view.graph, view.graph.outputs) == tensors(graph, graph.outputs)


@settings(max_examples=40, deadline=None)
@given(folded_graphs())
def test_between_two_boxes_of_which_one_is_folded_there_is_one_wire(case):
    graph, groups, folding = case
    view = fold_view(graph, groups, folding)
    seen = set()
    for bundle, box in zip(view.graph.edge_tensor.tolist(), view.graph.edge_consumer.tolist(), strict=True):
        source = int(view.graph.tensor_producer[bundle])
        if source >= 0 and (view.box_group[source] >= 0 or view.box_group[box] >= 0):
            assert (source, box) not in seen
            seen.add((source, box))


@settings(max_examples=60, deadline=None)
@given(folded_graphs())
def test_a_folding_is_remembered_as_text(case):
    _, groups, folding = case
    assert folding_of_text(folding_text(folding, groups), groups) == folding


@pytest.mark.parametrize("text", ["", "99:1", "5:x", "5:1-y", "5:-3", "x"])
def test_a_text_that_remembers_no_folding_of_these_groups_is_none(text, groups):
    assert folding_of_text(text.replace("5", str(len(groups))), groups) is None


def test_a_remembered_range_never_reaches_beyond_the_groups(groups):
    assert folding_of_text(f"{len(groups)}:0-999999999", groups) == all_open(groups)
