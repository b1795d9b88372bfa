"""The base layer: ground, wires, boxes and labels, kept as a pixmap until something of them changes.

A view with much in it that only moves, by whole device pixels, keeps what it shows: the pixmap is scrolled, and just
the strips that come into sight are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap

from cutter_gui.gui.canvas.box_texts import BoxTexts
from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.paint_ground import Ground
from cutter_gui.gui.canvas.paint_screen import Visible, paint_screen, visible_things
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.canvas.sprites import Sprites
from cutter_gui.gui.palette import Palette

WHOLE = 1e-3  # how near to a whole pixel a movement must be
MUCH, MUCH_TEXT = 5000, 150  # things in sight
OVERLAP = 2.0  # viewport pixels by which a strip reaches into what is kept


def look_through(painter: QPainter, camera: Camera) -> None:
    """Lets a painter of the viewport draw in scene pixels."""
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)


@dataclass(frozen=True)
class _Made:
    """What a pixmap was drawn for."""

    picture: Picture | None
    palette: Palette
    camera: Camera
    width: int
    height: int
    ratio: float


class BaseLayer:
    """Draws the base layer, and keeps it."""

    def __init__(self) -> None:
        self._pixmap = QPixmap()
        self._made: _Made | None = None  # what the pixmap holds
        self._shown: _Made | None = None  # what was drawn last, without keeping it
        self._detail = Detail.OVERVIEW
        self._sprites = Sprites()
        self._texts = BoxTexts()
        self._ground = Ground()

    @property
    def detail(self) -> Detail:
        """How finely the layer was drawn."""
        return self._detail

    def invalidate(self) -> None:
        """Has the layer drawn anew when it is next asked for."""
        self._made = self._shown = None

    def paint(
        self,
        painter: QPainter,
        picture: Picture | None,
        palette: Palette,
        camera: Camera,
        width: int,
        height: int,
        ratio: float,
    ) -> None:
        """Draws the layer into a viewport.

        Args:
            painter: Draws in viewport pixels.
            picture: What to draw, None for the ground alone.
            palette: Colours of the ground.
            camera: The view.
            width: Of the viewport.
            height: Of the viewport.
            ratio: Device pixels for one viewport pixel.
        """
        wanted = _Made(picture, palette, camera, width, height, ratio)
        if wanted != self._made:
            whole: Rect = (0.0, 0.0, float(width), float(height))
            seen = None if picture is None else visible_things(picture, camera.visible(width, height), camera.scale)
            before, self._detail = self._detail, self._detail if seen is None else seen.detail
            self._sprites.ratio = ratio
            moved = self._movement(wanted) if before is self._detail and seen is not None and _is_much(seen) else None
            if moved is not None:
                self._pixmap.scroll(*moved, self._pixmap.rect())
                self._keep(wanted, _strips(moved[0] / ratio, moved[1] / ratio, whole), None)
            elif wanted == self._shown or (seen is not None and _is_much(seen) and not self._is_zooming(wanted)):
                self._new_pixmap(wanted)
                self._keep(wanted, [whole], seen)
            else:
                # A view that is on the move and has little in it, or zooms: to keep it costs more than to draw it.
                self._shown = wanted
                self._paint(painter, wanted, whole, seen)
                return
        painter.drawPixmap(0, 0, self._pixmap)

    def _is_zooming(self, wanted: _Made) -> bool:
        """Whether the scale is another than that of the frame before, so that it may well change again."""
        before = self._shown or self._made
        return before is not None and before.picture is wanted.picture and before.camera.scale != wanted.camera.scale

    def _new_pixmap(self, wanted: _Made) -> None:
        size = max(round(wanted.width * wanted.ratio), 1), max(round(wanted.height * wanted.ratio), 1)
        if (self._pixmap.width(), self._pixmap.height()) != size or self._pixmap.devicePixelRatio() != wanted.ratio:
            self._pixmap = QPixmap(*size)
            self._pixmap.setDevicePixelRatio(wanted.ratio)

    def _keep(self, wanted: _Made, areas: list[Rect], seen: Visible | None) -> None:
        """Draws parts of the viewport into the pixmap."""
        painter = QPainter(self._pixmap)
        try:
            for area in areas:
                self._paint(painter, wanted, area, seen)
        finally:
            painter.end()
        self._made, self._shown = wanted, None

    def _movement(self, wanted: _Made) -> tuple[int, int] | None:
        """Returns by how many device pixels the layer moved; None when it changed otherwise, or too far."""
        made = self._made
        if made is None or made.picture is not wanted.picture or made.palette != wanted.palette:
            return None
        if made.camera.scale != wanted.camera.scale or not _same_size(made, wanted):
            return None
        unit = wanted.camera.scale * wanted.ratio
        x, y = (made.camera.x - wanted.camera.x) * unit, (made.camera.y - wanted.camera.y) * unit
        near = abs(x - round(x)) < WHOLE and abs(y - round(y)) < WHOLE
        size = self._pixmap.size()
        if not near or abs(x) > size.width() / 2 or abs(y) > size.height() / 2:
            return None
        return round(x), round(y)

    def _paint(self, painter: QPainter, wanted: _Made, area: Rect, seen: Visible | None) -> None:
        """Draws a part of the viewport."""
        camera = wanted.camera
        painter.save()
        painter.setClipRect(QRectF(*area))
        self._ground.paint(painter, wanted.palette, camera, wanted.width, wanted.height, wanted.ratio)
        if wanted.picture is not None:
            x, y = camera.to_scene(area[0], area[1])
            part = (x, y, area[2] / camera.scale, area[3] / camera.scale)
            seen = seen or visible_things(wanted.picture, part, camera.scale, self._detail)
            self._texts.look_at(wanted.picture)
            paint_screen(painter, wanted.picture, seen, camera, area, self._sprites, self._texts)
        painter.restore()


def _is_much(seen: Visible) -> bool:
    """Whether drawing takes longer than scrolling a pixmap."""
    return len(seen.boxes) + len(seen.pieces) > (MUCH_TEXT if seen.detail >= Detail.TEXT else MUCH)


def _same_size(one: _Made, two: _Made) -> bool:
    return (one.width, one.height, one.ratio) == (two.width, two.height, two.ratio)


def _strips(dx: float, dy: float, whole: Rect) -> list[Rect]:
    """Returns the parts of a viewport that come into sight when it moves, in whole viewport pixels."""
    _, _, width, height = whole
    found: list[Rect] = []
    if dx:
        wide = float(int(abs(dx)) + 1) + OVERLAP
        found.append((0.0 if dx > 0 else width - wide, 0.0, wide, height))
    if dy:
        high = float(int(abs(dy)) + 1) + OVERLAP
        found.append((0.0, 0.0 if dy > 0 else height - high, width, high))
    return found
