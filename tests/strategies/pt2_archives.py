"""Archives made by hand, with what torch would never write."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Writes an archive with entries changed.

    Args:
        source: An archive of torch.
        target: The one to write.
        change: Changes the bytes by entry name.
    """
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return target


def with_program(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Writes an archive with its program's JSON changed."""

    def change_json(entries: dict[str, bytes]) -> None:
        (name,) = (name for name in entries if name.endswith("models/model.json"))
        program = json.loads(entries[name])
        change(program)
        entries[name] = json.dumps(program).encode()

    return rewritten(source, target, change_json)


def archive_of(target: Path, entries: Mapping[str, bytes], compressed: bool = False) -> Path:
    """Writes an archive of these entries, in the order given."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return target
