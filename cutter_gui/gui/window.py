"""The main window: menus, toolbar, status line, and in the middle the empty page or the model of the current tab.

What an open model needs (numpy, the canvas, the panels) is imported only after the empty window is on the screen, so
nothing of it may be imported at the top of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QMenu, QVBoxLayout, QWidget

from cutter_gui.gui.action_table import add_actions
from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.empty_page import EmptyPage
from cutter_gui.gui.menus import TOOLBAR, fill_menus, menus, start_menu_bar
from cutter_gui.gui.page_stack import PageStack
from cutter_gui.gui.preferences import Preferences
from cutter_gui.gui.restoring import Restorer
from cutter_gui.gui.samples import samples
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.shortcuts import Shortcuts
from cutter_gui.gui.status import StatusLine
from cutter_gui.gui.tabs import Tabs
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.toolbar import CalmToolBar
from cutter_gui.gui.warmup import Warmup
from cutter_gui.resource_files import resource

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPaintEvent

    from cutter_gui.core.errors import CutterError
    from cutter_gui.gui.dialogs.message import Message
    from cutter_gui.gui.document import Change, Document
    from cutter_gui.gui.jobs import Workers
    from cutter_gui.gui.loading_page import LoadingPage
    from cutter_gui.gui.opening import Opener
    from cutter_gui.gui.running_job import RunningJob
    from cutter_gui.gui.saving import Saver
    from cutter_gui.gui.tab import Tab
    from cutter_gui.gui.workspace import Workspace

_SIZE = (1280, 800)
_GEOMETRY = "window/geometry"


class MainWindow(QMainWindow):
    """The window of the program.

    Signals:
        close_refused: It was to be closed, but work is not saved.
        closing: It is about to close.
    """

    close_refused = Signal()
    closing = Signal()

    def __init__(self, theme: Theme, settings: Settings | None = None) -> None:
        super().__init__()
        self.theme = theme
        self.settings = settings or Settings(self)
        self.preferences = Preferences(self.settings, self)
        self.actions_registry = ActionRegistry(self)
        self.shortcuts = Shortcuts(self.actions_registry, self.settings, self)
        self.warmup = Warmup(self)
        self._workers: Workers | None = None
        self._saver: Saver | None = None
        self._running: RunningJob | None = None
        self._painted = False
        self._may_close = False
        self._closed = False
        self._at_start: list[Path] = []
        self._search_fields: dict[Tab, QAction] = {}
        self.stack = PageStack()
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack)
        self.tabs = Tabs(self, column)
        self._restorer = Restorer(self)
        add_actions(self)
        self._build()
        self.setCentralWidget(middle)
        self._follow_tabs()
        self.close_refused.connect(self._ask_about_unsaved_work)
        self.closing.connect(self.end)
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
        self.stack.addWidget(self.empty)
        self.settings.recent_changed.connect(self._show_recent)
        self.theme.changed.connect(lambda: registry.draw_icons())
        registry.draw_icons(action for action in TOOLBAR if action != "-")
        self._show_recent()
        if not self.restoreGeometry(self.settings.state(_GEOMETRY)):
            self.resize(*_SIZE)

    def _follow_tabs(self) -> None:
        self.tabs.current_changed.connect(self._show_tab)
        self.tabs.changed.connect(self._on_tab)
        self.tabs.document_changed.connect(self._on_change)
        self.tabs.view_changed.connect(self._show_view)

    # What belongs to the tab that is looked at.

    @property
    def workspace(self) -> Workspace | None:
        return self.tabs.current.workspace

    @property
    def document(self) -> Document | None:
        return self.tabs.current.document

    @property
    def opener(self) -> Opener:
        return self.tabs.current.opener

    @property
    def loading(self) -> LoadingPage:
        """The page shown while a model is opened."""
        return self.tabs.current.loading

    # What exists only once a model is to be opened.

    @property
    def workers(self) -> Workers:
        if self._workers is None:
            from cutter_gui.gui.jobs import Workers

            self._workers = Workers(self)
        return self._workers

    @property
    def saver(self) -> Saver:
        if self._saver is None:
            from cutter_gui.gui.saving import Saver

            self._saver = Saver(self)
            self._saver.saved.connect(lambda name: self.say(self.tr("Saved {}").format(name)))
        return self._saver

    # Opening.

    def open_paths(self, paths: Sequence[Path | str]) -> None:
        """Opens models, each in a tab of its own, cut specs, or both."""
        given = [Path(path) for path in paths]
        self.warmup.when_basic(lambda: self.opener.open_paths(given))

    def open_at_start(self, paths: Sequence[Path]) -> None:
        """Opens files before the window is shown: it appears with the page that says what is being opened."""
        self.loading.begin(self.tr("Opening {}").format(paths[0].name))
        self.stack.setCurrentWidget(self.loading)
        self._at_start = list(paths)

    def restore_at_start(self) -> None:
        """Brings back what was open last; called before the window is shown, which does not wait for it."""
        model = self._restorer.begin()
        if model is not None:
            self.loading.begin(self.tr("Opening {}").format(model.name))
            self.stack.setCurrentWidget(self.loading)

    def ask_for_files(self) -> None:
        self.warmup.when_basic(lambda: self.opener.ask_for_files())

    def ask_for_spec(self) -> None:
        self.warmup.when_basic(lambda: self.opener.ask_for_spec())

    def last_folder(self) -> Path | None:
        """The folder that file dialogs start in."""
        document = self.document
        if document is not None:
            return document.path.parent
        return next((path.parent for path in self.settings.recent if path.parent.is_dir()), None)

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

    def when_work_is_safe(self, tabs: Sequence[Tab], then: Callable[[], None]) -> None:
        """Calls back after the question, for each tab with unsaved work, whether that may be lost; or at once."""
        tab = next((tab for tab in tabs if tab.is_modified), None)
        if tab is None or tab.path is None:
            then()
            return
        from PySide6.QtWidgets import QDialogButtonBox

        from cutter_gui.gui.dialogs.message import Choice, Message

        self.tabs.select(tab)
        others = [other for other in tabs if other is not tab]

        def go_on() -> None:
            self.when_work_is_safe(others, then)

        role = QDialogButtonBox.ButtonRole
        message = Message(
            self,
            self.tr("Unsaved cuts"),
            self.tr("The cuts of {} are not saved.").format(tab.path.name),
            remedy=self.tr("Save them, or they are lost."),
            choices=(
                Choice(self.tr("Save"), role.AcceptRole, lambda: self.saver.save_cuts(go_on), default=True),
                Choice(self.tr("Discard"), role.DestructiveRole, go_on),
                Choice(self.tr("Cancel"), role.RejectRole),
            ),
        )
        message.open()

    def close_tab(self, tab: Tab) -> None:
        """Closes a model, after the question whether unsaved work may be lost."""
        self.when_work_is_safe([tab], lambda: self.tabs.close(tab))

    def close_others(self) -> None:
        """Closes all models but the one that is looked at."""
        kept = self.tabs.current
        others = [tab for tab in self.tabs if tab is not kept]

        def close() -> None:
            for tab in others:
                self.tabs.close(tab)
            self.tabs.select(kept)

        self.when_work_is_safe(others, close)

    def workspace_shows_problems(self) -> None:
        """Brings the Problems panel to the user's attention."""
        if self.workspace is not None:
            self.workspace.show_panel("problems")
            self.workspace.problems.focus_first()

    # The tab that is looked at.

    def _show_tab(self) -> None:
        """Shows the tab that is looked at."""
        tab = self.tabs.current
        self.stack.setCurrentWidget(tab.page or self.empty)
        workspace = tab.workspace
        if workspace is not None and tab.document is not None:
            if tab not in self._search_fields:
                self._search_fields[tab] = self.toolbar.addWidget(workspace.search.field)
            if workspace.has_picture:
                workspace.canvas.setFocus()
        here = set(self.tabs)
        for other, field in tuple(self._search_fields.items()):
            if other not in here:
                self.toolbar.removeAction(self._search_fields.pop(other))
            else:
                field.setVisible(other is tab)
        self._show_title()
        self._show_save_state()
        self._show_view()
        self._refresh()
        self._restorer.keep()

    def _on_tab(self, tab: Tab) -> None:
        if tab is self.tabs.current:
            self._show_title()
            self._show_view()
            self._refresh()
        self._restorer.keep()

    def _show_view(self) -> None:
        workspace = self.workspace
        self.status.hint.setText("" if workspace is None or self.document is None else workspace.hint)
        percent = 100 if workspace is None else workspace.canvas.zoom_percent
        self.actions_registry["view.zoom_reset"].setIconText(f"{percent} %")

    def _on_change(self, change: Change) -> None:
        if change.plan or change.file:
            self._show_title()
            self._show_save_state(just_saved=change.file and not change.plan)
        if change.file:
            self._restorer.keep()
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
        from cutter_gui.gui.model_file import is_there

        if is_there(path):
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
            self.shortcuts.load()
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
            self.warmup.when_full(self._prepare)
            if self._at_start:
                self.open_paths(self._at_start)
            self._restorer.go_on()

    def _prepare(self) -> None:
        """Makes what the first model needs, and offers what a program that died left behind."""
        self.tabs.current.make_workspace()
        self._restorer.offer_recovery()

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
        self.open_paths([url.toLocalFile() for url in event.mimeData().urls()])

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close and any(tab.is_modified for tab in self.tabs):
            event.ignore()
            self.close_refused.emit()
            return
        self.closing.emit()  # not a call: see "Decisions" in CONTRIBUTING.md
        super().closeEvent(event)

    def _ask_about_unsaved_work(self) -> None:
        self.when_work_is_safe(list(self.tabs), self.close_now)

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
        self._restorer.keep(at_end=True)
        self.settings.set_state(_GEOMETRY, self.saveGeometry())
        self.tabs.end()
        self.settings.sync()
        self.status.close_clock()
        self.warmup.close()
        if self._workers is not None:
            self._workers.close()
