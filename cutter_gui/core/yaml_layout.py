"""How the entries of a YAML collection lie in their text, comments included.

Terms. The *body* of an entry is its text from its first character (the dash, or the key) on, with the comment at the
end of its last line. Its *lead* are the comments above it, which go where the entry goes. The *head* and the *tail* are
comments of the collection as a whole.

In block style a comment between two entries belongs to the one below, unless it is indented deeper than the entries
begin, which makes it part of the one above. Above the first entry, what a blank line sets apart is the head. In flow
style a comment on the line of an entry belongs to that entry, any other one to the entry below.

Each layout takes time linear in the entries and the comments between them; what lies inside entries is not looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from cutter_gui.core.yaml_tree import Collection, Entry, Node, Scalar, Tree

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANKS_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_COLON = re.compile(r"[ \t]*:")
_LINE_COMMENT = re.compile(r"[ \t]*#[^\r\n]*")
_COMMA_OR_COMMENT = re.compile(r",|#[^\r\n]*")


class UnusualLayout(Exception):
    """A way of writing that no edit is foreseen for, such as ``? key``."""


@dataclass(frozen=True)
class Place:
    """A collection and the room it has.

    Attributes:
        collection: The collection.
        header_end: Index after the colon or dash that it is the value of.
        column: Column at which its entries would begin if they were to be written below its header.
        limit: Index up to which lines below it may belong to it.
        in_block: Whether all that it lies in is in block style.
    """

    collection: Collection
    header_end: int
    column: int
    limit: int
    in_block: bool


@dataclass(frozen=True)
class BlockLayout:
    """The parts of a block collection; put together in order they are ``text[start:end]``.

    Attributes:
        column: Where its entries begin.
        inline: Whether the first entry begins on the line of the header.
        start: Where its first whole line begins, or the first entry when inline.
        end: Where its last line ends.
        head: Comments that stay above all entries.
        blanks: Blank lines above each entry.
        leads: Comments of each entry, whole lines.
        bodies: Start and end of each entry; the end is that of a line.
        tail: Comments that stay below all entries.
    """

    column: int
    inline: bool
    start: int
    end: int
    head: str
    blanks: tuple[str, ...]
    leads: tuple[str, ...]
    bodies: tuple[tuple[int, int], ...]
    tail: str


@dataclass(frozen=True)
class FlowLayout:
    """The parts of a flow collection.

    Attributes:
        head: A comment on the line of the opening bracket.
        leads: Blanks and comments before each entry.
        bodies: Start and end of each entry.
        before_commas: What stands between each entry and its comma.
        trails: The comment after each entry on its line.
        closing: What stands before the closing bracket.
        trailing_comma: Whether the last entry has a comma, too.
    """

    head: str
    leads: tuple[str, ...]
    bodies: tuple[tuple[int, int], ...]
    before_commas: tuple[str, ...]
    trails: tuple[str, ...]
    closing: str
    trailing_comma: bool


class Layouts:
    """Finds the layout of collections in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.text = tree.text
        self._tree = tree
        self._blocks: dict[int, BlockLayout] = {}
        self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(tree.text))]
        first = _LINE_END.search(tree.text)
        self.newline = first.group() if first else "\n"

    def root(self) -> Place:
        """Returns the place of the root, which must be a collection."""
        root = self._tree.root
        assert isinstance(root, Collection)
        return Place(root, root.start, 0, self._tree.end, in_block=True)

    def value(self, place: Place, index: int) -> Place:
        """Returns the place of the collection that is the value of an entry."""
        parent = place.collection
        entry = parent.entries[index]
        assert isinstance(entry.value, Collection)
        if parent.flow:
            return Place(entry.value, entry.value.start, 0, entry.value.end, in_block=False)
        layout = self.block(place)
        start, end = layout.bodies[index]
        return Place(entry.value, self._header_end(entry, start), layout.column + 2, end, place.in_block)

    def block(self, place: Place) -> BlockLayout:
        """Returns the layout of a block collection.

        Raises:
            UnusualLayout: Keys are written as ``? key``.
        """
        known = self._blocks.get(id(place.collection))
        if known is None:
            known = self._blocks[id(place.collection)] = self._find_block(place)
        return known

    def _find_block(self, place: Place) -> BlockLayout:
        collection = place.collection
        starts = self._block_starts(collection)
        column = starts[0] - self._line_start(starts[0])
        inline = self._line(place.header_end) == self._line(starts[0])
        begin = starts[0] if inline else self.line_end(place.header_end)
        head, blanks, lead = "", "", ""
        if not inline:
            head, blanks, lead = _head_blanks_lead(self.text[begin : self._line_start(starts[0])])
        all_blanks, leads, bodies = [blanks], [lead], []
        for index, start in enumerate(starts):
            is_last = index + 1 == len(starts)
            stop = place.limit if is_last else self._line_start(starts[index + 1])
            content_end = self.line_end(self._content_end(collection.entries[index].value))
            body_end = self._end_of_deeper_comments(content_end, stop, column)
            bodies.append((start, body_end))
            if not is_last:
                blanks, lead = _blanks_lead(self.text[body_end:stop])
                all_blanks.append(blanks)
                leads.append(lead)
        end = max(place.limit, bodies[-1][1])
        tail = self.text[bodies[-1][1] : end]
        return BlockLayout(column, inline, begin, end, head, tuple(all_blanks), tuple(leads), tuple(bodies), tail)

    def flow(self, place: Place) -> FlowLayout:
        """Returns the layout of a flow collection that has entries.

        Raises:
            UnusualLayout: An entry is a pair without braces.
        """
        collection = place.collection
        bodies = tuple(self._flow_body(entry) for entry in collection.entries)
        head, lead = _line_comment(self.text[collection.start + 1 : bodies[0][0]])
        leads, before_commas, trails = [lead], [], []
        for (_, end), (start, _) in pairwise(bodies):
            parts = _at_comma(self.text[end:start])
            assert parts is not None
            before, after = parts
            trail, lead = _line_comment(after)
            before_commas.append(before)
            trails.append(trail)
            leads.append(lead)
        last = self.text[bodies[-1][1] : collection.end - 1]
        last_parts = _at_comma(last)
        before, after = last_parts or ("", last)
        trail, closing = _line_comment(after)
        return FlowLayout(
            head, tuple(leads), bodies, (*before_commas, before), (*trails, trail), closing, last_parts is not None
        )

    def line_end(self, index: int) -> int:
        """Returns where the line that holds ``index`` ends, its line break included."""
        line = self._line(index) + 1
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def _line(self, index: int) -> int:
        return bisect_right(self._line_starts, index) - 1

    def _line_start(self, index: int) -> int:
        return self._line_starts[self._line(index)]

    def _block_starts(self, collection: Collection) -> list[int]:
        """Where each entry of a block collection begins: its dash or key."""
        if collection.mapping:
            starts = [entry.key.start for entry in collection.entries if entry.key]
            if starts[0] != collection.start or any(not self._begins_its_line(start) for start in starts[1:]):
                raise UnusualLayout
            return starts
        starts = [collection.start]
        for entry in collection.entries[:-1]:
            blanks = _BLANKS_AND_COMMENTS.match(self.text, self._content_end(entry.value))
            assert blanks is not None
            starts.append(blanks.end())
        return starts

    def _begins_its_line(self, index: int) -> bool:
        return not self.text[self._line_start(index) : index].strip()

    def _flow_body(self, entry: Entry) -> tuple[int, int]:
        value = entry.value
        start = entry.key.start if entry.key else value.start
        if isinstance(value, Collection) and (not value.flow or self.text[value.start] not in "[{"):
            raise UnusualLayout
        if entry.key and not _COLON.match(self.text, entry.key.end):
            raise UnusualLayout
        return start, value.end

    def _header_end(self, entry: Entry, start: int) -> int:
        if entry.key is None:
            return start + 1
        colon = _COLON.match(self.text, entry.key.end)
        if colon is None:
            raise UnusualLayout
        return colon.end()

    def _content_end(self, node: Node) -> int:
        """Where the last character of a node ends, comments and blanks after it left out."""
        while isinstance(node, Collection) and not node.flow:
            node = node.entries[-1].value
        if isinstance(node, Scalar) and node.style in ("|", ">"):
            return node.start + len(self.text[node.start : node.end].rstrip())
        return node.end

    def _end_of_deeper_comments(self, start: int, stop: int, column: int) -> int:
        """The end of the last comment line from ``start`` on before one that is not indented deeper than ``column``."""
        end = start
        line = self._line(start)
        while line < len(self._line_starts) and self._line_starts[line] < stop:
            begin, line = self._line_starts[line], line + 1
            after = min(self._line_starts[line] if line < len(self._line_starts) else len(self.text), stop)
            content = self.text[begin:after].lstrip(" \t")
            if not content.strip():
                continue
            if after - begin - len(content) <= column:
                break
            end = after
        return end


