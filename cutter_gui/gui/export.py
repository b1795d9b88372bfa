"""Pictures of the model and of its stages as SVG, PNG and PDF, by the painters of the window, without a window.

A picture that is larger than its format has room for is divided: a PNG into several files, a PDF into pages. None is
cut off; without a scale asked for, it is drawn smaller, which the result tells.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import floor, sqrt
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QGuiApplication, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.export_drawing import Drawing, View, model_drawing, stages_drawing
from cutter_gui.gui.export_sizes import (
    DEFAULT_SCALE,
    PNG_DEFAULT_SCALE,
    POINTS_PER_PIXEL,
    SUFFIXES,
    TILES_AT_MOST,
    Tiling,
    largest_scale,
    tiling,
)
from cutter_gui.gui.palette import palette_named
from cutter_gui.layout.scene import Scene

SCALE_AT_MOST = 1000
_QT_SIDE = 2**31 - 1  # sizes are 32-bit integers to Qt


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        width: Of the whole picture, in pixels, or points for PDF.
        height: Likewise.
        scale: The scale drawn at.
        reduced: Whether that is less than the default, since the format has no room for more.
        files: The files: one, or for a PNG in parts one for each, from left to right, row by row.
        pages: The parts of a PDF.
    """

    width: int
    height: int
    scale: float
    reduced: bool
    files: tuple[Path, ...]
    pages: int = 1


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
    part: Rect | None = None,
    progress: Progress = no_progress,
) -> Exported:
    """Writes a picture; the file's ending decides the format.

    A `QGuiApplication` is made, on the offscreen platform, when there is none. No file appears in part.

    Args:
        path: Ends in ``.svg``, ``.png`` or ``.pdf``. A PNG in parts is written as ``name_<row>_<column>.png``.
        graph: The graph.
        scene: Its layout.
        staging: Its stages; needed for ``stages``.
        theme: ``light`` or ``dark``.
        view: ``model`` draws every node, ``stages`` every stage with what is sent between them.
        scale: Pixels of the file for one pixel of the window, the picture divided where it must be; None takes 2 for
            PNG and 1 otherwise, or less where one file or page has no room for that, which the result tells.
        title: What to write above the picture.
        groups: The groups that are folded in the layout.
        part: The part of the scene to draw; None for all.
        progress: Told of the parts; may raise `Cancelled`.

    Raises:
        CutterError: The ending is unknown, a scale asked for would take too many parts, or a file cannot be written.
    """
    suffix = path.suffix.lower()
    where = one_line(str(path))
    if suffix not in SUFFIXES:
        raise CutterError(
            "the kind of picture cannot be told from the file name", where, "end it in .svg, .png or .pdf"
        )
    if scale is not None and not 0 < scale <= SCALE_AT_MOST:
        remedy = f"give a scale above 0 and at most {SCALE_AT_MOST}"
        raise CutterError(f"a picture cannot be drawn at scale {scale:g}", where, remedy)
    _ensure_application()
    palette = palette_named(theme)
    if view == "stages":
        if staging is None:
            raise CutterError("there are no stages to draw", where, "give a cut spec")
        drawing = stages_drawing(staging, palette, title)
    else:
        drawing = model_drawing(graph, scene, groups, staging, palette, title, part)
    wanted = scale if scale is not None else (PNG_DEFAULT_SCALE if suffix == ".png" else DEFAULT_SCALE)
    if scale is None:
        wanted = min(wanted, largest_scale(drawing.width, drawing.height, suffix))
    tiles = tiling(drawing.width, drawing.height, wanted, suffix)
    if max(tiles.width, tiles.height) > _QT_SIDE:
        raise CutterError(f"a picture of this graph at scale {wanted:g} is too large", where, "use a smaller scale")
    if tiles.count > TILES_AT_MOST:
        raise CutterError(
            f"a {suffix[1:].upper()} of this graph at scale {wanted:g} would take {tiles.count:,} parts",
            where,
            f"use a scale of at most {_floored(_scale_for_tiles(drawing, suffix)):g}, or write an .svg",
        )
    width, height, pieces = {".png": _png, ".svg": _svg, ".pdf": _pdf}[suffix](drawing, wanted, tiles, progress)
    files = _names(path, tiles) if len(pieces) > 1 else (path,)
    _write(files, pieces)
    reduced = wanted < min(DEFAULT_SCALE, scale or DEFAULT_SCALE)
    return Exported(width, height, wanted, reduced, files, tiles.count if suffix == ".pdf" else 1)


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


