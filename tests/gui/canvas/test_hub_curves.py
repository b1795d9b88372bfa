"""Hub tensors drawn whole."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint

from cutter_gui.gui.canvas.curves import polyline
from cutter_gui.gui.canvas.hub_curves import hub_curves
from cutter_gui.gui.palette import LIGHT
from cutter_gui.gui.selection import Selection
from cutter_gui.layout import BoxKind


def curves_of(shown, name: str) -> list[np.ndarray]:
    tensor = shown.tensor(name)
    return hub_curves(shown.canvas._picture, tensor, shown.scene.wires_of(tensor))


def test_a_hub_has_a_branch_to_every_stub(shown) -> None:
    ends = [curve[-1].tolist() for curve in curves_of(shown, "m")]
    for box in shown.scene.boxes_of(shown.tensor("m")):
        if shown.scene.box_kind[box] == BoxKind.STUB:
            left, top, width, height = shown.scene.box_rect[box].tolist()
            assert [left, top + height / 2] in ends or [left + width, top + height / 2] in ends


def test_the_trunk_of_a_hub_passes_beside_every_box(shown) -> None:
    rects = shown.scene.box_rect[shown.scene.box_kind == BoxKind.NODE]
    for curve in curves_of(shown, "m"):
        if abs(curve[0, 0] - curve[-1, 0]) < 0.5:  # a trunk is vertical
            x, (low, high) = curve[0, 0], np.sort(curve[[0, -1], 1])
            beside = (rects[:, 1] < high) & (rects[:, 1] + rects[:, 3] > low)
            assert not np.any(beside & (rects[:, 0] <= x) & (x <= rects[:, 0] + rects[:, 2]))


def test_a_tensor_that_is_drawn_whole_has_no_trunk(shown) -> None:
    assert curves_of(shown, "q0") == []


def test_only_the_branches_in_sight_are_made(shown) -> None:
    none = np.zeros(0, dtype=np.int32)
    few = hub_curves(shown.canvas._picture, shown.tensor("m"), none)
    assert 0 < len(few) < len(curves_of(shown, "m"))


def test_selecting_a_hub_shows_its_trunk(shown) -> None:
    shown.canvas.fit()
    trunk = max(curves_of(shown, "m"), key=lambda curve: abs(curve[-1, 1] - curve[0, 1]))
    x, y = polyline(trunk, 8)[4].tolist()
    point = QPoint(*(round(at) for at in shown.canvas._camera.to_view(x, y)))
    around = [point + QPoint(dx, 0) for dx in range(-2, 3)]

    def accent() -> bool:
        image = shown.canvas.viewport().grab().toImage()
        return any(image.pixelColor(at).blue() > image.pixelColor(at).red() + 60 for at in around)

    assert not accent()
    shown.canvas.select(Selection(tensor=shown.tensor("m")))
    assert accent()
    assert LIGHT.accent == "#2457D6"
