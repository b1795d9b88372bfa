"""The small picture of the whole graph: when it is there, what it frames, and how it moves the view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication


@pytest.fixture
def minimap(shown):
    shown.canvas.reset_zoom()
    shown.canvas.viewport().repaint()
    QApplication.processEvents()
    return shown.canvas._minimap


def test_it_stands_at_the_lower_right_while_only_a_part_is_in_sight(shown, minimap) -> None:
    assert minimap.isVisible()
    corner = shown.canvas.viewport().rect().bottomRight() - minimap.geometry().bottomRight()
    assert 0 < corner.x() < 20
    assert 0 < corner.y() < 20


def test_it_hides_when_the_whole_graph_is_in_sight(shown, minimap) -> None:
    shown.canvas.fit()
    shown.canvas.viewport().repaint()
    assert not minimap.isVisible()


def test_it_hides_on_a_small_canvas(shown, minimap) -> None:
    shown.canvas.resize(400, 300)
    QApplication.processEvents()
    assert not minimap.isVisible()


def test_a_click_brings_that_place_into_the_middle(shown, minimap) -> None:
    _, top, _, height = shown.scene.bounds
    spot = QPoint(minimap.width() // 2, minimap.height() - 30)
    wanted = minimap._camera().to_scene(spot.x(), spot.y())[1]
    assert top < wanted < top + height
    QTest.mouseClick(minimap, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)
    size = shown.canvas.viewport().size()
    seen = shown.canvas._camera.to_scene(size.width() / 2, size.height() / 2)[1]
    assert abs(seen - wanted) < 2
    QApplication.processEvents()
    assert minimap.frame().contains(QPointF(spot))


def test_a_click_on_it_selects_nothing(shown, minimap) -> None:
    before = shown.canvas.selection
    QTest.mouseClick(minimap, Qt.MouseButton.LeftButton)
    assert shown.canvas.selection == before
    assert shown.tensors == []
