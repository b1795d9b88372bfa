"""Which actions stand where: the menu bar and the toolbar, as lists of action ids."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from cutter_gui.gui.actions import ActionRegistry, Menu
from cutter_gui.gui.cutting_actions import PLACE_MENU, TOOLS
from cutter_gui.gui.document_actions import TAB_MENU
from cutter_gui.gui.fold_actions import FOLD_MENU
from cutter_gui.gui.go_actions import GO_MENU
from cutter_gui.gui.qt_values import TEXT_BESIDE_ICON, set_value
from cutter_gui.gui.samples import samples
from cutter_gui.gui.stages_preview_actions import PREVIEW_MENU


def menus(open_recent: str) -> tuple[Menu, ...]:
    """Returns the menu bar; ``open_recent`` is the title of the submenu that the window fills."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Menus", text)

    return (
        Menu(
            tr("&File"),
            (
                "file.open",
                Menu(tr("Open sa&mple"), tuple(f"file.sample_{sample.name}" for sample in samples())),
                Menu(open_recent, ()),
                "file.open_code",
                "file.open_spec",
                "file.reload",
                "file.stale_names",
                "-",
                "file.save_cuts",
                "file.save_cuts_as",
                "-",
                "stages.save",
                "file.export_picture",
                "file.print",
                "-",
                "file.close",
                "file.close_others",
                "file.quit",
            ),
        ),
        Menu(
            tr("&Edit"),
            (
                "edit.undo",
                "edit.redo",
                "-",
                "edit.copy_name",
                "edit.copy_as_spec",
                "file.copy_path",
                "edit.deselect",
                "-",
                "edit.give_type",
                "edit.rewrite",
                "edit.trusted",
                "edit.preferences",
            ),
        ),
        Menu(
            tr("&View"),
            (
                "view.zoom_in",
                "view.zoom_out",
                "view.zoom_reset",
                "view.fit",
                "view.show_selection",
                "-",
                Menu(tr("&Groups"), FOLD_MENU),
                "view.constants",
                "view.left_to_right",
                Menu(tr("Stages pre&view"), PREVIEW_MENU),
                Menu(
                    tr("&Panels"),
                    ("view.groups", "view.cuts", "view.inspector", "view.stages", "view.nodes", "view.problems"),
                ),
                Menu(tr("&Theme"), ("view.theme_system", "view.theme_light", "view.theme_dark")),
            ),
        ),
        Menu(tr("&Go"), (*GO_MENU, "-", *TAB_MENU)),
        Menu(
            tr("&Cut"),
            (
                "cut.new",
                "cut.toggle",
                "-",
                *TOOLS,
                "-",
                *PLACE_MENU,
                "-",
                "cut.previous",
                "cut.next",
                "-",
                "cut.rename",
                "cut.move_up",
                "cut.move_down",
                "-",
                "cut.clear",
                "cut.remove",
            ),
        ),
        Menu(
            tr("&Stages"),
            (
                "stages.save",
                "stages.verify",
                "-",
                Menu(tr("&Transport"), ("stages.relay", "stages.direct")),
            ),
        ),
        Menu(tr("&Help"), ("help.contents", "help.palette", "help.shortcuts", "-", "help.about")),
    )


def plain_menus() -> list[tuple[str, list[str]]]:
    """Returns, per menu, its title without mnemonic and the ids of all its actions, submenus included."""

    def ids(menu: Menu) -> list[str]:
        found: list[str] = []
        for item in menu.items:
            found += ids(item) if isinstance(item, Menu) else [item]
        return [action_id for action_id in found if action_id != "-"]

    return [(menu.title.replace("&", ""), ids(menu)) for menu in menus("")]


TOOLBAR = (
    "file.open",
    "stages.save",
    "-",
    "edit.undo",
    "edit.redo",
    "-",
    *TOOLS,
    "-",
    "view.zoom_out",
    "view.zoom_reset",
    "view.zoom_in",
    "view.fit",
)


WITH_TEXT = ("file.open", "stages.save", *TOOLS)  # the others speak by their icon


def start_menu_bar(bar: QMenuBar, layout: Iterable[Menu]) -> list[tuple[QMenu, Menu]]:
    """Puts the titles into a menu bar; `fill_menus` fills them after the first frame."""
    return [(bar.addMenu(menu.title), menu) for menu in layout]


def fill_menus(started: Iterable[tuple[QMenu, Menu]], registry: ActionRegistry) -> dict[str, QMenu]:
    """Fills menus.

    Returns:
        The menus that list no actions, by title, for the caller to fill.
    """
    open_ended: dict[str, QMenu] = {}
    for target, menu in started:
        _fill_menu(target, registry, menu, open_ended)
    return open_ended


def _fill_menu(target: QMenu, registry: ActionRegistry, menu: Menu, open_ended: dict[str, QMenu]) -> None:
    if not menu.items:
        open_ended[menu.title] = target
    for item in menu.items:
        if isinstance(item, Menu):
            _fill_menu(target.addMenu(item.title), registry, item, open_ended)
        elif item == "-":
            target.addSeparator()
        else:
            target.addAction(registry[item])


def fill_toolbar(bar: QToolBar, registry: ActionRegistry) -> None:
    for item in TOOLBAR:
        if item == "-":
            bar.addWidget(_space())
        else:
            bar.addAction(registry[item])
            button = bar.widgetForAction(registry[item])
            if item in WITH_TEXT and isinstance(button, QToolButton):
                set_value(button, "toolButtonStyle", TEXT_BESIDE_ICON)


def _space() -> QWidget:
    space = QWidget()
    space.setFixedWidth(16)
    return space
