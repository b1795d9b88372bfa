"""Pictures of the model and of its stages as SVG, PNG and PDF, by the painters of the window, without a window."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, floor, sqrt
from pathlib import Path
from typing import Literal

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QIODevice,
    QMarginsF,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QGuiApplication, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.cut_marks import CutDrawing
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_cuts import paint_cuts
from cutter_gui.gui.canvas.paint_nodes import paint_badge
from cutter_gui.gui.canvas.paint_stages import arrange_stages, paint_stages
from cutter_gui.gui.canvas.render import paint_graph
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.palette import Palette, palette_named
from cutter_gui.layout.scene import Scene

View = Literal["model", "stages"]
SUFFIXES = (".svg", ".png", ".pdf")

PNG_SIDE = 32_767  # Qt's raster engine draws no farther
PNG_PIXELS = 200_000_000  # 800 MB while drawing
PDF_SIDE = 14_400.0  # points; the PDF specification's largest page (ISO 32000-1, annex C)
POINTS_PER_PIXEL = 0.75
DEFAULT_SCALE = 1.0
PNG_DEFAULT_SCALE = 2.0

HEADER = 56.0
LEGEND_ROW = 24.0
MARGIN = 24.0
NARROWEST = 420.0


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        width: In pixels, or points for PDF.
        height: Likewise.
        scale: The scale drawn at.
        reduced: Whether that is less than the default, since the format has no room for more.
    """

    width: int
    height: int
    scale: float
    reduced: bool


@dataclass(frozen=True)
class _Drawing:
    """A drawing of a size in pixels at scale 1."""

    title: str
    width: float
    height: float
    ground: str
    paint: Callable[[QPainter], None]


