"""YAML text as a tree of nodes that know their place in the text.

A scalar keeps what was written rather than what a YAML type system would make of it, so ``186``, ``0186``, ``1e3``,
``yes`` and ``~`` are just these strings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from cutter_gui.core.errors import CutterError

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Scalar:
    """A scalar.

    Attributes:
        start: Index of its first character in the text, an opening quote included; where nothing is written at all,
            that of its key.
        end: Index after its last.
        value: Its text, without quotes and escapes.
        style: ``""`` plain, or the character that opens it: one of ``'``, ``"``, ``|``, ``>``.
    """

    start: int
    end: int
    value: str
    style: str

    @property
    def plain(self) -> bool:
        return not self.style


@dataclass(frozen=True)
class Entry:
    """One entry of a collection; ``key`` is None in a sequence."""

    key: Scalar | None
    value: Node


@dataclass
class Collection:
    """A mapping or a sequence.

    Attributes:
        mapping: Whether it is a mapping.
        flow: Whether it is written with brackets or braces.
        start: Index of its first character.
        end: In flow style the index after its closing bracket, else after it and what follows it up to the next token.
        entries: Its entries in order.
    """

    mapping: bool
    flow: bool
    start: int
    end: int
    entries: list[Entry] = field(default_factory=list)


Node: TypeAlias = "Scalar | Collection"


@dataclass(frozen=True)
class Tree:
    """A parsed text.

    Attributes:
        text: The text, without a byte order mark.
        where: The file, for messages.
        root: The root node.
        end: Index where the document ends: the text's end, or a ``...`` line.
    """

    text: str
    where: str
    root: Node
    end: int

    def error(self, what: str, at: Node | Entry | int, remedy: str) -> CutterError:
        """Returns an error that points at a node."""
        if isinstance(at, Entry):
            at = at.key or at.value
        return error_at(self.text, self.where, at if isinstance(at, int) else at.start, what, remedy)


def error_at(text: str, where: str, index: int, what: str, remedy: str) -> CutterError:
    """Returns an error whose place is ``file:line:column``, both counted from 1."""
    line_ends = list(_LINE_END.finditer(text, 0, index))
    line_start = line_ends[-1].end() if line_ends else 0
    return CutterError(what, f"{where}:{len(line_ends) + 1}:{index - line_start + 1}", remedy)
