"""The names that a pickle would call, read from its opcodes; nothing is imported or run.

A pickle rebuilds objects by calling functions that it names. Terms: ``GLOBAL`` holds module and name as text,
``STACK_GLOBAL`` takes the two strings put down last, where one that is used again is recalled from the memo by number.
One pass over the opcodes, linear in their number; what a name's function does with its arguments is left out.
"""

from __future__ import annotations

import pickletools
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

_LARGEST = 1 << 27  # bytes of one pickle; the weights lie beside it
_MOST = 2000
_PICKLES = (".pkl", ".pt", ".pth")


def pickle_calls(path: Path, depth: int = 1) -> tuple[str, ...]:
    """Returns the names of functions and classes that pickles in a file refer to, sorted.

    A file that holds no pickle, or that is damaged, has those found up to there.

    Args:
        path: A pickle, or an archive with pickles in it, which may be archives themselves.
        depth: How many archives deep to look.
    """
    found: set[str] = set()
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                _in_archive(archive, found, depth)
        else:
            with path.open("rb") as stream:
                data = stream.read(_LARGEST)
            _in_pickles(data, found)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return tuple(sorted(found))
    return tuple(sorted(found))


def _in_archive(archive: zipfile.ZipFile, found: set[str], depth: int) -> None:
    import io

    for entry in archive.infolist():
        if not entry.filename.endswith(_PICKLES) or entry.file_size > _LARGEST:
            continue
        with archive.open(entry) as stream:
            data = stream.read(_LARGEST)
        if depth and data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as inner:
                _in_archive(inner, found, depth - 1)
        else:
            _in_pickles(data, found)


def _in_pickles(data: bytes, found: set[str]) -> None:
    """Adds the names of pickles that follow one another."""
    import io

    stream = io.BytesIO(data)
    while stream.tell() < len(data) and len(found) < _MOST:
        try:
            for name in _names(stream):
                found.add(name)
        except (ValueError, EOFError, UnicodeDecodeError, IndexError, KeyError):
            return


def _names(stream: object) -> Iterator[str]:
    """Yields the names of one pickle."""
    memo: dict[int, str] = {}
    strings: list[str] = []
    for opcode, argument, _ in pickletools.genops(stream):  # type: ignore[arg-type]  # any stream will do
        name = opcode.name
        if name in ("GLOBAL", "INST"):
            yield ".".join(str(argument).split(" ", 1))
        elif name == "STACK_GLOBAL":
            yield ".".join(strings[-2:])
        elif name == "MEMOIZE":
            memo[len(memo)] = strings[-1] if strings else ""
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            memo[int(str(argument))] = strings[-1] if strings else ""
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            strings = [*strings[-1:], memo.get(int(str(argument)), "")]
        elif isinstance(argument, str) and name.endswith(("UNICODE", "UNICODE8", "STRING")):
            strings = [*strings[-1:], argument]
