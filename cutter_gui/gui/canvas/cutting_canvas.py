"""The canvas with the tools that cut: knife, start of a stage, borders that are pushed, nodes put into stages."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent

from cutter_gui.gui.canvas.gestures import Gesture, Pointer
from cutter_gui.gui.canvas.gestures.border import BorderGesture
from cutter_gui.gui.canvas.gestures.knife import KnifeGesture
from cutter_gui.gui.canvas.gestures.lasso import LassoGesture
from cutter_gui.gui.canvas.gestures.start_stage import StartStageGesture, wants_after
from cutter_gui.gui.canvas.hit import GROUND, Hit, HitKind
from cutter_gui.gui.canvas.preview_canvas import PreviewCanvas
from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.canvas.walk import Place
from cutter_gui.gui.selection import Selection

ABOVE = 14.0  # scene pixels above a box, where the keyboard's knife runs
BRANCH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
TOOL_KEYS = {Qt.Key.Key_V: Tool.SELECT, Qt.Key.Key_K: Tool.KNIFE, Qt.Key.Key_S: Tool.START_STAGE}
HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class CuttingCanvas(PreviewCanvas):
    """Mouse and keyboard with the tools."""

    # --- mouse

    def click(self, hit: Hit, modifiers: Qt.KeyboardModifier) -> None:
        """Does what a click does; with Ctrl or Shift on an edge only the branch that was hit is cut."""
        picture = self._picture
        if picture is None or not modifiers & BRANCH:
            if self._chosen:
                self.choose(())
            super().click(hit, modifiers)
            return
        if hit.kind is HitKind.NODE:
            others = tuple(node for node in self.chosen if node != hit.node)
            self.choose(others if len(others) < len(self.chosen) else (*self.chosen, hit.node))
            return
        branch = int(picture.scene.wire_edge[hit.wire]) if hit.kind is HitKind.EDGE and hit.wire >= 0 else -1
        if branch < 0:
            super().click(hit, modifiers)
            return
        tensor = int(picture.graph.edge_tensor[branch])
        self._set_selection(Selection(tensor=tensor))
        self.consumer_clicked.emit(tensor, int(picture.graph.edge_consumer[branch]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer = Pointer(event.position(), event.modifiers())
        gesture = self._tool_gesture(event)
        if gesture is None:
            super().mousePressEvent(event)
            return
        self._by_keyboard = False
        self._gesture = gesture
        gesture.start(self._pointer)
        self._update_cursor()

    def _tool_gesture(self, event: QMouseEvent) -> Gesture | None:
        """Returns the gesture of a tool that a press starts, None when it starts what it starts without tools."""
        is_left = event.button() is Qt.MouseButton.LeftButton
        if self._picture is None or self._gesture is not None or not is_left or self._space_held:
            return None
        if self.tool is Tool.KNIFE:
            self._knife_used = True
            return KnifeGesture(self)
        if self.tool is Tool.START_STAGE:
            return StartStageGesture(self)
        hit = self.hit(event.position())
        cut = self._cut_under(event.position()) if hit.kind is HitKind.GROUND else -1
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return LassoGesture(self)
        return BorderGesture(self, cut) if cut >= 0 else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = Pointer(event.position(), event.modifiers())
        super().mouseMoveEvent(event)
        if self._gesture is None and self.tool is Tool.START_STAGE:
            self.preview_place(event.position(), wants_after(self._pointer))
            self.viewport().update()
        elif self._gesture is None and self._hover.kind is HitKind.GROUND:
            self._update_cursor()
            self._say()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._picture is None:
            return
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            selection = self.selection
            rect = self._place_rect(self.place) if selection else None
            if rect is None:
                return
            at = QPointF(*self._camera.to_view(rect.center().x(), rect.bottom())).toPoint()
            hit = GROUND
            if selection.tensor is not None:
                hit = Hit(HitKind.EDGE, tensor=selection.tensor)
            elif selection.node is not None:
                hit = Hit(HitKind.NODE, node=selection.node)
            elif selection.group is not None:
                hit = Hit(HitKind.GROUP, group=selection.group)
            self.context_wanted.emit(hit, self.viewport().mapToGlobal(at))
            return
        self._anchor = QPointF(event.pos())
        self.context_wanted.emit(self.hit(QPointF(event.pos())), event.globalPos())

    def _update_cursor(self) -> None:
        if self._gesture is None and self.tool is Tool.KNIFE:
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        elif (
            self._gesture is None
            and self._hover.kind is HitKind.GROUND
            and self._cut_under(self._pointer.position) >= 0
        ):
            self.viewport().setCursor(Qt.CursorShape.SizeVerCursor if self.flow else Qt.CursorShape.SizeHorCursor)
        else:
            super()._update_cursor()

    # --- keys

    _tool_keys: Mapping[Qt.Key, Tool] = TOOL_KEYS

    def set_tool_keys(self, keys: Mapping[Qt.Key, Tool]) -> None:
        """Says which keys take a tool; that of the knife holds it in hand while it is down."""
        self._tool_keys = dict(keys)

    def event(self, event: QEvent) -> bool:
        # Keys that mean something on the canvas itself are taken before they become shortcuts of the window.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._wants(event):
            event.accept()
            return True
        return super().event(event)

    def _wants(self, event: QKeyEvent) -> bool:
        if self._picture is None or event.modifiers() & HELD:
            return False
        if event.key() == Qt.Key.Key_Escape:
            return self._has_something_to_drop
        return event.key() in self._tool_keys or _stage_of(event) >= 0

    @property
    def _has_something_to_drop(self) -> bool:
        return bool(self._gesture or self._asking or self._chosen or self._tool is not Tool.SELECT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._picture is None or event.modifiers() & HELD or not self._press(event):
            super().keyPressEvent(event)
        else:
            event.accept()

    def _press(self, event: QKeyEvent) -> bool:
        """Does what a key does for the tools; returns whether it does anything."""
        key = Qt.Key(event.key())
        after = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        stage = _stage_of(event)
        if self._tool_keys.get(key) is Tool.KNIFE:
            if not event.isAutoRepeat():
                self._held_knife, self._knife_used = True, False
                self._update_cursor()
                self._say()
        elif key in self._tool_keys:
            self.set_tool(self._tool_keys[key])
            if after and self._tool is Tool.START_STAGE:
                self._preview_at_keyboard(True)
        elif key == Qt.Key.Key_Escape and self._has_something_to_drop:
            self._escape()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._ghost is not None:
            self.apply_preview(after)
        elif stage >= 0 and self.chosen:
            self._asking = True
            self._anchor = self._anchor_of(self.chosen)
            self.stage_typed.emit(stage)
        else:
            return False
        return True

    def _escape(self) -> None:
        """Gives up one thing after the other: the gesture, what is shown, the nodes chosen, the tool."""
        if self._gesture is not None:
            self._cancel_gesture()
        elif self._asking:
            self.drop_preview()
        elif self._chosen:
            self.choose(())
        else:
            self.set_tool(Tool.SELECT)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if self._held_knife and self._tool_keys.get(Qt.Key(event.key())) is Tool.KNIFE:
            if not event.isAutoRepeat():
                self._held_knife = False
                if not self._knife_used:
                    self.set_tool(Tool.KNIFE)
                self._update_cursor()
                self._say()
            event.accept()
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._held_knife = False
        super().focusOutEvent(event)

    def walk_to(self, place: Place) -> None:
        super().walk_to(place)
        self.drop_preview()
        self._preview_at_keyboard(False)


def _stage_of(event: QKeyEvent) -> int:
    """Returns the digit of a key, -1 for others."""
    first = int(Qt.Key.Key_0)
    return event.key() - first if first <= event.key() <= first + 9 else -1
