"""Layouts from left to right: what holds of those from top to bottom holds of them too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import find_groups
from cutter_gui.layout import BoxKind, LayoutOptions, Scene, WireKind, lay_out
from cutter_gui.layout.folded_scene import lay_out_folded
from cutter_gui.layout.folding import to_level
from strategies.scenes import any_drawn_graphs, detached, overlaps, through_boxes

engines = pytest.mark.parametrize("engine", ["graphviz", "layered"])


def lying(graph: Graph, engine: str, **options: int) -> Scene:
    return lay_out(graph, LayoutOptions(engine=engine, direction="LR", **options))


@engines
@settings(max_examples=30)
@given(graph=any_drawn_graphs())
def test_boxes_never_overlap_and_wires_end_at_their_boxes(engine: str, graph: Graph) -> None:
    scene = lying(graph, engine, hub_threshold=4)
    assert scene.engine == engine
    assert scene.direction == "LR"
    assert overlaps(scene) == []
    assert detached(scene) == []
    assert sorted(scene.edge_wire) == list(range(graph.edge_count))


@engines
def test_edges_leave_at_the_right_and_enter_at_the_left_of_boxes_of_the_usual_size(engine: str, encoder) -> None:
    graph = encoder(4)
    scene, upright = lying(graph, engine), lay_out(graph, LayoutOptions(engine=engine))
    nodes = scene.box_kind == BoxKind.NODE
    assert np.array_equal(scene.box_rect[nodes, 2:], upright.box_rect[nodes, 2:])
    for wire in np.flatnonzero(scene.wire_kind == WireKind.EDGE).tolist():
        points, source, target = scene.points(wire), scene.wire_source[wire], scene.wire_target[wire]
        assert points[0, 0] == pytest.approx(scene.box_rect[source, 0] + scene.box_rect[source, 2])
        assert points[-1, 0] == pytest.approx(scene.box_rect[target, 0])
        assert points[0, 1] == pytest.approx(points[1, 1])
        assert points[-1, 1] == pytest.approx(points[-2, 1])
    assert through_boxes(scene) == []


@engines
def test_stubs_stand_above_and_below_their_boxes_and_a_hub_does_not_heighten_the_graph(engine: str, encoder) -> None:
    graph = encoder(12)
    scene, without = lying(graph, engine), lying(encoder(12, hub=False), engine)
    assert scene.bounds[3] <= 2 * without.bounds[3] + 100
    stubs = np.flatnonzero(scene.wire_kind == WireKind.STUB)
    assert len(stubs) == 12
    pill, box = scene.box_rect[scene.wire_source[stubs]], scene.box_rect[scene.wire_target[stubs]]
    above, below = pill[:, 1] + pill[:, 3] < box[:, 1], pill[:, 1] > box[:, 1] + box[:, 3]
    assert np.all(above | below)
    assert np.all(pill[:, 2] > pill[:, 3])


@engines
def test_several_hubs_at_one_node_stand_side_by_side(engine: str) -> None:
    builder = GraphBuilder("onnx")
    for name in "abcde":
        builder.add_input(name)
    for number in range(6):
        builder.add_node("Concat", [*"abcde"], [f"y{number}"])
        builder.add_output(f"y{number}")
    scene = lying(builder.build(), engine, hub_threshold=2)
    assert (scene.wire_kind == WireKind.STUB).sum() == 30
    assert overlaps(scene) == []


def test_a_folded_graph_runs_from_left_to_right_too(encoder) -> None:
    graph = encoder(5)
    groups = find_groups(graph)
    scene = lay_out_folded(graph, groups, to_level(groups, 0), LayoutOptions(direction="LR"))
    assert scene.direction == "LR"
    assert np.any(scene.box_kind == BoxKind.GROUP)
    assert scene.bounds[2] > scene.bounds[3]
