"""The Stages preview as a widget: scrolled, zoomed, pointed at and walked through by keyboard.

It shows a document and selects in it; what is selected elsewhere is marked here too.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from cutter_gui.core.format import format_named
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.panels.rows import plain_tip
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.stages_preview import texts
from cutter_gui.gui.stages_preview.columns import arrange_columns
from cutter_gui.gui.stages_preview.drawing import (
    ChannelTarget,
    Drawing,
    EndTarget,
    NodesTarget,
    NodeTarget,
    StageTarget,
    Target,
    WireTarget,
)
from cutter_gui.gui.stages_preview.facts import Facts
from cutter_gui.gui.stages_preview.paint import Look, paint_preview
from cutter_gui.gui.stages_preview.rows import arrange_rows
from cutter_gui.gui.stages_preview.walk import first_target, next_target
from cutter_gui.gui.stages_preview.zoomed_view import ZoomedView
from cutter_gui.gui.theme import palette_of

Arrangement = Literal["columns", "rows"]
REACH = 6.0  # pixels around a wire that count as on it
DRAG = 4  # pixels that make a press a drag


class StagesView(ZoomedView):
    """Shows the stages of a document.

    Signals:
        hint_changed: What a click would do now.
        stage_wanted: A stage that the canvas should show.
        changed: Something else is unfolded or arranged.
    """

    hint_changed = Signal(str)
    stage_wanted = Signal(int)
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._facts: Facts | None = None
        self._arrangement: Arrangement = "columns"
        self._unfolded: frozenset[int] = frozenset()
        self._hovered: Target | None = None
        self._current: Target | None = None
        self._by_keyboard = False
        self._pressed: QPoint | None = None
        self._dragged: QPoint | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Stages preview"))
        self.viewport().setMouseTracking(True)

    # --- what is shown

    @property
    def facts(self) -> Facts | None:
        return self._facts

    @property
    def drawing(self) -> Drawing | None:
        """What is drawn, in scene pixels."""
        return self._drawing

    @property
    def arrangement(self) -> Arrangement:
        return self._arrangement

    @property
    def unfolded(self) -> frozenset[int]:
        """The stages whose nodes are shown."""
        return self._unfolded

    @property
    def current(self) -> Target | None:
        """Where the keyboard is."""
        return self._current

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._unfolded = frozenset()
        self._current = self._hovered = None
        self._fits = True
        self._arrange()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.plan:
            self._arrange()
        if change.selection:
            self._follow_selection()

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Stands the stages side by side or one below the other."""
        if arrangement != self._arrangement:
            self._arrangement = arrangement
            self._fits = True
            self._arrange()
            self.changed.emit()

    def toggle_stage(self, stage: int) -> None:
        """Unfolds a stage to its nodes, or folds it."""
        self._unfolded ^= {stage}
        self._fits = False
        self._arrange()
        self.changed.emit()

    def unfold_all(self, unfold: bool) -> None:
        """Unfolds every stage, or folds every one."""
        count = 0 if self._facts is None else len(self._facts.contents)
        self._unfolded = frozenset(range(count)) if unfold else frozenset()
        self._fits = False
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        document = self._document
        if document is None:
            self._facts = self._drawing = None
        else:
            has_nodes = bool(format_named(document.graph.kind).forms)
            self._facts = Facts(document.staging, document.contents, document.symbols, has_nodes)
            self._unfolded = frozenset(stage for stage in self._unfolded if stage < len(self._facts.contents))
            arrange = arrange_columns if self._arrangement == "columns" else arrange_rows
            self._drawing = arrange(self._facts, self._unfolded)
            if self._current is not None and self._drawing.rect_of(self._current) is None:
                self._current = None
        self._hovered = None
        if self._fits:
            self._fit_at_first()
        self._update_bars()
        self._say()
        self.viewport().update()

    # --- selection

    def _follow_selection(self) -> None:
        """Marks what was selected elsewhere, and shows it."""
        self.viewport().update()
        document, drawing, facts = self._document, self._drawing, self._facts
        if document is None or drawing is None or facts is None or self._is_active():
            return
        selection = document.selection
        if selection.tensor is not None:
            hop = next((hop for hop in facts.hops if hop.tensor == selection.tensor), None)
            if hop is not None:
                self.reveal(WireTarget(hop.transfer.source, hop.transfer.destination, hop.tensor))
        elif selection.node is not None:
            stage = int(document.staging.node_stage[selection.node])
            if stage in self._unfolded:
                self.reveal(NodeTarget(stage, selection.node))
            elif stage >= 0:
                self.reveal(NodesTarget(stage))

    def _is_active(self) -> bool:
        """Whether the user works in this view, so that it must not move by itself."""
        return self.hasFocus() and self.window().isActiveWindow()

    def activate(self, target: Target) -> None:
        """Does what a click does."""
        document, facts = self._document, self._facts
        if document is None or facts is None:
            return
        match target:
            case WireTarget(tensor=tensor) | EndTarget(tensor=tensor):
                document.select(Selection(tensor=tensor))
            case NodeTarget(node=node):
                document.select(Selection(node=node))
            case NodesTarget(stage=stage):
                self.toggle_stage(stage)
            case ChannelTarget():
                document.select(Selection(tensor=self._next_of(target)))
            case StageTarget(stage=stage):
                self.stage_wanted.emit(stage)
        self.viewport().update()

    def _next_of(self, channel: ChannelTarget) -> int:
        """Returns the tensor of a Send or Recv after the one that is selected, else its first."""
        assert self._document is not None
        assert self._facts is not None
        tensors = self._facts.transfer(channel).tensors
        selected = self._document.selection.tensor
        return tensors[(tensors.index(selected) + 1) % len(tensors)] if selected in tensors else tensors[0]

    # --- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = palette_of(self.palette())
        painter = QPainter(self.viewport())
        try:
            painter.fillRect(self.viewport().rect(), QColor(palette.canvas))
            if self._facts is None or self._drawing is None or self._document is None:
                return
            painter.translate(self._offset())
            painter.scale(self._scale, self._scale)
            area = self.viewport().rect()
            visible = QRectF(self.to_scene(QPointF(area.topLeft())), self.to_scene(QPointF(area.bottomRight())))
            current = self._current if self._by_keyboard and self.hasFocus() else None
            look = Look(palette, self._scale, self._document.selection, self._hovered, current)
            paint_preview(painter, self._facts, self._drawing, look, visible.adjusted(-8, -8, 8, 8))
        finally:
            painter.end()

    # --- mouse

    def _target_at(self, point: QPointF) -> Target | None:
        if self._drawing is None:
            return None
        return self._drawing.at(self.to_scene(point), REACH / self._scale)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._dragged = event.position().toPoint(), None
        self._by_keyboard = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if self._pressed is not None and (self._dragged or (at - self._pressed).manhattanLength() >= DRAG):
            moved = at - (self._dragged or self._pressed)
            self._fits = False
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - moved.x())
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - moved.y())
            self._dragged = at
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        self._hover(self._target_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragged, self._pressed, self._dragged = self._dragged, None, None
        self._update_cursor()
        target = self._target_at(event.position())
        if dragged is None and event.button() == Qt.MouseButton.LeftButton and target is not None:
            self._current = target
            self.activate(target)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        target = self._target_at(event.position())
        if isinstance(target, StageTarget):
            self.toggle_stage(target.stage)
        else:
            self.mousePressEvent(event)

    def _hover(self, target: Target | None) -> None:
        if target != self._hovered:
            self._hovered = target
            self._update_cursor()
            self._say()
            self.viewport().update()

    def _update_cursor(self) -> None:
        shape = Qt.CursorShape.ArrowCursor if self._hovered is None else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    # --- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        zooms = {
            Qt.Key.Key_Plus: self.zoom_in,
            Qt.Key.Key_Equal: self.zoom_in,
            Qt.Key.Key_Minus: self.zoom_out,
            Qt.Key.Key_0: self.reset_zoom,
            Qt.Key.Key_9: self.fit,
        }
        ways = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        if key in zooms:
            zooms[key]()
        elif key is Qt.Key.Key_F and not held:
            self.fit()
        elif key in ways and not held:
            self._walk(*ways[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._current is not None:
            self.activate(self._current)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and self._facts is not None:
            self._go(StageTarget(0 if key is Qt.Key.Key_Home else len(self._facts.contents) - 1))
        elif key is Qt.Key.Key_U and not held and self._current is not None:
            self.toggle_stage(texts.stage_of(self._current))
        elif key is Qt.Key.Key_Escape and self._document is not None and self._document.selection:
            self._document.select(Selection())
        else:
            super().keyPressEvent(event)

    def _walk(self, dx: int, dy: int) -> None:
        if self._drawing is None:
            return
        found = first_target(self._drawing) if self._current is None else None
        target = found or next_target(self._drawing, self._current, dx, dy)
        if target is not None:
            self._go(target)

    def _go(self, target: Target) -> None:
        """Goes to a place by keyboard; what can be selected is selected."""
        self._by_keyboard = True
        self._current = target
        if self._document is not None:
            if isinstance(target, WireTarget | EndTarget):
                self._document.select(Selection(tensor=target.tensor))
            elif isinstance(target, NodeTarget):
                self._document.select(Selection(node=target.node))
        self.reveal(target)
        self._say()
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._by_keyboard = True
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    # --- what is said

    def _say(self) -> None:
        shown = self._hovered or (self._current if self._by_keyboard else None)
        hint = "" if self._facts is None else texts.hint(self._facts, shown, self._unfolded)
        self.hint_changed.emit(hint)
        said = "" if self._facts is None or self._current is None else texts.tip(self._facts, self._current)
        self.setAccessibleDescription(said)

    def tip_at(self, point: QPoint) -> str:
        """Returns what there is to know about the thing at a point of the view."""
        target = self._target_at(QPointF(point))
        return "" if target is None or self._facts is None else texts.tip(self._facts, target)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)
