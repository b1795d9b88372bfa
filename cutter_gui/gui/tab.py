"""One model of a window: what opens it, the views of it, and what keeps its unsaved work.

Like the window, a tab has to be there before what an open model needs (numpy, the canvas, the panels) is imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from cutter_gui.gui.preferences import LAYOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from cutter_gui.gui.document import Change, Document
    from cutter_gui.gui.keeping import Keeper
    from cutter_gui.gui.loading_page import LoadingPage
    from cutter_gui.gui.opening import Opener
    from cutter_gui.gui.session import OpenFile
    from cutter_gui.gui.window import MainWindow
    from cutter_gui.gui.workspace import Workspace


class Tab(QObject):
    """A place for one model.

    Signals:
        page_changed: The widget that shows the model is another.
        changed: Name or state are another: what depends on them is to be shown anew.
        view_changed: The zoom, or what a click would do, is another.
        document_changed: A `Change` of the document, after its views were refreshed.
    """

    page_changed = Signal()
    changed = Signal()
    view_changed = Signal()
    document_changed = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.path: Path | None = None
        self.workspace: Workspace | None = None
        self.keeper: Keeper | None = None
        self.page: QWidget | None = None
        self.waiting: OpenFile | None = None
        """What the last session had open here; it is opened when the tab is first looked at."""
        self._to_restore: OpenFile | None = None
        self._opener: Opener | None = None
        self._first_page: LoadingPage | None = None
        self._closed = False
        self._laid_out_otherwise = False
        window.preferences.changed.connect(self._on_preference)

    @property
    def document(self) -> Document | None:
        return None if self.workspace is None else self.workspace.document

    @property
    def opener(self) -> Opener:
        if self._opener is None:
            from cutter_gui.gui.opening import Opener

            self._opener = Opener(self._window, self)
            self._opener.begun.connect(self._on_opening)
            self._opener.progress.connect(lambda what, fraction: self._loading_page().set_progress(what, fraction))
            self._opener.graph_ready.connect(self._on_graph)
            self._opener.scene_ready.connect(self._on_scene)
            self._opener.ended.connect(self._on_ended)
        return self._opener

    @property
    def is_opening(self) -> bool:
        return self._opener is not None and self._opener.is_busy

    @property
    def is_blank(self) -> bool:
        """Whether there is neither a model here nor one on its way."""
        return self.document is None and self.path is None

    @property
    def is_modified(self) -> bool:
        document = self.document
        return document is not None and document.is_modified

    @property
    def loading(self) -> LoadingPage:
        """The page shown while the model is opened, before there are any views."""
        if self._first_page is None:
            from cutter_gui.gui.loading_page import LoadingPage

            self._first_page = LoadingPage()
            self._first_page.cancel_wanted.connect(self.cancel_opening)
            self._window.stack.addWidget(self._first_page)
        return self._first_page

    def show_loading(self, path: Path) -> None:
        """Shows the page that says what is being opened, before it is."""
        self.path = path
        self.loading.begin(self.tr("Opening {}").format(path.name))
        self._set_page(self.loading)

    def cancel_opening(self) -> None:
        self._loading_page().set_cancelling()
        self.opener.cancel()

    def open_file(self, file: OpenFile) -> None:
        """Opens what an earlier session had open, where it was looked at."""
        self.waiting = None
        self._to_restore = file
        self.show_loading(file.model)
        self._window.warmup.when_basic(lambda: self.opener.open_file(file))

    def restore_panels(self) -> None:
        """Shows the tree of groups where it stood in the earlier session: the view has the room that it had."""
        if self._to_restore is not None and self._to_restore.groups is not None and self.workspace is not None:
            self.workspace.show_groups_unasked(self._to_restore.groups)

    def make_workspace(self) -> Workspace:
        """Makes the canvas and the panels, once; hidden until there is a model to show."""
        if self.workspace is None:
            from cutter_gui.gui.keeping import Keeper
            from cutter_gui.gui.layout_choice import layout_options
            from cutter_gui.gui.workspace import Workspace

            window = self._window
            window.actions_registry.draw_icons()
            workspace = Workspace(window.actions_registry, window.settings)
            workspace.document_changed.connect(self._on_change)
            workspace.files_dropped.connect(window.open_paths)
            workspace.hint_changed.connect(self._on_view)
            workspace.zoom_changed.connect(self._on_view)
            workspace.loading.cancel_wanted.connect(self.cancel_opening)
            workspace.notice.again_wanted.connect(lambda: self.opener.lay_out_again())
            workspace.folds.workers = lambda: window.workers
            workspace.folds.options = lambda constants: layout_options(window.preferences, constants)
            workspace.folds.large_wanted.connect(lambda folding: self.opener.lay_out_again(folding=folding))
            workspace.folds.changed.connect(self.changed)
            workspace.bodies.failed.connect(lambda error: window.show_error(self.tr("Open body"), error))
            workspace.folds.failed.connect(lambda error: window.show_error(self.tr("Fold"), error))
            workspace.problems.failed.connect(lambda error: window.show_error(self.tr("Find fixes"), error))
            window.stack.addWidget(workspace)
            self.workspace = workspace
            self._on_keys()
            window.actions_registry.keys_changed.connect(self._on_keys)
            self.keeper = Keeper(window, self)
        return self.workspace

    def _on_keys(self) -> None:
        """Tells the canvas which keys take a tool there, and the search field which lead to it."""
        from cutter_gui.gui.shortcuts import tool_keys

        registry = self._window.actions_registry
        if self.workspace is not None:
            self.workspace.canvas.set_tool_keys(tool_keys(registry))
            self.workspace.search.field.show_keys(registry["go.find"].shortcut().toString())

    def _on_preference(self, key: str) -> None:
        if key in LAYOUT and not self.is_blank and self.waiting is None:
            self._laid_out_otherwise = True
            if self._window.tabs.current is self:
                self.lay_out_as_preferred()

    def lay_out_as_preferred(self) -> None:
        """Makes the picture anew where it is of a layout that is preferred no more."""
        if self._laid_out_otherwise and self.workspace is not None and self.document is not None:
            self._laid_out_otherwise = False
            self.workspace.folds.forget_pictures()
            self.opener.lay_out_again()

    def when_drawn(self, call: Callable[[], None]) -> None:
        """Calls back once the picture of the model that is being opened is there, or at once where it is."""
        workspace = self.workspace
        if workspace is not None and workspace.has_picture and not self.is_opening:
            call()
            return

        def drawn(_scene: object) -> None:
            self.opener.scene_ready.disconnect(drawn)
            call()

        self.opener.scene_ready.connect(drawn)

    def _loading_page(self) -> LoadingPage:
        if self.workspace is not None and self.document is not None:
            return self.workspace.loading
        return self.loading

    def _set_page(self, page: QWidget | None) -> None:
        self.page = page
        self.page_changed.emit()

    def _on_opening(self, path: Path) -> None:
        page = self._loading_page()
        page.begin(self.tr("Opening {}").format(path.name))
        self.path = path
        if self.workspace is not None and page is self.workspace.loading:
            self.workspace.stack.setCurrentWidget(page)
            self._set_page(self.workspace)
        else:
            self._set_page(page)
        self.changed.emit()

    def _on_graph(self, document: Document) -> None:
        workspace = self.make_workspace()
        workspace.loading.begin(self.tr("Opening {}").format(document.path.name))
        first = self._first_page
        fraction = 0.0 if first is None else first.bar.value() / 1000
        workspace.loading.set_progress(self.tr("Laying out the graph"), fraction)
        workspace.set_document(document)
        workspace.stack.setCurrentWidget(workspace.loading)
        for signal in (
            document.undo_stack.canUndoChanged,
            document.undo_stack.canRedoChanged,
            document.undo_stack.indexChanged,
        ):
            signal.connect(self._on_undo)
        document.refused.connect(self._window.say)
        if self.keeper is not None:
            self.keeper.follow(document)
        self._set_page(workspace)
        self.changed.emit()

    def _on_scene(self, scene: Any) -> None:
        workspace = self.workspace
        if workspace is None:
            return
        workspace.set_scene(scene)
        file, self._to_restore = self._to_restore, None
        if file is not None:
            if file.view is not None:
                workspace.canvas.show_sight(file.view)
            if workspace.document is not None:
                workspace.document.set_active_cut(file.active_cut)
        self.changed.emit()

    def _on_ended(self, picture_missing: bool, why: str) -> None:
        workspace = self.workspace
        self._to_restore = None
        if workspace is None or workspace.document is None:
            self.path = None
            self._set_page(None)
        elif picture_missing and not workspace.has_picture:
            workspace.notice.show_notice(self.tr("There is no picture of the graph"), why)
            workspace.stack.setCurrentWidget(workspace.notice)
        elif workspace.has_picture:
            workspace.folds.give_up()
            self.opener.keep_constants(workspace.folds.constants_pictured)
            workspace.stack.setCurrentWidget(workspace.canvas)
        self.changed.emit()
        if self._window.tabs.current is self:
            self.lay_out_as_preferred()
        self._window.warmup.when_basic(self._window.workers.warm)

    def _on_undo(self) -> None:
        if not self._closed:  # an undo stack that goes away says that there is nothing to undo any more
            self.changed.emit()

    def _on_view(self) -> None:
        self.view_changed.emit()

    def _on_change(self, change: Change) -> None:
        if change.model and self.document is not None:
            self.path = self.document.path
            self.changed.emit()
        self.document_changed.emit(change)

    def end(self) -> None:
        """Ends what goes on here; nothing of it is asked of the user."""
        if self._closed:
            return
        self._closed = True
        if self._opener is not None:
            self._opener.close()
        if self.keeper is not None:
            self.keeper.close()
        if self.workspace is not None:
            self.workspace.save_state()
            self.workspace.close_background()

    def remove(self) -> None:
        """Ends what goes on here and takes the views away, for good."""
        self.end()
        for page in (self._first_page, self.workspace):
            if page is not None:
                self._window.stack.removeWidget(page)
                page.deleteLater()
        if self.workspace is not None:
            self.workspace.search.field.deleteLater()
        self._first_page = self.workspace = self.page = None
        self.keeper = self._opener = None
        self.deleteLater()
