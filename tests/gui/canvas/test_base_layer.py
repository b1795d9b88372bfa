"""The kept drawing: moved, it shows what a fresh one would."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from cutter_gui.core.plan import CutEdge
from cutter_gui.gui.canvas import base_layer
from cutter_gui.gui.canvas.base_layer import BaseLayer
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.palette import LIGHT

WIDTH, HEIGHT = 900, 600


def pixels(layer: BaseLayer, shown, camera: Camera, ratio: float = 1.0) -> np.ndarray:
    return drawn(layer, shown.canvas._picture, camera, ratio)


def drawn(layer: BaseLayer, picture, camera: Camera, ratio: float = 1.0) -> np.ndarray:
    image = QImage(round(WIDTH * ratio), round(HEIGHT * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    layer.paint(painter, picture, LIGHT, camera, WIDTH, HEIGHT, ratio)
    painter.end()
    data = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.width(), 4)
    return data[:, :, :3].astype(np.int16)


@pytest.mark.parametrize("scale", [0.05, 0.1, 0.3, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_moved_view_is_drawn_as_a_fresh_one(shown, scale: float, ratio: float, monkeypatch) -> None:
    monkeypatch.setattr(base_layer, "MUCH", 0)
    monkeypatch.setattr(base_layer, "MUCH_TEXT", 0)
    start = Camera(scale, shown.scene.bounds[0] - 20 / scale, 100.0)
    kept = BaseLayer()
    pixels(kept, shown, start, ratio)
    camera = start
    for dx, dy in ((31, 0), (0, -57), (-120, 45), (7, 11)):
        camera = camera.panned(dx, dy)
        moved = pixels(kept, shown, camera, ratio)
    fresh = pixels(BaseLayer(), shown, camera, ratio)
    # Lines that end at the edge of a strip may differ by a shade.
    assert (np.abs(moved - fresh).max(axis=2) > 48).mean() < 0.0005


def test_every_step_of_detail_draws_the_boxes(shown) -> None:
    for scale, detail in ((0.1, Detail.OVERVIEW), (0.3, Detail.BOXES), (0.6, Detail.TEXT), (1.0, Detail.LABELS)):
        left, top, width, height = shown.scene.box_rect[0].tolist()
        camera = Camera(scale, left + width / 2 - WIDTH / 2 / scale, top + height / 2 - HEIGHT / 2 / scale)
        layer = BaseLayer()
        seen = pixels(layer, shown, camera)
        assert layer.detail is detail
        ground = drawn(BaseLayer(), None, camera)
        half = max(int(height * scale / 2), 1)
        middle = slice(HEIGHT // 2 - half, HEIGHT // 2 + half)
        assert np.any(seen[middle, WIDTH // 2 - 8 : WIDTH // 2 + 8] != ground[middle, WIDTH // 2 - 8 : WIDTH // 2 + 8])


def test_another_stage_is_another_drawing(shown) -> None:
    camera = Camera(0.3, shown.scene.bounds[0], shown.scene.bounds[1])
    layer = BaseLayer()
    before = pixels(layer, shown, camera)
    shown.stage([CutEdge("x1")])
    assert np.any(pixels(layer, shown, camera) != before)


EDGES = """
from PySide6.QtWidgets import QApplication, QWidget
from cutter_gui.gui.canvas.view import GraphCanvas
app = QApplication([])
window = QWidget()
window.resize(1000, 700)
canvas = GraphCanvas(window)
canvas.setGeometry(0, 63, 935, 577)
window.show()
for _ in range(3):
    canvas.viewport().update()
    app.processEvents()
    shown = window.grab().toImage()
    assert shown.devicePixelRatio() == 1.5
    right = [(x, y) for x in range(1396, 1408) for y in range(shown.height())]
    below = [(x, y) for x in range(shown.width()) for y in range(954, 966)]
    dark = [place for place in right + below if shown.pixelColor(*place).lightness() < 128]
    assert not dark, dark[:5]
"""


def test_at_half_pixels_of_scale_the_edges_of_the_canvas_are_drawn() -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": "1.5", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", EDGES], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
