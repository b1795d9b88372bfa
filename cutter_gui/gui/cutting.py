"""Between the canvas and the document: previews of gestures, and their application as one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal, cast

from PySide6.QtCore import QObject, QTimer, Signal

from cutter_gui.gui.canvas.cutting_canvas import CuttingCanvas
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.previews import Preview, knife_cut, push_border, put_into_stage, start_stage

_PAUSE_MS = 12  # so that a fast pointer does not wait for previews of places it has left

Ask = Callable[[], Preview]


class Cutting(QObject):
    """Answers what the canvas asks, and does what it shows when that is accepted.

    Signals:
        said: A sentence on what was done, or why not.
        changed: There is another preview, or none.
    """

    said = Signal(str)
    changed = Signal()

    def __init__(
        self, canvas: CuttingCanvas, document: Callable[[], Document | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._document = document
        self._preview: Preview | None = None
        self._asked: tuple[Hashable, Ask] | None = None
        self._answered: Hashable = None
        self._pushed: list[tuple[int, str]] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._answer)
        canvas.place_pointed.connect(self.point_at)
        canvas.line_drawn.connect(self.draw_line)
        canvas.border_pushed.connect(self.push_past)
        canvas.stage_typed.connect(self.put_chosen_into)
        canvas.preview_accepted.connect(self.apply)
        canvas.preview_dropped.connect(self.drop)

    def refresh(self, change: Change) -> None:
        """Drops a preview of a plan that is no more."""
        if change.plan:
            self.drop()

    def show(self, key: Hashable, ask: Callable[[Document], Preview]) -> None:
        """Previews something else, told apart by a key."""
        document = self._document()
        if document is not None:
            self._ask(key, lambda: ask(document))

    @property
    def preview(self) -> Preview | None:
        """What is shown, None for nothing."""
        self._answer()
        return self._preview

    def point_at(self, node: int, after: bool) -> None:
        """Previews the cut before a node, or after it."""
        document = self._document()
        if document is not None:
            self._ask(
                ("place", node, after),
                lambda: start_stage(document.graph, document.plan, node, after, document.symbols),
            )

    def draw_line(self, edges: list[int]) -> None:
        """Previews the cut along a line across edges."""
        document = self._document()
        if document is not None:
            self._ask(("line", *edges), lambda: knife_cut(document.graph, document.plan, edges, document.symbols))

    def push_past(self, cut: int, nodes: list[int], direction: str) -> None:
        """Previews a border pushed past nodes."""
        document = self._document()
        if document is not None:
            way = cast(Literal["up", "down"], direction)
            key = ("border", cut, direction, *nodes)
            self._ask(key, lambda: push_border(document.graph, document.plan, cut, nodes, way, document.symbols))

    def put_chosen_into(self, stage: int) -> None:
        """Previews the chosen nodes in a stage."""
        document, nodes = self._document(), self._canvas.chosen
        if document is not None and nodes:
            key = ("stage", stage, *nodes)
            self._ask(key, lambda: put_into_stage(document.graph, document.plan, nodes, stage, document.symbols))

    def _ask(self, key: Hashable, ask: Ask) -> None:
        if key == self._answered:
            self._asked = None
            return
        self._asked = (key, ask)
        if not self._timer.isActive():
            self._timer.start()

    def _answer(self) -> None:
        """Answers what was asked last."""
        self._timer.stop()
        if self._asked is None:
            return
        self._answered, ask = self._asked
        self._asked = None
        self._preview = ask()
        self._canvas.show_ghost(self._preview.ghost)
        self.changed.emit()

    def apply(self, exactly: bool = False) -> None:
        """Does what is shown, as one step of undo.

        Args:
            exactly: Only what was asked for, where the preview would do more to complete it.
        """
        self._answer()
        preview, document = self._preview, self._document()
        if preview is None or document is None:
            return
        plan = preview.exact if exactly and preview.exact is not None else preview.plan
        if plan is None:
            self.said.emit(preview.ghost.hint)
            return
        self._canvas.choose(())
        document.take_plan(plan, preview.text, preview.active_cut)
        self.drop()

    def drop(self) -> None:
        """Takes the preview away."""
        self._timer.stop()
        self._asked = self._answered = self._preview = None
        self._canvas.show_ghost(None)
        self.changed.emit()
