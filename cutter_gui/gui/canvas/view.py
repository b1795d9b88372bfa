"""The canvas: one viewport that draws a scene from arrays and turns clicks and keys into signals.

It keeps a base layer (ground, wires, boxes, labels) as a pixmap, which is drawn anew when the view, the plan or the
colours change; hover, selection, cuts and problems are drawn over it at each paint. It changes nothing itself: what a
click means for the plan is the window's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QHelpEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QToolTip, QWidget

from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas import camera as cameras
from cutter_gui.gui.canvas import framing, points, texts
from cutter_gui.gui.canvas.anchoring import drawn_in, kept_view, middle_nodes
from cutter_gui.gui.canvas.base_layer import BaseLayer, look_through
from cutter_gui.gui.canvas.camera import Camera
from cutter_gui.gui.canvas.clicking import deed_of_click, group_to_toggle
from cutter_gui.gui.canvas.gestures import ZOOM_STEP, PinchGesture, Pointer, start_gesture, turn_wheel
from cutter_gui.gui.canvas.hit import GROUND, Hit, HitKind, hit_at
from cutter_gui.gui.canvas.keyboard_area import KeyboardArea
from cutter_gui.gui.canvas.minimap import Minimap
from cutter_gui.gui.canvas.paint_cuts import paint_cuts
from cutter_gui.gui.canvas.paint_found import Found
from cutter_gui.gui.canvas.paint_ground import paint_broken_edges
from cutter_gui.gui.canvas.paint_overlay import paint_overlay
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.canvas.stamps import Stamps
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.gui.theme import palette_of
from cutter_gui.layout.scene import Scene


class GraphCanvas(KeyboardArea):
    """The drawing of a graph, its cuts and stages.

    Signals:
        consumers_clicked: A click on a folded group with several consumers of the selected tensor: tensor and nodes.
        bundle_clicked: A click on a wire of several tensors: these, and the point on the screen.
        group_toggled: A double click on a folded group, or on a node: the group around it.
        selection_changed: The new `Selection`.
        hint_changed: What a click would do now, in words.
        zoom_changed: The zoom in percent.
        resized: The view has another size.
        pointer_left: The pointer is no longer over the view.
    """

    consumers_clicked = Signal(int, list)
    bundle_clicked = Signal(list, QPoint)
    group_toggled = Signal(int)
    selection_changed = Signal(object)
    hint_changed = Signal(str)
    zoom_changed = Signal(int)
    resized = Signal()
    pointer_left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._camera = Camera()
        self._is_home = True
        self._kept_sight: tuple[float, float, float] | None = None  # stays in the middle until the user moves
        self._pinch: PinchGesture | None = None
        self._hover = GROUND
        self._hint = ""
        self._base = BaseLayer()
        self._stamps = Stamps()
        self._minimap = Minimap(self.viewport())
        self._minimap.wanted.connect(self._centre_on)
        self.resized.connect(self._keep_to_size)
        self.pointer_left.connect(self._hover_nothing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Graph"))
        viewport = self.viewport()
        viewport.setMouseTracking(True)
        viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # --- what is shown

    def show_graph(self, graph: Graph | None, scene: Scene | None, groups: Groups | None = None) -> None:
        """Shows a graph laid out, or nothing; selection, path and view start anew."""
        sheet = Sheet(graph, scene, groups) if graph is not None and scene is not None else None
        self._picture = None if sheet is None else Picture(sheet, None, None, palette_of(self.palette()))
        self._cancel_gesture()
        self._overlay = replace(self._overlay, path_nodes=(), path_tensors=(), hover_tensor=-1, hover_box=-1)
        self._hover = GROUND
        self._set_selection(NOTHING)
        self._is_home = True
        self._go_home()
        self._redraw()
        self._say()

    def show_scene(self, scene: Scene, kept: Sequence[int] = ()) -> None:
        """Shows another scene of the same graph; selection and colours stay.

        Args:
            scene: The graph laid out otherwise, with other groups folded.
            kept: Nodes that keep their place in the view; none for those in its middle.
        """
        if self._picture is None:
            return
        size = self.viewport().size()
        before = self._picture.sheet
        sheet = replace(before, scene=scene)
        nodes = kept or middle_nodes(before, self._camera, size.width(), size.height())
        self._picture = replace(self._picture, sheet=sheet)
        self._cancel_gesture()
        self._hover = GROUND
        self._overlay = replace(self._overlay, hover_tensor=-1, hover_box=-1)
        self._is_home = False
        view = kept_view(self._camera, before, sheet, nodes)
        self._set_camera(view if kept else drawn_in(view, scene.bounds, size.width(), size.height()))
        self._update_focus()
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

    def show_symbols(self, symbols: Mapping[str, int]) -> None:
        """Counts bytes with values of symbols."""
        if self._picture is None or dict(self._picture.sheet.symbols) == dict(symbols):
            return
        self._picture = replace(self._picture, sheet=replace(self._picture.sheet, symbols=dict(symbols)))
        self._redraw()

    def show_path(self, nodes: Sequence[int], tensors: Sequence[int]) -> None:
        """Marks the path of a problem."""
        self._overlay = replace(self._overlay, path_nodes=tuple(nodes), path_tensors=tuple(tensors))
        self.viewport().update()

    def clear_path(self) -> None:
        """Takes the marks of `show_path` away."""
        self.show_path((), ())

    @property
    def found(self) -> Found:
        """What is marked as found."""
        return self._overlay.found

    def show_found(self, nodes: Ints, tensors: Ints, dims: bool) -> None:
        """Marks what a search found; with ``dims`` the rest steps back."""
        self._overlay = replace(self._overlay, found=Found(nodes, tensors, dims))
        self.viewport().update()

    # --- selection

    @property
    def selection(self) -> Selection:
        """What is selected."""
        return self._overlay.selection

    def select(self, selection: Selection) -> None:
        """Selects; things that the graph does not have are not selected."""
        if self._picture is not None:
            graph = self._picture.graph
            tensor, node, group = selection.tensor, selection.node, selection.group
            if group is not None and not 0 <= group < len(self._picture.sheet.groups):
                selection = replace(selection, group=None)
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
            self.setAccessibleDescription(texts.selection_text(self._picture, selection))
            self.selection_changed.emit(selection)
            self._say()

    # --- the view

    @property
    def zoom_percent(self) -> int:
        """The zoom, 100 for one scene pixel on one viewport pixel."""
        return round(self._camera.scale * 100)

    def fit(self) -> None:
        """Shows the whole graph; where that would be a thread, its breadth at first, and the whole when asked again."""
        if self._picture is not None:
            self._is_home = False
            size = self.viewport().size()
            self._set_camera(framing.fitting(self._picture.sheet, size.width(), size.height(), self._camera))

    @property
    def sight(self) -> tuple[float, float, float]:
        """The middle of the view, x and y in the scene, and the scale."""
        size = self.viewport().size()
        return (*self._camera.to_scene(size.width() / 2, size.height() / 2), self._camera.scale)

    def show_sight(self, sight: tuple[float, float, float]) -> None:
        """Brings a point of the scene into the middle of the view, at a scale."""
        if self._picture is not None:
            size = self.viewport().size()
            x, y, scale = sight
            scale = min(max(scale, cameras.MIN_SCALE / 10), cameras.MAX_SCALE)
            self._is_home = False
            self._set_camera(cameras.centred(x, y, scale, size.width(), size.height()))
            self._kept_sight = sight

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
        size = self.viewport().size()
        view = framing.revealing(self._camera, self._picture.sheet, nodes, tensors, size.width(), size.height())
        if view is not None:
            self._is_home = False
            self._set_camera(view)

    def _go_home(self) -> None:
        if self._picture is not None:
            size = self.viewport().size()
            self._set_camera(framing.home(self._picture.sheet, size.width(), size.height()))

    def _set_camera(self, camera: Camera) -> None:
        assert self._picture is not None
        self._kept_sight = None
        size = self.viewport().size()
        before = self.zoom_percent
        self._camera = camera.kept_near(self._picture.scene.bounds, size.width(), size.height())
        self.viewport().update()
        if self.zoom_percent != before:
            self.zoom_changed.emit(self.zoom_percent)

    def _centre_on(self, point: QPointF) -> None:
        """Brings a scene point into the middle of the view."""
        x, y = self._camera.to_view(point.x(), point.y())
        size = self.viewport().size()
        self.pan(round(size.width() / 2 - x), round(size.height() / 2 - y))

    # --- points for tests and accessibility

    def node_point(self, node: int) -> QPoint:
        """Returns a viewport point where a click hits a node; `reveal` it first.

        Raises:
            KeyError: The node is not drawn.
        """
        if self._picture is None:
            raise KeyError(node)
        return points.node_point(self._picture, self._camera, node)

    def edge_point(self, tensor: int, consumer: int) -> QPoint:
        """Returns a viewport point where a click hits the edge from a tensor to a consumer; `reveal` it first.

        Raises:
            KeyError: The edge is not drawn.
        """
        if self._picture is None:
            raise KeyError((tensor, consumer))
        return points.edge_point(self._picture, self._camera, self.viewport().rect(), tensor, consumer)

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
        deed = deed_of_click(self._picture, self._overlay.selection, hit, only_select)
        if deed.selection is not None:
            self._set_selection(deed.selection)
        if deed.tensor >= 0:
            self.tensor_clicked.emit(deed.tensor)
        if deed.bundle:
            self.bundle_clicked.emit(list(deed.bundle), QCursor.pos())
        if selected is not None and len(deed.consumers) == 1:
            self.consumer_clicked.emit(selected, deed.consumers[0])
        elif selected is not None and deed.consumers:
            self.consumers_clicked.emit(selected, list(deed.consumers))

    def clear_selection(self) -> None:
        self._set_selection(NOTHING)

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
        """Unfolds a group, or folds that around a node.

        On an edge or a consumer of the selected tensor it is two clicks: cutting and uncutting fast must not lose one.
        """
        hit = self.hit(event.position())
        group = -1
        if self._picture is not None and event.button() is Qt.MouseButton.LeftButton:
            group = group_to_toggle(self._picture, self._overlay.selection, hit)
        if group >= 0:
            self.group_toggled.emit(group)
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn_wheel(self, event)

    def _native_gesture(self, event: QNativeGestureEvent) -> bool:
        kind = event.gestureType()
        if kind is Qt.NativeGestureType.EndNativeGesture:
            self._pinch = None
            return True
        if kind not in (Qt.NativeGestureType.BeginNativeGesture, Qt.NativeGestureType.ZoomNativeGesture):
            return False
        if self._pinch is None:
            self._pinch = PinchGesture(self)
            self._pinch.start(Pointer(event.position()))
        if kind is Qt.NativeGestureType.ZoomNativeGesture:
            self._pinch.scale(event.value())
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

    # --- other events; what can fail hangs on signals (see "Decisions" in CONTRIBUTING.md)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self._show_tooltip(event)
            return True
        if isinstance(event, QNativeGestureEvent) and self._native_gesture(event):
            return True
        if event.type() is QEvent.Type.Leave:
            self.pointer_left.emit()
        return super().viewportEvent(event)

    def _hover_nothing(self) -> None:
        self._hover_over(GROUND)

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
        self.resized.emit()

    def _keep_to_size(self) -> None:
        if self._is_home:
            self._go_home()
        elif self._kept_sight is not None:
            self.show_sight(self._kept_sight)
        self._redraw()

    # --- painting

    def _redraw(self) -> None:
        """Draws the base layer anew at the next paint."""
        self._base.invalidate()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._minimap.show_view(self._picture, self._camera)
        size, ratio = self.viewport().size(), self.viewport().devicePixelRatioF()
        width, height = size.width(), size.height()
        painter = QPainter(self.viewport())
        try:
            palette = palette_of(self.palette())
            self._base.paint(painter, self._picture, palette, self._camera, width, height, ratio)
            paint_broken_edges(painter, palette, width, height, ratio)
            if self._picture is not None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                look_through(painter, self._camera)
                visible, scale = self._camera.visible(width, height), self._camera.scale
                paint_overlay(painter, self._picture, self._overlay, visible, self._base.detail, scale)
                paint_cuts(painter, self._picture, visible, scale, self._stamps)
        finally:
            painter.end()
