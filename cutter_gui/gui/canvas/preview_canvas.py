"""The canvas with previews: what the tool in hand would do, asked for by number and shown as a ghost.

It turns places, lines and borders that are pushed into questions (this node, these edges, these nodes passed by this
cut) and shows the `Ghost` that comes as the answer. What is asked changes nothing; `preview_accepted` asks to do it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.gui.canvas import ink
from cutter_gui.gui.canvas.base_layer import look_through
from cutter_gui.gui.canvas.border import cut_at, nodes_beside, nodes_passed
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.clicking import body_node
from cutter_gui.gui.canvas.crossing import edges_crossed, edges_of_wires
from cutter_gui.gui.canvas.gestures import Pointer
from cutter_gui.gui.canvas.ghost import Ghost
from cutter_gui.gui.canvas.hit import Hit, HitKind
from cutter_gui.gui.canvas.paint_ghost import paint_band, paint_card, paint_ghost, paint_line
from cutter_gui.gui.canvas.paint_nodes import RADIUS, box_rect
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.gui.canvas.walk import Place
from cutter_gui.layout.scene import Scene, WireKind

OFFSIDE = 24.0  # where a card stands when nothing it concerns is drawn
ABOVE = 14.0  # scene pixels above a box, where the keyboard's knife runs
BRANCH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
TOOL_KEYS = {Qt.Key.Key_V: Tool.SELECT, Qt.Key.Key_K: Tool.KNIFE, Qt.Key.Key_S: Tool.START_STAGE}
HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class PreviewCanvas(GraphCanvas):
    """The canvas with tools that show what they would do.

    Signals:
        place_pointed: A node, and whether the cut is to run after it: show what that would make.
        line_drawn: The edges that a line crosses: show what that would make.
        border_pushed: A cut, the nodes it is pushed past, and ``up`` or ``down``: show what that would make.
        stage_typed: The number of a stage for the nodes chosen: show what that would make.
        preview_accepted: Do what is shown; the flag: exactly what was asked for, without what completes it.
        preview_dropped: Nothing is asked for any more.
        cut_clicked: A click on the line of a cut.
        context_wanted: A `Hit` and a point on the screen: a menu is wanted there.
        tool_changed: The new `Tool`.
        nodes_chosen: The nodes chosen by a rubber band or one by one.
    """

    place_pointed = Signal(int, bool)
    line_drawn = Signal(list)
    border_pushed = Signal(int, list, str)
    stage_typed = Signal(int)
    preview_accepted = Signal(bool)
    preview_dropped = Signal()
    cut_clicked = Signal(int)
    context_wanted = Signal(object, QPoint)
    tool_changed = Signal(object)
    nodes_chosen = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._tool = Tool.SELECT
        self._held_knife = False
        self._knife_used = False
        self._ghost: Ghost | None = None
        self._asking = False
        self._anchor = QPointF()
        self._line: QLineF | None = None
        self._band: QRectF | None = None
        self._chosen: tuple[int, ...] = ()
        self._pointer = Pointer(QPointF())
        super().__init__(parent)

    # --- tools

    @property
    def tool(self) -> Tool:
        """The tool in hand: the knife while its key is held."""
        return Tool.KNIFE if self._held_knife else self._tool

    def set_tool(self, tool: Tool) -> None:
        """Takes a tool; with the keyboard at a place, shows what it would do there."""
        changed = tool is not self._tool
        self._tool = tool
        self.drop_preview()
        if changed:
            self.tool_changed.emit(tool)
        self._preview_at_keyboard(False)
        self._update_cursor()
        self._say()

    @property
    def chosen(self) -> tuple[int, ...]:
        """The nodes that are to be put into a stage: those chosen, else those selected."""
        selection = self.selection
        if self._chosen or self._picture is None:
            return self._chosen
        if selection.node is not None:
            return (selection.node,)
        if selection.group is not None:
            return tuple(self._picture.sheet.groups.nodes(selection.group).tolist())
        return ()

    def choose(self, nodes: Sequence[int]) -> None:
        """Chooses nodes."""
        self._chosen = tuple(nodes)
        self.nodes_chosen.emit(list(self._chosen))
        self.viewport().update()
        self._say()

    # --- previews

    @property
    def ghost(self) -> Ghost | None:
        """What is previewed."""
        return self._ghost

    def show_ghost(self, ghost: Ghost | None) -> None:
        """Shows a preview, or none."""
        if ghost is self._ghost:
            return
        self._ghost = ghost
        self.viewport().update()
        self._say()

    def preview_line(self, start: QPointF, end: QPointF) -> None:
        if self._picture is None:
            return
        self._line, self._anchor, self._asking = QLineF(start, end), end, True
        x0, y0 = self._camera.to_scene(start.x(), start.y())
        x1, y1 = self._camera.to_scene(end.x(), end.y())
        self.line_drawn.emit(edges_crossed(self._picture.sheet, x0, y0, x1, y1))
        self.viewport().update()

    def preview_place(self, position: QPointF, after: bool) -> None:
        self._anchor = position
        self._point_at(self.hit(position), after)

    def _point_at(self, hit: Hit, after: bool) -> None:
        """Asks what a stage that starts, or ends, at a thing would be."""
        picture = self._picture
        if picture is None:
            return
        if hit.kind is HitKind.NODE:
            self._asking = True
            self.place_pointed.emit(hit.node, after)
        elif hit.kind is HitKind.GROUP:
            members = set(picture.sheet.groups.nodes(hit.group).tolist())
            ordered = [node for node in picture.graph.order.tolist() if node in members]
            ordered = [node for node in ordered if not picture.graph.node_constant[node]]
            if ordered:
                self._asking = True
                self.place_pointed.emit(ordered[-1 if after else 0], after)
        elif hit.kind in (HitKind.EDGE, HitKind.BUNDLE):
            self._asking = True
            wires = picture.scene.wires_of(hit.tensor)
            if hit.kind is HitKind.BUNDLE:
                wires = np.array([hit.wire], dtype=np.int32)
            edges = edges_of_wires(picture.sheet, wires) if hit.kind is HitKind.BUNDLE else ()
            self.line_drawn.emit(list(edges) or list(picture.graph.edges_of(hit.tensor)))
        else:
            self.drop_preview()

    @property
    def visible_part(self) -> Rect:
        """The part of the scene in sight: left, top, width, height."""
        return self._camera.visible(self.viewport().width(), self.viewport().height())

    @property
    def flow(self) -> int:
        """The axis along which edges run: 0 for x, 1 for y."""
        return 1 if self._picture is None else self._picture.scene.flow

    def preview_border(self, cut: int, shift: float) -> None:
        if self._picture is not None:
            self._asking = True
            self._anchor = self._pointer.position
            nodes = nodes_passed(self._picture, cut, shift / self._camera.scale)
            self.border_pushed.emit(cut, nodes, "down" if shift > 0 else "up")

    def show_band(self, band: QRectF | None) -> None:
        self._band = band
        self.viewport().update()
        self._say()

    def choose_within(self, band: QRectF) -> None:
        picture = self._picture
        if picture is None:
            return
        x, y = self._camera.to_scene(band.left(), band.top())
        boxes = set(
            picture.sheet.index.boxes_in(
                x, y, band.width() / self._camera.scale, band.height() / self._camera.scale
            ).tolist()
        )
        self.choose([node for node, box in picture.scene.node_box.items() if box in boxes])

    def take_cut(self, cut: int) -> None:
        self.cut_clicked.emit(cut)

    def apply_preview(self, exactly: bool = False) -> None:
        self._line = None
        self.preview_accepted.emit(exactly)
        self.drop_preview()

    def drop_preview(self) -> None:
        if self._line is not None or self._asking:
            self._line, self._asking = None, False
            self.preview_dropped.emit()
            self.viewport().update()

    def _preview_at_keyboard(self, after: bool) -> None:
        """Shows what the tool in hand would do where the keyboard is."""
        picture, place = self._picture, self.place
        if picture is None or not place.selection or self._tool is Tool.SELECT:
            return
        rect = self._place_rect(place)
        if rect is None:
            return
        self._anchor = QPointF(*self._camera.to_view(rect.right(), rect.top()))
        if self._tool is Tool.START_STAGE:
            selection = place.selection
            if selection.node is not None:
                self._point_at(Hit(HitKind.NODE, node=selection.node), after)
            elif selection.group is not None:
                self._point_at(Hit(HitKind.GROUP, group=selection.group), after)
            elif selection.tensor is not None:
                self._point_at(Hit(HitKind.EDGE, tensor=selection.tensor), after)
        else:
            self._knife_before(picture, rect, place.selection.tensor is not None)

    def _knife_before(self, picture: Picture, rect: QRectF, through: bool) -> None:
        """Shows the knife drawn across the whole graph, just before a part of it or through its middle."""
        left, top, width, height = picture.scene.bounds
        if picture.scene.flow:
            level = rect.center().y() if through else rect.top() - ABOVE
            ends, beside = ((left - ABOVE, level), (left + width + ABOVE, level)), (rect.right(), level)
        else:
            level = rect.center().x() if through else rect.left() - ABOVE
            ends, beside = ((level, top - ABOVE), (level, top + height + ABOVE)), (level, rect.bottom())
        self.preview_line(*(QPointF(*self._camera.to_view(*end)) for end in ends))
        self._anchor = QPointF(*self._camera.to_view(*beside))

    def _place_rect(self, place: Place) -> QRectF | None:
        """Returns the part of the scene where the keyboard is."""
        assert self._picture is not None
        scene, selection = self._picture.scene, place.selection
        if selection.tensor is not None:
            wires = [
                wire for wire in scene.wires_of(selection.tensor).tolist() if scene.wire_kind[wire] != WireKind.HUB
            ]
            if not wires:
                return None
            points = scene.points(wires[0])
            low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
            return QRectF(low[0], low[1], high[0] - low[0], high[1] - low[1])
        box = scene.node_box.get(selection.node, -1) if selection.node is not None else -1
        if selection.group is not None:
            box = scene.group_box.get(selection.group, -1)
        return box_rect(self._picture, box) if box >= 0 else None

    def _anchor_of(self, nodes: Sequence[int]) -> QPointF:
        assert self._picture is not None
        boxes = [self._picture.scene.node_box[node] for node in nodes if node in self._picture.scene.node_box]
        if not boxes:
            return QPointF(OFFSIDE, OFFSIDE)
        rects = self._picture.scene.box_rect[boxes]
        return QPointF(*self._camera.to_view(float((rects[:, 0] + rects[:, 2]).max()), float(rects[:, 1].min())))

    def ask_at(self, nodes: Sequence[int]) -> None:
        """Takes note that something is asked about nodes, so that the answer is shown beside them."""
        self._asking = True
        self._anchor = self._anchor_of(nodes)

    def nodes_beside(self, cut: int, steps: int) -> list[int]:
        """Returns the nodes nearest to a border: below it, or for negative steps above, so many as there are steps."""
        return [] if self._picture is None else nodes_beside(self._picture, cut, steps)

    def bundle_tensors(self, hit: Hit) -> list[int]:
        """Returns the tensors that run in a wire."""
        return [] if self._picture is None else self._picture.scene.tensors_of(hit.wire).tolist()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Opens the bodies of a node that has some; else what a double click does."""
        node = -1 if self._picture is None else body_node(self._picture, self.selection, self.hit(event.position()))
        if node >= 0 and self.tool is Tool.SELECT and event.button() is Qt.MouseButton.LeftButton:
            self.body_wanted.emit(node)
        else:
            super().mouseDoubleClickEvent(event)

    # --- what stays while the picture changes

    def show_graph(self, graph: Graph | None, scene: Scene | None, groups: Groups | None = None) -> None:
        self.drop_preview()
        self._chosen = ()
        super().show_graph(graph, scene, groups)

    def show_scene(self, scene: Scene, kept: Sequence[int] = ()) -> None:
        self.drop_preview()
        super().show_scene(scene, kept)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave and self._gesture is None and not self._by_keyboard:
            self.drop_preview()
        return super().viewportEvent(event)

    # --- what is said and drawn

    def _say(self) -> None:
        said = self._tool_hint()
        if not said:
            super()._say()
        elif said != self._hint:
            self._hint = said
            self.hint_changed.emit(said)

    def _cut_under(self, position: QPointF) -> int:
        if self._picture is None:
            return -1
        x, y = self._camera.to_scene(position.x(), position.y())
        return cut_at(self._picture, x, y, self._camera.scale)

    def _tool_hint(self) -> str:
        if self._picture is None:
            return ""
        if self._ghost is not None and self._ghost.hint:
            return self._ghost.hint
        if self._band is not None:
            return self.tr("Let go: choose the nodes within · Esc: none")
        if self._chosen:
            return self.tr("{} nodes chosen · 0–9: put them into that stage · Esc: choose none").format(
                len(self._chosen)
            )
        if self.tool is Tool.KNIFE:
            return self.tr("Drag a line across the edges to cut · Esc: put the knife away")
        if self.tool is Tool.START_STAGE:
            return self.tr("Click a node: a stage starts with it · Alt: a stage ends with it · Esc: back to Select")
        if self._gesture is None and self._hover.kind is HitKind.GROUND:
            cut = self._cut_under(self._pointer.position)
            if cut >= 0:
                if self.flow:
                    return self.tr("Drag: push cut {} up or down · Click: make it the active cut").format(cut)
                return self.tr("Drag: push cut {} left or right · Click: make it the active cut").format(cut)
        return ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        picture = self._picture
        if picture is None or not (self._ghost or self._line or self._band or self._chosen):
            return
        width, height = self.viewport().width(), self.viewport().height()
        painter = QPainter(self.viewport())
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.save()
            look_through(painter, self._camera)
            self._paint_chosen(painter)
            if self._ghost is not None:
                paint_ghost(painter, picture, self._ghost, self._camera.visible(width, height), self._camera.scale)
            painter.restore()
            if self._line is not None:
                paint_line(painter, picture, self._line)
            if self._band is not None:
                paint_band(painter, picture, self._band)
            if self._ghost is not None:
                paint_card(painter, picture, self._ghost, self._anchor, width, height)
        finally:
            painter.end()

    def _paint_chosen(self, painter: QPainter) -> None:
        assert self._picture is not None
        scene, palette = self._picture.scene, self._picture.palette
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(ink.pen(palette.accent, max(2.2, 1.5 / self._camera.scale)))
        for box in {scene.node_box[node] for node in self._chosen if node in scene.node_box}:
            painter.drawRoundedRect(box_rect(self._picture, box), RADIUS, RADIUS)
