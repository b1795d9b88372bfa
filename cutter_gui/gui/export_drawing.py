"""What an exported or printed picture shows: the model or its stages, with title and legend, in pixels at scale 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from cutter_gui.core.contents import stage_contents
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.cut_marks import CutDrawing
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_cuts import paint_cuts
from cutter_gui.gui.canvas.paint_nodes import paint_badge
from cutter_gui.gui.canvas.render import paint_graph
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.palette import Palette
from cutter_gui.gui.stages_preview.facts import Facts
from cutter_gui.gui.stages_preview.paint import Look, paint_preview
from cutter_gui.gui.stages_preview.rows import arrange_rows
from cutter_gui.layout.scene import Scene

View = Literal["model", "stages"]

HEADER = 56.0
LEGEND_ROW = 24.0
MARGIN = 24.0
NARROWEST = 420.0


@dataclass(frozen=True)
class Drawing:
    """A drawing of a size in pixels at scale 1.

    Attributes:
        title: What it is called.
        width: In pixels.
        height: In pixels.
        ground: Colour of what nothing is drawn on.
        paint: Draws, at least what touches a rectangle.
    """

    title: str
    width: float
    height: float
    ground: str
    paint: Callable[[QPainter, QRectF], None]

    def paint_part(self, painter: QPainter, part: QRectF, scale: float) -> None:
        """Draws a part, its corner at the painter's origin.

        Args:
            painter: Draws on a page or an image that is as large as the part.
            part: In pixels at scale 1.
            scale: Units of the painter for one of them.
        """
        painter.scale(scale, scale)
        painter.setClipRect(QRectF(0, 0, part.width(), part.height()))
        painter.fillRect(QRectF(-1, -1, part.width() + 2, part.height() + 2), ink.colour(self.ground))
        painter.translate(-part.left(), -part.top())
        self.paint(painter, part)


def model_drawing(
    graph: Graph,
    scene: Scene,
    groups: Groups | None,
    staging: Staging | None,
    theme: Palette,
    title: str = "",
    part: Rect | None = None,
) -> Drawing:
    """Returns the drawing of a graph.

    Args:
        graph: The graph.
        scene: Its layout.
        groups: The groups that are folded in the layout.
        staging: Its stages, or None.
        theme: The colours.
        title: What to write above it.
        part: The part of the scene to draw, without title and legend; None for all of it.
    """
    picture = Picture(Sheet(graph, scene, groups), staging, None, theme)
    if part is not None:
        return _part_drawing(picture, part, title)
    left, top, right, bottom = _extent(scene, picture.cuts)
    stages = _stage_counts(staging)
    width = max(right - left, NARROWEST)
    legend = _legend_rows(stages, width)
    header = (HEADER if title else MARGIN / 2) + len(legend) * LEGEND_ROW
    offset = (width - (right - left)) / 2 - left

    def paint(painter: QPainter, wanted: QRectF) -> None:
        if wanted.top() <= header:
            _paint_header(painter, picture, title, legend)
        painter.save()
        painter.translate(offset, header - top)
        shown = QRectF(left, top, right - left, bottom - top) & wanted.translated(-offset, top - header)
        _paint_graph(painter, picture, (shown.left(), shown.top(), shown.width(), shown.height()))
        painter.restore()

    return Drawing(title, width, header + bottom - top, theme.canvas, paint)


def _part_drawing(picture: Picture, part: Rect, title: str) -> Drawing:
    left, top, width, height = part

    def paint(painter: QPainter, wanted: QRectF) -> None:
        painter.save()
        painter.translate(-left, -top)
        _paint_graph(painter, picture, (wanted.left() + left, wanted.top() + top, wanted.width(), wanted.height()))
        painter.restore()

    return Drawing(title, max(width, 1.0), max(height, 1.0), picture.palette.canvas, paint)


def _paint_graph(painter: QPainter, picture: Picture, area: Rect) -> None:
    paint_graph(painter, picture, area, 1.0, Detail.LABELS)
    paint_cuts(painter, picture, area, 1.0)


def _extent(scene: Scene, cuts: CutDrawing) -> tuple[float, float, float, float]:
    """Returns left, top, right and bottom of the graph with its cuts: nothing of either is cut off."""
    left, top, width, height = scene.bounds
    area = QRectF(left, top, max(width, 1.0), max(height, 1.0))
    for line in cuts.lines:
        for x, y in line.points:
            area |= QRectF(x - MARGIN, y - MARGIN, 2 * MARGIN, 2 * MARGIN)
        area |= QRectF(*line.tag).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    for mark in cuts.marks:
        area |= QRectF(mark.x - 2 * MARGIN, mark.y - MARGIN, 4 * MARGIN, 2 * MARGIN)
    return area.left(), area.top(), area.right(), area.bottom()


def stages_drawing(staging: Staging, theme: Palette, title: str = "") -> Drawing:
    """Returns the drawing of the stages, with what is sent between them: the Stages preview in rows."""
    facts = Facts(staging, stage_contents(staging), {})
    arranged = arrange_rows(facts, ())
    header = HEADER if title else 0.0

    def paint(painter: QPainter, wanted: QRectF) -> None:
        if title:
            _paint_title(painter, theme, title)
        painter.save()
        painter.translate(0, header)
        paint_preview(painter, facts, arranged, Look(theme), wanted.translated(0, -header))
        painter.restore()

    return Drawing(title, max(arranged.width, NARROWEST), header + arranged.height, theme.canvas, paint)


def _stage_counts(staging: Staging | None) -> list[int]:
    """Returns the number of nodes of each stage, nothing when there are no cuts."""
    if staging is None or not staging.plan.cuts:
        return []
    return [int((staging.node_stage == stage).sum()) for stage in range(staging.stage_count)]


def _legend_text(count: int) -> str:
    if count == 1:
        return QCoreApplication.translate("Export", "1 node")
    return QCoreApplication.translate("Export", "{count} nodes").format(count=count)


def _legend_rows(stages: Sequence[int], width: float) -> list[list[tuple[int, float, str]]]:
    """Returns (stage, x, text) of the legend's entries, in rows no wider than the picture."""
    rows: list[list[tuple[int, float, str]]] = []
    x = width
    for stage, count in enumerate(stages):
        text = _legend_text(count)
        room = 28 + ink.metrics(12).horizontalAdvance(text) + 20
        if x + room > width - MARGIN:
            rows.append([])
            x = MARGIN
        rows[-1].append((stage, x, text))
        x += room
    return rows


def _paint_title(painter: QPainter, theme: Palette, title: str) -> None:
    painter.setPen(ink.colour(theme.text))
    painter.setFont(ink.font(18, bold=True))
    painter.drawText(QPointF(MARGIN, 36), one_line(title, 120))


def _paint_header(painter: QPainter, picture: Picture, title: str, legend: list[list[tuple[int, float, str]]]) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = picture.palette
    if title:
        _paint_title(painter, theme, title)
    y = HEADER if title else MARGIN / 2
    for row in legend:
        for stage, x, text in row:
            paint_badge(painter, picture, stage, QPointF(x + 8, y + LEGEND_ROW / 2))
            painter.setPen(ink.colour(theme.text_soft))
            painter.setFont(ink.font(12))
            area = QRectF(x + 24, y, 400, LEGEND_ROW)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        y += LEGEND_ROW
