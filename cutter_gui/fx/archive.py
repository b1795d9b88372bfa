"""Reading a ``.pt2`` archive as data: a zip of JSON and raw bytes, nothing of which is executed or unpickled.

Every size that the archive states is taken as a claim: entries are read up to a limit, and those that would swell
beyond reason are refused before they are read. Nothing is ever written to where an entry's name points.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from cutter_gui.core.errors import CutterError, one_line

JSON_LIMIT = 1 << 30  # bytes; the graph of a model of 100,000 nodes takes a tenth
_ENTRY_LIMIT = 2_000_000
_SMALL = 1 << 24  # bytes; below this no ratio of compression is suspicious
_RATIO_LIMIT = 200

_OLD_LAYOUT = "serialized_exported_program.json"


@dataclass(frozen=True)
class Payload:
    """Where the bytes of a weight lie.

    Attributes:
        name: The entry in the archive.
        size: Its bytes, as the archive states them.
    """

    name: str
    size: int


class Archive:
    """A ``.pt2`` file, open for reading; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Opens the archive and reads its directory.

        Raises:
            CutterError: It is no archive, is damaged, or names what no archive of torch names.
        """
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise CutterError(
                "the file cannot be read", f"{path}: {error.strerror or error}", "check the path"
            ) from None
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, RecursionError):
            raise self._damaged("is no .pt2 archive") from None
        try:
            self._entries = self._directory()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def model_name(self) -> str:
        """Returns the name of the model in the archive: ``model``, or that of its only one.

        Raises:
            CutterError: It holds none, or several.
        """
        models = sorted(
            PurePosixPath(name).stem for name in self._entries if name.startswith("models/") and name.endswith(".json")
        )
        if not models and _OLD_LAYOUT in self._entries:
            raise CutterError(
                "the archive was written by a torch before 2.8, in a layout that only that torch reads",
                str(self._path),
                "load it there and export it again, or save it with a newer torch",
            )
        if not models:
            raise self._damaged("holds no model")
        if "model" in models:
            return "model"
        if len(models) > 1:
            raise CutterError(
                f"the archive holds {len(models)} models: {one_line(', '.join(models), 80)}",
                str(self._path),
                "save each in a file of its own",
            )
        return models[0]

    def json(self, name: str, required: bool = True) -> Any:
        """Returns an entry that is JSON; None where it may be absent and is.

        Raises:
            CutterError: It is absent, too large, or no JSON.
        """
        if name not in self._entries:
            if required:
                raise self._damaged(f"lacks {name}")
            return None
        try:
            return json.loads(self._read(name))
        except (ValueError, RecursionError):
            raise self._damaged(f"holds no JSON in {name}") from None

    def payload(self, name: str) -> Payload | None:
        """Returns where the bytes of an entry lie, or None when there is no such entry."""
        entry = self._entries.get(name)
        return None if entry is None else Payload(name, entry.file_size)

    def _read(self, name: str) -> bytes:
        entry = self._entries[name]
        if entry.file_size > JSON_LIMIT or _swells(entry):
            raise self._damaged(f"states {entry.file_size} bytes for {name}, more than a model has")
        try:
            with self._zip.open(entry) as stream:
                data = stream.read(JSON_LIMIT + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError):
            raise self._damaged(f"is damaged at {name}") from None
        if len(data) > JSON_LIMIT:
            raise self._damaged(f"has more bytes at {name} than a model has")
        return data

    def _directory(self) -> dict[str, zipfile.ZipInfo]:
        """Returns the entries by name, without the folder that all of them are in."""
        listed = self._zip.infolist()
        if len(listed) > _ENTRY_LIMIT:
            raise self._damaged(f"lists {len(listed)} entries")
        found: dict[str, zipfile.ZipInfo] = {}
        for entry in listed:
            parts = PurePosixPath(entry.filename).parts
            if entry.filename.startswith("/") or ".." in parts or "\\" in entry.filename:
                raise self._damaged(f"names a place outside itself, {one_line(entry.filename, 80)}")
            name = "/".join(parts[1:]) if len(parts) > 1 else entry.filename
            if name in found:
                raise self._damaged(f"lists {one_line(name, 80)} twice")
            found[name] = entry
        return found

    def _damaged(self, what: str) -> CutterError:
        return CutterError(f"the archive {what}", str(self._path), "export the model again, or give another file")


def _swells(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > _SMALL and entry.file_size > _RATIO_LIMIT * max(entry.compress_size, 1)
