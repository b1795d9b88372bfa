"""Everything the user can do, as entries of the registry of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication, QKeySequence

from cutter_gui.gui.actions import ActionSpec
from cutter_gui.gui.code_actions import code_actions
from cutter_gui.gui.cutting_actions import tool_actions
from cutter_gui.gui.document_actions import document_actions
from cutter_gui.gui.fold_actions import fold_actions
from cutter_gui.gui.go_actions import clear_search, go_actions
from cutter_gui.gui.picture_actions import picture_actions
from cutter_gui.gui.samples import Sample, samples
from cutter_gui.gui.stages_preview_actions import preview_actions
from cutter_gui.gui.theme import MODES, Mode

if TYPE_CHECKING:
    from cutter_gui.core.plan import Transport
    from cutter_gui.gui.document import Document
    from cutter_gui.gui.window import MainWindow
    from cutter_gui.gui.workspace import Workspace

Key = QKeySequence.StandardKey


def add_actions(window: MainWindow) -> None:
    """Adds every action of the window to its registry."""
    for add in (
        _file,
        code_actions,
        document_actions,
        picture_actions,
        _edit,
        _view,
        _panels_and_theme,
        fold_actions,
        go_actions,
        _cut,
        tool_actions,
        _stages,
        preview_actions,
        _help,
    ):
        for spec in add(window):
            window.actions_registry.add(spec)


def _file(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr
    return (
        ActionSpec(
            "file.open",
            tr("&Open…"),
            window.ask_for_files,
            Key.Open,
            "folder-open-line",
            tr("Open a model, a cut spec, or both"),
        ),
        *(_open_sample(window, sample) for sample in samples()),
        ActionSpec(
            "file.open_spec",
            tr("Open cut s&pec…"),
            window.ask_for_spec,
            "Ctrl+Shift+O",
            tip=tr("Open a cut spec over the open model, or with the model it names"),
        ),
        ActionSpec(
            "file.save_cuts",
            tr("&Save cuts"),
            lambda: window.saver.save_cuts(),
            Key.Save,
            tip=tr("Save the cuts as a cut spec"),
            enabled=lambda: window.document is not None,
        ),
        ActionSpec(
            "file.save_cuts_as",
            tr("Save cuts &as…"),
            lambda: window.saver.save_cuts_as(),
            "Ctrl+Shift+S",
            tip=tr("Save the cuts in another file"),
            enabled=lambda: window.document is not None,
        ),
        ActionSpec("file.quit", tr("&Quit"), window.ask_to_close, "Ctrl+Q", tip=tr("Close the window")),
    )


def _open_sample(window: MainWindow, sample: Sample) -> ActionSpec:
    return ActionSpec(
        f"file.sample_{sample.name}",
        sample.title,
        lambda: window.open_paths([sample.path]),
        tip=window.tr("Open a sample: {}").format(sample.about),
    )


def _edit(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def undo() -> None:
        if window.document is not None:
            window.document.undo_stack.undo()

    def redo() -> None:
        if window.document is not None:
            window.document.undo_stack.redo()

    def copy_name() -> None:
        document = None if window.workspace is None else window.workspace.shown_document
        if document is None:
            return
        selection, graph = document.selection, document.graph
        if selection.node is not None:
            QGuiApplication.clipboard().setText(graph.node_label(selection.node))
        elif selection.tensor is not None:
            QGuiApplication.clipboard().setText(graph.tensor_names[selection.tensor])
        elif selection.group is not None and window.workspace is not None and window.workspace.folds.groups is not None:
            QGuiApplication.clipboard().setText("/".join(window.workspace.folds.groups.path(selection.group)))

    return (
        ActionSpec(
            "edit.undo",
            tr("&Undo"),
            undo,
            Key.Undo,
            "arrow-go-back-line",
            tr("Undo the last change of the cuts"),
            enabled=lambda: window.document is not None and window.document.undo_stack.canUndo(),
        ),
        ActionSpec(
            "edit.redo",
            tr("&Redo"),
            redo,
            "Ctrl+Shift+Z; Ctrl+Y",
            "arrow-go-forward-line",
            tr("Redo what was undone"),
            enabled=lambda: window.document is not None and window.document.undo_stack.canRedo(),
        ),
        ActionSpec(
            "edit.copy_name",
            tr("&Copy name"),
            copy_name,
            Key.Copy,
            tip=tr("Copy the name of what is selected"),
            enabled=lambda: _something_selected(window),
        ),
        ActionSpec(
            "edit.deselect",
            tr("Select &nothing"),
            lambda: _deselect(window),
            "Esc",
            tip=tr("Take the selection away, or else what a search marked"),
            enabled=lambda: window.document is not None,
        ),
    )


def _something_selected(window: MainWindow) -> bool:
    document = None if window.workspace is None else window.workspace.shown_document
    return document is not None and bool(document.selection)


def _deselect(window: MainWindow) -> None:
    from cutter_gui.gui.selection import NOTHING

    document = None if window.workspace is None else window.workspace.shown_document
    if document is not None and (document.selection or not clear_search(window)):
        document.select(NOTHING)


def _view(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def shown() -> bool:
        return window.workspace is not None and window.workspace.has_picture

    def with_workspace(do: Callable[[Workspace], None]) -> Callable[[], None]:
        def act() -> None:
            if window.workspace is not None:
                do(window.workspace)

        return act

    return (
        ActionSpec(
            "view.zoom_in",
            tr("Zoom &in"),
            with_workspace(lambda space: space.shown_canvas.zoom_in()),
            "Ctrl++; Ctrl+=",
            "add-line",
            tr("Zoom in"),
            enabled=shown,
        ),
        ActionSpec(
            "view.zoom_out",
            tr("Zoom &out"),
            with_workspace(lambda space: space.shown_canvas.zoom_out()),
            "Ctrl+-",
            "subtract-line",
            tr("Zoom out"),
            enabled=shown,
        ),
        ActionSpec(
            "view.zoom_reset",
            tr("&Actual size"),
            with_workspace(lambda space: space.shown_canvas.reset_zoom()),
            "Ctrl+0",
            tip=tr("Show the graph at 100 %"),
            enabled=shown,
        ),
        ActionSpec(
            "view.fit",
            tr("&Fit"),
            with_workspace(lambda space: space.shown_canvas.fit()),
            "Ctrl+9; F",
            tip=tr("Show the whole graph; a very long one across first, and whole when pressed again"),
            enabled=shown,
        ),
        ActionSpec(
            "view.show_selection",
            tr("Show &selection"),
            with_workspace(lambda space: space.reveal_selection()),
            "Ctrl+J",
            tip=tr("Bring what is selected into sight"),
            enabled=lambda: shown() and _something_selected(window),
        ),
        ActionSpec(
            "view.constants",
            tr("Show &constants"),
            lambda: window.opener.lay_out_again(constants=not window.opener.shows_constants),
            tip=tr("Draw weights and constant nodes too"),
            enabled=lambda: shown() and not window.opener.is_busy,
            checked=lambda: shown() and window.opener.shows_constants,
        ),
    )


def _panels_and_theme(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def panel(name: str, text: str, tip: str, keys: str = "") -> ActionSpec:
        def toggle() -> None:
            if window.workspace is not None:
                window.workspace.toggle_panel(name)

        def is_shown() -> bool:
            return window.workspace is not None and not dict(window.workspace.panels())[name].isHidden()

        return ActionSpec(
            f"view.{name}", text, toggle, keys, tip=tip, enabled=lambda: window.document is not None, checked=is_shown
        )

    def theme(mode: Mode, text: str, tip: str) -> ActionSpec:
        def choose() -> None:
            window.theme.set_mode(mode)
            window.settings.set_text("theme", mode)

        return ActionSpec(f"view.theme_{mode}", text, choose, tip=tip, checked=lambda: window.theme.mode == mode)

    return (
        panel("groups", tr("&Groups"), tr("Show or hide the groups of nodes")),
        panel("cuts", tr("&Cuts"), tr("Show or hide the cuts")),
        panel("inspector", tr("&Inspector"), tr("Show or hide the inspector")),
        panel("stages", tr("&Stages"), tr("Show or hide the stages")),
        panel("nodes", tr("&Nodes"), tr("Show or hide the table of nodes"), "Ctrl+T"),
        panel("problems", tr("&Problems"), tr("Show or hide the problems")),
        theme("system", tr("As the &system"), tr("Light or dark as the system is")),
        theme("light", tr("&Light"), tr("Light colours")),
        theme("dark", tr("&Dark"), tr("Dark colours")),
    )


def saved_mode(text: str) -> Mode:
    """Returns the theme mode that the settings name."""
    return next((mode for mode in MODES if mode == text), "system")


def _cut(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def on_cut(do: Callable[[Document, int], None]) -> Callable[[], None]:
        def act() -> None:
            document = window.document
            if document is not None and document.active_cut is not None:
                do(document, document.active_cut)

        return act

    def can_step(step: int) -> Callable[[], bool]:
        def can() -> bool:
            document = window.document
            if document is None or document.active_cut is None:
                return False
            return 0 <= document.active_cut + step < len(document.plan.cuts)

        return can

    def has_cut() -> bool:
        return window.document is not None and window.document.active_cut is not None

    def new() -> None:
        if window.document is not None:
            window.document.add_cut()

    def toggle_selected() -> None:
        document = window.document
        if document is not None and document.selection.tensor is not None:
            document.toggle_tensor(document.selection.tensor)

    def rename() -> None:
        if window.workspace is not None and window.document is not None and window.document.active_cut is not None:
            window.workspace.show_panel("cuts")
            window.workspace.cuts.edit_name(window.document.active_cut)

    return (
        ActionSpec(
            "cut.new",
            tr("&New cut"),
            new,
            "N",
            "add-line",
            tr("Add an empty cut after the last one"),
            enabled=lambda: window.document is not None,
        ),
        ActionSpec(
            "cut.toggle",
            tr("&Cut the selected tensor"),
            toggle_selected,
            "C",
            tip=tr("Put the selected tensor into the active cut, or take it out"),
            enabled=lambda: window.document is not None and window.document.selection.tensor is not None,
        ),
        ActionSpec(
            "cut.previous",
            tr("&Previous cut"),
            on_cut(lambda document, cut: document.set_active_cut(cut - 1)),
            "[",
            tip=tr("Make the cut before the active one"),
            enabled=can_step(-1),
        ),
        ActionSpec(
            "cut.next",
            tr("Ne&xt cut"),
            on_cut(lambda document, cut: document.set_active_cut(cut + 1)),
            "]",
            tip=tr("Make the cut after this one the active one"),
            enabled=can_step(1),
        ),
        ActionSpec("cut.rename", tr("&Rename…"), rename, "F2", tip=tr("Name the active cut"), enabled=has_cut),
        ActionSpec(
            "cut.move_up",
            tr("Move &up"),
            on_cut(lambda document, cut: document.move_cut(cut, cut - 1)),
            "Alt+Up",
            "arrow-up-line",
            tr("Move the active cut before the one above it"),
            enabled=can_step(-1),
        ),
        ActionSpec(
            "cut.move_down",
            tr("Move &down"),
            on_cut(lambda document, cut: document.move_cut(cut, cut + 1)),
            "Alt+Down",
            "arrow-down-line",
            tr("Move the active cut after the one below it"),
            enabled=can_step(1),
        ),
        ActionSpec(
            "cut.clear",
            tr("C&lear"),
            on_cut(lambda document, cut: document.clear_cut(cut)),
            tip=tr("Take every tensor out of the active cut"),
            enabled=lambda: has_cut() and bool(_active_edges(window)),
        ),
        ActionSpec(
            "cut.remove",
            tr("Re&move"),
            on_cut(lambda document, cut: document.remove_cut(cut)),
            "Ctrl+Backspace",
            "delete-bin-line",
            tr("Remove the active cut"),
            enabled=has_cut,
        ),
    )


def _active_edges(window: MainWindow) -> int:
    document = window.document
    if document is None or document.active_cut is None:
        return 0
    return len(document.plan.cuts[document.active_cut].edges)


def _stages(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def transport(name: Transport, text: str, tip: str) -> ActionSpec:
        def choose() -> None:
            if window.document is not None:
                window.document.set_transport(name)

        return ActionSpec(
            f"stages.{name}",
            text,
            choose,
            tip=tip,
            enabled=lambda: window.document is not None,
            checked=lambda: window.document is not None and window.document.plan.transport == name,
        )

    return (
        ActionSpec(
            "stages.save",
            tr("Save s&tages…"),
            lambda: window.saver.save_stages(),
            "Ctrl+E",
            "download-line",
            tr("Write every stage as a model of its own"),
            enabled=lambda: window.document is not None and not window.is_busy,
        ),
        ActionSpec(
            "stages.verify",
            tr("&Verify…"),
            lambda: window.warmup.when_basic(lambda: window.saver.ask_to_verify()),
            tip=tr("Run saved stages and their model, and compare every output"),
            enabled=lambda: not window.is_busy,
        ),
        transport("relay", tr("&Relay"), tr("Tensors pass through every stage on their way")),
        transport("direct", tr("&Direct"), tr("Tensors go straight to each stage that reads them")),
    )


def _help(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def contents() -> None:
        from cutter_gui.gui.dialogs.help import help_dialog

        help_dialog(window).show()

    def shortcuts() -> None:
        from cutter_gui.gui.dialogs.shortcuts import ShortcutsDialog

        ShortcutsDialog(window, window.actions_registry, window.shortcuts).show()

    def about() -> None:
        from cutter_gui.gui.dialogs.help import about_dialog

        about_dialog(window).open()

    return (
        ActionSpec("help.contents", tr("&Contents"), contents, Key.HelpContents, tip=tr("How to use this program")),
        ActionSpec(
            "help.shortcuts", tr("&Keyboard shortcuts"), shortcuts, "Ctrl+F1", tip=tr("List shortcuts, change them")
        ),
        ActionSpec("help.about", tr("&About"), about, tip=tr("What this program is")),
    )
