"""Parsing of YAML text into a tree of nodes that know their place.

The tree is built from ruamel.yaml's parse events without recursion, in time linear in the text; runs of simple items
are read at a stroke (see `cutter_gui.core.yaml_runs`). Left out, with an error: anchors, aliases, tags and more than
one document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cutter_gui.core.errors import CutterError
from cutter_gui.core.text_file import BYTE_ORDER_MARK
from cutter_gui.core.yaml_runs import Shortened, shortened
from cutter_gui.core.yaml_tree import Collection, Entry, Node, Scalar, Tree, error_at

SHORTEST_RUN = 32  # items; for fewer the parser is fast enough
DEEPEST = 32  # nested collections; a cut spec has six

# YAML allows only printable characters, and its versions disagree on which of the last three end a line.
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x85\u2028\u2029]")
_BEYOND_UNICODE = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")
_VERSION = re.compile(r"^%YAML[ \t]*([^\r\n \t]*)", re.MULTILINE)

# ruamel.yaml speaks of tokens; these are its messages that users of a cut spec meet most.
_SAID_PLAINLY = (
    ("expected <block end>", "this does not fit what stands above"),
    ("found unexpected end of stream", "the quote is never closed"),
    ("mapping values are not allowed here", "a colon and a space are not allowed here"),
    ("could not find expected ':'", "there is a key without a colon"),
    ("expected ',' or ']'", "expected a comma or ]"),
    ("expected ',' or '}'", "expected a comma or }"),
    ("expected the node content", "a value is missing"),
)
_POINT_AT_START = ("found unexpected end of stream", "could not find expected ':'")


def parse_tree(text: str, where: str, shortest_run: int = SHORTEST_RUN) -> Tree:
    """Parses a YAML text that holds one document.

    Args:
        text: The text; a byte order mark at its start is dropped.
        where: The file's name, for messages.
        shortest_run: Number of simple items in a row from which on they are read at a stroke.

    Raises:
        CutterError: The text is no YAML of the supported kind; the place is ``where:line:column``.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    _check_characters(text, where)
    _check_version(text, where)
    short = shortened(text, shortest_run)
    if short is not None and (tree := _filled_in(short, where)) is not None:
        return tree
    return _parsed(text, where)


def _filled_in(short: Shortened, where: str) -> Tree | None:
    """Parses a shortened text and puts the runs in; None where that does not work out, to be told by a full parse."""
    try:
        tree = _parsed(short.text, where)
    except CutterError:
        return None
    root = short.filled_in(tree.root)
    return None if root is None else Tree(short.full_text, where, root, short.full_index(tree.end))


def _parsed(text: str, where: str) -> Tree:
    builder = _Builder(text, where)
    for event in _events(text, where):
        builder.take(event)
    if builder.root is None or (isinstance(builder.root, Scalar) and builder.root.start == builder.root.end):
        raise CutterError("the file is empty", f"{where}:1:1", "check that it is the right file")
    return Tree(text, where, builder.root, builder.end)


def _check_characters(text: str, where: str) -> None:
    found = _NOT_ALLOWED.search(text)
    if found is None:
        return
    code = f"{ord(found.group()):04X}"
    remedy = f"write it as \\u{code.lower()} in double quotes"
    raise error_at(text, where, found.start(), f"character U+{code} may not stand in YAML as it is", remedy)


def _check_version(text: str, where: str) -> None:
    for directive in _VERSION.finditer(text):
        if directive.group(1) not in ("1.1", "1.2"):
            raise error_at(text, where, directive.start(), "unknown version of YAML", "write %YAML 1.2, or take it out")


def _events(text: str, where: str) -> Iterator[Any]:
    """Yields ruamel.yaml's events, its errors turned into ours."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        problem = str(error.problem or error.context)
        mark = error.context_mark if problem in _POINT_AT_START else error.problem_mark
        mark = mark or error.problem_mark or error.context_mark
        index = min(mark.index, len(text)) if mark else 0
        raise error_at(text, where, index, f"not valid YAML, {_said(problem)}", _mend(text, index)) from error
    except (YAMLError, ValueError, OverflowError) as error:  # the latter two from an escape beyond Unicode
        found = _BEYOND_UNICODE.search(text)
        what, remedy = "not valid YAML, an escape is no character", "write \\U0010FFFF or less"
        raise error_at(text, where, found.start() if found else 0, what, remedy) from error


def _said(problem: str) -> str:
    for start, sentence in _SAID_PLAINLY:
        if problem.startswith(start):
            return sentence
    return problem


def _mend(text: str, index: int) -> str:
    character = text[index : index + 1]
    if character == "\t":
        return "indent with spaces instead of tabs"
    if character and character in "%@`*&!|>":
        return f"put a name that begins with {character} in double quotes"
    return "mend indentation, brackets or quotes here; a name with special characters goes in double quotes"


def _with_pairs_joined(text: str) -> str:
    r"""Joins surrogate pairs: JSON, which YAML includes, writes characters beyond U+FFFF as two ``\uXXXX``."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class _Builder:
    """Builds the tree from events, with a stack of open collections in place of recursion."""

    def __init__(self, text: str, where: str) -> None:
        self.root: Node | None = None
        self.end = len(text)
        self._text = text
        self._where = where
        self._open: list[Collection] = []
        self._keys: list[Scalar | None] = []
        self._documents = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._refuse_properties(event)
            start, end = event.start_mark.index, event.end_mark.index
            self._add(Scalar(start, end, _with_pairs_joined(event.value), event.style or ""))
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._refuse_properties(event)
            self._open_collection(kind == "MappingStartEvent", event)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop().end = event.end_mark.index
            self._keys.pop()
        elif kind == "AliasEvent":
            raise self._error("aliases are not supported", event, "write the value out, or put the name in quotes")
        elif kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise self._error("the file holds several documents", event, "keep one document a file")
        elif kind == "DocumentEndEvent":
            self.end = event.start_mark.index

    def _open_collection(self, mapping: bool, event: Any) -> None:
        if len(self._open) >= DEEPEST:
            raise self._error("nested too deeply", event, "check that it is the right file")
        opened = Collection(mapping, bool(event.flow_style), event.start_mark.index, event.end_mark.index)
        if self._open and self._open[-1].mapping and self._keys[-1] is None:
            raise self._error("a key must be a word", event, "write it as key: value")
        self._add(opened)
        self._open.append(opened)
        self._keys.append(None)

    def _add(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if not parent.mapping:
            parent.entries.append(Entry(None, node))
        elif (key := self._keys[-1]) is None:
            assert isinstance(node, Scalar)
            self._keys[-1] = node
        else:
            if isinstance(node, Scalar) and node.start == node.end:
                node = Scalar(key.start, key.start, "", "")  # the parser puts it where the next thing begins
            parent.entries.append(Entry(key, node))
            self._keys[-1] = None

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            raise self._error("anchors are not supported", event, "take it out, or put the name in quotes")
        if event.tag is not None:
            raise self._error("tags are not supported", event, "take it out, or put the name in quotes")

    def _error(self, what: str, event: Any, remedy: str) -> CutterError:
        return error_at(self._text, self._where, event.start_mark.index, what, remedy)
