"""The tools, and what else cuts, as entries of the registry of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.cutting_desk import CuttingDesk
    from cutter_gui.gui.window import MainWindow

TOOLS = ("tool.select", "tool.knife", "tool.start_stage")
PLACE_MENU = (
    "cut.before",
    "cut.after",
    "cut.consumers",
    "-",
    "cut.push_up",
    "cut.push_down",
    "-",
    "cut.repeat",
    "cut.compare",
    "cut.mend_all",
)


def tool_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    return (*_tools(window), *_places(window), _palette(window))


def _palette(window: MainWindow) -> ActionSpec:
    def show() -> None:
        from cutter_gui.gui.dialogs.command_palette import CommandPalette

        CommandPalette(window, window.actions_registry).open()

    tip = window.tr("Find any command by name")
    return ActionSpec("help.palette", window.tr("&Commands…"), show, "Ctrl+Shift+P", tip=tip)


def _has_picture(window: MainWindow) -> bool:
    return window.workspace is not None and window.workspace.has_picture


def _with_desk(window: MainWindow, do: Callable[[CuttingDesk], None]) -> Callable[[], None]:
    def act() -> None:
        if window.workspace is not None and window.workspace.has_picture:
            do(window.workspace.desk)

    return act


def _tools(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def tool(name: str, text: str, key: str, icon: str, tip: str) -> ActionSpec:
        def take() -> None:
            from cutter_gui.gui.canvas.tool import Tool

            if window.workspace is not None:
                window.workspace.canvas.set_tool(Tool(name))
                window.workspace.canvas.setFocus()

        def is_taken() -> bool:
            if not _has_picture(window):
                return name == "select"
            return window.workspace is not None and window.workspace.canvas.tool.value == name

        enabled = lambda: _has_picture(window)  # noqa: E731 - one of three that differ in nothing
        return ActionSpec(f"tool.{name}", text, take, key, icon, tip, enabled, is_taken)

    return (
        tool("select", tr("&Select"), "V", "cursor-line", tr("Click edges and nodes")),
        tool("knife", tr("&Knife"), "K", "scissors-cut-line", tr("Draw a line across the edges to cut")),
        tool(
            "start_stage",
            tr("Start a st&age"),
            "S",
            "login-box-line",
            tr("Click a node: the cheapest complete cut before it, or with Alt after it"),
        ),
    )


def _places(window: MainWindow) -> tuple[ActionSpec, ...]:
    tr = window.tr

    def node_selected() -> bool:
        document = window.document
        return (
            _has_picture(window)
            and document is not None
            and (document.selection.node is not None or document.selection.group is not None)
        )

    def tensor_selected() -> bool:
        return _has_picture(window) and window.document is not None and window.document.selection.tensor is not None

    def mend() -> None:
        from cutter_gui.gui.mending import mend_all

        if window.document is not None:
            mend_all(window, window.document)

    def can() -> bool:
        from cutter_gui.gui.mending import can_mend

        return window.document is not None and can_mend(window.document)

    def has_cut() -> bool:
        return _has_picture(window) and window.document is not None and window.document.active_cut is not None

    def consumers() -> None:
        document = window.document
        if window.workspace is not None and document is not None and document.selection.tensor is not None:
            window.workspace.desk.show_consumers(document.selection.tensor)

    return (
        ActionSpec(
            "cut.before",
            tr("Start a stage at the &node"),
            _with_desk(window, lambda desk: desk.start_stage(after=False)),
            "B",
            tip=tr("Make the cheapest complete cut before the selected node"),
            enabled=node_selected,
        ),
        ActionSpec(
            "cut.after",
            tr("End a stage at the n&ode"),
            _with_desk(window, lambda desk: desk.start_stage(after=True)),
            "Shift+B",
            tip=tr("Make the cheapest complete cut after the selected node"),
            enabled=node_selected,
        ),
        ActionSpec(
            "cut.consumers",
            tr("Choose cons&umers…"),
            consumers,
            "Shift+C",
            tip=tr("Tick the consumers of the selected tensor whose edges are cut"),
            enabled=tensor_selected,
        ),
        ActionSpec(
            "cut.repeat",
            tr("Repeat else&where…"),
            _with_desk(window, lambda desk: desk.repeat()),
            "Ctrl+R",
            tip=tr("Find the places that look like the active cut, and cut them too"),
            enabled=has_cut,
        ),
        ActionSpec(
            "cut.compare",
            tr("Co&mpare with…"),
            _with_desk(window, lambda desk: desk.ask_to_compare()),
            tip=tr("Show the cuts of a cut spec beside the present ones"),
            enabled=lambda: _has_picture(window),
        ),
        ActionSpec(
            "cut.mend_all",
            tr("Mend a&ll"),
            mend,
            "Ctrl+M",
            tip=tr("Apply the first fix of every error"),
            enabled=can,
        ),
        ActionSpec(
            "cut.push_up",
            tr("Push the border towards the in&puts"),
            _with_desk(window, lambda desk: desk.push(-1)),
            "Alt+Shift+Up; Alt+Shift+Left",
            tip=tr("Show the active cut one node nearer to the inputs; Enter applies it"),
            enabled=has_cut,
        ),
        ActionSpec(
            "cut.push_down",
            tr("Push the border to&wards the outputs"),
            _with_desk(window, lambda desk: desk.push(1)),
            "Alt+Shift+Down; Alt+Shift+Right",
            tip=tr("Show the active cut one node nearer to the outputs; Enter applies it"),
            enabled=has_cut,
        ),
    )
