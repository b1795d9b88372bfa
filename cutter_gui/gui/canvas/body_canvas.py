"""The canvas of a subgraph body: to look at, to walk through and to go deeper, not to cut."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from cutter_gui.core.errors import one_line
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.canvas.clicking import body_node
from cutter_gui.gui.canvas.hit import Hit, HitKind
from cutter_gui.gui.canvas.view import GraphCanvas

ALT = Qt.KeyboardModifier.AltModifier
HELD = Qt.KeyboardModifier.ControlModifier | ALT | Qt.KeyboardModifier.MetaModifier
SHARED = (Qt.Key.Key_F, Qt.Key.Key_Slash)  # keys of the window that mean the same here


class BodyCanvas(GraphCanvas):
    """Shows a graph that cannot be cut.

    Signals:
        left: The graph around the body is to be shown again.
    """

    left = Signal()

    @property
    def visible_part(self) -> Rect:
        """The part of the scene in sight: left, top, width, height."""
        return self._camera.visible(self.viewport().width(), self.viewport().height())

    def click(self, hit: Hit, modifiers: Qt.KeyboardModifier) -> None:
        """Selects: nothing here can be cut."""
        super().click(hit, modifiers | ALT)

    def activate(self) -> None:
        """Does nothing: what is at hand is selected already."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = -1 if self._picture is None else body_node(self._picture, self.selection, self.hit(event.position()))
        if node >= 0 and event.button() is Qt.MouseButton.LeftButton:
            self.body_wanted.emit(node)
        else:
            super().mouseDoubleClickEvent(event)

    def event(self, event: QEvent) -> bool:
        # Keys that cut, elsewhere, must not change the plan of a graph that is out of sight.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._keeps(event):
            event.accept()
            return True
        return super().event(event)

    def _keeps(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & HELD
        if event.key() == Qt.Key.Key_Up and held == ALT:
            return True
        if held or event.key() in SHARED:
            return False
        text = event.text().strip()
        return event.key() == Qt.Key.Key_Escape or (bool(text) and text.isprintable())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        leaves = event.key() == Qt.Key.Key_Up and event.modifiers() & HELD == ALT
        if leaves or (event.key() == Qt.Key.Key_Escape and not self.selection and self._gesture is None):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _say(self) -> None:
        said = "" if self._picture is None else self._body_hint()
        if said != self._hint:
            self._hint = said
            self.hint_changed.emit(said)

    def _body_hint(self) -> str:
        assert self._picture is not None
        graph, hit = self._picture.graph, self._hover
        leave = self.tr("Backspace: back to the graph around it")
        if hit.kind is HitKind.NODE:
            name = one_line(graph.node_label(hit.node), 80)
            text = self.tr("Click: select {op} {node}").format(op=graph.op(hit.node), node=name)
            opens = self.tr("Double click: open its body") if hit.node in graph.node_bodies else ""
            return " · ".join(part for part in (text, opens, leave) if part)
        if hit.tensor >= 0:
            name = one_line(graph.tensor_names[hit.tensor], 80)
            return self.tr("Click: select tensor {tensor}").format(tensor=name) + f" · {leave}"
        return self.tr("A body is shown, not cut") + f" · {leave}"
