"""Camera, curves, and where cuts are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import assign_stages
from cutter_gui.gui.canvas.camera import Camera, fitted
from cutter_gui.gui.canvas.curves import dashes, distances, evaluated, pieces_of, point_at_height, polyline
from cutter_gui.gui.canvas.cut_marks import CutDrawing, draw_cuts
from cutter_gui.gui.canvas.sheet import Sheet
from cutter_gui.layout import WireKind

number = st.floats(-1e4, 1e4)


@given(st.floats(0.05, 4), number, number, number, number)
def test_scene_and_view_points_are_inverse(scale: float, x: float, y: float, at_x: float, at_y: float) -> None:
    camera = Camera(scale, x, y)
    back = camera.to_view(*camera.to_scene(at_x, at_y))
    assert back == pytest.approx((at_x, at_y), abs=1e-6)


@given(st.floats(0.1, 3), st.floats(0.5, 2), st.floats(0, 900), st.floats(0, 900))
def test_zooming_keeps_the_point_it_zooms_about(scale: float, factor: float, x: float, y: float) -> None:
    camera = Camera(scale, -100, 40)
    zoomed = camera.zoomed(factor, x, y)
    assert zoomed.to_scene(x, y) == pytest.approx(camera.to_scene(x, y), abs=1e-6)


@given(number, number, st.floats(1, 1e5), st.floats(1, 1e5))
def test_fitting_shows_the_whole(left: float, top: float, width: float, height: float) -> None:
    seen = fitted((left, top, width, height), 800, 600).visible(800, 600)
    assert seen[0] <= left + 1e-6
    assert seen[1] <= top + 1e-6
    assert seen[0] + seen[2] >= left + width - 1e-6
    assert seen[1] + seen[3] >= top + height - 1e-6


def test_a_straight_piece_is_evaluated_evenly_and_measured_exactly() -> None:
    piece = np.array([[[0, 0], [0, 10], [0, 20], [0, 30]]], dtype=np.float32)
    line = evaluated(piece, 3)
    assert line[0] == pytest.approx(np.array([[0, 0], [0, 10], [0, 20], [0, 30]]), abs=1e-4)
    assert distances(line, 4, 15) == pytest.approx([4])
    assert distances(line, 3, 34) == pytest.approx([5])


def test_a_polyline_starts_and_ends_where_its_wire_does(shown) -> None:
    for wire in range(shown.scene.wire_count):
        control = shown.scene.points(wire)
        line = polyline(control)
        assert np.allclose(line[[0, -1]], control[[0, -1]])


def test_every_wire_is_made_of_its_pieces(shown) -> None:
    pieces, wire = pieces_of(shown.scene)
    counts = (np.diff(shown.scene.wire_starts) - 1) // 3
    assert np.bincount(wire, minlength=shown.scene.wire_count).tolist() == counts.tolist()
    assert len(pieces) == counts.sum()


def test_the_point_at_a_height_is_on_the_wire() -> None:
    control = np.array([[0, 0], [0, 50], [100, 50], [100, 100]], dtype=np.float32)
    x, y = point_at_height(control, 50)
    assert (x, y) == pytest.approx((50, 50), abs=0.5)
    assert point_at_height(control, -20) == (0, 0)


def drawing(shown, *cuts: list[CutEdge]) -> CutDrawing:
    staging = assign_stages(shown.graph, Plan(tuple(Cut(tuple(edges)) for edges in cuts)))
    sheet = Sheet(shown.graph, shown.scene)
    return draw_cuts(staging, sheet.index, sheet.labels)


def test_every_cut_edge_has_one_mark_on_its_wire(shown) -> None:
    found = drawing(shown, [CutEdge("x0"), CutEdge("m", ["a1", "a2"])])
    edges = [*shown.graph.edges_of(shown.tensor("x0"))]
    edges += [shown.graph.edge(shown.tensor("m"), shown.node(name)) for name in ("a1", "a2")]
    assert sorted(mark.wire for mark in found.marks) == sorted(shown.scene.edge_wire[edge] for edge in edges)
    for mark in found.marks:
        if shown.scene.wire_kind[mark.wire] == WireKind.EDGE:
            line = polyline(shown.scene.points(mark.wire), 200)
            assert np.abs(line - [mark.x, mark.y]).sum(axis=1).min() < 3


def test_a_cut_is_one_line_from_left_to_right_through_its_marks(shown) -> None:
    found = drawing(shown, [CutEdge("x0")])
    (line,) = found.lines
    xs = [x for x, _ in line.points]
    assert xs == sorted(xs)
    assert {(mark.x, mark.y) for mark in found.marks} <= set(line.points)
    assert line.tag[0] >= max(mark.x for mark in found.marks)


def test_the_line_of_a_cut_between_layers_crosses_no_box(shown) -> None:
    (line,) = drawing(shown, [CutEdge("x0")]).lines
    index = Sheet(shown.graph, shown.scene).index
    for (x0, y0), (x1, y1) in zip(line.points[:-1], line.points[1:], strict=True):
        assert not len(index.boxes_in(x0, min(y0, y1), x1 - x0, abs(y1 - y0)))
    assert not len(index.boxes_in(*line.tag))


def test_an_edge_in_two_cuts_shows_both_numbers(shown) -> None:
    found = drawing(shown, [CutEdge("m", ["a2"])], [CutEdge("m", ["a2"])])
    (mark,) = found.marks
    assert mark.cuts == (0, 1)
    assert mark.shared


def test_two_cuts_of_one_drawn_edge_have_marks_apart(shown) -> None:
    first, second = drawing(shown, [CutEdge("q0")], [CutEdge("q0")]).marks
    assert abs(first.y - second.y) > 18
    assert first.shared


def test_a_cut_of_stubs_alone_has_a_tag_beside_the_first(shown) -> None:
    (line,) = drawing(shown, [CutEdge("m")]).lines
    assert line.points == ()
    assert line.tag[2] > 0


def test_without_a_plan_nothing_is_drawn(shown) -> None:
    sheet = Sheet(shown.graph, shown.scene)
    assert draw_cuts(None, sheet.index, sheet.labels) == CutDrawing()
    assert drawing(shown) == CutDrawing()


def test_dashes_lie_on_their_pieces_one_gap_apart() -> None:
    straight = [[0, 0], [10, 0], [20, 0], [30, 0]]
    bent = [[100, 100], [100, 140], [160, 140], [160, 180]]
    found = dashes(np.array([straight, bent], dtype=np.float32), 4.0, 3.0)
    assert found[:5].tolist() == pytest.approx(
        np.array([[0, 0, 4, 0], [7, 0, 11, 0], [14, 0, 18, 0], [21, 0, 25, 0], [28, 0, 30, 0]]), abs=1e-3
    )
    line = evaluated(np.array([bent], dtype=np.float32), 400)
    assert all(distances(line, x, y)[0] < 0.4 for x, y in found[5:].reshape(-1, 2).tolist())
    assert found[5, :2].tolist() == pytest.approx([100, 100])
    assert dashes(np.zeros((0, 4, 2), dtype=np.float32), 4.0, 3.0).shape == (0, 4)
