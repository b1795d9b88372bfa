"""What goes on around the canvas while cuts are made: previews, menus and check lists at the pointer, found paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QPoint

from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.gui.canvas.cutting_canvas import CuttingCanvas
from cutter_gui.gui.canvas.hit import Hit, HitKind
from cutter_gui.gui.consumers_popover import ConsumersPopover
from cutter_gui.gui.cutting import Cutting
from cutter_gui.gui.cutting_menu import CuttingMenu, fill_for_nodes
from cutter_gui.gui.document import Change
from cutter_gui.gui.mending import tensors_between
from cutter_gui.gui.previews import push_border, start_stage

if TYPE_CHECKING:
    from cutter_gui.gui.workspace import Workspace


class CuttingDesk(QObject):
    """Serves the canvas of a workspace."""

    def __init__(self, workspace: Workspace, canvas: CuttingCanvas) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._canvas = canvas
        self.cutting = Cutting(canvas, lambda: workspace.document, self)
        self.menu: CuttingMenu | None = None
        self.popover: ConsumersPopover | None = None
        self._pushed: tuple[int, int] = (-1, 0)
        canvas.cut_clicked.connect(self._make_active)
        canvas.context_wanted.connect(self._offer)
        canvas.tool_changed.connect(lambda _tool: workspace.document_changed.emit(Change()))
        self.cutting.said.connect(self._say)
        workspace.document_changed.connect(self._refresh)

    def _say(self, text: str) -> None:
        if self._workspace.document is not None:
            self._workspace.document.refused.emit(text)

    def _make_active(self, cut: int) -> None:
        if self._workspace.document is not None:
            self._workspace.document.set_active_cut(cut)

    def _refresh(self, change: Change) -> None:
        if change.plan:
            self._pushed = (-1, 0)
            self.cutting.refresh(change)
            self._show_joined_path()

    def _show_joined_path(self) -> None:
        """Draws the first path that is still joined, so that what is missing is seen at once."""
        document = self._workspace.document
        if document is None or not self._workspace.has_picture:
            return
        joined = next((found for found in document.diagnostics if found.code == "incomplete-cut"), None)
        if joined is not None:
            self._show_path(joined)

    def _show_path(self, joined: Diagnostic) -> None:
        document = self._workspace.document
        if document is not None:
            self._canvas.show_path(joined.nodes, tensors_between(document.graph, joined.nodes))

    def _offer(self, hit: Hit, at: QPoint) -> None:
        """Shows what can be done with a thing."""
        workspace, document = self._workspace, self._workspace.document
        if document is None:
            return
        if hit.kind is HitKind.EDGE:
            self.show_consumers(hit.tensor, at)
            return
        if hit.kind is HitKind.BUNDLE:
            self._canvas.bundle_clicked.emit(self._canvas.bundle_tensors(hit), at)
            return
        nodes = self._nodes_of(hit)
        if not nodes:
            return
        self.menu = CuttingMenu(self.cutting, workspace)
        chosen = self._canvas.chosen
        fill_for_nodes(self.menu, document, nodes[0], nodes[-1], list(chosen) if hit.node in chosen else nodes)
        if hit.node in document.graph.node_bodies:
            self.menu.addSeparator()
            self.menu.addAction(self.tr("Open &body")).triggered.connect(lambda: workspace.bodies.open(hit.node))
        self.menu.popup(at)

    def _nodes_of(self, hit: Hit) -> list[int]:
        """Returns the nodes of a thing in topological order, without constant ones."""
        document, folds = self._workspace.document, self._workspace.folds
        if document is None:
            return []
        if hit.kind is HitKind.NODE:
            return [hit.node]
        if hit.kind is HitKind.GROUP and folds.groups is not None:
            inside = set(folds.groups.nodes(hit.group).tolist())
            constant = document.graph.node_constant
            return [node for node in document.graph.order.tolist() if node in inside and not constant[node]]
        return []

    def show_consumers(self, tensor: int, at: QPoint | None = None) -> None:
        """Opens the check list of a tensor's consumers, which are marked on the canvas too."""
        from cutter_gui.gui.selection import Selection

        document = self._workspace.document
        if document is None or not len(document.graph.consumers(tensor)):
            return
        document.select(Selection(tensor=tensor))
        self.popover = ConsumersPopover(document, tensor, self._workspace)
        middle = self._canvas.viewport().rect().center()
        self.popover.show_at(at or self._canvas.viewport().mapToGlobal(middle))

    def start_stage(self, after: bool) -> None:
        """Makes the complete cut before the selected node or group, or after it."""
        document = self._workspace.document
        if document is None:
            return
        selection = document.selection
        hit = Hit(HitKind.NODE, node=selection.node) if selection.node is not None else None
        if selection.group is not None:
            hit = Hit(HitKind.GROUP, group=selection.group)
        nodes = [] if hit is None else self._nodes_of(hit)
        if nodes:
            node = nodes[-1 if after else 0]
            self.cutting.show(
                ("key", node, after), lambda doc: start_stage(doc.graph, doc.plan, node, after, doc.symbols)
            )
            self.cutting.apply()

    def push(self, steps: int) -> None:
        """Previews the active cut pushed past one node more, later or earlier in the graph; Enter applies it."""
        document = self._workspace.document
        if document is None or document.active_cut is None or not self._workspace.has_picture:
            return
        cut = document.active_cut
        count = steps + (self._pushed[1] if self._pushed[0] == cut else 0)
        self._pushed = (cut, count)
        nodes = self._canvas.nodes_beside(cut, count)
        self._canvas.reveal(nodes=nodes[-1:])
        self._canvas.ask_at(nodes[-1:])
        way: Literal["up", "down"] = "down" if count > 0 else "up"
        self.cutting.show(
            ("push", cut, count), lambda doc: push_border(doc.graph, doc.plan, cut, nodes, way, doc.symbols)
        )

    def ask_to_compare(self) -> None:
        """Asks for a cut spec and shows its plan beside the present one."""
        from cutter_gui.core.spec import SUFFIX
        from cutter_gui.gui.dialogs import files

        document = self._workspace.document
        if document is not None:
            filters = (self.tr("Cut specs ({})").format(f"*{SUFFIX} *.yaml *.yml"), self.tr("All files (*)"))
            title = self.tr("Compare with")
            files.ask_open(self._workspace, title, document.path.parent, filters, lambda paths: self.compare(paths[0]))

    def compare(self, path: Path) -> None:
        """Shows the plan of a cut spec beside the present one."""
        from cutter_gui.core.errors import CutterError
        from cutter_gui.core.spec import read_spec
        from cutter_gui.core.stages import assign_stages
        from cutter_gui.gui.dialogs.compare_plans import ComparePlansDialog
        from cutter_gui.gui.dialogs.errors import error_message
        from cutter_gui.gui.selection import Selection

        document = self._workspace.document
        if document is None:
            return
        try:
            other = assign_stages(document.graph, read_spec(path).plan)
        except CutterError as error:
            error_message(self._workspace, self.tr("Compare plans"), error).open()
            return
        dialog = ComparePlansDialog(self._workspace, other, path.name, document.staging, document.symbols)
        dialog.tensor_wanted.connect(lambda tensor: document.select(Selection(tensor=tensor)))
        dialog.cut_wanted.connect(document.set_active_cut)
        dialog.show()

    def repeat(self) -> None:
        """Lists the places that look like the active cut, to cut them too."""
        from cutter_gui.gui.dialogs.repeat import RepeatDialog

        document = self._workspace.document
        if document is not None and document.active_cut is not None and self._workspace.has_picture:
            groups = self._workspace.folds.groups
            RepeatDialog(self._workspace, document, document.active_cut, groups, self.cutting).show()