def _head_blanks_lead(lines: str) -> tuple[str, str, str]:
    """Splits what stands above the first entry."""
    blanks, comments = _blanks_lead(lines)
    kept = comments.splitlines(keepends=True)
    last_blank = max((index for index, line in enumerate(kept) if not line.strip()), default=-1)
    if last_blank < 0:
        return "", blanks, comments
    return blanks + "".join(kept[: last_blank + 1]), "", "".join(kept[last_blank + 1 :])


def _blanks_lead(lines: str) -> tuple[str, str]:
    """Splits lines into the blank ones at the beginning and the rest."""
    kept = lines.splitlines(keepends=True)
    count = next((index for index, line in enumerate(kept) if line.strip()), len(kept))
    return "".join(kept[:count]), "".join(kept[count:])


def _line_comment(text: str) -> tuple[str, str]:
    """Splits off a comment that stands on the first line."""
    match = _LINE_COMMENT.match(text)
    return (match.group(), text[match.end() :]) if match else ("", text)


def _at_comma(gap: str) -> tuple[str, str] | None:
    """Splits a gap between entries at its comma, if it has one outside comments."""
    for match in _COMMA_OR_COMMENT.finditer(gap):
        if match.group() == ",":
            return gap[: match.start()], gap[match.end() :]
    return None
