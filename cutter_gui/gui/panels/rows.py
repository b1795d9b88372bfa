"""Rows: what lists in the panels are made of.

A panel turns the document into a tuple of `Row`, which is plain data, and a `RowList` shows them, painting only those
in sight: a mask with 500 consumers costs as much as one with five. Parts of a row stand side by side; names are shown
as they are, never as markup.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from cutter_gui.core.errors import one_line

AnyIndex: TypeAlias = "QModelIndex | QPersistentModelIndex"
ROW_ROLE = Qt.ItemDataRole.UserRole + 1


class Tone(Enum):
    """What a text is, which decides its colour."""

    TEXT = auto()
    MUTED = auto()
    LINK = auto()
    ERROR = auto()
    WARNING = auto()
    GOOD = auto()


@dataclass(frozen=True)
class Span:
    """A run of text.

    Attributes:
        text: Shown literally.
        tone: What it is.
        bold: Whether it is set in bold.
        mono: Whether it is a name of the model, set in the monospace font.
        elastic: Whether it gives way, its middle elided, when room is short.
        target: What a click on it stands for; None for nothing.
        tip: Tooltip, the whole name where the text is cut short.
    """

    text: str
    tone: Tone = Tone.TEXT
    bold: bool = False
    mono: bool = False
    elastic: bool = False
    target: Hashable = None
    tip: str = ""


@dataclass(frozen=True)
class Chip:
    """The coloured number of a stage."""

    stage: int


@dataclass(frozen=True)
class Gap:
    """Takes all room that is left, so that what follows stands at the right."""


@dataclass(frozen=True)
class Sign:
    """An icon by name."""

    icon: str
    tone: Tone = Tone.MUTED
    target: Hashable = None
    tip: str = ""


@dataclass(frozen=True)
class Check:
    """A check box, with what a click on it stands for."""

    on: bool
    target: Hashable
    enabled: bool = True


@dataclass(frozen=True)
class Button:
    """A small button."""

    text: str
    target: Hashable


Part: TypeAlias = "Span | Chip | Gap | Sign | Check | Button"


class CardPlace(Enum):
    """Where in a card a row stands."""

    NONE = auto()
    TOP = auto()
    MIDDLE = auto()
    BOTTOM = auto()
    SPACE = auto()  # between two cards


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        key: What it stands for; the same after a change, so that the current row stays the current one.
        parts: What it shows, left to right.
        indent: Pixels from the left.
        height: Pixels; 0 for that of a line of text.
        card: Where in a card it stands.
        active: Whether the card it belongs to is outlined in the accent colour.
        wrap: Whether its last span may take several lines.
        target: What a click beside its parts stands for, and the Enter key.
        edit: The text that editing the row starts with; None when it cannot be edited.
        tip: Tooltip.
    """

    key: Hashable
    parts: tuple[Part, ...]
    indent: int = 0
    height: int = 0
    card: CardPlace = CardPlace.NONE
    active: bool = False
    wrap: bool = False
    target: Hashable = None
    edit: str | None = None
    tip: str = ""

    @property
    def text(self) -> str:
        """All the text of the row, for screen readers and for search."""
        words = []
        for part in self.parts:
            if isinstance(part, (Span, Button)):
                words.append(part.text)
            elif isinstance(part, Chip):
                words.append(str(part.stage))
        return " ".join(words)

    @property
    def check(self) -> Check | None:
        return next((part for part in self.parts if isinstance(part, Check)), None)


def name_span(name: str, **options: Any) -> Span:
    """Returns a span for a name of the model: monospace, control characters escaped, whole in the tooltip."""
    shown = one_line(name)
    return Span(shown, mono=True, elastic=True, tip=shown, **options)


def plain_tip(text: str) -> str:
    """Returns a tooltip that Qt shows literally even when the text looks like markup: it guesses unless told."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""


class RowsModel(QAbstractListModel):
    """The rows as a Qt model.

    Signals:
        edited: Key of a row and its new text.
    """

    edited = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> bool:
        """Shows other rows.

        Returns:
            Whether rows came or went, which makes views lose their current row.
        """
        new = tuple(rows)
        if new == self._rows:
            return False
        if [row.key for row in new] == [row.key for row in self._rows]:
            self._rows = new
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return False
        self.beginResetModel()
        self._rows = new
        self.endResetModel()
        return True

    def position(self, key: Hashable) -> int | None:
        """Returns the place of the row with this key."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), None)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.text
        if role == Qt.ItemDataRole.EditRole:
            return row.edit
        if role == Qt.ItemDataRole.CheckStateRole and row.check is not None:
            return Qt.CheckState.Checked if row.check.on else Qt.CheckState.Unchecked
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        self.edited.emit(self._rows[index.row()].key, str(value))
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        row = self._rows[index.row()]
        if row.card is CardPlace.SPACE:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if row.edit is not None else flags
