"""Short names for boxes, and the room they need without asking a font."""

from __future__ import annotations

import re

NAME_CHARACTERS = 26

_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
_PARTS = re.compile(r"(?<=[/.])")


def short_name(name: str, limit: int = NAME_CHARACTERS) -> str:
    """Returns a name that fits ``limit`` characters, its middle elided.

    A path keeps its first part and as many of its last parts as fit: ``layer.7/…/LayerNorm``.
    """
    shown = printable(name).strip("/")
    if len(shown) <= limit:
        return shown
    parts = [part for part in _PARTS.split(shown) if part]
    if len(parts) > 2:
        for first in (parts[0], ""):
            room = limit - len(first) - 2
            kept = ""
            for part in reversed(parts[1:]):
                if len(part) + len(kept) > room:
                    break
                kept = part + kept
            if kept:
                return f"{first}…/{kept}" if first else f"…/{kept}"
    half = (limit - 1) // 2
    return f"{shown[: limit - 1 - half]}…{shown[-half:]}"


def printable(text: str) -> str:
    """Returns text whose characters can be drawn on one line; what joins others, as in many emoji, stays."""
    return "".join(c if c.isprintable() or c in _JOINERS else "\N{REPLACEMENT CHARACTER}" for c in text)


def uses_text(uses: int) -> str:
    """Returns how often a hub tensor is read, for its pills."""
    return f"{uses} use" if uses == 1 else f"{uses} uses"
