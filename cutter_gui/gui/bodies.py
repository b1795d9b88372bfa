"""Going into subgraph bodies and out again: asks a worker for the body, and gives the panels its graph meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from cutter_gui.core.errors import one_line
from cutter_gui.core.format import BodyStep
from cutter_gui.core.graph import Graph
from cutter_gui.gui.body_view import BodyView
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.jobs import Job
from cutter_gui.gui.open_body import BodyPicture, OpenBody
from cutter_gui.gui.places import Places
from cutter_gui.gui.selection import Selection
from cutter_gui.layout.scene import Scene

if TYPE_CHECKING:
    from cutter_gui.gui.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Level:
    """A body on the way from the model's graph inwards.

    Attributes:
        step: From the graph around it into it.
        label: What is shown for its node.
        names: The bodies of that node.
        document: Its graph, as the panels take it.
        scene: Its picture.
        read: How many tensors it reads from outside.
    """

    step: BodyStep
    label: str
    names: tuple[str, ...]
    document: Document
    scene: Scene
    read: int


class Follower(Protocol):
    """A panel that can show another graph for a while."""

    def set_document(self, document: Document | None) -> None: ...

    def refresh(self, change: Change) -> None: ...


class Bodies(QObject):
    """The bodies that are open, one within the other.

    Signals:
        changed: Another body is shown, none any more, or something else in it is selected.
        failed: A `CutterError`: why a body cannot be shown.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.places = Places(self)
        self.view = BodyView()
        self._outer: Document | None = None
        self._levels: list[Level] = []
        self._job: Job | None = None
        self.view.canvas.body_wanted.connect(self.open)
        self.view.canvas.left.connect(self.leave)
        self.view.canvas.selection_changed.connect(self._select)
        self.view.level_wanted.connect(self._leave_to)
        self.view.body_wanted.connect(self.show_other)
        self.view.canvas.hint_changed.connect(workspace.take_hint)
        self.view.canvas.zoom_changed.connect(workspace.zoom_changed)
        self.view.canvas.file_dropped.connect(workspace.files_dropped)
        workspace.canvas.body_wanted.connect(self.open)
        workspace.stack.addWidget(self.view)

    @property
    def is_open(self) -> bool:
        """Whether a body is shown."""
        return bool(self._levels)

    @property
    def document(self) -> Document | None:
        """The graph of the body that is shown."""
        return self._levels[-1].document if self._levels else None

    @property
    def scene(self) -> Scene | None:
        return self._levels[-1].scene if self._levels else None

    @property
    def body_count(self) -> int:
        """How many bodies the node has of which one is shown."""
        return len(self._levels[-1].names) if self._levels else 0

    def set_document(self, document: Document | None) -> None:
        """Leaves all bodies: another model is open."""
        self._give_up()
        for level in self._levels:
            level.document.deleteLater()
        self._levels.clear()
        self._outer = document

    def take_symbols(self, given: Mapping[str, int]) -> None:
        """Counts bytes with the values that the user gave symbols."""
        for level in self._levels:
            level.document.set_symbols(given)
        if self.document is not None:
            self.view.canvas.show_symbols(self.document.symbols)

    def open(self, node: int, body: int = 0) -> None:
        """Opens a body of a node of the graph that is shown."""
        around = self.document or self._outer
        if around is not None and node in around.graph.node_bodies:
            self._read(self._levels, around.graph, BodyStep(node, body))

    def show_other(self, number: int) -> None:
        """Shows another body of the same node; numbers go around at the end."""
        if not self._levels or self._outer is None:
            return
        last = self._levels[-1]
        around = self._levels[-2].document if len(self._levels) > 1 else self._outer
        self._read(self._levels[:-1], around.graph, BodyStep(last.step.node, number % len(last.names)))

    def show_next(self) -> None:
        """Shows the next body of the same node."""
        if self._levels:
            self.show_other(self._levels[-1].step.body + 1)

    def leave(self) -> None:
        """Goes back to the graph around the body."""
        self._leave_to(len(self._levels) - 1)

    def leave_all(self) -> None:
        """Goes back to the model's own graph."""
        self._give_up()
        if self._levels:
            self._leave_to(0)

    def close(self) -> None:
        """Gives up what is being read."""
        self._give_up()

    def _leave_to(self, level: int) -> None:
        if 0 <= level < len(self._levels):
            self._give_up()
            left = self._levels[level]
            for one in self._levels[level:]:
                one.document.deleteLater()
            del self._levels[level:]
            self._show(left.step.node)

    def _read(self, levels: list[Level], around: Graph, step: BodyStep) -> None:
        folds = self._workspace.folds
        if folds.workers is None or self._outer is None:
            return
        self._give_up()
        kept = list(levels)
        way = (*(level.step for level in kept), step)
        job = folds.workers().run(OpenBody(self._outer.path, way, folds.options(False), self._outer.types))
        self._job = job
        job.finished.connect(lambda found: self._take(job, kept, around, step, found))
        job.failed.connect(lambda error: self._fail(job, error))
        self._workspace.take_hint(self.tr("Opening {}").format(one_line(around.node_label(step.node), 80)))

    def _give_up(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def _take(self, job: Job, levels: list[Level], around: Graph, step: BodyStep, found: BodyPicture) -> None:
        if job is not self._job or self._outer is None:
            return
        self._job = None
        names = around.node_bodies[step.node]
        outside = {around.tensor_names[tensor] for tensor in around.node_captures.row(step.node).tolist()}
        read = sum(found.graph.tensor_names[tensor] in outside for tensor in found.graph.inputs.tolist())
        label = f"{around.op(step.node)} {around.node_label(step.node)}"
        document = Document(self._outer.path, found.graph, None)
        document.part = f"{label} › {names[step.body]}"
        document.set_symbols(self._outer.given_symbols)
        document.setParent(self)
        document.changed.connect(partial(self._refresh, document))
        for level in self._levels[len(levels) :]:
            level.document.deleteLater()
        self._levels = [*levels, Level(step, label, names, document, found.scene, read)]
        self._show(None)

    def _fail(self, job: Job, error: object) -> None:
        if job is self._job:
            self._job = None
            self.failed.emit(error)

    def _show(self, node: int | None) -> None:
        """Shows the innermost body, or the model's graph, with the node selected that one comes from."""
        if self._levels:
            level = self._levels[-1]
            crumbs = [self._outer.path.name if self._outer is not None else ""]
            crumbs += [one.label for one in self._levels]
            note = self.tr("reads 1 tensor from outside") if level.read == 1 else ""
            if level.read > 1:
                note = self.tr("reads {} tensors from outside").format(level.read)
            self.view.show_way(crumbs, level.names, level.step.body, note)
            self.view.canvas.show_graph(level.document.graph, level.scene)
            self.view.canvas.show_symbols(level.document.symbols)
            self.places.set_document(level.document)
            if node is not None:
                level.document.select(Selection(node=node))
        for panel in self._panels():
            panel.set_document(self.document or self._outer)
        self._workspace.show_innermost()
        self.changed.emit()

    def _panels(self) -> tuple[Follower, ...]:
        """What shows the graph of the body instead of the model's."""
        return (self._workspace.inspector, self._workspace.nodes, self._workspace.search)

    def _select(self, selection: Selection) -> None:
        document = self.document
        if document is not None:
            document.select(selection)

    def _refresh(self, document: Document, change: Change) -> None:
        if document is not self.document:
            return
        canvas = self.view.canvas
        if change.selection and canvas.selection != document.selection:
            canvas.select(document.selection)
            self.reveal_selection()
        for panel in (*self._panels(), self.places):
            panel.refresh(change)
        self.changed.emit()

    def reveal_selection(self) -> None:
        """Brings what is selected in the body into sight."""
        document = self.document
        if document is None:
            return
        node, tensor = document.selection.node, document.selection.tensor
        self.view.canvas.reveal(nodes=() if node is None else (node,), tensors=() if tensor is None else (tensor,))
