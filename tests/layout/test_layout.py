"""What holds of every layout, whichever engine makes it."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.errors import Cancelled
from cutter_gui.core.graph import Graph
from cutter_gui.layout import BoxKind, LayoutOptions, WireKind, lay_out
from strategies.executed_work import bytecodes
from strategies.scenes import any_drawn_graphs, detached, overlaps, through_boxes

ENGINES = ("graphviz", "layered")

engines = pytest.mark.parametrize("engine", ENGINES)


@engines
@given(graph=any_drawn_graphs())
def test_boxes_never_overlap_and_every_edge_is_a_wire_between_its_boxes(engine: str, graph: Graph) -> None:
    scene = lay_out(graph, LayoutOptions(engine=engine, hub_threshold=4))
    assert scene.engine == engine
    assert overlaps(scene) == []
    assert detached(scene) == []
    assert sorted(scene.edge_wire) == list(range(graph.edge_count))
    for edge, wire in scene.edge_wire.items():
        assert scene.wire_tensor[wire] == graph.edge_tensor[edge]
        assert scene.box_ref[scene.wire_target[wire]] == graph.edge_consumer[edge]


@engines
def test_edges_go_around_nodes(engine: str, encoder) -> None:
    scene = lay_out(encoder(6), LayoutOptions(engine=engine))
    assert through_boxes(scene) == []


@engines
def test_edges_leave_at_the_bottom_and_enter_at_the_top(engine: str, encoder) -> None:
    scene = lay_out(encoder(3), LayoutOptions(engine=engine))
    for wire in np.flatnonzero(scene.wire_kind == WireKind.EDGE).tolist():
        points, source, target = scene.points(wire), scene.wire_source[wire], scene.wire_target[wire]
        assert points[0, 1] == pytest.approx(scene.box_rect[source, 1] + scene.box_rect[source, 3])
        assert points[-1, 1] == pytest.approx(scene.box_rect[target, 1])
        assert points[0, 0] == pytest.approx(points[1, 0])
        assert points[-1, 0] == pytest.approx(points[-2, 0])


@engines
def test_the_same_graph_gives_the_same_picture(engine: str, encoder) -> None:
    first, second = (lay_out(encoder(5), LayoutOptions(engine=engine)) for _ in range(2))
    assert np.array_equal(first.box_rect, second.box_rect)
    assert np.array_equal(first.wire_points, second.wire_points)


@engines
def test_a_hub_does_not_widen_the_graph(engine: str, encoder) -> None:
    options = LayoutOptions(engine=engine)
    with_hub, without = lay_out(encoder(24), options), lay_out(encoder(24, hub=False), options)
    assert with_hub.bounds[2] <= 2 * without.bounds[2]


@engines
def test_the_edges_of_a_hub_are_stubs_at_each_consumer_and_a_pill_at_its_maker(engine: str, encoder) -> None:
    graph = encoder(12)
    scene = lay_out(graph, LayoutOptions(engine=engine))
    hub = graph.tensor_index["m"]
    kinds = scene.wire_kind[scene.wires_of(hub)].tolist()
    assert kinds.count(WireKind.STUB) == 12
    assert kinds.count(WireKind.HUB) == 1
    assert len(kinds) == 13
    stubs = [box for box in scene.boxes_of(hub) if scene.box_kind[box] == BoxKind.STUB]
    assert len(stubs) == 12


def test_the_threshold_decides_what_is_a_hub(encoder) -> None:
    graph = encoder(3)
    mask = graph.tensor_index["m"]
    for threshold, kind in ((2, WireKind.STUB), (3, WireKind.EDGE)):
        scene = lay_out(graph, LayoutOptions(engine="layered", hub_threshold=threshold))
        assert kind in scene.wire_kind[scene.wires_of(mask)]


def test_a_fan_into_the_next_layer_stays_whole() -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number in range(10):
        builder.add_node("Relu", ["x"], [f"y{number}"])
    scene = lay_out(builder.build(), LayoutOptions(engine="layered", hub_threshold=8))
    assert set(scene.wire_kind.tolist()) == {WireKind.EDGE}


@engines
def test_a_chain_is_straight(engine: str, chain) -> None:
    scene = lay_out(chain(12), LayoutOptions(engine=engine))
    middles = scene.box_rect[:, 0] + scene.box_rect[:, 2] / 2
    assert np.ptp(middles) < 1


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_a_graph_without_nodes_gives_an_empty_scene(engine: str) -> None:
    scene = lay_out(GraphBuilder("onnx").build(), LayoutOptions(engine=engine))
    assert scene.box_count == scene.wire_count == 0
    assert scene.bounds == (0, 0, 0, 0)


@engines
def test_one_node_alone_is_drawn(engine: str) -> None:
    builder = GraphBuilder("onnx")
    builder.add_node("RandomNormal", [], ["y"], volatile=True)
    scene = lay_out(builder.build(), LayoutOptions(engine=engine))
    assert scene.box_kind.tolist() == [BoxKind.NODE]


@engines
def test_cycles_loops_and_repeated_producers_are_drawn(engine: str) -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("A", ["x", "c"], ["a"])
    builder.add_node("B", ["a"], ["b"])
    builder.add_node("C", ["b", "c"], ["c"])
    builder.add_node("D", ["a"], ["b"])
    graph = builder.build()
    scene = lay_out(graph, LayoutOptions(engine=engine))
    assert len(scene.edge_wire) == graph.edge_count
    assert overlaps(scene) == detached(scene) == []
    assert through_boxes(scene, ends=True) == []


@engines
def test_a_tensor_that_nothing_produces_has_a_pill(engine: str) -> None:
    builder = GraphBuilder("onnx")
    builder.add_node("Relu", ["lost"], ["y"])
    graph = builder.build()
    scene = lay_out(graph, LayoutOptions(engine=engine))
    assert graph.tensor_index["lost"] in scene.box_ref[scene.box_kind == BoxKind.INPUT]


def constant_graph() -> Graph:
    builder = GraphBuilder("onnx")
    builder.add_initializer("w", 64)
    builder.add_input("x")
    builder.add_node("Constant", [], ["c"])
    builder.add_node("Add", ["c", "w"], ["d"])
    builder.add_node("Mul", ["x", "d"], ["y"])
    builder.add_output("y")
    return builder.build()


@engines
def test_constant_nodes_and_weights_are_drawn_only_when_asked_for(engine: str) -> None:
    graph = constant_graph()
    plain = lay_out(graph, LayoutOptions(engine=engine))
    assert sorted(plain.node_box) == [2]
    assert plain.wire_count == 2  # from the input and to the output
    whole = lay_out(graph, LayoutOptions(engine=engine, show_constants=True))
    assert sorted(whole.node_box) == [0, 1, 2]
    assert BoxKind.WEIGHT in whole.box_kind
    assert len(whole.edge_wire) == graph.edge_count


@engines
def test_a_model_output_is_wired_to_a_pill_once_even_when_listed_twice(engine: str) -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Relu", ["x"], ["y"])
    builder.add_output("y")
    builder.add_output("y")
    builder.add_output("x")
    graph = builder.build()
    scene = lay_out(graph, LayoutOptions(engine=engine))
    pills = scene.box_ref[scene.box_kind == BoxKind.OUTPUT].tolist()
    assert sorted(pills) == sorted([graph.tensor_index["x"], graph.tensor_index["y"]])
    assert (scene.wire_kind == WireKind.OUTPUT).sum() == 2
    assert set(scene.wire_edge[scene.wire_kind == WireKind.OUTPUT].tolist()) == {-1}


def test_names_never_reach_graphviz() -> None:
    builder = GraphBuilder("onnx")
    builder.add_input('x"];}')
    builder.add_node('<b>"\\N', ['x"];}'], ["é\0\n"], name='"; graph [size=1]; "')
    builder.add_node("Rélu", ["é\0\n"], ["\udc80"])
    scene = lay_out(builder.build(), LayoutOptions(engine="graphviz"))
    assert scene.engine == "graphviz"
    assert len(scene.node_box) == 2


def test_without_graphviz_the_layered_engine_draws(monkeypatch: pytest.MonkeyPatch, chain) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert lay_out(chain(3), LayoutOptions(engine="auto")).engine == "layered"
    assert lay_out(chain(3), LayoutOptions(engine="graphviz")).engine == "layered"


def test_large_graphs_are_laid_out_in_layers(chain) -> None:
    assert lay_out(chain(100)).engine == "graphviz"
    assert lay_out(chain(2000)).engine == "layered"


def test_a_picture_that_follows_another_keeps_its_engine_where_it_can(chain) -> None:
    short, long = chain(100), chain(2000)
    assert lay_out(short, LayoutOptions(before="layered")).engine == "layered"
    assert lay_out(short, LayoutOptions(before="graphviz")).engine == "graphviz"
    assert lay_out(long, LayoutOptions(before="graphviz")).engine == "layered"
    assert lay_out(short, LayoutOptions(engine="graphviz", before="layered")).engine == "graphviz"


def drifting() -> Graph:
    """Equal blocks with a link around each, which the layered engine draws much narrower."""
    builder = GraphBuilder("onnx")
    builder.add_input("x0")
    for block in range(8):
        builder.add_node("Norm", [f"x{block}"], [f"n{block}"])
        for branch in "qkv":
            builder.add_node("MatMul", [f"n{block}"], [f"{branch}{block}"])
            builder.add_node("Reshape", [f"{branch}{block}"], [f"{branch}r{block}"])
        builder.add_node("MatMul", [f"qr{block}", f"kr{block}"], [f"s{block}"])
        builder.add_node("Softmax", [f"s{block}"], [f"p{block}"])
        builder.add_node("MatMul", [f"p{block}", f"vr{block}"], [f"c{block}"])
        builder.add_node("Gemm", [f"c{block}"], [f"o{block}"])
        builder.add_node("Add", [f"o{block}", f"x{block}"], [f"x{block + 1}"])
    return builder.build()


def test_a_picture_by_graphviz_stays_so_even_where_the_other_engine_would_be_narrower() -> None:
    graph = drifting()
    assert lay_out(graph).engine == "layered"
    assert lay_out(graph, LayoutOptions(before="graphviz")).engine == "graphviz"


def test_a_chain_of_twenty_thousand_nodes_takes_no_recursion(chain) -> None:
    assert lay_out(chain(20_000)).box_count == 20_002


def test_the_work_for_a_chain_grows_with_its_length_and_not_faster(chain) -> None:
    def work(count: int) -> int:
        graph = chain(count)
        return bytecodes(lambda: lay_out(graph, LayoutOptions(engine="layered")), "cutter_gui")

    work(4)  # what is imported or made once is no part of it
    counts = [work(60), work(480)]
    assert counts[1] < 1.15 * 8 * counts[0]


def test_cancelling_stops_the_layout(encoder) -> None:
    def cancel(_what: str, _fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        lay_out(encoder(2), LayoutOptions(), cancel)


def test_progress_grows_to_the_whole(encoder) -> None:
    told: list[float] = []
    for engine in ENGINES:
        told.clear()
        lay_out(encoder(8), LayoutOptions(engine=engine), lambda _, fraction: told.append(fraction))
        assert told == sorted(told)
        assert told[-1] == 1.0


def test_a_scene_can_be_sent_to_another_process(encoder) -> None:
    scene = lay_out(encoder(2))
    copy = pickle.loads(pickle.dumps(scene))
    assert np.array_equal(copy.wire_points, scene.wire_points)
    assert copy.bounds == scene.bounds


def test_the_bounds_hold_everything(encoder) -> None:
    scene = lay_out(encoder(12))
    left, top, width, height = scene.bounds
    low = np.minimum(scene.box_rect[:, :2].min(axis=0), scene.wire_points.min(axis=0))
    high = np.maximum((scene.box_rect[:, :2] + scene.box_rect[:, 2:]).max(axis=0), scene.wire_points.max(axis=0))
    assert np.all(low >= [left, top])
    assert np.all(high <= [left + width, top + height])


def test_equal_blocks_with_a_link_around_each_stand_below_each_other_and_do_not_drift_aside() -> None:
    graph = drifting()
    scene = lay_out(graph)
    sums = [scene.node_box[int(graph.tensor_producer[graph.tensor_index[f"x{block}"]])] for block in range(1, 9)]
    middles = scene.box_rect[sums, 0] + scene.box_rect[sums, 2] / 2
    assert np.ptp(middles) < 100
    one_block = lay_out(graph, LayoutOptions(engine="graphviz")).bounds[2] / 8
    assert scene.bounds[2] < 4 * one_block
