"""The grid finds what looking at everything finds."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cutter_gui.gui.canvas import spatial_index
from cutter_gui.gui.canvas.curves import evaluated
from cutter_gui.gui.canvas.spatial_index import GridIndex, SceneIndex
from cutter_gui.layout import LayoutOptions, lay_out

place = st.floats(-3000, 3000, width=32)
extent = st.one_of(st.floats(0, 60, width=32), st.floats(0, 6000, width=32))
query = st.tuples(place, place, extent, extent)


@st.composite
def rects(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    count = draw(st.integers(0, 40))
    low = draw(arrays.arrays(np.float32, (count, 2), elements=place))
    size = draw(arrays.arrays(np.float32, (count, 2), elements=extent))
    return low, low + size


@given(rects(), query, st.sampled_from(["looking at all", "in the grid"]))
def test_a_query_finds_exactly_what_touches_it(items: tuple[np.ndarray, np.ndarray], area: tuple, way: str) -> None:
    low, high = items
    left, top, width, height = area
    touch = np.all((low <= [left + width, top + height]) & (high >= [left, top]), axis=1)
    bounds = {"FEW": 0, "ITEMS_PER_ROW": 1e-3, "SHARE_OF_ALL": 1e-3} if way == "in the grid" else {"FEW": 1000}
    with patch.multiple(spatial_index, **bounds):
        assert GridIndex(low, high).query(left, top, width, height).tolist() == np.flatnonzero(touch).tolist()


def test_a_query_far_larger_than_the_scene_finds_everything() -> None:
    low = np.array([[0, 0], [500, 300_000]], dtype=np.float32)
    index = GridIndex(low, low + 10)
    assert index.query(-1e6, -1e6, 4e6, 4e6).tolist() == [0, 1]


def test_the_nearest_wire_is_the_one_that_looking_at_all_finds(shown) -> None:
    index = SceneIndex(shown.scene)
    random = np.random.default_rng(5)
    left, top, width, height = shown.scene.bounds
    pieces, wire = index._pieces
    lines = evaluated(pieces, 400)
    found = 0
    for _ in range(300):
        x, y = left + random.random() * width, top + random.random() * height
        apart = np.sqrt(((lines - [x, y]) ** 2).sum(axis=2)).min(axis=1)
        best = np.full(shown.scene.wire_count, np.inf)
        np.minimum.at(best, wire, apart)
        hit = index.wire_at(x, y, 12.0)
        if best.min() > 13.5:
            assert hit == -1
        elif best.min() < 10.5:
            found += 1
            assert best[hit] <= best.min() + 1.5
    assert found > 5


def test_a_point_in_a_box_finds_the_box(shown) -> None:
    index = SceneIndex(shown.scene)
    for box, (left, top, width, height) in enumerate(shown.scene.box_rect.tolist()):
        assert index.box_at(left + width / 2, top + height / 2) == box
        assert index.box_at(left - 6, top - 6) != box


def test_a_scene_without_anything_has_nothing_to_hit() -> None:
    from cutter_gui.core.build import GraphBuilder

    index = SceneIndex(lay_out(GraphBuilder("onnx").build(), LayoutOptions()))
    assert index.box_at(0, 0) == index.wire_at(0, 0, 10) == -1
    assert len(index.wires_in(-10, -10, 20, 20)) == 0
