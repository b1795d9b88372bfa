"""The steps of the layered engine, each against what it promises."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core.build import GraphBuilder
from cutter_gui.layout import graphviz, ordering_wide
from cutter_gui.layout.alignment import aligned
from cutter_gui.layout.layers import longest_path_layers, order_breaking_cycles
from cutter_gui.layout.ordering import Levels, crossings, ordered
from cutter_gui.layout.ordering_wide import crossings_wide, ordered_wide
from cutter_gui.layout.relaxation import relaxed
from cutter_gui.layout.routing import CLEARANCE, curve_through
from cutter_gui.layout.scene import LayoutOptions
from cutter_gui.layout.shelves import shelved
from cutter_gui.layout.sketch import make_sketch
from cutter_gui.layout.stretches import Cutting, Stretch


def links_of(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    array = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
    return array[:, 0], array[:, 1]


node = st.integers(0, 11)
any_links = st.lists(st.tuples(node, node), max_size=40)
downward_links = any_links.map(lambda pairs: [(min(p), max(p)) for p in pairs if p[0] != p[1]])


@given(downward_links)
def test_every_link_of_a_graph_without_cycles_goes_down(pairs: list[tuple[int, int]]) -> None:
    source, target = links_of(pairs)
    layer = longest_path_layers(12, source, target)
    assert np.all(layer[source] < layer[target])
    assert layer.min() == 0


@given(any_links)
def test_an_order_holds_every_box_once_whatever_the_cycles(pairs: list[tuple[int, int]]) -> None:
    source, target = links_of(pairs)
    assert sorted(order_breaking_cycles(12, source, target).tolist()) == list(range(12))


def test_only_the_link_that_closes_a_cycle_runs_upwards() -> None:
    source, target = links_of([(0, 1), (1, 2), (2, 0)])
    place = order_breaking_cycles(3, source, target)
    assert (place[source] < place[target]).tolist() == [True, True, False]


def test_a_box_without_sources_stands_just_above_its_reader() -> None:
    source, target = links_of([(0, 1), (1, 2), (2, 3), (4, 3)])
    assert longest_path_layers(5, source, target).tolist() == [0, 1, 2, 3, 2]


def random_levels(sizes: list[int], data: st.DataObject) -> Levels:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    upper, lower = [], []
    for at in range(len(sizes) - 1):
        pair = st.tuples(st.integers(0, sizes[at] - 1), st.integers(0, sizes[at + 1] - 1))
        for a, b in sorted(set(data.draw(st.lists(pair, max_size=8)))):
            upper.append(int(starts[at]) + a)
            lower.append(int(starts[at + 1]) + b)
    return Levels.of(starts.tolist(), np.asarray(upper, dtype=np.int32), np.asarray(lower, dtype=np.int32))


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.data())
def test_crossings_are_counted_as_by_looking_at_all_pairs(sizes: list[int], data: st.DataObject) -> None:
    levels = random_levels(sizes, data)
    place = levels.places()
    expected = 0
    for layer in levels.layers:
        segments = [(place[a], place[b]) for a in layer for b in levels.below[a]]
        expected += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(segments, 2))
    assert crossings(levels) == expected


some_sizes = st.lists(st.integers(1, 5), min_size=2, max_size=5)


@given(some_sizes, st.data())
def test_ordering_keeps_every_vertex_in_its_layer_and_adds_no_crossing(sizes: list[int], data: st.DataObject) -> None:
    levels = random_levels(sizes, data)
    better = ordered(levels)
    assert [sorted(layer) for layer in better.layers] == [sorted(layer) for layer in levels.layers]
    assert crossings(better) <= crossings(levels)


def test_ordering_untangles_two_crossed_chains() -> None:
    upper, lower = np.array([0, 1, 2, 3], dtype=np.int32), np.array([3, 2, 5, 4], dtype=np.int32)
    levels = Levels.of([0, 2, 4, 6], upper, lower)
    assert crossings(levels) == 2
    assert crossings(ordered(levels)) == 0


def random_stretch(sizes: list[int], data: st.DataObject) -> tuple[Stretch, Levels]:
    levels = random_levels(sizes, data)
    count = sum(sizes)
    pairs = [(head, tail) for head, tails in enumerate(levels.below) for tail in tails]
    upper, lower = links_of(pairs)
    fixed = np.zeros(count, dtype=np.bool_)
    fixed[[0, -1]] = sizes[0] == 1, sizes[-1] == 1
    widths = st.lists(st.sampled_from([8.0, 40.0, 112.0]), min_size=count, max_size=count)
    sides = np.stack([np.asarray(data.draw(widths)) / 2, np.asarray(data.draw(widths)) / 2], axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return Stretch(starts, sides, sides[:, 0] == 4.0, upper, lower, fixed), levels


@given(some_sizes, st.data())
def test_aligned_vertices_keep_their_order_and_their_distance(sizes: list[int], data: st.DataObject) -> None:
    stretch, levels = random_stretch(sizes, data)
    levels = ordered(levels)
    x = aligned(levels, stretch.sides, stretch.is_bend, stretch.fixed, 24.0)
    for layer in levels.layers:
        for one, two in pairwise(layer):
            assert x[two] - x[one] >= stretch.sides[one, 1] + stretch.sides[two, 0] + 24.0 - 1e-6
    assert np.all(x[stretch.fixed] == 0)


@given(some_sizes, st.data())
def test_so_do_the_vertices_of_a_stretch_that_is_large(sizes: list[int], data: st.DataObject) -> None:
    stretch, _ = random_stretch(sizes, data)
    place = ordered_wide(stretch)
    x = relaxed(stretch, place, 24.0)
    for start, end in pairwise(stretch.starts.tolist()):
        assert sorted(place[start:end].tolist()) == list(range(end - start))
        ranked = start + np.argsort(place[start:end])
        for one, two in pairwise(ranked.tolist()):
            assert x[two] - x[one] >= stretch.sides[one, 1] + stretch.sides[two, 0] + 24.0 - 1.01
    assert np.all(x[stretch.fixed] == 0)


@given(some_sizes, st.data())
def test_both_ways_to_count_crossings_agree(sizes: list[int], data: st.DataObject) -> None:
    stretch, levels = random_stretch(sizes, data)
    place = np.asarray(levels.places(), dtype=np.float64)
    assert crossings_wide(stretch, place) == crossings(levels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering_wide, "COUNTED_TOGETHER", 2)
        assert crossings_wide(stretch, place) == crossings(levels)


def test_equal_blocks_between_waists_are_equal_stretches() -> None:
    # Three diamonds, one below the other: a, (b, c), d, (e, f), g, (h, i), j.
    layer = np.array([0, 1, 1, 2, 3, 3, 4, 5, 5, 6], dtype=np.int32)
    upper, lower = links_of([(top + a, top + b) for top in (0, 3, 6) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))])
    sides = np.full((10, 2), 20.0)
    found = [part for _, _, part in Cutting.of(layer, sides, sides[:, 0] < 9, upper, lower).stretches()]
    assert len(found) == 3
    assert len({part.signature for part in found}) == 1
    sides[7, 1] = 24.0
    found = [part for _, _, part in Cutting.of(layer, sides, sides[:, 0] < 9, upper, lower).stretches()]
    assert len({part.signature for part in found}) == 2


@given(downward_links)
def test_every_vertex_off_the_middle_lies_in_one_stretch(pairs: list[tuple[int, int]]) -> None:
    source, target = links_of(sorted(set(pairs)))
    layer = longest_path_layers(12, source, target)
    near = layer[target] == layer[source] + 1
    cutting = Cutting.of(layer, np.full((12, 2), 20.0), np.zeros(12, np.bool_), source[near], target[near])
    inside = [vertex for first, end, _ in cutting.stretches() for vertex in cutting.order[first:end].tolist()]
    crowded = [vertex for vertex in range(12) if (layer == layer[vertex]).sum() > 1]
    assert [vertex for vertex in crowded if inside.count(vertex) != 1] == []
    segments = sum(len(part.upper) for _, _, part in cutting.stretches())
    assert segments <= near.sum()


def test_many_readers_of_a_hub_stand_on_shelves() -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    for number in range(400):
        builder.add_node("Neg", ["x"], [f"y{number}"])
        builder.add_output(f"y{number}")
    sketch = make_sketch(builder.build(), LayoutOptions())
    layer = shelved(sketch)
    assert np.all(layer[sketch.link_source] < layer[sketch.link_target])
    assert np.bincount(layer).max() < 60
    assert np.bincount(layer).min() > 0


def test_a_long_link_is_one_straight_piece() -> None:
    curve = curve_through((0, 0), [(50, 40, 80), (50, 120, 160)], (50, 200))
    assert len(curve) == 7  # one curve to the lane, one straight piece down it
    assert {point[0] for point in curve[3:]} == {50}


def test_two_lanes_of_different_tensors_never_lie_on_each_other(encoder) -> None:
    placed = graphviz.place(make_sketch(encoder(4), LayoutOptions()))
    rows = [placed.routes.points[a:b] for a, b in zip(placed.routes.starts[:-1], placed.routes.starts[1:], strict=True)]
    sketch = make_sketch(encoder(4), LayoutOptions())
    lanes = [
        (float(points[3, 0]), float(points[3, 1]), float(points[-4, 1]), int(sketch.link_tensor[link]))
        for link, points in enumerate(rows)
        if len(points) == 10
    ]
    assert lanes
    for (x, top, bottom, tensor), (x2, top2, bottom2, tensor2) in combinations(lanes, 2):
        if tensor != tensor2 and top < bottom2 and top2 < bottom:
            assert abs(x - x2) >= 8
    assert CLEARANCE > 8
