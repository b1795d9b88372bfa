"""The view of the canvas: zoom, sight, colours, and what is painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QHelpEvent,
    QImage,
    QPainter,
    QPalette,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.plan import CutEdge
from cutter_gui.gui.canvas.base_layer import BaseLayer
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.gui.palette import DARK, LIGHT, STAGES
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.theme import qt_palette
from cutter_gui.layout import lay_out


def wheel(canvas, at: QPoint, angle: QPoint, pixels: QPoint | None = None, modifiers=Qt.KeyboardModifier.NoModifier):
    phase = Qt.ScrollPhase.NoScrollPhase if pixels is None else Qt.ScrollPhase.ScrollUpdate
    event = QWheelEvent(
        QPointF(at), QPointF(canvas.mapToGlobal(at)), pixels or QPoint(), angle, Qt.MouseButton.NoButton, modifiers,
        phase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


def image(canvas) -> QImage:
    return canvas.viewport().grab().toImage()


def colours(picture: QImage) -> set[str]:
    return {
        picture.pixelColor(x, y).name().upper()
        for x in range(0, picture.width(), 2)
        for y in range(0, picture.height(), 2)
    }


def test_the_wheel_zooms_and_keeps_what_is_under_the_pointer(shown) -> None:
    node = shown.node("a0")
    point = shown.node_point("a0")
    before = shown.canvas.zoom_percent
    wheel(shown.canvas, point, QPoint(0, 120))
    assert shown.canvas.zoom_percent == pytest.approx(before * 1.25, abs=1)
    assert (shown.canvas.node_point(node) - point).manhattanLength() <= 2
    assert shown.zooms[-1] == shown.canvas.zoom_percent


def test_a_touchpad_and_shift_with_the_wheel_pan(shown) -> None:
    node, zoom = shown.node("a0"), shown.canvas.zoom_percent
    before = shown.canvas.node_point(node)
    wheel(shown.canvas, QPoint(50, 50), QPoint(0, 60), pixels=QPoint(7, 20))
    assert (shown.canvas.node_point(node) - before - QPoint(7, 20)).manhattanLength() <= 2
    before = shown.canvas.node_point(node)
    wheel(shown.canvas, QPoint(50, 50), QPoint(0, 120), modifiers=Qt.KeyboardModifier.ShiftModifier)
    moved = shown.canvas.node_point(node) - before
    assert abs(moved.x()) > 20
    assert moved.y() == 0
    assert shown.canvas.zoom_percent == zoom


def test_the_zoom_has_ends(shown) -> None:
    for _ in range(60):
        shown.canvas.zoom_in()
    assert shown.canvas.zoom_percent == 400
    for _ in range(120):
        shown.canvas.zoom_out()
    assert 0 < shown.canvas.zoom_percent <= 5


@pytest.mark.parametrize("step", [QPointF(900, 900), QPointF(-900, 0), QPointF(0, -900)])
def test_the_graph_cannot_be_lost_by_panning(shown, step: QPointF) -> None:
    for _ in range(50):
        shown.canvas.pan(step.x(), step.y())
    size = shown.canvas.viewport().size()
    seen = QRectF(*shown.canvas._camera.visible(size.width(), size.height()))
    left = seen & QRectF(*shown.scene.bounds)
    bounds = QRectF(*shown.scene.bounds)
    assert left.width() >= min(seen.width(), bounds.width()) / 3 - 1
    assert left.height() >= min(seen.height(), bounds.height()) / 3 - 1


def test_revealing_what_is_in_sight_moves_nothing(shown) -> None:
    shown.canvas.reset_zoom()
    shown.canvas.reveal(nodes=[0])
    shown.canvas.pan(13, 7)
    before = shown.canvas.node_point(0)
    shown.canvas.reveal(nodes=[0])
    assert shown.canvas.node_point(0) == before


def test_revealing_brings_far_things_into_sight_at_a_readable_zoom(shown) -> None:
    shown.canvas.resize(400, 300)
    for node in range(shown.graph.node_count):
        shown.canvas.reveal(nodes=[node])
        assert shown.canvas.viewport().rect().contains(shown.canvas.node_point(node))
    for _ in range(20):
        shown.canvas.zoom_out()
    shown.canvas.reveal(nodes=[0])
    assert shown.canvas.zoom_percent >= 60


def test_a_plan_recolours_and_moves_nothing(shown) -> None:
    shown.canvas.reset_zoom()
    before = [shown.canvas.node_point(node) for node in range(shown.graph.node_count)]
    plain = colours(image(shown.canvas))
    assert not {STAGES[0], STAGES[1]} & plain
    shown.stage([CutEdge("x0"), CutEdge("m", ["a1", "a2", "a3", "a4", "a5"])])
    shown.canvas.reveal(tensors=[shown.tensor("x0")])
    assert {STAGES[0], STAGES[1]} <= colours(image(shown.canvas))
    shown.canvas.select(Selection(tensor=shown.tensor("x0")))
    assert LIGHT.accent.upper() in colours(image(shown.canvas))
    shown.stage()
    after = [shown.canvas.node_point(node) for node in range(shown.graph.node_count)]
    assert {a - b == after[0] - before[0] for a, b in zip(after, before, strict=True)} == {True}


def test_a_path_is_red_until_it_is_cleared(shown) -> None:
    shown.canvas.reveal(nodes=[shown.node("q0")])
    assert LIGHT.error.upper() not in colours(image(shown.canvas))
    shown.canvas.show_path([shown.node("q0"), shown.node("a0")], [shown.tensor("q0")])
    assert LIGHT.error.upper() in colours(image(shown.canvas))
    shown.canvas.clear_path()
    assert LIGHT.error.upper() not in colours(image(shown.canvas))


def test_hovering_lifts_the_whole_tensor(shown, qtbot) -> None:
    point = shown.edge_point("x0", "q1")
    assert LIGHT.accent.upper() not in colours(image(shown.canvas))
    qtbot.mouseMove(shown.canvas.viewport(), point)
    assert LIGHT.accent.upper() in colours(image(shown.canvas))
    QApplication.sendEvent(shown.canvas.viewport(), QEvent(QEvent.Type.Leave))
    assert LIGHT.accent.upper() not in colours(image(shown.canvas))


def test_the_canvas_follows_the_palette(shown) -> None:
    shown.canvas.setPalette(qt_palette(DARK))
    assert image(shown.canvas).pixelColor(0, 0) == QColor(DARK.canvas)
    shown.canvas.setPalette(qt_palette(LIGHT))
    assert image(shown.canvas).pixelColor(0, 0) == QColor(LIGHT.canvas)
    assert shown.canvas.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.window)


def test_the_base_layer_is_drawn_anew_only_when_it_changes(shown) -> None:
    image(shown.canvas)
    image(shown.canvas)
    kept = shown.canvas._base._pixmap.cacheKey()
    shown.canvas.select(Selection(node=0))
    image(shown.canvas)
    assert shown.canvas._base._pixmap.cacheKey() == kept
    shown.canvas.zoom_in()
    image(shown.canvas)
    image(shown.canvas)
    assert shown.canvas._base._pixmap.cacheKey() != kept


def test_a_tooltip_is_plain_text_with_all_there_is_to_know(shown, monkeypatch: pytest.MonkeyPatch) -> None:
    shown.stage([CutEdge("x0")])
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda *arguments: told.append(arguments[1]))
    point = shown.edge_point("x0", "q1")
    event = QHelpEvent(QEvent.Type.ToolTip, point, shown.canvas.mapToGlobal(point))
    QApplication.sendEvent(shown.canvas.viewport(), event)
    for part in ("x0", "1×16×128 f32", "8 KiB", "from Sum x0", "3 consumers", "in cut 0"):
        assert part in told[0].replace("&nbsp;", " ").replace("\N{NO-BREAK SPACE}", " ")


def test_markup_in_names_is_shown_as_it_is() -> None:
    from cutter_gui.gui.canvas.texts import as_shown

    assert "&lt;b&gt;" in as_shown("<b>bold</b>")


def test_dropped_files_are_named(shown) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/models/a.onnx"), QUrl("https://example.org/b.onnx")])
    said: list[list[str]] = []
    shown.canvas.file_dropped.connect(said.append)
    enter = QDragEnterEvent(
        QPoint(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(shown.canvas.viewport(), enter)
    assert enter.isAccepted()
    event = QDropEvent(
        QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(shown.canvas.viewport(), event)
    assert said == [["/models/a.onnx"]]


def test_another_graph_starts_with_nothing_selected_and_fits(shown) -> None:
    shown.canvas.select(Selection(node=3))
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Relu", ["x"], ["y"])
    graph = builder.build()
    shown.canvas.show_graph(graph, lay_out(graph))
    assert not shown.canvas.selection
    assert shown.canvas.zoom_percent == 100
    assert shown.canvas.viewport().rect().contains(shown.canvas.node_point(0))


def test_a_graph_too_tall_to_read_opens_at_its_top(qtbot) -> None:
    builder = GraphBuilder("onnx")
    builder.add_input("t0")
    for number in range(100):
        builder.add_node("Relu", [f"t{number}"], [f"t{number + 1}"])
    graph = builder.build()
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(800, 600)
    canvas.show_graph(graph, lay_out(graph))
    assert canvas.zoom_percent >= 60
    assert canvas.viewport().rect().contains(canvas.node_point(0))
    canvas.resize(1200, 800)
    assert canvas.viewport().rect().contains(canvas.node_point(0))


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_the_base_layer_has_as_many_pixels_as_the_screen(shown, ratio: float) -> None:
    canvas, layer = shown.canvas, BaseLayer()
    screen = QPixmap(round(300 * ratio), round(200 * ratio))
    screen.setDevicePixelRatio(ratio)
    for _ in range(2):
        painter = QPainter(screen)
        layer.paint(painter, canvas._picture, LIGHT, canvas._camera, 300, 200, ratio)
        painter.end()
    assert (layer._pixmap.width(), layer._pixmap.height()) == (300 * ratio, 200 * ratio)


def test_every_step_of_detail_paints(shown) -> None:
    shown.stage(
        [CutEdge("x0"), CutEdge("m", ["a1", "a2", "a3", "a4", "a5"])],
        [CutEdge("x1"), CutEdge("m", ["a2", "a3", "a4", "a5"])],
    )
    seen = set()
    for _ in range(14):
        shown.canvas.zoom_out()
        image(shown.canvas)
        seen.add(shown.canvas._base.detail)
    for _ in range(18):
        shown.canvas.zoom_in()
        image(shown.canvas)
        seen.add(shown.canvas._base.detail)
    assert len(seen) == 4


def test_the_eighth_stage_has_the_first_colour_and_a_hatch() -> None:
    from cutter_gui.gui.palette import stage_colour, stage_is_hatched

    assert stage_colour(7) == stage_colour(0)
    assert stage_is_hatched(7)
    assert not stage_is_hatched(6)
