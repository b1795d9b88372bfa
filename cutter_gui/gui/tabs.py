"""The tabs of a window: one for each model, in the order of the bar above them, which shows from the second one on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from cutter_gui.gui.tab import Tab

if TYPE_CHECKING:
    from PySide6.QtWidgets import QVBoxLayout

    from cutter_gui.gui.tab_bar import ModelTabBar
    from cutter_gui.gui.window import MainWindow


class Tabs(QObject):
    """All tabs of a window; there is always one, blank at first.

    Signals:
        current_changed: Another tab is looked at.
        changed: A tab has come, gone, or changed its name or state: the tab.
        document_changed: A `Change` of the document that is looked at.
        view_changed: Its zoom, or what a click would do, is another.
    """

    current_changed = Signal()
    changed = Signal(object)
    document_changed = Signal(object)
    view_changed = Signal()

    def __init__(self, window: MainWindow, column: QVBoxLayout) -> None:
        super().__init__(window)
        self._window = window
        self._column = column
        self._bar: ModelTabBar | None = None
        self._tabs: list[Tab] = []
        self.current = self._make()

    def __iter__(self) -> Iterator[Tab]:
        return iter(tuple(self._tabs))

    def __len__(self) -> int:
        return len(self._tabs)

    @property
    def bar(self) -> ModelTabBar | None:
        """The bar; None before there was a second tab."""
        return self._bar

    def with_model(self, path: Path) -> Tab | None:
        """Returns the tab that a model is open in, or is being opened in."""
        wanted = path.absolute()
        return next((tab for tab in self._tabs if tab.path is not None and tab.path.absolute() == wanted), None)

    def for_another(self) -> Tab:
        """Returns a tab for one more model, and looks at it: the present one where it is blank, else a new one."""
        if not self.current.is_blank:
            self.select(self._make())
        return self.current

    def add(self) -> Tab:
        """Makes a tab at the end without looking at it."""
        return self._tabs[0] if len(self._tabs) == 1 and self._tabs[0].is_blank else self._make()

    def select(self, tab: Tab) -> None:
        """Looks at a tab; one that waits for that opens its model now."""
        if tab not in self._tabs:
            return
        if tab is not self.current:
            self.current = tab
            self.show_bar()
            self.current_changed.emit()
        if tab.waiting is not None:
            tab.open_file(tab.waiting)
        tab.lay_out_as_preferred()

    def step(self, by: int) -> None:
        """Looks at the next (1) or previous (-1) tab, and around at the end."""
        self.select(self._tabs[(self._tabs.index(self.current) + by) % len(self._tabs)])

    def close(self, tab: Tab) -> None:
        """Takes a tab away without a question; the one beside it is looked at then."""
        if tab not in self._tabs:
            return
        at = self._tabs.index(tab)
        self._tabs.remove(tab)
        if not self._tabs:
            self._make()
        if tab is self.current:
            self.select(self._tabs[min(at, len(self._tabs) - 1)])
        tab.remove()
        self._window.workers.forget_done()
        self.show_bar()
        self.changed.emit(self.current)

    def move(self, source: int, target: int) -> None:
        """Takes over the order of the bar after a tab was dragged."""
        self._tabs.insert(target, self._tabs.pop(source))
        self.changed.emit(self.current)

    def end(self) -> None:
        for tab in self._tabs:
            tab.end()

    def _make(self) -> Tab:
        tab = Tab(self._window)
        tab.page_changed.connect(lambda: self._on_page(tab))
        tab.changed.connect(lambda: self._on_change(tab))
        tab.document_changed.connect(lambda change: self._on_document(tab, change))
        tab.view_changed.connect(lambda: self._on_view(tab))
        self._tabs.append(tab)
        return tab

    def _on_view(self, tab: Tab) -> None:
        if tab is self.current:
            self.view_changed.emit()

    def _on_page(self, tab: Tab) -> None:
        if tab.is_blank and tab.page is None and len(self._tabs) > 1:
            self.close(tab)  # what was to be opened here was not
        elif tab is self.current:
            self.current_changed.emit()

    def _on_change(self, tab: Tab) -> None:
        if tab in self._tabs:
            self.show_bar()
            self.changed.emit(tab)

    def _on_document(self, tab: Tab, change: object) -> None:
        self.show_bar()
        if tab is self.current:
            self.document_changed.emit(change)

    def show_bar(self) -> None:
        """Shows the tabs as they are."""
        if self._bar is None:
            if len(self._tabs) < 2:
                return
            from cutter_gui.gui.tab_bar import ModelTabBar

            self._bar = ModelTabBar(self._window)
            self._bar.chosen.connect(lambda at: self.select(self._tabs[at]))
            self._bar.close_wanted.connect(lambda at: self._window.close_tab(self._tabs[at]))
            self._bar.tabMoved.connect(self.move)
            self._column.insertWidget(0, self._bar)
        self._bar.show_tabs(self._tabs, self._tabs.index(self.current))
