"""What can be done with a node, an edge or a group, as a menu at the pointer; entries show what they would do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from cutter_gui.gui.cutting import Cutting
from cutter_gui.gui.document import Document
from cutter_gui.gui.previews import Preview, put_into_stage, start_stage

_STAGES = 9

Ask = Callable[[Document], Preview]


class CuttingMenu(QMenu):
    """A menu whose entries are previewed on the canvas while the pointer or the keyboard is on them."""

    def __init__(self, cutting: Cutting, parent: QWidget) -> None:
        super().__init__(parent)
        self._cutting = cutting
        self._chosen = False
        self.aboutToHide.connect(self._drop_later)

    def add_preview(self, text: str, key: object, ask: Ask, menu: QMenu | None = None) -> QAction:
        """Adds an entry that shows a preview when it is at hand, and applies it when it is chosen."""
        action = (menu or self).addAction(text)
        action.hovered.connect(lambda: self._cutting.show(("menu", key), ask))
        action.triggered.connect(lambda: self._do(key, ask))
        return action

    def _do(self, key: object, ask: Ask) -> None:
        self._cutting.show(("menu", key), ask)
        self._cutting.apply()

    def _drop_later(self) -> None:
        # An entry that is chosen triggers only after the menu has gone; what it applies is asked for anew then.
        self._cutting.drop()


def fill_for_nodes(menu: CuttingMenu, document: Document, first: int, last: int, nodes: list[int]) -> None:
    """Adds what can be done with a node, or with a group from its first node to its last."""
    tr = menu.tr
    menu.add_preview(
        tr("&Start a stage here"), ("start", first), lambda doc: start_stage(doc.graph, doc.plan, first, False)
    )
    menu.add_preview(tr("&End a stage here"), ("end", last), lambda doc: start_stage(doc.graph, doc.plan, last, True))
    stages = menu.addMenu(tr("&Put into stage"))
    for stage in range(min(document.staging.stage_count + 1, _STAGES)):
        text = tr("Stage &{}").format(stage) if stage < document.staging.stage_count else tr("New stage &{}")
        menu.add_preview(
            text.format(stage),
            ("put", stage, *nodes),
            lambda doc, number=stage: put_into_stage(doc.graph, doc.plan, nodes, number),  # type: ignore[misc]
            stages,
        )
