"""An open model in the window: the canvas with the panels around it, all views of one document."""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.core.graph import Graph
from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.bodies import Bodies
from cutter_gui.gui.bundle_menu import BundleMenu
from cutter_gui.gui.canvas.body_canvas import BodyCanvas
from cutter_gui.gui.canvas.cutting_canvas import CuttingCanvas
from cutter_gui.gui.cutting_desk import CuttingDesk
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.folds import Folds
from cutter_gui.gui.given_types import GivenTypes
from cutter_gui.gui.jobs import Workers
from cutter_gui.gui.loading_page import LoadingPage, NoticePage
from cutter_gui.gui.mending import tensors_between
from cutter_gui.gui.page_stack import PageStack
from cutter_gui.gui.panels.cuts import CutsPanel
from cutter_gui.gui.panels.groups import GroupsPanel
from cutter_gui.gui.panels.inspector import InspectorPanel
from cutter_gui.gui.panels.nodes_table import NodesPanel
from cutter_gui.gui.panels.problems import ProblemsPanel
from cutter_gui.gui.panels.search import Search
from cutter_gui.gui.panels.stages import StagesPanel
from cutter_gui.gui.places import Places
from cutter_gui.gui.remembered_symbols import remember_symbols, remembered_symbols
from cutter_gui.gui.selection import Selection
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.splitter import LineSplitter
from cutter_gui.layout.scene import LayoutOptions

_SIDE = 340  # width of the panels at the right, in pixels
_GROUPS = 200
_WIDE = 1400  # width of a window that has room for the groups beside everything else
_BELOW = 140  # height of the panels below
_PROBLEMS = 400
_SPLITTERS = "splitters-3"
_TABS = ("stages", "nodes")  # panels of which one at a time has the place


class Follower(Protocol):
    """A view that follows a document."""

    def set_document(self, document: Document | None) -> None: ...

    def refresh(self, change: Change) -> None: ...


