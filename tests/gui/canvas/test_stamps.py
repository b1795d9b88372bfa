"""Marks and tags of cuts that are stamped look like those that are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from cutter_gui.core.plan import CutEdge
from cutter_gui.gui.canvas.paint_cuts import paint_cuts
from cutter_gui.gui.canvas.stamps import Stamps


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_view_that_is_drawn_again_shows_the_same_cuts(shown, scale: float, ratio: float) -> None:
    shown.stage([CutEdge("x1")])
    picture = shown.canvas._picture
    left, top = (int(side) for side in picture.cuts.lines[0].tag[:2])
    corner = (left - round(300 / scale), top - round(150 / scale))

    def drawn(stamps: Stamps | None) -> np.ndarray:
        image = QImage(round(600 * ratio), round(300 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(0xFFFFFF)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        painter.translate(-corner[0], -corner[1])
        paint_cuts(painter, picture, (*corner, 600 / scale, 300 / scale), scale, stamps)
        painter.end()
        data = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.width(), 4)
        return data[:, :, :3].astype(np.int16)

    stamps = Stamps()
    plain, first, second, third = drawn(None), drawn(stamps), drawn(stamps), drawn(stamps)
    assert (plain < 128).any()
    assert np.array_equal(second, third)
    # A stamp stands on whole pixels, so its edges may be a shade off; as much of it must be dark.
    for stamped in (first, second):
        assert (stamped < 128).sum() == pytest.approx((plain < 128).sum(), rel=0.2)
