"""Going into subgraph bodies and out again, as entries of the registry of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.bodies import Bodies
    from cutter_gui.gui.window import MainWindow

BODY_MENU = ("go.open_body", "go.next_body", "go.leave_body")


def body_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    tr = window.tr

    def bodies() -> Bodies | None:
        return window.workspace.bodies if window.workspace is not None and window.workspace.has_picture else None

    def node_with_bodies() -> int:
        document = None if window.workspace is None else window.workspace.shown_document
        node = None if document is None else document.selection.node
        return node if document is not None and node is not None and node in document.graph.node_bodies else -1

    def open_body() -> None:
        found = bodies()
        if found is not None and node_with_bodies() >= 0:
            found.open(node_with_bodies())

    def leave() -> None:
        found = bodies()
        if found is not None:
            found.leave()

    def show_next() -> None:
        found = bodies()
        if found is not None:
            found.show_next()

    def is_open() -> bool:
        found = bodies()
        return found is not None and found.is_open

    def has_another() -> bool:
        found = bodies()
        return found is not None and found.body_count > 1

    return (
        ActionSpec(
            "go.open_body",
            tr("Open bod&y"),
            open_body,
            "Ctrl+Return",
            tip=tr("Show the branches, the loop body or the function of the selected node"),
            enabled=lambda: bodies() is not None and node_with_bodies() >= 0,
        ),
        ActionSpec(
            "go.next_body",
            tr("Ne&xt body"),
            show_next,
            "Ctrl+Shift+Return",
            tip=tr("Show the next body of the same node"),
            enabled=has_another,
        ),
        ActionSpec(
            "go.leave_body",
            tr("&Leave body"),
            leave,
            "Backspace",
            tip=tr("Go back to the graph around the body"),
            enabled=is_open,
        ),
    )
