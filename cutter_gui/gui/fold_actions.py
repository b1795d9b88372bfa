"""What the user can do with groups, as entries of the registry of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.folds import Folds
    from cutter_gui.gui.window import MainWindow

LEVELS = 4
FOLD_MENU = ("fold.unfold", "fold.fold", "-", *(f"fold.level_{level}" for level in range(LEVELS)), "fold.unfold_all")


def fold_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    tr = window.tr

    def folds() -> Folds | None:
        workspace = window.workspace
        return workspace.folds if workspace is not None and workspace.has_picture else None

    def has_groups() -> bool:
        found = folds()
        return found is not None and found.has_groups

    def level(number: int) -> ActionSpec:
        def fold() -> None:
            found = folds()
            if found is not None:
                found.fold_to_level(number)

        return ActionSpec(
            f"fold.level_{number}",
            tr("Fold &all") if number == 0 else tr("Fold to level &{}").format(number),
            fold,
            f"Ctrl+Alt+{number}",
            tip=tr("Show outermost groups only") if number == 0 else tr("Open groups down to level {}").format(number),
            enabled=lambda: has_groups() and _deepest(folds()) >= number,
        )

    def unfold_all() -> None:
        found = folds()
        if found is not None:
            found.unfold_all()

    return (
        ActionSpec(
            "fold.unfold",
            tr("&Unfold group"),
            lambda: _with_group(window, unfold=True),
            "U",
            tip=tr("Show what is in the selected group"),
            enabled=lambda: _group_at_hand(window, unfold=True) is not None,
        ),
        ActionSpec(
            "fold.fold",
            tr("&Fold group"),
            lambda: _with_group(window, unfold=False),
            "Shift+U",
            tip=tr("Fold the selected group, or that around what is selected"),
            enabled=lambda: _group_at_hand(window, unfold=False) is not None,
        ),
        *(level(number) for number in range(LEVELS)),
        ActionSpec(
            "fold.unfold_all",
            tr("Unfold &everything"),
            unfold_all,
            "Ctrl+Alt+U",
            tip=tr("Open every group"),
            enabled=has_groups,
        ),
    )


def _deepest(folds: Folds | None) -> int:
    groups = None if folds is None else folds.groups
    return -1 if groups is None else int(groups.depth.max(initial=-1))


def _group_at_hand(window: MainWindow, unfold: bool) -> int | None:
    """Returns the group that would be unfolded or folded: the selected one, or that around the selected node."""
    workspace, document = window.workspace, window.document
    if workspace is None or document is None or not workspace.has_picture or workspace.folds.groups is None:
        return None
    folds, groups, selection = workspace.folds, workspace.folds.groups, document.selection
    if selection.group is not None:
        if folds.is_open(selection.group) != unfold:
            return selection.group
        around = int(groups.parent[selection.group])
        return None if unfold or around < 0 else around
    node = selection.node
    if node is None and selection.tensor is not None:
        producer = int(document.graph.tensor_producer[selection.tensor])
        node = producer if producer >= 0 else None
    if node is None:
        return None
    around_node = groups.ancestors(int(groups.node_group[node]))
    if unfold:
        return next((group for group in reversed(around_node) if not folds.is_open(group)), None)
    return next((group for group in around_node if folds.is_open(group)), None)


def _with_group(window: MainWindow, unfold: bool) -> None:
    from cutter_gui.gui.selection import Selection

    group = _group_at_hand(window, unfold)
    workspace, document = window.workspace, window.document
    if group is None or workspace is None or document is None:
        return
    change: Callable[[int], None] = workspace.folds.unfold if unfold else workspace.folds.fold
    change(group)
    if not unfold:
        document.select(Selection(group=group))
