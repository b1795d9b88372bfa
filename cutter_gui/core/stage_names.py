"""Names of the files of a stage, made from the model's (DESIGN, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 255
"""Bytes in a file name that every common file system takes."""


def stage_stem(model: str, endings: Sequence[str], stage_count: int, added: Sequence[str]) -> str:
    """Returns what the files of all stages of a model begin with, before ``_<i>``.

    Characters that would break a line, that are no text at all, or that part folders on some system, become ``_``; a
    name so long that the files' names would be too long for a file system loses its end.

    Args:
        model: The model's file name.
        endings: Endings of such files, lower case, with the dot; upper case counts too.
        stage_count: Number of stages.
        added: What file names end in after ``_<i>``.
    """
    ending = next((ending for ending in endings if model.lower().endswith(ending)), "")
    stem = "".join(c if c.isprintable() and c != "\\" else "_" for c in model[: len(model) - len(ending)])
    room = _LONGEST - len(f"_{stage_count - 1}") - max(len(end.encode()) for end in added)
    return stem.encode()[:room].decode(errors="ignore")
