"""A scroll area that files can be dropped on."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


class DropArea(QAbstractScrollArea):
    """The base of the canvas.

    Signals:
        file_dropped: Paths of files that were dropped.
    """

    file_dropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent | QDragMoveEvent) -> None:
        if _local_files(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = _local_files(event)
        if files:
            event.acceptProposedAction()
            self.file_dropped.emit(files)


def _local_files(event: QDropEvent) -> list[str]:
    data = event.mimeData()
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []
