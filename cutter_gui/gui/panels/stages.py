"""The Stages panel: the preview of what will be saved, made by the code that saves it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from cutter_gui.gui.actions import ActionRegistry
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.mending import troubled_stages
from cutter_gui.gui.panels import stage_rows
from cutter_gui.gui.panels.cut_rows import SelectTensor
from cutter_gui.gui.panels.panel import Panel
from cutter_gui.gui.panels.row_list import RowList
from cutter_gui.gui.panels.stage_strip import Item, StageItem, StageStrip
from cutter_gui.gui.selection import Selection

_DETAILS_WIDTH = 300


class StagesPanel(Panel):
    """Shows every stage and what is sent between them; a click unfolds the details.

    Signals:
        reveal_wanted: Number of a stage that the canvas should show.
    """

    reveal_wanted = Signal(int)

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("Stages"))
        self._document: Document | None = None
        self._detailed: Item | None = None
        self.strip = StageStrip()
        self.strip.setAccessibleName(self.tr("Stages"))
        self.details = RowList()
        self.details.setAccessibleName(self.tr("Details of a stage"))
        self.details.setObjectName("stage-details")
        self.details.setFixedWidth(_DETAILS_WIDTH)
        self.details.setVisible(False)
        self._divider = QFrame()
        self._divider.setFrameShape(QFrame.Shape.VLine)
        self._divider.setFrameShadow(QFrame.Shadow.Plain)
        self._divider.setForegroundRole(QPalette.ColorRole.Mid)
        self._divider.setVisible(False)
        row = QHBoxLayout()
        row.setContentsMargins(4, 0, 0, 4)
        row.setSpacing(0)
        row.addWidget(self.strip, 1)
        row.addWidget(self._divider)
        row.addWidget(self.details)
        self.body.addLayout(row, 1)
        self.add_button(actions["preview.show"])
        self.add_button(actions["stages.save"])
        self.strip.picked.connect(self._pick)
        self.details.activated_target.connect(self._activate)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._show_details(None)
        self._refresh()

    def refresh(self, change: Change) -> None:
        """Refreshes what a change of the document concerns."""
        if change.plan:
            self._refresh()

    def _refresh(self) -> None:
        document = self._document
        if document is None:
            self.strip.set_items(())
            return
        items = stage_rows.strip_items(document.graph, document.contents, troubled_stages(document), document.symbols)
        at = None if self._detailed is None else _position(items, self._detailed)
        self.strip.set_items(items)
        self._show_details(None if at is None else items[at])

    def _pick(self, item: Item) -> None:
        if self._detailed is not None and self._document is not None:
            same = _position(self.strip.items, self._detailed)
            if same is not None and self.strip.items[same] == item:
                self._show_details(None)
                return
        self._show_details(item)
        if isinstance(item, StageItem):
            self.reveal_wanted.emit(item.stage)

    def _show_details(self, item: Item | None) -> None:
        self._detailed = item
        shown = item is not None and self._document is not None
        self.details.setVisible(shown)
        self._divider.setVisible(shown)
        self.strip.set_current(None if item is None else _position(self.strip.items, item))
        if item is None or self._document is None:
            return
        graph, contents = self._document.graph, self._document.contents
        if isinstance(item, StageItem):
            self.details.set_rows(stage_rows.stage_detail_rows(graph, contents[item.stage], self._document.symbols))
        else:
            self.details.set_rows(stage_rows.send_detail_rows(graph, contents[item.source], self._document.symbols))

    def _activate(self, target: object) -> None:
        match target:
            case SelectTensor(tensor) if self._document is not None:
                self._document.select(Selection(tensor=tensor))
            case stage_rows.RevealStage(stage):
                self.reveal_wanted.emit(stage)


def _position(items: tuple[Item, ...], item: Item) -> int | None:
    """Returns the place of the item that stands for the same stage or boundary."""
    at = item.stage * 2 if isinstance(item, StageItem) else item.source * 2 + 1
    return at if at < len(items) else None
