"""Rewriting the open model by rules: find, show what was found, replace as one step of undo.

The rules run in a process of their own, as `cutter-gui rewrite` runs them. Finding writes nothing. Replacing writes the
rewritten model into a file of its own, opens that, takes the plan over to it (`cutter_gui.core.reanchor`), and puts it
in the place of the open model; the old file stays, and undo brings its model back with the plan as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from cutter_gui.core.errors import CutterError
from cutter_gui.core.foreign_code import Agreed
from cutter_gui.core.format import LoadOptions, RewriteRequest, RewriteResult, format_named
from cutter_gui.core.graph import Graph
from cutter_gui.core.reanchor import reanchored
from cutter_gui.frames import OpenModel
from cutter_gui.gui.dialogs import files
from cutter_gui.gui.dialogs.matches import MatchesDialog
from cutter_gui.gui.layout_choice import layout_options
from cutter_gui.gui.model_file import file_of
from cutter_gui.gui.opened_model import ModelPicture, OpenedModel, picture_of
from cutter_gui.gui.remembered_foldings import remembered_foldings
from cutter_gui.gui.rewrite_job import RewriteModel
from cutter_gui.gui.trust import trust_of

if TYPE_CHECKING:
    from cutter_gui.gui.document import Document
    from cutter_gui.gui.tab import Tab
    from cutter_gui.gui.window import MainWindow
    from cutter_gui.gui.workspace import Workspace


def can_rewrite(document: Document | None) -> bool:
    """Whether the open model is of a format that rewrites."""
    return document is not None and format_named(document.graph.kind).rewrites


class Rewriting(QObject):
    """Rewrites the model of one tab."""

    def __init__(self, window: MainWindow, tab: Tab) -> None:
        super().__init__(tab)
        self._window = window
        self._tab = tab

    def ask_for_rules(self) -> None:
        """Asks for the file of rules, and finds what they match."""
        filters = (self.tr("Rules (*.py)"), self.tr("All files (*)"))
        title = self.tr("Rules to rewrite by")
        files.ask_open(self._window, title, self._window.last_folder(), filters, lambda paths: self.find(paths[0]))

    def find(self, rules: Path) -> None:
        """Finds what rules match, after the question whether they may run, and shows it."""
        document = self._tab.document
        if document is None:
            return

        def show(result: RewriteResult) -> None:
            workspace = self._tab.workspace
            if workspace is not None and self._tab.document is document:
                dialog = MatchesDialog(self._window, workspace, document, rules, result)
                dialog.replace_wanted.connect(lambda: self._ask_where(document, rules, dialog))
                # Another tab may be looked at by now, or later while the matches are gone through.
                dialog.look_wanted.connect(lambda: self._window.tabs.select(self._tab))
                self._window.tabs.select(self._tab)
                dialog.show()

        self._run(document, rules, None, self.tr("Finding matches"), show)

    def _run(
        self, document: Document, rules: Path, out: Path | None, title: str, then: Callable[[RewriteResult], None]
    ) -> None:
        path = document.path

        def go(trusted: bool, agreed: Agreed) -> None:
            options = replace(document.options, trust=trusted, agreed=agreed)
            request = RewriteRequest(path, rules.absolute(), out, options, force=True, types=document.types)
            task = RewriteModel(request)
            self._window.running.follow(self._window.workers.run(task), title, then)

        trust_of(self._window).to_rewrite(path, rules.absolute(), go)

    def _ask_where(self, document: Document, rules: Path, dialog: MatchesDialog) -> None:
        """Asks which file the rewritten model is written to."""
        suffix = format_named(document.graph.kind).suffixes[0]
        file = file_of(document.path) or Path(f"{document.path.name.partition(':')[0]}")
        suggested = file.with_name(f"{file.stem}-rewritten{suffix}")
        filters = (self.tr("Models (*{})").format(suffix),)

        def write(path: Path, _filter: str) -> None:
            out = (path if path.name.endswith(suffix) else path.with_name(path.name + suffix)).absolute()
            if out == document.path:
                error = CutterError(
                    self.tr("the rewritten model cannot replace the open one, which undo brings back"),
                    str(out),
                    self.tr("give another name"),
                )
                self._window.show_error(self.tr("Rewrite"), error)
                return
            dialog.close()
            title = self.tr("Rewriting")
            self._run(document, rules, out, title, lambda result: self._open(document, out, result))

        files.ask_save(self._window, self.tr("Write the rewritten model"), suggested, filters, write)

    def _open(self, document: Document, out: Path, result: RewriteResult) -> None:
        """Reads the rewritten model and draws it, beside the open one."""
        if self._tab.document is not document:
            return  # it was closed meanwhile; the file is there
        window = self._window
        layout = layout_options(window.preferences, self._tab.opener.shows_constants)
        job = window.workers.run(OpenModel(out, layout, None, remembered_foldings(window.settings)))
        parts: dict[type, Any] = {}
        job.part.connect(lambda part: parts.update({type(part): part}))

        def take(_result: object) -> None:
            self._replace(document, out, parts[Graph], picture_of(parts, layout), result)

        window.running.follow(job, self.tr("Opening the rewritten model"), take)

    def _replace(
        self, document: Document, out: Path, graph: Graph, picture: ModelPicture, result: RewriteResult
    ) -> None:
        workspace = self._tab.workspace
        before = None if workspace is None else _open_picture(workspace, self._tab, self._window)
        if self._tab.document is not document or before is None:
            return
        moved = reanchored(document.plan, document.graph, graph, result.names)
        old = OpenedModel(document.path, document.graph_as_read, document.options, before)
        new = OpenedModel(out, graph, LoadOptions(), picture)
        types = {result.names[name]: hint for name, hint in document.types.items() if name in result.names}
        count = self.tr("1 match") if result.count == 1 else self.tr("{} matches").format(result.count)
        document.replace_model(old, new, moved.plan, types, self.tr("Rewrite {}").format(count))
        said = self.tr("Rewrote {0} into {1}").format(count, out.name)
        if moved.lost:
            told = self.tr("{0}; of the cuts {1} names have gone with what was replaced")
            said = told.format(said, len(moved.lost))
        self._window.settings.add_recent(out)
        self._window.say(said)


def _open_picture(workspace: Workspace, tab: Tab, window: MainWindow) -> ModelPicture | None:
    if workspace.folds.groups is None or not workspace.has_picture:
        return None
    layout = layout_options(window.preferences, tab.opener.shows_constants)
    return ModelPicture(workspace.folds.groups, workspace.folds.folding, layout, workspace.scene)
