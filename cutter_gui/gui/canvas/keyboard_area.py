"""The canvas by keyboard: where it is, where it goes, and what the keys do there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from cutter_gui.gui.canvas import keys
from cutter_gui.gui.canvas.drop_area import DropArea
from cutter_gui.gui.canvas.gestures import Gesture
from cutter_gui.gui.canvas.paint_overlay import Overlay
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.gui.canvas.walk import Place, box_of
from cutter_gui.gui.selection import Selection


class KeyboardArea(DropArea):
    """The part of the canvas that answers to keys.

    Signals:
        tensor_clicked: The tensor at hand is to be cut or uncut.
        consumer_clicked: A consumer of the selected tensor is to be put into the cut or taken out: tensor and node.
        inspect_wanted: What is selected is to be looked at.
        body_wanted: The subgraph bodies of a node are to be shown.
    """

    tensor_clicked = Signal(int)
    consumer_clicked = Signal(int, int)
    inspect_wanted = Signal()
    body_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: Picture | None = None
        self._overlay = Overlay()
        self._consumer = -1
        self._by_keyboard = False
        self._gesture: Gesture | None = None
        self._space_held = False
        self._space_used = False

    def reveal(self, nodes: Sequence[int] = (), tensors: Sequence[int] = ()) -> None:
        """Moves and, where it must, zooms so that things are in sight; what is in sight already stays."""
        raise NotImplementedError

    def fit(self) -> None:
        """Shows the whole graph."""
        raise NotImplementedError

    def zoom_in(self) -> None:
        raise NotImplementedError

    def zoom_out(self) -> None:
        raise NotImplementedError

    def reset_zoom(self) -> None:
        """Shows the graph at 100 %, the middle of the view where it is."""
        raise NotImplementedError

    def clear_selection(self) -> None:
        raise NotImplementedError

    def _set_selection(self, selection: Selection, consumer: int = -1) -> None:
        raise NotImplementedError

    def _cancel_gesture(self) -> None:
        raise NotImplementedError

    def activate(self) -> None:
        """Does what a click on the thing at the keyboard does: toggles the selected tensor, or its consumer at hand."""
        tensor = self._overlay.selection.tensor
        if tensor is None or self._picture is None:
            return
        if self._consumer >= 0:
            self.consumer_clicked.emit(tensor, self._consumer)
        elif len(self._picture.graph.consumers(tensor)):
            self.tensor_clicked.emit(tensor)

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
        node, group = place.selection.node, place.selection.group
        if place.consumer >= 0:
            self.reveal(nodes=[place.consumer])
        elif node is not None:
            self.reveal(nodes=[node])
        elif group is not None and self._picture is not None:
            self.reveal(nodes=self._picture.sheet.groups.nodes(group).tolist())
        elif place.selection.tensor is not None:
            self.reveal(tensors=[place.selection.tensor])

    def inspect(self) -> None:
        """Asks for a closer look at what is selected."""
        if self._overlay.selection:
            self.inspect_wanted.emit()

    def enter(self) -> None:
        """Opens the body of the node that is selected; of one without any, and of all else, asks for a closer look."""
        node = self._overlay.selection.node
        if node is not None and self._picture is not None and node in self._picture.graph.node_bodies:
            self.body_wanted.emit(node)
        else:
            self.inspect()

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

    def _update_focus(self) -> None:
        """Shows where the keyboard is, while it is in use."""
        box = -1
        if self._picture is not None and self._by_keyboard and self.hasFocus():
            box = box_of(self._picture.sheet, self.place)
        self._overlay = replace(self._overlay, focus_box=box)
        self.viewport().update()
