"""The canvas: one viewport that draws a scene from arrays and turns clicks and keys into signals.

It keeps a base layer (ground, wires, boxes, labels) as a pixmap, which is drawn anew when the view, the plan or the
colours change; hover, selection, cuts and problems are drawn over it at each paint. It changes nothing itself: what a
click means for the plan is the window's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from cutter_gui.core.graph import Graph
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas import camera as cameras
from cutter_gui.gui.canvas import keys, texts
from cutter_gui.gui.canvas.camera import Camera, Rect
from cutter_gui.gui.canvas.curves import polyline
from cutter_gui.gui.canvas.detail import Detail
from cutter_gui.gui.canvas.gestures import Gesture, PinchGesture, Pointer, start_gesture
from cutter_gui.gui.canvas.hit import GROUND, Hit, HitKind, hit_at
from cutter_gui.gui.canvas.paint_cuts import paint_cuts
from cutter_gui.gui.canvas.paint_ground import paint_ground
from cutter_gui.gui.canvas.paint_overlay import Overlay, paint_overlay
from cutter_gui.gui.canvas.render import paint_graph
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.canvas.walk import Place
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.gui.theme import palette_of
from cutter_gui.layout.scene import Scene

ZOOM_STEP = 1.25
WHEEL_NOTCH = 120.0
READABLE = 0.62  # the least zoom at which a graph opens and things are revealed
REVEAL_MARGIN = 40.0


class GraphCanvas(QAbstractScrollArea):
    """The drawing of a graph, its cuts and stages.

    Signals:
        tensor_clicked: A plain click on an edge: the tensor (it is selected already).
        consumer_clicked: A click on a consumer of the selected tensor: tensor and node.
        selection_changed: The new `Selection`.
        hint_changed: What a click would do now, in words.
        zoom_changed: The zoom in percent.
        file_dropped: Paths of files dropped on the canvas.
    """

    tensor_clicked = Signal(int)
    consumer_clicked = Signal(int, int)
    selection_changed = Signal(object)
    hint_changed = Signal(str)
    zoom_changed = Signal(int)
    file_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: Picture | None = None
        self._camera = Camera()
        self._is_home = True
        self._overlay = Overlay()
        self._consumer = -1
        self._by_keyboard = False
        self._gesture: Gesture | None = None
        self._pinch: PinchGesture | None = None
        self._hover = GROUND
        self._space_held = False
        self._space_used = False
        self._hint = ""
        self._base: QPixmap | None = None
        self._detail = Detail.OVERVIEW
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Graph"))
        self.setAcceptDrops(True)
        viewport = self.viewport()
        viewport.setMouseTracking(True)
        viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # --- what is shown

    def show_graph(self, graph: Graph | None, scene: Scene | None) -> None:
        """Shows a graph laid out, or nothing; selection, path and view start anew."""
        sheet = Sheet(graph, scene) if graph is not None and scene is not None else None
        self._picture = None if sheet is None else Picture(sheet, None, None, palette_of(self.palette()))
        self._cancel_gesture()
        self._overlay = replace(self._overlay, path_nodes=(), path_tensors=(), hover_tensor=-1, hover_box=-1)
        self._hover = GROUND
        self._set_selection(NOTHING)
        self._is_home = True
        self._go_home()
        self._redraw()
        self._say()

    def show_staging(self, staging: Staging | None, active_cut: int | None) -> None:
        """Colours the graph by the stages of a plan; positions, view and selection stay.

        Args:
            staging: Stages of the graph shown.
            active_cut: The cut that clicks change, for marks and hints.
        """
        if self._picture is None:
            return
        self._picture = replace(self._picture, staging=staging, active_cut=active_cut)
        self._redraw()
        self._say()

    def show_path(self, nodes: Sequence[int], tensors: Sequence[int]) -> None:
        """Marks the path of a problem."""
        self._overlay = replace(self._overlay, path_nodes=tuple(nodes), path_tensors=tuple(tensors))
        self.viewport().update()

    def clear_path(self) -> None:
        """Takes the marks of `show_path` away."""
        self.show_path((), ())

    # --- selection

    @property
    def selection(self) -> Selection:
        """What is selected."""
        return self._overlay.selection

    def select(self, selection: Selection) -> None:
        """Selects; things that the graph does not have are not selected."""
        if self._picture is not None:
            graph = self._picture.graph
            tensor, node = selection.tensor, selection.node
            if tensor is not None and not 0 <= tensor < graph.tensor_count:
                selection = replace(selection, tensor=None)
            if node is not None and not 0 <= node < graph.node_count:
                selection = replace(selection, node=None)
            self._set_selection(selection)

    def _set_selection(self, selection: Selection, consumer: int = -1) -> None:
        changed = selection != self._overlay.selection
        self._consumer = consumer
        self._overlay = replace(self._overlay, selection=selection)
        self._update_focus()
        if changed:
            self.setAccessibleDescription(self._described(selection))
            self.selection_changed.emit(selection)
            self._say()

    def _described(self, selection: Selection) -> str:
        if self._picture is None or not selection:
            return ""
        if selection.tensor is not None:
            return texts.tensor_text(self._picture, selection.tensor)
        assert selection.node is not None
        return texts.node_text(self._picture, selection.node)

    def _update_focus(self) -> None:
        """Shows where the keyboard is, while it is in use."""
        box = -1
        if self._picture is not None and self._by_keyboard and self.hasFocus():
            node = self._consumer if self._consumer >= 0 else self._overlay.selection.node
            box = self._picture.scene.node_box.get(-1 if node is None else node, -1)
        self._overlay = replace(self._overlay, focus_box=box)
        self.viewport().update()

    # --- the view

    @property
    def zoom_percent(self) -> int:
        """The zoom, 100 for one scene pixel on one viewport pixel."""
        return round(self._camera.scale * 100)

    def fit(self) -> None:
        """Shows the whole graph."""
        if self._picture is not None:
            self._is_home = False
            size = self.viewport().size()
            self._set_camera(cameras.fitted(self._picture.scene.bounds, size.width(), size.height()))

    def zoom_in(self) -> None:
        self._zoom_about_middle(ZOOM_STEP)

    def zoom_out(self) -> None:
        self._zoom_about_middle(1 / ZOOM_STEP)

    def reset_zoom(self) -> None:
        """Shows the graph at 100 %, the middle of the view where it is."""
        self._zoom_about_middle(1.0 / self._camera.scale)

    def _zoom_about_middle(self, factor: float) -> None:
        self.zoom_at(factor, QPointF(self.viewport().rect().center()))

    def zoom_at(self, factor: float, position: QPointF) -> None:
        """Scales about a viewport point, which keeps its place in the scene."""
        if self._picture is not None:
            size = self.viewport().size()
            least = min(
                cameras.MIN_SCALE, cameras.fit_scale(self._picture.scene.bounds, size.width(), size.height()) * 0.8
            )
            self._is_home = False
            self._set_camera(self._camera.zoomed(factor, position.x(), position.y(), least))

    def pan(self, dx: float, dy: float) -> None:
        """Moves the scene by viewport pixels."""
        if self._picture is not None and (dx or dy):
            self._is_home = False
            self._set_camera(self._camera.panned(dx, dy))

    def reveal(self, nodes: Sequence[int] = (), tensors: Sequence[int] = ()) -> None:
        """Moves and, where it must, zooms so that things are in sight; what is in sight already stays."""
        if self._picture is None:
            return
        bounds = self._bounds_of(nodes, tensors)
        if bounds is None:
            return
        size = self.viewport().size()
        width, height = size.width(), size.height()
        left, top, seen_width, seen_height = self._camera.visible(width, height)
        inside = (
            bounds[0] >= left
            and bounds[1] >= top
            and bounds[0] + bounds[2] <= left + seen_width
            and bounds[1] + bounds[3] <= top + seen_height
        )
        if inside and self._camera.scale >= READABLE / 2:
            return
        self._is_home = False
        readable = max(self._camera.scale, READABLE)
        scale = cameras.fit_scale(bounds, width, height, readable)
        x, y = bounds[0] + bounds[2] / 2, bounds[1] + bounds[3] / 2
        if scale < READABLE / 2:
            scale = READABLE
            x, y = self._first_place(nodes, tensors)
        self._set_camera(cameras.centred(x, y, scale, width, height))

    def _boxes_of(self, nodes: Iterable[int], tensors: Iterable[int]) -> list[int]:
        assert self._picture is not None
        scene, sheet = self._picture.scene, self._picture.sheet
        boxes = [scene.node_box[node] for node in nodes if node in scene.node_box]
        for tensor in tensors:
            source = sheet.source_box(tensor)
            boxes += [source] if source >= 0 else []
            boxes += scene.boxes_of(tensor)
            boxes += [scene.node_box[n] for n in self._picture.graph.consumers(tensor).tolist() if n in scene.node_box]
        return boxes

    def _bounds_of(self, nodes: Sequence[int], tensors: Sequence[int]) -> Rect | None:
        boxes = self._boxes_of(nodes, tensors)
        if not boxes or self._picture is None:
            return None
        rects = self._picture.scene.box_rect[boxes]
        low, high = rects[:, :2].min(axis=0) - REVEAL_MARGIN, (rects[:, :2] + rects[:, 2:]).max(axis=0) + REVEAL_MARGIN
        return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])

    def _first_place(self, nodes: Sequence[int], tensors: Sequence[int]) -> tuple[float, float]:
        assert self._picture is not None
        left, top, width, height = self._picture.scene.box_rect[self._boxes_of(nodes, tensors)[0]].tolist()
        return left + width / 2, top + height / 2

    def _go_home(self) -> None:
        """Shows a graph as it opens: whole when it can be read so, else its top at a readable zoom."""
        if self._picture is None:
            return
        bounds, size = self._picture.scene.bounds, self.viewport().size()
        width, height = size.width(), size.height()
        view = cameras.fitted(bounds, width, height)
        if view.scale < READABLE:
            scale = min(max(cameras.fit_scale((bounds[0], 0, bounds[2], 1), width, height), READABLE), 1.0)
            view = Camera(scale, self._top_middle() - width / scale / 2, bounds[1])
        self._set_camera(view)

    def _top_middle(self) -> float:
        """Returns the x around which the top of the graph is."""
        assert self._picture is not None
        rects = self._picture.scene.box_rect
        if not len(rects):
            return 0.0
        top = rects[rects[:, 1] <= rects[:, 1].min() + 400]
        return float((top[:, 0].min() + (top[:, 0] + top[:, 2]).max()) / 2)

    def _set_camera(self, camera: Camera) -> None:
        assert self._picture is not None
        size = self.viewport().size()
        before = self.zoom_percent
        self._camera = camera.kept_near(self._picture.scene.bounds, size.width(), size.height())
        self._redraw()
        if self.zoom_percent != before:
            self.zoom_changed.emit(self.zoom_percent)

    # --- points for tests and accessibility

    def node_point(self, node: int) -> QPoint:
        """Returns a viewport point where a click hits a node.

        Raises:
            KeyError: The node is not drawn.
        """
        if self._picture is None:
            raise KeyError(node)
        left, top, width, height = self._picture.scene.box_rect[self._picture.scene.node_box[node]].tolist()
        return self._view_point(left + width / 2, top + height / 2)

    def edge_point(self, tensor: int, consumer: int) -> QPoint:
        """Returns a viewport point where a click hits the edge from a tensor to a consumer.

        A point that no box, mark or other wire covers is preferred, and one in sight; `reveal` the tensor first.

        Raises:
            KeyError: The edge is not drawn.
        """
        edge = None if self._picture is None else self._picture.graph.edge(tensor, consumer)
        if self._picture is None or edge is None:
            raise KeyError((tensor, consumer))
        wire = self._picture.scene.edge_wire[edge]
        points = [self._view_point(x, y) for x, y in polyline(self._picture.scene.points(wire), 32).tolist()]
        points.reverse()
        seen = self.viewport().rect().adjusted(2, 2, -2, -2)
        in_sight = [point for point in points if seen.contains(point)]
        hits = [(point, self.hit(QPointF(point))) for point in in_sight]
        own = [point for point, hit in hits if hit.wire == wire]
        same = [point for point, hit in hits if hit.kind is HitKind.EDGE and hit.tensor == tensor]
        candidates = own or same or in_sight or points
        return candidates[len(candidates) // 2]

    def _view_point(self, x: float, y: float) -> QPoint:
        return QPointF(*self._camera.to_view(x, y)).toPoint()

    # --- clicks

    def hit(self, position: QPointF) -> Hit:
        """Returns what is under a viewport point."""
        if self._picture is None:
            return GROUND
        x, y = self._camera.to_scene(position.x(), position.y())
        return hit_at(self._picture, x, y, self._camera.scale)

    def click(self, hit: Hit, modifiers: Qt.KeyboardModifier) -> None:
        """Does what a click on a thing does."""
        if self._picture is None:
            return
        only_select = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        selected = self._overlay.selection.tensor
        if hit.kind is HitKind.GROUND:
            self._set_selection(NOTHING)
        elif hit.kind is HitKind.NODE:
            if selected is not None and not only_select and self._picture.graph.edge(selected, hit.node) is not None:
                self.consumer_clicked.emit(selected, hit.node)
            else:
                self._set_selection(Selection(node=hit.node))
        else:
            self._set_selection(Selection(tensor=hit.tensor))
            if hit.kind is HitKind.EDGE and not only_select:
                self.tensor_clicked.emit(hit.tensor)

    def activate(self) -> None:
        """Does what a click on the thing at the keyboard does: toggles the selected tensor, or its consumer at hand."""
        tensor = self._overlay.selection.tensor
        if tensor is None or self._picture is None:
            return
        if self._consumer >= 0:
            self.consumer_clicked.emit(tensor, self._consumer)
        elif len(self._picture.graph.consumers(tensor)):
            self.tensor_clicked.emit(tensor)

    def clear_selection(self) -> None:
        self._set_selection(NOTHING)

    # --- the keyboard

    @property
    def place(self) -> Place:
        """Where the keyboard is."""
        return Place(self._overlay.selection, self._consumer)

    @property
    def sheet(self) -> Sheet | None:
        """What is drawn."""
        return None if self._picture is None else self._picture.sheet

    def walk_to(self, place: Place) -> None:
        """Goes to a place by keyboard: selects it and brings it into sight."""
        self._by_keyboard = True
        self._set_selection(place.selection, place.consumer)
        node = place.selection.node
        if place.consumer >= 0:
            self.reveal(nodes=[place.consumer])
        elif node is not None:
            self.reveal(nodes=[node])
        elif place.selection.tensor is not None:
            self.reveal(tensors=[place.selection.tensor])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._space_held, self._space_used = True, False
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and self._gesture is not None:
            self._cancel_gesture()
        elif not keys.press(self, event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat() and self._space_held:
                self._space_held = False
                if not self._space_used:
                    self.activate()
            event.accept()
        else:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self._picture is None or not self._picture.scene.node_box:
            return super().focusNextPrevChild(forward)
        keys.cycle(self, 1 if forward else -1)
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._by_keyboard = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._update_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._space_held = False
        self._update_focus()

    # --- the mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keyboard = False
        self._update_focus()
        if self._picture is None or self._gesture is not None:
            return
        pointer = Pointer(event.position(), event.modifiers())
        self._space_used = self._space_used or self._space_held
        self._gesture = start_gesture(self, pointer, event.button(), self._space_held)
        self._update_cursor()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pointer = Pointer(event.position(), event.modifiers())
        if self._gesture is not None:
            self._gesture = self._gesture.move(pointer)
            self._update_cursor()
        else:
            self._hover_over(self.hit(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.end(Pointer(event.position(), event.modifiers()))
            self._hover_over(self.hit(event.position()))
            self._update_cursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click is two clicks: cutting and uncutting fast must not lose one."""
        self.mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels, angle = event.pixelDelta(), event.angleDelta()
        modifiers = event.modifiers()
        by_touchpad = not pixels.isNull() and event.phase() != Qt.ScrollPhase.NoScrollPhase
        if by_touchpad and not modifiers & Qt.KeyboardModifier.ControlModifier:
            self.pan(pixels.x(), pixels.y())
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            # Some platforms turn the wheel sideways themselves while Shift is held.
            self.pan(angle.y() or angle.x(), 0)
        elif angle.y():
            self.zoom_at(ZOOM_STEP ** (angle.y() / WHEEL_NOTCH), event.position())
        elif angle.x():
            self.pan(angle.x(), 0)
        event.accept()

    def _native_gesture(self, event: QNativeGestureEvent) -> bool:
        kind = event.gestureType()
        if kind is Qt.NativeGestureType.BeginNativeGesture:
            self._pinch = PinchGesture(self)
            self._pinch.start(Pointer(event.position()))
        elif kind is Qt.NativeGestureType.ZoomNativeGesture:
            if self._pinch is None:
                self._pinch = PinchGesture(self)
                self._pinch.start(Pointer(event.position()))
            self._pinch.scale(event.value())
        elif kind is Qt.NativeGestureType.EndNativeGesture:
            self._pinch = None
        else:
            return False
        return True

    def _cancel_gesture(self) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
            self._update_cursor()

    def _hover_over(self, hit: Hit) -> None:
        if hit == self._hover:
            return
        self._hover = hit
        self._overlay = replace(self._overlay, hover_tensor=hit.tensor, hover_box=hit.box)
        self._update_cursor()
        self.viewport().update()
        self._say()

    def _update_cursor(self) -> None:
        if self._gesture is not None and self._gesture.cursor is not None:
            self.viewport().setCursor(self._gesture.cursor)
        elif self._hover.kind is HitKind.GROUND:
            self.viewport().unsetCursor()
        else:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)

    def _say(self) -> None:
        said = "" if self._picture is None else texts.hint(self._picture, self._overlay.selection, self._hover)
        if said != self._hint:
            self._hint = said
            self.hint_changed.emit(said)

    # --- other events

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self._show_tooltip(event)
            return True
        if isinstance(event, QNativeGestureEvent) and self._native_gesture(event):
            return True
        if event.type() is QEvent.Type.Leave:
            self._hover_over(GROUND)
        return super().viewportEvent(event)

    def _show_tooltip(self, event: QHelpEvent) -> None:
        hit = self.hit(QPointF(event.pos()))
        said = "" if self._picture is None or self._gesture is not None else texts.tooltip(self._picture, hit)
        if not said:
            QToolTip.hideText()
            return
        spot = QRect(event.pos() - QPoint(4, 4), event.pos() + QPoint(4, 4))
        QToolTip.showText(event.globalPos(), texts.as_shown(said), self.viewport(), spot)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            if self._picture is not None:
                self._picture = replace(self._picture, palette=palette_of(self.palette()))
            self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_home:
            self._go_home()
        else:
            self._redraw()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_files(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if _local_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = _local_files(event)
        if files:
            event.acceptProposedAction()
            self.file_dropped.emit(files)

    # --- painting

    def _redraw(self) -> None:
        """Draws the base layer anew at the next paint."""
        self._base = None
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        base = self._base_layer()
        painter = QPainter(self.viewport())
        try:
            painter.drawPixmap(0, 0, base)
            if self._picture is not None:
                self._paint_over(painter, self._picture)
        finally:
            painter.end()

    def _base_layer(self) -> QPixmap:
        size, ratio = self.viewport().size(), self.viewport().devicePixelRatioF()
        wanted = (round(size.width() * ratio), round(size.height() * ratio))
        base = self._base
        if base is not None and (base.width(), base.height()) == wanted and base.devicePixelRatio() == ratio:
            return base
        base = QPixmap(max(wanted[0], 1), max(wanted[1], 1))
        base.setDevicePixelRatio(ratio)
        painter = QPainter(base)
        try:
            palette = palette_of(self.palette())
            paint_ground(painter, palette, self._camera, size.width(), size.height(), ratio)
            if self._picture is not None:
                self._look_through_camera(painter)
                visible = self._camera.visible(size.width(), size.height())
                self._detail = paint_graph(painter, self._picture, visible, self._camera.scale)
        finally:
            painter.end()
        self._base = base
        return base

    def _look_through_camera(self, painter: QPainter) -> None:
        painter.scale(self._camera.scale, self._camera.scale)
        painter.translate(-self._camera.x, -self._camera.y)

    def _paint_over(self, painter: QPainter, picture: Picture) -> None:
        size = self.viewport().size()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._look_through_camera(painter)
        paint_overlay(painter, picture, self._overlay, self._detail, self._camera.scale)
        paint_cuts(painter, picture, self._camera.visible(size.width(), size.height()), self._camera.scale)


def _local_files(event: QDropEvent) -> list[str]:
    data = event.mimeData()
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []
