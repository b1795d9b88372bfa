"""Checks of a YAML tree against what a file format expects, with errors that point at the very place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection as Names
from collections.abc import Sequence

from cutter_gui.core.errors import CutterError
from cutter_gui.core.yaml_tree import Collection, Entry, Node, Scalar, Tree

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def document(tree: Tree, format_name: str, version: int, required: Names[str], optional: Names[str]) -> dict[str, Node]:
    """Returns the values of a whole document by key, once its format and version are known to be right.

    Args:
        tree: The document.
        format_name: What its key ``format`` must say.
        version: What its key ``version`` must say.
        required: Keys it must have, ``format`` and ``version`` not counted.
        optional: Keys it may have.

    Raises:
        CutterError: It is of another format or version, or a key is missing, unknown or repeated.
    """
    begin = f'begin the file with "format: {format_name}"'
    if not isinstance(tree.root, Collection) or not tree.root.mapping:
        raise tree.error(f"this is no {format_name} file", tree.root, begin)
    found = _by_key(tree, tree.root)
    if "format" not in found:
        _refuse_unknown(tree, tree.root, ("format", "version", *required, *optional), near_only=True)
        raise tree.error("the key format is missing", tree.root, begin)
    if string(tree, found["format"], "format") != format_name:
        raise tree.error("the file is of another format", found["format"], f"open a file of format {format_name}")
    if "version" not in found:
        _refuse_unknown(tree, tree.root, ("format", "version", *required, *optional), near_only=True)
        raise tree.error("the key version is missing", tree.root, f'add "version: {version}"')
    if integer(tree, found["version"], "version") != version:
        remedy = f"this program reads version {version}; update the program, or save the file as version {version}"
        raise tree.error("unknown version", found["version"], remedy)
    return mapping(tree, tree.root, "the file", ("format", "version", *required), optional)


def mapping(
    tree: Tree, node: Node, what: str, required: Names[str], optional: Names[str] = (), example: str = ""
) -> dict[str, Node]:
    """Returns the values of a mapping by key.

    Args:
        tree: The document.
        node: The node that should be the mapping.
        what: What it is, for messages, such as ``an edge``.
        required: Keys it must have.
        optional: Keys it may have.
        example: How it is written, for messages.

    Raises:
        CutterError: The node is no mapping, or a key is missing, unknown or repeated.
    """
    if not isinstance(node, Collection) or not node.mapping:
        raise tree.error(f"{what} must be a mapping", node, f"write {example or 'key: value'}")
    found = _by_key(tree, node)
    _refuse_unknown(tree, node, (*required, *optional))
    for key in required:
        if key not in found:
            raise tree.error(f"{what} has no {key}", node, f"add the key {key}")
    return found


def sequence(tree: Tree, node: Node, what: str, example: str) -> list[Node]:
    """Returns the items of a sequence.

    Raises:
        CutterError: The node is no sequence.
    """
    if isinstance(node, Scalar) and node.start == node.end:
        raise tree.error(f"{what} is empty", node, f"write {example}, or [] for none")
    if not isinstance(node, Collection) or node.mapping:
        raise tree.error(f"{what} must be a list", node, f"write {example}")
    return [entry.value for entry in node.entries]


def string(tree: Tree, node: Node, what: str, empty_allowed: bool = False) -> str:
    """Returns a scalar's text.

    Args:
        tree: The document.
        node: The node that should be a scalar.
        what: What it is, for messages.
        empty_allowed: Whether ``""`` is right; nothing at all never is.

    Raises:
        CutterError: The node is no scalar, or is empty.
    """
    if not isinstance(node, Scalar):
        raise tree.error(f"{what} must be a single value", node, "write it on one line, in double quotes if needed")
    if not node.value and (node.plain or not empty_allowed):
        raise tree.error(f"{what} is empty", node, "give it a value, or take the key out")
    return node.value


def integer(tree: Tree, node: Node, what: str) -> int:
    """Returns a scalar's value as an integer.

    Raises:
        CutterError: The node is no plain integer.
    """
    text = string(tree, node, what)
    if not isinstance(node, Scalar) or not node.plain or not _INTEGER.fullmatch(text):
        raise tree.error(f"{what} must be an integer", node, "write digits without quotes")
    return int(text)


def one_of(tree: Tree, node: Node, what: str, choices: Sequence[str]) -> str:
    """Returns a scalar's text if it is one of the choices.

    Raises:
        CutterError: It is none of them.
    """
    text = string(tree, node, what)
    if text not in choices:
        raise tree.error(f'unknown {what} "{text}"', node, did_you_mean(text, choices) or f"use {listed(choices)}")
    return text


def did_you_mean(text: str, choices: Names[str]) -> str:
    """Returns a question that suggests the nearest choice, or ``""`` when none is near."""
    near = difflib.get_close_matches(text[:100].lower(), list(choices), n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""


def listed(choices: Sequence[str]) -> str:
    """Returns choices as words: ``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def _by_key(tree: Tree, node: Collection) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for entry in node.entries:
        key = _key(entry)
        if key in found:
            raise tree.error(f'the key "{key}" is repeated', entry, "keep one of them")
        found[key] = entry.value
    return found


def _refuse_unknown(tree: Tree, node: Collection, known: Sequence[str], near_only: bool = False) -> None:
    for entry in node.entries:
        key = _key(entry)
        if key in known:
            continue
        suggestion = did_you_mean(key, known)
        if suggestion or not near_only:
            raise _unknown_key(tree, entry, suggestion or f"take it out; the known keys are {', '.join(known)}")


def _unknown_key(tree: Tree, entry: Entry, remedy: str) -> CutterError:
    key = _key(entry)
    word, colon, rest = key.partition(":")
    if colon and rest and isinstance(entry.value, Scalar) and not entry.value.value:
        remedy = f'put a space after the colon, "{word}: {rest}"'
    return tree.error(f'unknown key "{key}"', entry, remedy)


def _key(entry: Entry) -> str:
    assert entry.key is not None
    return entry.key.value
