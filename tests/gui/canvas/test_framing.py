"""The view a graph opens with, and the one that shows it whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cutter_gui.core.build import GraphBuilder
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.framing import THREAD, fitting, home
from cutter_gui.gui.canvas.sheet import Sheet
from cutter_gui.layout import LayoutOptions, lay_out
from cutter_gui.layout.scene import Direction

WIDTH, HEIGHT = 900.0, 600.0


def chain(length: int, direction: Direction = "TB") -> Sheet:
    builder = GraphBuilder("test")
    builder.add_input("t0")
    for at in range(length):
        builder.add_node("Neg", [f"t{at}"], [f"t{at + 1}"])
    builder.add_output(f"t{length}")
    graph = builder.build()
    return Sheet(graph, lay_out(graph, LayoutOptions(engine="layered", direction=direction)))


def is_whole(sheet: Sheet, view: Camera) -> bool:
    x, y, width, height = view.visible(WIDTH, HEIGHT)
    left, top, wide, high = sheet.scene.bounds
    return x <= left and y <= top and x + width >= left + wide and y + height >= top + high


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_a_graph_that_would_be_a_thread_is_fitted_across_first_and_whole_when_asked_again(direction: Direction) -> None:
    sheet = chain(600, direction)
    across = 3 - sheet.scene.flow
    first = fitting(sheet, WIDTH, HEIGHT, home(sheet, WIDTH, HEIGHT))
    assert not is_whole(sheet, first)
    assert sheet.scene.bounds[across] * first.scale >= THREAD
    assert len(sheet.index.boxes_in(*first.visible(WIDTH, HEIGHT))) > 3
    second = fitting(sheet, WIDTH, HEIGHT, first)
    assert is_whole(sheet, second)
    assert fitting(sheet, WIDTH, HEIGHT, second).scale == pytest.approx(first.scale)


def test_a_graph_of_a_few_nodes_is_fitted_whole_at_once() -> None:
    sheet = chain(12)
    assert is_whole(sheet, fitting(sheet, WIDTH, HEIGHT, Camera(2.0, 10.0, 10.0)))


def test_a_graph_whose_first_boxes_stand_far_apart_does_not_open_on_nothing() -> None:
    sheet = chain(40)
    rects = sheet.scene.box_rect.copy()
    order = np.argsort(rects[:, 1])
    rects[order[::2], 0] -= 9000
    rects[order[1::2], 0] += 9000
    wide = replace(sheet.scene, box_rect=rects, bounds=(-10_000.0, 0.0, 20_000.0, sheet.scene.bounds[3]))
    apart = Sheet(sheet.graph, wide)
    assert len(apart.index.boxes_in(*home(apart, WIDTH, HEIGHT).visible(WIDTH, HEIGHT)))
