"""The Stages preview, as entries of the registry of actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.gui.stages_preview.view import Arrangement, StagesView
    from cutter_gui.gui.stages_preview.window import StagesPreview
    from cutter_gui.gui.window import MainWindow

PREVIEW_MENU = (
    "preview.show",
    "-",
    "preview.columns",
    "preview.rows",
    "-",
    "preview.unfold_all",
    "preview.fold_all",
    "-",
    "preview.symbols",
)


class _OnePreview:
    """The preview of a window, made when it is first asked for."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.made: StagesPreview | None = None

    @property
    def is_shown(self) -> bool:
        return self.made is not None and self.made.isVisible()

    def present(self) -> StagesPreview:
        """Shows it."""
        if self.made is None:
            from cutter_gui.gui.stages_preview.window import StagesPreview

            self.made = StagesPreview(self._window)
        self.made.present()
        return self.made

    def toggle(self) -> None:
        """Shows it, or closes it when it is in front."""
        if self.made is not None and self.made.isActiveWindow():
            self.made.close()
        else:
            self.present()


def preview_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    tr = window.tr
    preview = _OnePreview(window)

    def has_document() -> bool:
        return window.document is not None

    def in_view(do: Callable[[StagesView], None]) -> Callable[[], None]:
        def act() -> None:
            shown = preview.made if preview.is_shown else None
            do((shown or preview.present()).view)

        return act

    def arrangement(name: Arrangement, text: str, tip: str, key: str) -> ActionSpec:
        return ActionSpec(
            f"preview.{name}",
            text,
            in_view(lambda view: view.set_arrangement(name)),
            key,
            tip=tip,
            enabled=has_document,
            checked=lambda: preview.made is not None and preview.made.view.arrangement == name,
        )

    return (
        ActionSpec(
            "preview.show",
            tr("Stages pre&view"),
            preview.toggle,
            "P",
            "layout-column-line",
            tr("Show every stage with its Send and Recv, and what runs between them"),
            enabled=has_document,
        ),
        arrangement("columns", tr("&Columns"), tr("Show the stages from left to right"), "Ctrl+Alt+C"),
        arrangement("rows", tr("&Rows"), tr("Show the stages from top to bottom"), "Ctrl+Alt+R"),
        ActionSpec(
            "preview.unfold_all",
            tr("&Unfold all"),
            in_view(lambda view: view.unfold_all(True)),
            "Ctrl+Alt+E",
            tip=tr("Show the nodes of every stage in the preview"),
            enabled=has_document,
        ),
        ActionSpec(
            "preview.fold_all",
            tr("&Fold all"),
            in_view(lambda view: view.unfold_all(False)),
            "Ctrl+Alt+F",
            tip=tr("Show stages without their nodes in the preview"),
            enabled=has_document,
        ),
        ActionSpec(
            "preview.symbols",
            tr("&Values of symbols"),
            lambda: preview.present().symbols.begin(),
            "Ctrl+Alt+V",
            tip=tr("Give symbols of open dimensions values to count bytes with"),
            enabled=lambda: has_document() and _has_symbols(window),
        ),
    )


def _has_symbols(window: MainWindow) -> bool:
    document = window.document
    return document is not None and document.has_symbols
