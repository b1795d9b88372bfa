"""A small picture of the whole graph at the lower right of the canvas, with a frame around what is in sight.

A click or a drag on it moves the view. It hides when everything is in sight and when the canvas is small. The picture
is drawn once for a graph, a plan and a palette.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.paint_overview import paint_overview
from cutter_gui.gui.canvas.sheet import Picture

WIDEST, HIGHEST = 168, 140
WIDEST_LYING = 260  # where edges run from left to right
NARROWEST = 36
MARGIN = 12
PADDING = 6
ROOM_FOR_IT = (560, 360)  # smaller canvases have none
LEAST_FRAME = 6.0


class Minimap(QWidget):
    """The picture.

    Signals:
        wanted: A scene point that is to come into the middle of the view.
    """

    wanted = Signal(QPointF)

    def __init__(self, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._picture: Picture | None = None
        self._drawn_for: tuple[Picture, float] | None = None
        self._pixmap = QPixmap()
        self._seen: Rect = (0.0, 0.0, 0.0, 0.0)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Overview"))
        self.setToolTip(self.tr("Click or drag to move the view"))
        self.hide()
        viewport.installEventFilter(self)

    def show_view(self, picture: Picture | None, camera: Camera) -> None:
        """Follows the canvas.

        Args:
            picture: What the canvas shows.
            camera: Its view.
        """
        size = self.parentWidget().size()
        self._picture = picture
        if picture is None or size.width() < ROOM_FOR_IT[0] or size.height() < ROOM_FOR_IT[1]:
            self.hide()
            return
        self._seen = camera.visible(size.width(), size.height())
        left, top, width, height = picture.scene.bounds
        x, y, wide, high = self._seen
        if x <= left and y <= top and x + wide >= left + width and y + high >= top + height:
            self.hide()
            return
        scale = self._scale()
        own_width = max(round(width * scale), NARROWEST) + 2 * PADDING
        own_height = max(round(height * scale), NARROWEST) + 2 * PADDING
        self.setGeometry(size.width() - own_width - MARGIN, size.height() - own_height - MARGIN, own_width, own_height)
        self.show()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self._picture is not None:
            self.hide()  # until the canvas has found its view for the new size
        return super().eventFilter(watched, event)

    def _scale(self) -> float:
        """Returns map pixels for one scene pixel."""
        assert self._picture is not None
        _, _, width, height = self._picture.scene.bounds
        widest = WIDEST if self._picture.scene.flow else WIDEST_LYING
        return min((widest - 2 * PADDING) / max(width, 1.0), (HIGHEST - 2 * PADDING) / max(height, 1.0), 0.25)

    def _camera(self) -> Camera:
        """Returns the view of the whole graph in the map."""
        assert self._picture is not None
        left, top, width, height = self._picture.scene.bounds
        scale = self._scale()
        return Camera(
            scale,
            left + width / 2 - self.width() / 2 / scale,
            top + height / 2 - self.height() / 2 / scale,
        )

    def frame(self) -> QRectF:
        """Returns the frame around what is in sight, in map pixels."""
        camera = self._camera()
        x, y = camera.to_view(self._seen[0], self._seen[1])
        found = QRectF(x, y, self._seen[2] * camera.scale, self._seen[3] * camera.scale)
        found &= QRectF(self.rect()).adjusted(2, 2, -2, -2)
        grow_x, grow_y = max(LEAST_FRAME - found.width(), 0.0) / 2, max(LEAST_FRAME - found.height(), 0.0) / 2
        return found.adjusted(-grow_x, -grow_y, grow_x, grow_y)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            return
        palette = self._picture.palette
        painter = QPainter(self)
        try:
            painter.drawPixmap(0, 0, self._drawn(self._picture))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            soft = QColor(palette.text_soft)
            soft.setAlpha(36)
            painter.setPen(ink.pen(palette.text_soft, 1.5))
            painter.setBrush(soft)
            painter.drawRoundedRect(self.frame(), 2, 2)
        finally:
            painter.end()

    def _drawn(self, picture: Picture) -> QPixmap:
        """Returns the picture of the whole graph on its ground."""
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._drawn_for is None or self._drawn_for[0] is not picture or self._pixmap.size() != size:
            self._pixmap = QPixmap(size)
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            index, bounds = picture.sheet.index, picture.scene.bounds
            painter = QPainter(self._pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(ink.pen(picture.palette.line, 1.0))
            painter.setBrush(ink.colour(picture.palette.panel))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            area = (0.0, 0.0, float(self.width()), float(self.height()))
            boxes, pieces = index.boxes_in(*bounds), index.pieces_in(*bounds)
            paint_overview(painter, picture, boxes, pieces, self._camera(), area, ratio)
            painter.end()
            self._drawn_for = (picture, ratio)
        return self._pixmap

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _go(self, event: QMouseEvent) -> None:
        if self._picture is not None:
            self.wanted.emit(QPointF(*self._camera().to_scene(event.position().x(), event.position().y())))
        event.accept()
