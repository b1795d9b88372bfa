"""A view of a drawing that is scrolled and zoomed, and keeps to its window until the user does either."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from cutter_gui.gui.scroll_bars import with_thin_bars
from cutter_gui.gui.stages_preview.drawing import Drawing, Target

SMALLEST, LARGEST = 0.08, 4.0
FIRST_SMALLEST, FIRST_LARGEST = 0.75, 1.6  # the zoom that it opens with stays readable
STEP = 1.25


class ZoomedView(QAbstractScrollArea):
    """The base of the Stages preview; what is drawn and pointed at is its subclass's.

    Signals:
        zoom_changed: Zoom in percent.
        resized: The view has another size.
    """

    zoom_changed = Signal(int)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drawing: Drawing | None = None
        self._scale = 1.0
        self._fits = True  # until the user zooms or scrolls, the view keeps to the window
        self.resized.connect(self._keep_to_the_window)
        with_thin_bars(self)
        self.setCornerWidget(QWidget())
        self.setFrameShape(QFrame.Shape.NoFrame)

    @property
    def scale(self) -> float:
        """Pixels of the view for one of the scene."""
        return self._scale

    def zoom_in(self) -> None:
        self._zoom(STEP, QPointF(self.viewport().rect().center()))

    def zoom_out(self) -> None:
        self._zoom(1 / STEP, QPointF(self.viewport().rect().center()))

    def reset_zoom(self) -> None:
        self._zoom(1 / self._scale, QPointF(self.viewport().rect().center()))

    def fit(self) -> None:
        """Shows all stages."""
        if self._drawing is not None:
            self._set_scale(self._fitting())
            self._fits = False
            self._update_bars()

    def _fitting(self) -> float:
        assert self._drawing is not None
        area = self.viewport().rect()
        return min(area.width() / max(1.0, self._drawing.width), area.height() / max(1.0, self._drawing.height))

    def _fit_at_first(self) -> None:
        """Shows as much as can still be read, from the first stage on."""
        if self._drawing is None:
            return
        self._set_scale(min(max(self._fitting(), FIRST_SMALLEST), FIRST_LARGEST))
        self._update_bars()
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)

    def _keep_to_the_window(self) -> None:
        if self._fits:
            self._fit_at_first()
        self._update_bars()

    def _set_scale(self, scale: float) -> None:
        self._scale = min(max(scale, SMALLEST), LARGEST)
        self.zoom_changed.emit(round(100 * self._scale))

    def _zoom(self, factor: float, at: QPointF) -> None:
        """Zooms about a point of the view, which keeps its place."""
        fixed = self.to_scene(at)
        self._fits = False
        self._set_scale(self._scale * factor)
        self._update_bars()
        moved = self.to_view(fixed) - at
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + round(moved.x()))
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + round(moved.y()))
        self.viewport().update()

    def _update_bars(self) -> None:
        area, drawing = self.viewport().rect(), self._drawing
        for bar, seen, whole in (
            (self.horizontalScrollBar(), area.width(), 0.0 if drawing is None else drawing.width),
            (self.verticalScrollBar(), area.height(), 0.0 if drawing is None else drawing.height),
        ):
            bar.setRange(0, max(0, round(whole * self._scale) - seen))
            bar.setPageStep(seen)
            bar.setSingleStep(40)
        self.viewport().update()

    def _offset(self) -> QPointF:
        """Returns where the scene's origin is in the view; what is smaller than the view stands in its middle."""
        if self._drawing is None:
            return QPointF()
        area = self.viewport().rect()
        spare_x = max(0.0, area.width() - self._drawing.width * self._scale) / 2
        spare_y = max(0.0, area.height() - self._drawing.height * self._scale) / 3
        return QPointF(spare_x - self.horizontalScrollBar().value(), spare_y - self.verticalScrollBar().value())

    def to_view(self, point: QPointF) -> QPointF:
        return point * self._scale + self._offset()

    def to_scene(self, point: QPointF) -> QPointF:
        return (point - self._offset()) / self._scale

    def point_of(self, target: Target) -> QPoint | None:
        """Returns the middle of something in the view; None when it is not drawn."""
        rect = None if self._drawing is None else self._drawing.rect_of(target)
        return None if rect is None else self.to_view(rect.center()).toPoint()

    def reveal(self, target: Target) -> None:
        """Scrolls so that something is in sight."""
        rect = None if self._drawing is None else self._drawing.rect_of(target)
        if rect is None:
            return
        low, high = self.to_view(rect.topLeft()), self.to_view(rect.bottomRight())
        area = self.viewport().rect()
        for bar, start, end, room in (
            (self.horizontalScrollBar(), low.x(), high.x(), area.width()),
            (self.verticalScrollBar(), low.y(), high.y(), area.height()),
        ):
            if start < 12 or end - start > room - 24:
                bar.setValue(bar.value() + round(start) - 24)
            elif end > room - 12:
                bar.setValue(bar.value() + round(end) - room + 24)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(STEP ** (event.angleDelta().y() / 120), event.position())
            event.accept()
            return
        self._fits = False
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not self.verticalScrollBar().maximum():
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - (event.angleDelta().x() or event.angleDelta().y()))
            event.accept()
            return
        super().wheelEvent(event)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()  # not a call: see "Decisions" in CONTRIBUTING.md
