"""The steps of the layered engine, each against what it promises."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.layout import graphviz
from cutter_gui.layout.alignment import aligned
from cutter_gui.layout.layers import longest_path_layers, order_breaking_cycles
from cutter_gui.layout.ordering import Levels, crossings, ordered
from cutter_gui.layout.routing import CLEARANCE, curve_through
from cutter_gui.layout.scene import LayoutOptions
from cutter_gui.layout.sketch import make_sketch


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
    layer = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    upper, lower = [], []
    for at in range(len(sizes) - 1):
        pair = st.tuples(st.integers(0, sizes[at] - 1), st.integers(0, sizes[at + 1] - 1))
        for a, b in sorted(set(data.draw(st.lists(pair, max_size=8)))):
            upper.append(int(starts[at]) + a)
            lower.append(int(starts[at + 1]) + b)
    return Levels.of(layer, np.asarray(upper, dtype=np.int32), np.asarray(lower, dtype=np.int32))


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.data())
def test_crossings_are_counted_as_by_looking_at_all_pairs(sizes: list[int], data: st.DataObject) -> None:
    levels = random_levels(sizes, data)
    place = levels.places()
    expected = 0
    for layer in levels.layers:
        segments = [(place[a], place[b]) for a in layer for b in levels.below[a]]
        expected += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(segments, 2))
    assert crossings(levels) == expected


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.data())
def test_ordering_keeps_every_vertex_in_its_layer(sizes: list[int], data: st.DataObject) -> None:
    levels = random_levels(sizes, data)
    better = ordered(levels)
    assert [sorted(layer) for layer in better.layers] == [sorted(layer) for layer in levels.layers]


def test_ordering_untangles_two_crossed_chains() -> None:
    layer = np.array([0, 0, 1, 1, 2, 2])
    upper, lower = np.array([0, 1, 2, 3], dtype=np.int32), np.array([3, 2, 5, 4], dtype=np.int32)
    levels = Levels.of(layer, upper, lower)
    assert crossings(levels) == 2
    assert crossings(ordered(levels)) == 0


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.data())
def test_aligned_vertices_keep_their_order_and_their_distance(sizes: list[int], data: st.DataObject) -> None:
    levels = ordered(random_levels(sizes, data))
    count = sum(sizes)
    width = np.asarray(data.draw(st.lists(st.sampled_from([8.0, 40.0, 112.0]), min_size=count, max_size=count)))
    x = aligned(levels, width, 24.0, count)
    for layer in levels.layers:
        for one, two in pairwise(layer):
            assert x[two] - x[one] >= (width[one] + width[two]) / 2 + 24.0 - 1e-6


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
