"""The main window: menus, toolbar, status line, and in the middle the empty page or the open model.

What an open model needs (numpy, the canvas, the panels) is imported only after the empty window is on the screen, so
nothing of it may be imported at the top of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget

from cutter_gui.gui.action_table import add_actions
from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.empty_page import EmptyPage
from cutter_gui.gui.keeping import Keeper
from cutter_gui.gui.menus import TOOLBAR, fill_menus, menus, start_menu_bar
from cutter_gui.gui.samples import samples
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.status import StatusLine
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.toolbar import CalmToolBar
from cutter_gui.gui.warmup import Warmup
from cutter_gui.resource_files import resource

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPaintEvent

    from cutter_gui.core.errors import CutterError
    from cutter_gui.gui.dialogs.message import Message
    from cutter_gui.gui.document import Change, Document
    from cutter_gui.gui.jobs import Workers
    from cutter_gui.gui.loading_page import LoadingPage
    from cutter_gui.gui.opening import Opener
    from cutter_gui.gui.running_job import RunningJob
    from cutter_gui.gui.saving import Saver
    from cutter_gui.gui.workspace import Workspace

_SIZE = (1280, 800)
_GEOMETRY = "window/geometry"


class MainWindow(QMainWindow):
    """The window of the program."""

    def __init__(self, theme: Theme, settings: Settings | None = None) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings or Settings(self)
        self.actions_registry = ActionRegistry(self)
        self.warmup = Warmup(self)
        self._workers: Workers | None = None
        self._opener: Opener | None = None
        self._saver: Saver | None = None
        self.workspace: Workspace | None = None
        self._running: RunningJob | None = None
        self._painted = False
        self._may_close = False
        self._closed = False
        self._at_start: list[Path] = []
        add_actions(self)
        self._build()
        self._refresh()

    def _build(self) -> None:
        self.setObjectName("main")
        self.setAcceptDrops(True)
        registry = self.actions_registry
        self._recent_title = self.tr("Open &Recent")
        self._menus = start_menu_bar(self.menuBar(), menus(self._recent_title))
        self.recent_menu: QMenu | None = None
        self.toolbar = CalmToolBar(self.tr("Toolbar"), registry)
        self.addToolBar(self.toolbar)
        self.status = StatusLine()
        self.setStatusBar(self.status)
        self.empty = EmptyPage(registry["file.open"], samples())
        self.empty.sample_wanted.connect(lambda path: self.open_paths([path]))
        self.empty.recent_wanted.connect(self._open_recent)
        self._loading: LoadingPage | None = None
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.setCentralWidget(self.stack)
        self.settings.recent_changed.connect(self._show_recent)
        self.theme.changed.connect(lambda: registry.draw_icons())
        registry.draw_icons(action for action in TOOLBAR if action != "-")
        self._show_recent()
        if not self.restoreGeometry(self.settings.state(_GEOMETRY)):
            self.resize(*_SIZE)

    # What exists only once a model is to be opened.

    @property
    def loading(self) -> LoadingPage:
        """The page shown while the first model is opened."""
        if self._loading is None:
            from cutter_gui.gui.loading_page import LoadingPage

            self._loading = LoadingPage()
            self._loading.cancel_wanted.connect(self.cancel_opening)
            self.stack.addWidget(self._loading)
        return self._loading

    @property
    def workers(self) -> Workers:
        if self._workers is None:
            from cutter_gui.gui.jobs import Workers

            self._workers = Workers(self)
        return self._workers

    @property
    def opener(self) -> Opener:
        if self._opener is None:
            from cutter_gui.gui.opening import Opener

            self._opener = Opener(self)
            self._opener.begun.connect(self._on_opening)
            self._opener.progress.connect(self._on_progress)
            self._opener.graph_ready.connect(self._on_graph)
            self._opener.scene_ready.connect(self._on_scene)
            self._opener.ended.connect(self._on_opening_ended)
        return self._opener

    @property
    def saver(self) -> Saver:
        if self._saver is None:
            from cutter_gui.gui.saving import Saver

            self._saver = Saver(self)
            self._saver.saved.connect(lambda name: self.say(self.tr("Saved {}").format(name)))
        return self._saver

    @property
    def document(self) -> Document | None:
        return None if self.workspace is None else self.workspace.document

    # Opening.

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Opens a model, a cut spec, or both."""
        given = list(paths)
        self.warmup.when_basic(lambda: self.opener.open_paths(given))

    def open_at_start(self, paths: Sequence[Path]) -> None:
        """Opens files before the window is shown: it appears with the page that says what is being opened."""
        self.loading.begin(self.tr("Opening {}").format(paths[0].name))
        self.stack.setCurrentWidget(self.loading)
        self._at_start = list(paths)

    def ask_for_files(self) -> None:
        self.warmup.when_basic(lambda: self.opener.ask_for_files())

    def ask_for_spec(self) -> None:
        self.warmup.when_basic(lambda: self.opener.ask_for_spec())

    def cancel_opening(self) -> None:
        self._loading_page().set_cancelling()
        self.opener.cancel()

    def last_folder(self) -> Path | None:
        """The folder that file dialogs start in."""
        document = self.document
        if document is not None:
            return document.path.parent
        return next((path.parent for path in self.settings.recent if path.parent.is_dir()), None)

    def _loading_page(self) -> LoadingPage:
        if self.workspace is not None and self.document is not None:
            return self.workspace.loading
        return self.loading

    def _on_opening(self, name: str) -> None:
        page = self._loading_page()
        page.begin(self.tr("Opening {}").format(name))
        if self.workspace is not None and page is self.workspace.loading:
            self.workspace.stack.setCurrentWidget(page)
        else:
            self.stack.setCurrentWidget(page)
        self._refresh()

    def _on_progress(self, what: str, fraction: float) -> None:
        self._loading_page().set_progress(what, fraction)

    def _on_graph(self, document: Document) -> None:
        workspace = self._make_workspace()
        workspace.loading.begin(self.tr("Opening {}").format(document.path.name))
        workspace.loading.set_progress(self.tr("Laying out the graph"), self.loading.bar.value() / 1000)
        workspace.set_document(document)
        if workspace.search.field.parent() is None:
            self.toolbar.addWidget(workspace.search.field)
        workspace.stack.setCurrentWidget(workspace.loading)
        self.stack.setCurrentWidget(workspace)
        document.undo_stack.canUndoChanged.connect(self._refresh)
        document.undo_stack.canRedoChanged.connect(self._refresh)
        document.undo_stack.indexChanged.connect(self._refresh)
        document.refused.connect(self.say)
        self._show_title()
        self._show_save_state()
        self._refresh()

    def _on_scene(self, scene: Any) -> None:
        if self.workspace is not None:
            self.workspace.set_scene(scene)
            self._show_zoom(self.workspace.canvas.zoom_percent)
            self._refresh()

    def _on_opening_ended(self, picture_missing: bool, why: str) -> None:
        workspace = self.workspace
        if workspace is None or workspace.document is None:
            self.stack.setCurrentWidget(self.empty)
        elif picture_missing and not workspace.has_picture:
            workspace.notice.show_notice(self.tr("There is no picture of the graph"), why)
            workspace.stack.setCurrentWidget(workspace.notice)
        elif workspace.has_picture:
            workspace.stack.setCurrentWidget(workspace.canvas)
        self._refresh()
        self.warmup.when_basic(self.workers.warm)

    def _make_workspace(self) -> Workspace:
        """Makes the canvas and the panels, once; hidden until there is a model to show."""
        if self.workspace is None:
            from cutter_gui.gui.workspace import Workspace

            self.actions_registry.draw_icons()
            workspace = Workspace(self.actions_registry, self.settings)
            workspace.hint_changed.connect(self.status.hint.setText)
            workspace.zoom_changed.connect(self._show_zoom)
            workspace.files_dropped.connect(self._drop)
            workspace.document_changed.connect(self._on_change)
            workspace.loading.cancel_wanted.connect(self.cancel_opening)
            workspace.notice.again_wanted.connect(lambda: self.opener.lay_out_again())
            workspace.folds.workers = lambda: self.workers
            workspace.folds.large_wanted.connect(lambda folding: self.opener.lay_out_again(folding=folding))
            workspace.folds.changed.connect(self._refresh)
            workspace.folds.failed.connect(lambda error: self.show_error(self.tr("Fold"), error))
            self.stack.addWidget(workspace)
            self.workspace = workspace
        return self.workspace

    @property
    def running(self) -> RunningJob:
        """What is being saved, verified or exported."""
        if self._running is None:
            from cutter_gui.gui.running_job import RunningJob

            self._running = RunningJob(self)
            self._running.changed.connect(self._refresh)
        return self._running

    @property
    def is_busy(self) -> bool:
        """Whether something is being saved, verified or exported."""
        return self._running is not None and self._running.is_busy

    # What the user is told.

    def say(self, text: str) -> None:
        """Shows a sentence in the status line for a few seconds."""
        self.status.say(text)

    def show_error(self, title: str, error: CutterError) -> Message:
        """Shows an error: what, where, what to do."""
        from cutter_gui.gui.dialogs.errors import error_message

        message = error_message(self, title, error)
        message.open()
        return message

    def when_work_is_safe(self, then: Callable[[], None]) -> None:
        """Calls back at once, or after the question whether unsaved work may be lost."""
        document = self.document
        if document is None or not document.is_modified:
            then()
            return
        from PySide6.QtWidgets import QDialogButtonBox

        from cutter_gui.gui.dialogs.message import Choice, Message

        role = QDialogButtonBox.ButtonRole
        message = Message(
            self,
            self.tr("Unsaved cuts"),
            self.tr("The cuts of {} are not saved.").format(document.path.name),
            remedy=self.tr("Save them, or they are lost."),
            choices=(
                Choice(self.tr("Save"), role.AcceptRole, lambda: self.saver.save_cuts(then), default=True),
                Choice(self.tr("Discard"), role.DestructiveRole, then),
                Choice(self.tr("Cancel"), role.RejectRole),
            ),
        )
        message.open()

    def workspace_shows_problems(self) -> None:
        """Brings the Problems panel to the user's attention."""
        if self.workspace is not None:
            self.workspace.show_panel("problems")
            self.workspace.problems.focus_first()

    def _on_change(self, change: Change) -> None:
        if change.plan or change.file:
            self._show_title()
            self._show_save_state(just_saved=change.file and not change.plan)
        self._refresh()

    def _show_title(self) -> None:
        document = self.document
        if document is None:
            self.setWindowTitle("Cutter GUI")
            return
        from cutter_gui.core.errors import one_line
        from cutter_gui.core.units import bytes_text

        name = one_line(document.path.name).replace("[*]", "[*][*]")
        nodes = self.tr("{} nodes").format(document.graph.node_count)
        self.setWindowTitle(f"{name}[*] — {nodes} — {bytes_text(document.weight_bytes)}")
        self.setWindowModified(document.is_modified)

    def _show_save_state(self, just_saved: bool = False) -> None:
        document = self.document
        if document is None:
            self.status.stages.clear()
            self.status.set_save_state("")
            return
        count = document.staging.stage_count
        self.status.stages.setText(self.tr("1 stage") if count == 1 else self.tr("{} stages").format(count))
        if document.is_modified:
            self.status.set_save_state(self.tr("cuts not saved"))
        elif document.spec is None:
            self.status.set_save_state("")
        else:
            self.status.set_save_state(self.tr("saved"), just_saved)

    def _show_zoom(self, percent: int) -> None:
        self.actions_registry["view.zoom_reset"].setIconText(f"{percent} %")

    def _refresh(self) -> None:
        self.actions_registry.refresh()

    def _show_recent(self) -> None:
        self.empty.set_recent(self.settings.recent)

    def _fill_recent_menu(self) -> None:
        menu = self.recent_menu
        if menu is None:
            return
        menu.clear()
        for path in self.settings.recent:
            shown = f"{path.name}    {path.parent}".replace("&", "&&")
            menu.addAction(shown).triggered.connect(partial(self._open_recent, path))
        if self.settings.recent:
            menu.addSeparator()
            menu.addAction(self.tr("Clear this list"), self.settings.clear_recent)
        else:
            menu.addAction(self.tr("No recent files")).setEnabled(False)

    def _open_recent(self, path: Path, _checked: bool = False) -> None:
        if path.exists():
            self.open_paths([path])
            return
        self.settings.remove_recent(path)
        self.say(self.tr("{} is no longer there").format(path.name))

    # Events.

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self._after_first_frame)

    def _complete(self) -> None:
        """Makes what the first frame does not show: the entries of the menus, with their shortcuts."""
        if self.recent_menu is None:
            from PySide6.QtCore import QCoreApplication, Qt
            from PySide6.QtGui import QIcon

            QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontShowIconsInMenus)
            self.setWindowIcon(QIcon(str(resource("icons", "cutter-gui.svg"))))
            self.theme.follow_system()
            self.actions_registry.add_shortcuts()
            self.recent_menu = fill_menus(self._menus, self.actions_registry)[self._recent_title]
            self.recent_menu.aboutToShow.connect(self._fill_recent_menu)

    @property
    def is_complete(self) -> bool:
        """Whether menus and shortcuts are there, which they are right after the first frame."""
        return self.recent_menu is not None

    def _after_first_frame(self) -> None:
        if not self._closed:
            self._complete()
            self.warmup.start()
            self.warmup.when_basic(lambda: self.workers.warm())
            self.warmup.when_full(lambda: Keeper(self, self._make_workspace()))
            if self._at_start:
                self.open_paths(self._at_start)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and all(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.empty.frame.mark(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.empty.frame.mark(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.empty.frame.mark(False)
        event.acceptProposedAction()
        self._drop([url.toLocalFile() for url in event.mimeData().urls()])

    def _drop(self, paths: Sequence[str | Path]) -> None:
        self.open_paths([Path(path) for path in paths])

    def closeEvent(self, event: QCloseEvent) -> None:
        document = self.document
        if not self._may_close and document is not None and document.is_modified:
            event.ignore()
            self.when_work_is_safe(self.close_now)
            return
        self.end()
        super().closeEvent(event)

    def ask_to_close(self) -> None:
        """Closes the window, after the question whether unsaved work may be lost."""
        self.close()

    def close_now(self) -> None:
        """Closes the window without a question."""
        self._may_close = True
        self.close()

    def end(self) -> None:
        """Ends what the window started."""
        if self._closed:
            return
        self._closed = True
        self.settings.set_state(_GEOMETRY, self.saveGeometry())
        if self.workspace is not None:
            self.workspace.save_state()
            self.workspace.close_background()
        self.settings.sync()
        self.status.close_clock()
        self.warmup.close()
        if self._opener is not None:
            self._opener.close()
        if self._workers is not None:
            self._workers.close()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ModifiedChange:
            self._refresh()
