"""Finding one's way in a graph, as entries of the registry of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.actions import ActionSpec
from cutter_gui.gui.body_actions import BODY_MENU, body_actions

if TYPE_CHECKING:
    from cutter_gui.gui.document import Document
    from cutter_gui.gui.places import Places
    from cutter_gui.gui.selection import Selection
    from cutter_gui.gui.window import MainWindow

GO_MENU = (
    "go.find",
    "go.next_hit",
    "go.previous_hit",
    "-",
    "go.back",
    "go.forward",
    "-",
    "go.producer",
    "go.next_consumer",
    "go.previous_consumer",
    "go.inputs",
    "go.outputs",
    "-",
    "go.next_panel",
    "go.previous_panel",
    "-",
    *BODY_MENU,
)


def go_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    return (*_search_actions(window), *_place_actions(window), *body_actions(window), _copy_as_spec(window))


def _has_document(window: MainWindow) -> bool:
    return window.document is not None


def _shown(window: MainWindow) -> Document | None:
    """Returns what the canvas shows: the model, or a subgraph body of it."""
    return None if window.workspace is None else window.workspace.shown_document


def _search_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def find() -> None:
        if window.workspace is not None:
            window.workspace.search.begin()

    def step(by: int) -> Callable[[], None]:
        def act() -> None:
            if window.workspace is not None:
                window.workspace.search.step(by)

        return act

    def searching() -> bool:
        return window.workspace is not None and window.workspace.search.is_active

    return (
        ActionSpec(
            "go.find",
            tr("&Find…"),
            find,
            "Ctrl+F; /",
            "search-line",
            tr("Find nodes and tensors by name, op, type, shape or attribute"),
            enabled=lambda: _has_document(window),
        ),
        ActionSpec("go.next_hit", tr("Find &next"), step(1), "F3", tip=tr("Go to the next hit"), enabled=searching),
        ActionSpec(
            "go.previous_hit",
            tr("Find &previous"),
            step(-1),
            "Shift+F3",
            tip=tr("Go to the previous hit"),
            enabled=searching,
        ),
    )


def _place_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def move(by: int) -> Callable[[], None]:
        def act() -> None:
            if window.workspace is not None:
                window.workspace.shown_places.move(by)

        return act

    def can_move(by: int) -> Callable[[], bool]:
        return lambda: window.workspace is not None and window.workspace.shown_places.can_move(by)

    def go(where: Callable[[Places], Selection]) -> Callable[[], None]:
        def act() -> None:
            workspace, document = window.workspace, _shown(window)
            if workspace is None or document is None:
                return
            target = where(workspace.shown_places)
            if target:
                document.select(target)
            else:
                window.say(tr("There is nowhere to go from here"))

        return act

    def selected() -> bool:
        document = _shown(window)
        return document is not None and bool(document.selection)

    def ends(name: str) -> Callable[[Places], Selection]:
        def where(places: Places) -> Selection:
            document = _shown(window)
            assert document is not None
            return places.end(getattr(document.graph, name).tolist())

        return where

    def has_ends() -> bool:
        return _has_document(window)

    def panel(by: int) -> Callable[[], None]:
        def act() -> None:
            from cutter_gui.gui.panel_focus import go_to_panel

            workspace = window.workspace
            if workspace is not None:
                go_to_panel([workspace.stack, *(widget for _, widget in workspace.panels())], by)

        return act

    return (
        ActionSpec("go.next_panel", tr("Next p&anel"), panel(1), "F6", tip=tr("Go on to the next panel")),
        ActionSpec("go.previous_panel", tr("Previous pane&l"), panel(-1), "Shift+F6", tip=tr("Go to the panel before")),
        ActionSpec("go.back", tr("&Back"), move(-1), "Alt+Left", tip=tr("Go back"), enabled=can_move(-1)),
        ActionSpec("go.forward", tr("F&orward"), move(1), "Alt+Right", tip=tr("Go forward again"), enabled=can_move(1)),
        ActionSpec(
            "go.producer",
            tr("P&roducer"),
            go(lambda places: places.producer()),
            "Ctrl+Up",
            tip=tr("Go to what makes the selected tensor, or the first input of the selected node"),
            enabled=selected,
        ),
        ActionSpec(
            "go.next_consumer",
            tr("Next &consumer"),
            go(lambda places: places.consumer(1)),
            "Ctrl+Right; Ctrl+Down",
            tip=tr("Go to the first consumer of what is selected, then from one to the next"),
            enabled=selected,
        ),
        ActionSpec(
            "go.previous_consumer",
            tr("Previous c&onsumer"),
            go(lambda places: places.consumer(-1)),
            "Ctrl+Left",
            tip=tr("Go to the last consumer of what is selected, then from one to the one before"),
            enabled=selected,
        ),
        ActionSpec(
            "go.inputs",
            tr("&Inputs"),
            go(ends("inputs")),
            "Ctrl+Home",
            tip=tr("Go to the first model input, then from one to the next"),
            enabled=has_ends,
        ),
        ActionSpec(
            "go.outputs",
            tr("O&utputs"),
            go(ends("outputs")),
            "Ctrl+End",
            tip=tr("Go to the first model output, then from one to the next"),
            enabled=has_ends,
        ),
    )


def _copy_as_spec(window: MainWindow) -> ActionSpec:
    tr = window.tr

    def copy() -> None:
        from cutter_gui.gui.spec_words import words_of_selection

        document, workspace = window.document, window.workspace
        if document is None or workspace is None:
            return
        text = words_of_selection(document, workspace.canvas.place.consumer)
        if text:
            QGuiApplication.clipboard().setText(text)
            window.say(tr("Copied {}").format(text))

    def can() -> bool:
        document = window.document
        return document is not None and (document.selection.tensor is not None or document.selection.node is not None)

    return ActionSpec(
        "edit.copy_as_spec",
        tr("Copy for a cut &spec"),
        copy,
        "Ctrl+Shift+C",
        tip=tr("Copy the selected edges as they stand in a cut spec"),
        enabled=can,
    )


def clear_search(window: MainWindow) -> bool:
    """Ends a search, and says whether there was one."""
    workspace = window.workspace
    if workspace is None or not workspace.search.is_active:
        return False
    workspace.search.clear()
    return True
