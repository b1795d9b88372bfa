"""File dialogs that call back, so that the window goes on living behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_open(
    parent: QWidget, title: str, folder: Path | None, filters: Sequence[str], then: Callable[[list[Path]], None]
) -> QFileDialog:
    """Asks for files to open."""
    dialog = _dialog(parent, title, folder, filters)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda names: then([Path(name) for name in names]))
    dialog.open()
    return dialog


def ask_save(
    parent: QWidget, title: str, suggested: Path, filters: Sequence[str], then: Callable[[Path, str], None]
) -> QFileDialog:
    """Asks where to save; Qt asks before an existing file is replaced. ``then`` gets the filter chosen as well."""
    dialog = _dialog(parent, title, suggested.parent, filters)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(suggested.name)
    dialog.fileSelected.connect(lambda name: then(Path(name), dialog.selectedNameFilter()))
    dialog.open()
    return dialog


def ask_folder(parent: QWidget, title: str, folder: Path | None, then: Callable[[Path], None]) -> QFileDialog:
    """Asks for a folder."""
    dialog = _dialog(parent, title, folder, ())
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, folder: Path | None, filters: Sequence[str]) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(folder or ""))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if filters:
        dialog.setNameFilters(list(filters))
    return dialog