def export_picture(
    path: Path,
    graph: Graph,
    scene: Scene,
    staging: Staging | None,
    theme: str = "light",
    view: View = "model",
    scale: float | None = None,
    title: str = "",
    groups: Groups | None = None,
) -> Exported:
    """Writes a picture; the file's ending decides the format.

    A `QGuiApplication` is made, on the offscreen platform, when there is none. The file appears whole or not at all.

    Args:
        path: Ends in ``.svg``, ``.png`` or ``.pdf``.
        graph: The graph.
        scene: Its layout.
        staging: Its stages; needed for ``stages``.
        theme: ``light`` or ``dark``.
        view: ``model`` draws every node, ``stages`` every stage with what is sent between them.
        scale: Pixels of the file for one pixel of the window; None takes 2 for PNG and 1 otherwise, or less where
            the format has no room for that, which the result tells.
        title: What to write above the picture.
        groups: The groups that are folded in the layout.

    Raises:
        CutterError: The ending is unknown, a scale asked for is too large, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    where = one_line(str(path))
    if suffix not in SUFFIXES:
        raise CutterError(
            "the kind of picture cannot be told from the file name", where, "end it in .svg, .png or .pdf"
        )
    if scale is not None and not scale > 0:
        raise CutterError(f"a picture cannot be drawn at scale {scale:g}", where, "give a scale above 0")
    _ensure_application()
    palette = palette_named(theme)
    if view == "stages":
        if staging is None:
            raise CutterError("there are no stages to draw", where, "give a cut spec")
        drawing = _stages_drawing(staging, palette, title)
    else:
        drawing = _model_drawing(graph, scene, groups, staging, palette, title)
    largest = _largest_scale(drawing, suffix)
    wanted = scale if scale is not None else (PNG_DEFAULT_SCALE if suffix == ".png" else DEFAULT_SCALE)
    if wanted > largest:
        if scale is not None:
            raise CutterError(
                f"a {suffix[1:].upper()} of this graph at scale {scale:g} would be too large",
                where,
                f"use a scale of at most {_floored(largest):g}, or write an .svg",
            )
        wanted = largest
    width, height, data = {".png": _png, ".svg": _svg, ".pdf": _pdf}[suffix](drawing, wanted)
    _write(path, data)
    reduced = wanted < min(DEFAULT_SCALE, scale or DEFAULT_SCALE)
    return Exported(width, height, wanted, reduced)


_application: list[QGuiApplication] = []


def _ensure_application() -> None:
    """Makes an application without a screen where there is none: fonts need one."""
    if QGuiApplication.instance() is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        _application.append(QGuiApplication(["cutter-gui"]))


def _floored(scale: float) -> float:
    """Returns a scale rounded down to three digits."""
    digits = 1000.0
    while scale * digits < 100:
        digits *= 10
    return floor(scale * digits) / digits


def _largest_scale(drawing: _Drawing, suffix: str) -> float:
    longest = max(drawing.width, drawing.height)
    if suffix == ".png":
        return min(PNG_SIDE / (longest + 1), sqrt(PNG_PIXELS / (drawing.width * drawing.height)))
    return PDF_SIDE / POINTS_PER_PIXEL / (longest + 1) if suffix == ".pdf" else float("inf")


# --- what is drawn


def _model_drawing(
    graph: Graph, scene: Scene, groups: Groups | None, staging: Staging | None, theme: Palette, title: str
) -> _Drawing:
    picture = Picture(Sheet(graph, scene, groups), staging, None, theme)
    left, top, right, bottom = _extent(scene, picture.cuts)
    stages = _stage_counts(staging)
    width = max(right - left, NARROWEST)
    legend = _legend_rows(stages, width)
    header = (HEADER if title else MARGIN / 2) + len(legend) * LEGEND_ROW
    offset = (width - (right - left)) / 2 - left

    def paint(painter: QPainter) -> None:
        _paint_header(painter, picture, title, legend)
        painter.save()
        painter.translate(offset, header - top)
        whole = (left, top, right - left, bottom - top)
        paint_graph(painter, picture, whole, 1.0, Detail.LABELS)
        paint_cuts(painter, picture, whole, 1.0)
        painter.restore()

    return _Drawing(title, width, header + bottom - top, theme.canvas, paint)


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


def _stages_drawing(staging: Staging, theme: Palette, title: str) -> _Drawing:
    arranged = arrange_stages(staging)
    header = HEADER if title else 0.0

    def paint(painter: QPainter) -> None:
        if title:
            _paint_title(painter, theme, title)
        painter.save()
        painter.translate(0, header)
        paint_stages(painter, arranged, theme)
        painter.restore()

    return _Drawing(title, max(arranged.width, NARROWEST), header + arranged.height, theme.canvas, paint)


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


# --- formats


def _png(drawing: _Drawing, scale: float) -> tuple[int, int, bytes]:
    width, height = ceil(drawing.width * scale), ceil(drawing.height * scale)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    if image.isNull():
        raise CutterError("there is not enough memory for the picture", "", "use a smaller scale, or write an .svg")
    image.fill(ink.colour(drawing.ground))
    painter = QPainter(image)
    try:
        painter.scale(scale, scale)
        drawing.paint(painter)
    finally:
        painter.end()
    image.setDotsPerMeterX(round(96 / 0.0254 * scale))
    image.setDotsPerMeterY(round(96 / 0.0254 * scale))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    saved = image.save(buffer, "PNG")
    buffer.close()
    if not saved:
        raise CutterError("the PNG could not be encoded", "", "use a smaller scale, or write an .svg")
    return width, height, bytes(data.data())


def _svg(drawing: _Drawing, scale: float) -> tuple[int, int, bytes]:
    width, height = ceil(drawing.width * scale), ceil(drawing.height * scale)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(width, height))
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setResolution(96)
    generator.setTitle(one_line(drawing.title, 120) or "Cutter GUI")
    generator.setDescription("")
    _paint_pages(QPainter(generator), drawing, scale)
    buffer.close()
    return width, height, bytes(data.data())


def _pdf(drawing: _Drawing, scale: float) -> tuple[int, int, bytes]:
    points = POINTS_PER_PIXEL * scale
    size = QSizeF(ceil(drawing.width * points), ceil(drawing.height * points))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(one_line(drawing.title, 120))
    writer.setCreator("Cutter GUI")
    page = QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    # A page wider than high is portrait too: turning it would turn the size given here.
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    _paint_pages(QPainter(writer), drawing, points * writer.resolution() / 72)
    buffer.close()
    return int(size.width()), int(size.height()), bytes(data.data())


def _paint_pages(painter: QPainter, drawing: _Drawing, scale: float) -> None:
    """Fills the ground and draws, on a device that is a page."""
    try:
        painter.scale(scale, scale)
        painter.fillRect(QRectF(-1, -1, drawing.width + 2, drawing.height + 2), ink.colour(drawing.ground))
        drawing.paint(painter)
    finally:
        painter.end()


def _write(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CutterError(
            f"the picture cannot be written, {reason}", one_line(str(path)), "choose another place"
        ) from error