def _scale_for_tiles(drawing: Drawing, suffix: str) -> float:
    """Returns a scale that takes no more parts than may be."""
    scale = largest_scale(drawing.width, drawing.height, suffix) * sqrt(TILES_AT_MOST)
    while tiling(drawing.width, drawing.height, scale, suffix).count > TILES_AT_MOST:
        scale *= 0.9
    return scale


def _names(path: Path, tiles: Tiling) -> tuple[Path, ...]:
    places = [(row, column) for row in range(1, tiles.rows + 1) for column in range(1, tiles.columns + 1)]
    return tuple(path.with_name(f"{path.stem}_{row}_{column}{path.suffix}") for row, column in places)


# --- formats


def _png(drawing: Drawing, scale: float, tiles: Tiling, progress: Progress) -> tuple[int, int, list[bytes]]:
    pieces = []
    for number, part in enumerate(tiles.parts()):
        progress("Drawing the picture", number / tiles.count)
        pieces.append(_png_part(drawing, scale, part))
    return tiles.width, tiles.height, pieces


def _png_part(drawing: Drawing, scale: float, part: tuple[int, int, int, int]) -> bytes:
    left, top, width, height = part
    image = QImage(width, height, QImage.Format.Format_RGB32)
    if image.isNull():
        raise CutterError("there is not enough memory for the picture", "", "use a smaller scale, or write an .svg")
    area = QRectF(left / scale, top / scale, width / scale, height / scale)
    _paint(QPainter(image), lambda painter: drawing.paint_part(painter, area, scale))
    image.setDotsPerMeterX(round(96 / 0.0254 * scale))
    image.setDotsPerMeterY(round(96 / 0.0254 * scale))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    saved = image.save(buffer, "PNG")
    buffer.close()
    if not saved:
        raise CutterError("the PNG could not be encoded", "", "use a smaller scale, or write an .svg")
    return bytes(data.data())


def _svg(drawing: Drawing, scale: float, tiles: Tiling, progress: Progress) -> tuple[int, int, list[bytes]]:
    progress("Drawing the picture", 0.0)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(tiles.width, tiles.height))
    generator.setViewBox(QRectF(0, 0, tiles.width, tiles.height))
    generator.setResolution(96)
    generator.setTitle(one_line(drawing.title, 120) or "Cutter GUI")
    generator.setDescription("")
    whole = QRectF(0, 0, drawing.width, drawing.height)
    _paint(QPainter(generator), lambda painter: drawing.paint_part(painter, whole, scale))
    buffer.close()
    return tiles.width, tiles.height, [bytes(data.data())]


def _pdf(drawing: Drawing, scale: float, tiles: Tiling, progress: Progress) -> tuple[int, int, list[bytes]]:
    points = POINTS_PER_PIXEL * scale
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(one_line(drawing.title, 120))
    writer.setCreator("Cutter GUI")
    parts = tiles.parts()
    _set_page(writer, parts[0])
    painter = QPainter(writer)
    try:
        for number, part in enumerate(parts):
            progress("Drawing the picture", number / len(parts))
            if number:
                _set_page(writer, part)
                writer.newPage()
            left, top, width, height = part
            painter.save()
            area = QRectF(left / points, top / points, width / points, height / points)
            drawing.paint_part(painter, area, points * writer.resolution() / 72)
            painter.restore()
    finally:
        painter.end()
    buffer.close()
    return tiles.width, tiles.height, [bytes(data.data())]


def _set_page(writer: QPdfWriter, part: tuple[int, int, int, int]) -> None:
    page = QPageSize(QSizeF(part[2], part[3]), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    # A page wider than high is portrait too: turning it would turn the size given here.
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))


def _paint(painter: QPainter, draw: Callable[[QPainter], None]) -> None:
    try:
        draw(painter)
    finally:
        painter.end()


def _write(files: tuple[Path, ...], pieces: list[bytes]) -> None:
    """Writes files, none of them in part; where there is no room for all, none."""
    temporary = [path.with_name(f".{secrets.token_hex(8)}.tmp") for path in files]
    try:
        try:
            for path, data in zip(temporary, pieces, strict=True):
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
            for path, target in zip(temporary, files, strict=True):
                path.replace(target)
        except OSError:
            for path in temporary:
                with suppress(OSError):
                    path.unlink()
            raise
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CutterError(
            f"the picture cannot be written, {reason}", one_line(str(files[0])), "choose another place"
        ) from error
