"""Long runs of simple list items in YAML, read at a stroke.

A parser in pure Python takes some 30 microseconds a token; a spec with 20,000 edges would take many seconds. Nearly all
of such a file are items like ``- {tensor: a, consumers: [b, "c"]}``, one below the other at the same indentation.

Steps: (1) a regular expression finds the items that are written in the plainest way, and runs of them; (2) in the text
given to the parser each run, but for its first and last item, is replaced by one item that holds a mark; (3) in the
tree that results the marks are replaced by the items. That is right if each mark comes back as an item of a block list:
then what it stands for is a part of that list, too, and each item ends where the next begins. If one does not, since
the run is inside a quoted string, say, or if there is an error, the whole text is parsed as if there were no runs.
Linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from cutter_gui.core.yaml_tree import Collection, Entry, Node, Scalar

_SCALAR_TEXT = r"""(?:"[^"\\\r\n]*"|'[^'\r\n]*'|[A-Za-z0-9_][A-Za-z0-9_./]*)"""
_VALUE_TEXT = rf"(?:{_SCALAR_TEXT}|\[ *{_SCALAR_TEXT}(?: *, *{_SCALAR_TEXT})* *\])"
_PAIR_TEXT = rf"[a-z]+: +{_VALUE_TEXT}"
_LINE_END_TEXT = r"(?: +#[^\r\n]*| *)(?:\r\n|\n)"

_ITEM = re.compile(
    rf"^( *)- (?:{_SCALAR_TEXT}{_LINE_END_TEXT}"
    rf"|\{{ *{_PAIR_TEXT}(?: *, *{_PAIR_TEXT})* *\}}{_LINE_END_TEXT}"
    rf"|{_PAIR_TEXT}{_LINE_END_TEXT}(?:\1  {_PAIR_TEXT}{_LINE_END_TEXT})*)",
    re.MULTILINE,
)
_NO_ITEMS = re.compile(r"(?: *(?:#[^\r\n]*)?(?:\r\n|\n))*")
_SCALAR = re.compile(_SCALAR_TEXT)
_PAIR = re.compile(rf"([a-z]+): +({_VALUE_TEXT})")
_BETWEEN_LINES = re.compile(rf"{_LINE_END_TEXT} *")
_BLANKS = re.compile(r" *")
_BETWEEN_FLOW_PAIRS = re.compile(r" *,? *")


@dataclass(frozen=True)
class _Run:
    """Items that are left out of the shortened text.

    Attributes:
        items: Where each begins, at its dash, and where its last line ends.
        start: Index of the first line that is left out.
        end: Index after the last.
        mark: The scalar that stands for them.
    """

    items: list[tuple[int, int]]
    start: int
    end: int
    mark: str


class Shortened:
    """A text in which runs are replaced by marks."""

    def __init__(self, text: str, runs: list[_Run]) -> None:
        self.full_text = text
        self._runs = {run.mark: run for run in runs}
        pieces: list[str] = []
        self._short_ends, self._shifts = [0], [0]
        done = length = 0
        for run in runs:
            indent = " " * (run.items[0][0] - run.start)
            pieces += [text[done : run.start], f"{indent}- {run.mark}\n"]
            length += len(pieces[-2]) + len(pieces[-1])
            done = run.end
            self._short_ends.append(length)
            self._shifts.append(done - length)
        pieces.append(text[done:])
        self.text = "".join(pieces)

    def full_index(self, index: int) -> int:
        """Returns the index in the full text of one in the shortened text."""
        return index + self._shifts[bisect_right(self._short_ends, index) - 1]

    def filled_in(self, root: Node) -> Node | None:
        """Returns the tree of the full text, or None if a mark is not where an item should be.

        Args:
            root: The tree of the shortened text; its collections are changed.
        """
        waiting = set(self._runs)
        if isinstance(root, Scalar):
            return None
        stack = [root]
        while stack:
            node = stack.pop()
            is_list = not node.mapping and not node.flow
            node.start, node.end = self.full_index(node.start), self.full_index(node.end)
            entries: list[Entry] = []
            for entry in node.entries:
                value = entry.value
                if isinstance(value, Collection):
                    stack.append(value)
                elif is_list and value.value in waiting and value.plain:
                    waiting.remove(value.value)
                    run = self._runs[value.value]
                    entries += [Entry(None, self._item(dash + 2, end)) for dash, end in run.items]
                    continue
                else:
                    value = self._placed(value)
                entries.append(Entry(entry.key and self._placed(entry.key), value))
            node.entries = entries
        return None if waiting else root

    def _placed(self, node: Scalar) -> Scalar:
        return Scalar(self.full_index(node.start), self.full_index(node.end), node.value, node.style)

    def _item(self, start: int, line_end: int) -> Node:
        text = self.full_text
        if text[start] == "{":
            entries, brace = self._pairs(start + 1, _BETWEEN_FLOW_PAIRS, line_end)
            return Collection(True, True, start, brace + 1, entries)
        if _PAIR.match(text, start):
            entries, end = self._pairs(start, _BETWEEN_LINES, line_end)
            return Collection(True, False, start, end, entries)
        return self._scalar(start)

    def _pairs(self, start: int, between: re.Pattern[str], end: int) -> tuple[list[Entry], int]:
        """Reads pairs from ``start`` on; returns them and the index after what follows the last."""
        entries = []
        start = _after(_BLANKS, self.full_text, start)
        while start < end and (pair := _PAIR.match(self.full_text, start)):
            key = Scalar(start, pair.end(1), pair.group(1), "")
            entries.append(Entry(key, self._value(*pair.span(2))))
            start = _after(between, self.full_text, pair.end())
        return entries, start

    def _value(self, start: int, end: int) -> Node:
        if self.full_text[start] != "[":
            return self._scalar(start)
        names = [Entry(None, self._scalar(match.start())) for match in _SCALAR.finditer(self.full_text, start, end)]
        return Collection(False, True, start, end, names)

    def _scalar(self, start: int) -> Scalar:
        match = _SCALAR.match(self.full_text, start)
        assert match is not None
        written = match.group()
        if written[0] in "\"'":
            return Scalar(start, match.end(), written[1:-1], written[0])
        return Scalar(start, match.end(), written, "")


def shortened(text: str, shortest: int) -> Shortened | None:
    """Returns the text with its runs replaced, or None if there are none.

    Args:
        text: The text.
        shortest: Number of items from which on they are a run, at least 3.
    """
    salt = next(number for number in count() if f"run{number}." not in text)
    runs: list[_Run] = []
    for group in _groups(text):
        if len(group) >= shortest:
            inner = group[1:-1]
            items = [(match.end(1), match.end()) for match in inner]
            runs.append(_Run(items, inner[0].start(), inner[-1].end(), f"run{salt}.{len(runs)}"))
    return Shortened(text, runs) if runs else None


def _groups(text: str) -> Iterator[list[re.Match[str]]]:
    """Yields simple items that follow each other at the same indentation with nothing but comments between."""
    group: list[re.Match[str]] = []
    for match in _ITEM.finditer(text):
        follows = (
            group and match.group(1) == group[-1].group(1) and _NO_ITEMS.fullmatch(text, group[-1].end(), match.start())
        )
        if not follows and group:
            yield group
            group = []
        group.append(match)
    yield group


def _after(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
