"""What concerns whole models: closing, going from tab to tab, reloading; and preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow

TAB_MENU = ("go.next_tab", "go.previous_tab")


def document_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    return (*_file_actions(window), *_tab_actions(window), _preferences(window))


def _file_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def reload() -> None:
        if window.tabs.current.keeper is not None:
            window.tabs.current.keeper.reload()

    def stale_names() -> None:
        from cutter_gui.gui.dialogs.stale_names import StaleNamesDialog

        if window.document is not None:
            StaleNamesDialog(window, window.document).show()

    def copy_path() -> None:
        path = window.tabs.current.path
        if path is not None:
            QGuiApplication.clipboard().setText(str(path))

    return (
        ActionSpec(
            "file.reload",
            tr("Re&load"),
            reload,
            "F5",
            tip=tr("Read the model anew and keep the cuts"),
            enabled=lambda: window.document is not None and not window.opener.is_busy,
        ),
        ActionSpec(
            "file.stale_names",
            tr("Names that are &gone…"),
            stale_names,
            tip=tr("List the names of the cuts that the model does not have, with the nearest ones"),
            enabled=lambda: window.document is not None and bool(window.document.staging.listings.unknown),
        ),
        ActionSpec(
            "file.copy_path",
            tr("Copy &path"),
            copy_path,
            tip=tr("Copy where the model is kept"),
            enabled=lambda: window.tabs.current.path is not None,
        ),
        ActionSpec(
            "file.close",
            tr("&Close"),
            lambda: window.close_tab(window.tabs.current),
            "Ctrl+W",
            tip=tr("Close this model"),
            enabled=lambda: not window.tabs.current.is_blank,
        ),
        ActionSpec(
            "file.close_others",
            tr("Close o&thers"),
            window.close_others,
            "Ctrl+Shift+W",
            tip=tr("Close all models but this one"),
            enabled=lambda: len(window.tabs) > 1,
        ),
    )


def _tab_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def several() -> bool:
        return len(window.tabs) > 1

    return (
        ActionSpec(
            "go.next_tab",
            tr("Next &model"),
            lambda: window.tabs.step(1),
            "Ctrl+Tab; Ctrl+PgDown",
            tip=tr("Look at the model in the next tab"),
            enabled=several,
        ),
        ActionSpec(
            "go.previous_tab",
            tr("Previous mo&del"),
            lambda: window.tabs.step(-1),
            "Ctrl+Shift+Tab; Ctrl+PgUp",
            tip=tr("Look at the model in the tab before"),
            enabled=several,
        ),
    )


def _preferences(window: MainWindow) -> ActionSpec:
    def show() -> None:
        from cutter_gui.gui.dialogs.preferences import PreferencesDialog

        PreferencesDialog(window).show()

    tip = window.tr("Theme, layout, what is chosen at first, what comes back at the start")
    return ActionSpec("edit.preferences", window.tr("Pre&ferences…"), show, "Ctrl+,", tip=tip)