class Workspace(QWidget):
    """The canvas, the panels, and the page shown in the canvas' place while there is no picture.

    Signals:
        hint_changed: What a click on the canvas would do now.
        zoom_changed: Zoom in percent.
        files_dropped: Paths dropped on the canvas.
        document_changed: A `Change` of the document, after the views were refreshed.
        closed: The window is going away.
    """

    hint_changed = Signal(str)
    zoom_changed = Signal(int)
    files_dropped = Signal(list)
    document_changed = Signal(object)
    closed = Signal()

    def __init__(self, actions: ActionRegistry, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.document: Document | None = None
        self.scene: Any = None
        self.folds = Folds(settings, self)
        self.given_types = GivenTypes(settings, lambda: self.folds.workers and self.folds.workers(), self)
        self.places = Places(self)
        self.search = Search(self)
        self.bundle_menu: BundleMenu | None = None
        self._reveal_then = False
        self.hint = ""
        self.canvas = CuttingCanvas()
        self.canvas.setObjectName("canvas")
        self.loading = LoadingPage()
        self._groups_useful = False
        self.notice = NoticePage()
        self.stack = PageStack()
        for page in (self.loading, self.notice, self.canvas):
            self.stack.addWidget(page)
        self.groups = GroupsPanel()
        self.cuts = CutsPanel(actions)
        self.inspector = InspectorPanel()
        self.stages = StagesPanel(actions)
        self.problems = ProblemsPanel(self._all_workers)
        self.nodes = NodesPanel()
        self.stages.add_tab(self.tr("Nodes"), lambda: self.show_panel("nodes"))
        self.nodes.add_tab(self.tr("Stages"), lambda: self.show_panel("stages"), before=True)
        self.bodies = Bodies(self)
        self._arrange()
        self._connect()
        self.desk = CuttingDesk(self, self.canvas)

    def _arrange(self) -> None:
        self._side = LineSplitter(Qt.Orientation.Vertical, self.cuts, self.inspector)
        self._across = LineSplitter(Qt.Orientation.Horizontal, self.groups, self.stack, self._side)
        self._below = LineSplitter(Qt.Orientation.Horizontal, self.stages, self.nodes, self.problems)
        self._down = LineSplitter(Qt.Orientation.Vertical, self._across, self._below)
        self._across.setStretchFactor(0, 0)
        self._across.setStretchFactor(1, 1)
        self._across.setStretchFactor(2, 0)
        self._down.setStretchFactor(0, 1)
        self._down.setStretchFactor(1, 0)
        for at, stretch in enumerate((1, 1, 0)):
            self._below.setStretchFactor(at, stretch)
        self._side.setSizes([300, 260])
        self._across.setSizes([_GROUPS, 1280 - _GROUPS - _SIDE, _SIDE])
        self._below.setSizes([1280 - _PROBLEMS, 1280 - _PROBLEMS, _PROBLEMS])
        self._down.setSizes([560, _BELOW])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._down)
        for name, splitter in self._splitters():
            splitter.restore(self._settings.state(f"{_SPLITTERS}/{name}"))
        for name, panel in self.panels():
            usual = "hidden" if name == "nodes" else "shown"
            panel.setVisible(self._settings.text(f"panels/{name}", usual) == "shown")
        self._hide_empty_sides()

    def _splitters(self) -> tuple[tuple[str, LineSplitter], ...]:
        return (("side", self._side), ("across", self._across), ("below", self._below), ("down", self._down))

    def panels(self) -> tuple[tuple[str, QWidget], ...]:
        """The panels by name."""
        return (
            ("groups", self.groups),
            ("cuts", self.cuts),
            ("inspector", self.inspector),
            ("stages", self.stages),
            ("nodes", self.nodes),
            ("problems", self.problems),
        )

    def toggle_panel(self, name: str) -> None:
        panels = dict(self.panels())
        self._set_shown(name, panels[name].isHidden())
        if name in _TABS and not panels[name].isHidden():
            for other in _TABS:
                if other != name:
                    self._set_shown(other, False)
        self._hide_empty_sides()

    def _set_shown(self, name: str, shown: bool) -> None:
        dict(self.panels())[name].setVisible(shown)
        self._settings.set_text(f"panels/{name}", "shown" if shown else "hidden")

    def show_panel(self, name: str) -> None:
        if dict(self.panels())[name].isHidden():
            self.toggle_panel(name)

    def _hide_empty_sides(self) -> None:
        self.groups.setVisible(self.folds.has_groups and self._groups_wanted())
        self._side.setVisible(not (self.cuts.isHidden() and self.inspector.isHidden()))
        self._below.setVisible(not (self.stages.isHidden() and self.nodes.isHidden() and self.problems.isHidden()))

    def _groups_wanted(self) -> bool:
        """Whether the groups are shown: as the user chose, else where there is room or something is folded."""
        chosen = self._settings.text("panels/groups", "")
        if chosen:
            return chosen == "shown"
        return self._groups_useful

    def save_state(self) -> None:
        """Remembers the sizes of the panels."""
        for name, splitter in self._splitters():
            self._settings.set_state(f"{_SPLITTERS}/{name}", splitter.saveState())

    def close_background(self) -> None:
        """Gives up what is being made; for when the window goes away."""
        self.closed.emit()
        self.folds.close()
        self.bodies.close()
        self.search.close()
        self.problems.close_finder()

    def _connect(self) -> None:
        self.canvas.tensor_clicked.connect(self._cut_tensor)
        self.canvas.consumer_clicked.connect(self._cut_consumer)
        self.canvas.consumers_clicked.connect(self._cut_consumers)
        self.canvas.bundle_clicked.connect(self._offer_bundle)
        self.canvas.group_toggled.connect(self.folds.toggle)
        self.canvas.inspect_wanted.connect(self._inspect)
        self.bodies.view.canvas.inspect_wanted.connect(self._inspect)
        self.bodies.changed.connect(lambda: self.document_changed.emit(Change()))
        self.search.found.connect(self._show_found)
        self.search.left.connect(lambda: self.shown_canvas.setFocus())
        self.search.gone_to.connect(self.bring_to_light)
        self.groups.fold_wanted.connect(self.folds.toggle)
        self.folds.picture_ready.connect(self._show_folding)
        self.canvas.selection_changed.connect(self._select)
        self.canvas.hint_changed.connect(self.take_hint)
        self.canvas.zoom_changed.connect(self.zoom_changed)
        self.canvas.file_dropped.connect(self.files_dropped)
        self.stages.reveal_wanted.connect(self._reveal_stage)
        self.problems.show_wanted.connect(self.show_problem)

    def _all_workers(self) -> Workers:
        assert self.folds.workers is not None  # they come with the window, before any model
        return self.folds.workers()

    def take_hint(self, text: str) -> None:
        """Says what a click would do now."""
        self.hint = text
        self.hint_changed.emit(text)

    def _followers(self) -> tuple[Follower, ...]:
        """What follows the document and its changes."""
        return (
            self.groups,
            self.cuts,
            self.inspector,
            self.stages,
            self.problems,
            self.nodes,
            self.places,
            self.search,
        )

    def _show_found(self, hits: Any) -> None:
        self.shown_canvas.show_found(hits.nodes, hits.tensors, hits.filters)
        searching = bool(self.search.field.text().strip())
        self.nodes.show_found(hits, searching)
        if not self.bodies.is_open:
            self.groups.show_found(hits, searching)

    def _inspect(self) -> None:
        self.show_panel("inspector")
        self.inspector.list.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def shown_document(self) -> Document | None:
        """What the canvas shows: the model, or a subgraph body of it."""
        return self.bodies.document or self.document

    @property
    def shown_canvas(self) -> CuttingCanvas | BodyCanvas:
        """The canvas of the model, or that of a body."""
        return self.bodies.view.canvas if self.bodies.is_open else self.canvas

    @property
    def shown_places(self) -> Places:
        """Where one has been in what the canvas shows."""
        return self.bodies.places if self.bodies.is_open else self.places

    def show_innermost(self) -> None:
        """Shows the body that is open, or the model's own graph again."""
        if not self.bodies.is_open and self.folds.groups is not None:
            self.inspector.set_groups(self.folds.groups)
        self.stack.setCurrentWidget(self.bodies.view if self.bodies.is_open else self.canvas)
        self.shown_canvas.setFocus()
        self.zoom_changed.emit(self.shown_canvas.zoom_percent)

    @property
    def has_picture(self) -> bool:
        """Whether the canvas shows the document's graph."""
        return self.scene is not None

    @property
    def graph(self) -> Graph | None:
        return None if self.document is None else self.document.graph

    def set_document(self, document: Document | None) -> None:
        """Shows another document in the panels; its picture follows with `set_scene`."""
        if self.document is not None:
            self.document.changed.disconnect(self._refresh)
            self.document.deleteLater()
        self.document = document
        self.scene = None
        self.bodies.set_document(document)
        self.folds.begin(None if document is None else document.graph)
        if document is not None:
            document.set_symbols(remembered_symbols(self._settings, document.graph.fingerprint))
        self.given_types.begin(document)
        for panel in self._followers():
            panel.set_document(document)
        if document is not None:
            document.setParent(self)
            document.changed.connect(self._refresh)

    def set_groups(self, groups: Any, folding: Any, layout: LayoutOptions) -> None:
        """Takes over the groups of the document's graph; the picture of this folding, laid out so, follows."""
        if self.document is not None:
            self.folds.set_groups(groups, folding, layout.show_constants)
            self.groups.set_groups(groups)
            self.inspector.set_groups(groups)
            self._groups_useful = not folding.is_all_open(groups) or self.window().width() >= _WIDE
            self._hide_empty_sides()

    def show_groups_unasked(self, shown: bool) -> None:
        """Shows or hides the tree of groups, unless the user has chosen."""
        self._groups_useful = shown
        self._hide_empty_sides()

    def _show_folding(self, scene: Any, kept: list[int]) -> None:
        """Shows the document with other groups folded."""
        if self.document is not None and self.has_picture:
            self.scene = scene
            self.canvas.show_scene(scene, kept)
            if self._reveal_then:
                self._reveal_then = False
                self.reveal_selection()
            self.document_changed.emit(Change())

    def set_scene(self, scene: Any) -> None:
        """Shows the picture of the document."""
        if self.document is None:
            return
        self.bodies.leave_all()
        kept = self.folds.take_picture(scene)
        if kept is not None and self.has_picture:
            self._show_folding(scene, kept)
            self.stack.setCurrentWidget(self.canvas)
            self.canvas.setFocus()
            return
        selection = self.document.selection
        self.scene = scene
        self.canvas.show_graph(self.document.graph, scene, self.folds.groups)
        self.canvas.show_symbols(self.document.symbols)
        self.canvas.show_staging(self.document.staging, self.document.active_cut)
        self.stack.setCurrentWidget(self.canvas)
        self.canvas.setFocus()
        self.document.select(selection)  # another picture of the same graph

    def _refresh(self, change: Change) -> None:
        document = self.document
        if document is None:
            return
        if change.model:
            self._take_model(document)
        self.given_types.refresh(change)
        if change.symbols:
            remember_symbols(self._settings, document.graph.fingerprint, document.given_symbols)
            self.canvas.show_symbols(document.symbols)
            self.bodies.take_symbols(document.given_symbols)
        if (change.plan or change.active_cut) and self.has_picture:
            if change.plan:
                self.canvas.clear_path()
            self.canvas.show_staging(document.staging, document.active_cut)
        if change.selection and document.selection:
            self.bodies.leave_all()
        if change.selection and self.has_picture and self.canvas.selection != document.selection:
            self.canvas.select(document.selection)
            self.bring_to_light()
        for panel in self._followers():
            panel.refresh(change)
        self.document_changed.emit(change)

    def _take_model(self, document: Document) -> None:
        """Shows the model that took the place of another, of which there is a picture already."""
        picture = document.picture
        if picture is None:
            return
        self.scene = None
        self.bodies.set_document(document)
        self.folds.begin(document.graph)
        for panel in self._followers():
            panel.set_document(document)
        self.set_groups(picture.groups, picture.folding, picture.layout)
        self.set_scene(picture.scene)

    def bring_to_light(self) -> None:
        """Brings what is selected into sight, unfolding the groups that hide it."""
        document = self.document
        if self.bodies.is_open:
            self.bodies.reveal_selection()
            return
        if document is None or not self.has_picture:
            return
        node, tensor = document.selection.node, document.selection.tensor
        if node is None and tensor is not None and not len(self.scene.wires_of(tensor)):
            node = int(document.graph.tensor_producer[tensor])
        if node is not None and node >= 0 and self.folds.hides(node):
            self._reveal_then = True
            self.folds.show_nodes([node])
        else:
            self.reveal_selection()

    def reveal_selection(self) -> None:
        """Brings what is selected into sight."""
        if self.bodies.is_open:
            self.bodies.reveal_selection()
            return
        if self.document is None or not self.has_picture:
            return
        selection = self.document.selection
        if selection.group is not None and self.folds.groups is not None:
            self.canvas.reveal(nodes=self.folds.groups.nodes(selection.group).tolist())
        elif selection.node is not None:
            self.canvas.reveal(nodes=(selection.node,))
        elif selection.tensor is not None:
            self.canvas.reveal(tensors=(selection.tensor,))

    def show_problem(self, problem: Diagnostic) -> None:
        """Shows the place of a diagnostic: the path that is still joined, or the tensors and nodes at fault."""
        document = self.document
        if document is None:
            return
        graph = document.graph
        tensors = [graph.tensor_index[name] for name in problem.tensors if name in graph.tensor_index]
        if problem.cut is not None and problem.cut < len(document.plan.cuts):
            document.set_active_cut(problem.cut)
        if len(tensors) == 1:
            document.select(Selection(tensor=tensors[0]))
        elif len(problem.nodes) == 1:
            document.select(Selection(node=problem.nodes[0]))
        if self.has_picture:
            self.canvas.show_path(problem.nodes, (*tensors, *tensors_between(graph, problem.nodes)))
            self.canvas.reveal(nodes=problem.nodes, tensors=tuple(tensors))

    def _cut_tensor(self, tensor: int) -> None:
        if self.document is not None:
            self.document.toggle_tensor(tensor)

    def _cut_consumer(self, tensor: int, consumer: int) -> None:
        if self.document is not None:
            self.document.toggle_consumer(tensor, consumer)

    def _cut_consumers(self, tensor: int, consumers: list[int]) -> None:
        if self.document is not None:
            self.document.toggle_consumers(tensor, consumers)

    def _offer_bundle(self, tensors: list[int], at: QPoint) -> None:
        """Shows the tensors of a wire to choose from."""
        if self.document is not None:
            self.bundle_menu = BundleMenu(self.document, tensors, self)
            self.bundle_menu.popup(at)

    def _select(self, selection: Selection) -> None:
        if self.document is not None:
            self.document.select(selection)

    def _reveal_stage(self, stage: int) -> None:
        if self.document is not None and self.has_picture:
            nodes = self.document.contents[stage].own_nodes.tolist()
            self.canvas.reveal(nodes=tuple(nodes))
