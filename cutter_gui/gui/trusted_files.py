"""Files whose code the user allowed for good, kept in the settings by what `InspectedCode.key` says of their bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from cutter_gui.core.foreign_code import InspectedCode
from cutter_gui.gui.settings import Settings

_KEY = "trust/files"


@dataclass(frozen=True)
class TrustedFile:
    """A file that is trusted.

    Attributes:
        key: What it is known by.
        title: What it was called when it was allowed.
        file: Where it was.
        since: The day, as ``2026-01-31``.
    """

    key: str
    title: str
    file: str
    since: str

    @property
    def digest(self) -> str:
        return self.key.split(" ", 1)[0]


def trusted_files(settings: Settings) -> list[TrustedFile]:
    """Returns the files, the latest first; what cannot be read is trusted no more."""
    try:
        found = json.loads(settings.text(_KEY, "[]"))
        return [TrustedFile(*(str(part) for part in entry)) for entry in found]
    except (ValueError, TypeError):
        return []


def trust_for_good(settings: Settings, codes: Iterable[InspectedCode]) -> None:
    """Remembers that code may run."""
    today = date.today().isoformat()
    new = [TrustedFile(c.key, c.code.title, str(c.code.file or ""), today) for c in codes if c.key]
    known = {file.key for file in new}
    _keep(settings, [*new, *(file for file in trusted_files(settings) if file.key not in known)])


def forget(settings: Settings, keys: Iterable[str]) -> None:
    """Makes the program ask again."""
    gone = set(keys)
    _keep(settings, [file for file in trusted_files(settings) if file.key not in gone])


def _keep(settings: Settings, files: list[TrustedFile]) -> None:
    settings.set_text(_KEY, json.dumps([[file.key, file.title, file.file, file.since] for file in files]))
