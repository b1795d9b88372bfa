"""Strings as YAML scalars that every reader, of YAML 1.1 and 1.2 alike, reads as the same strings."""

from __future__ import annotations

import re

# Begins like a word or a path and holds nothing that means anything to YAML, in block and in flow style.
_PLAIN = re.compile(r"(?:\.{0,2}/)*[A-Za-z_](?:[A-Za-z0-9_./-]| (?=[A-Za-z0-9_./-]))*", re.ASCII)
_READ_AS_VALUES = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_SHORT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def scalar(text: str) -> str:
    """Returns ``text`` as a YAML scalar on one line: plain where that is safe everywhere, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _READ_AS_VALUES:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """Returns ``text`` in double quotes; what cannot be seen is escaped."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
