"""What a path names: an archive, a pickled module, or a factory in code; and what each needs before it is opened."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cutter_gui.core.errors import CutterError, one_line

_FACTORY = re.compile(r"(?s)(.+):([A-Za-z_][A-Za-z0-9_]*)")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


class SourceKind(Enum):
    """The kinds of model that are opened."""

    ARCHIVE = "an exported program"
    PICKLE = "a pickled module"
    FILE_FACTORY = "a factory in a file"
    MODULE_FACTORY = "a factory in a package"


@dataclass(frozen=True)
class Source:
    """A model to open.

    Attributes:
        kind: What it is.
        path: The file; for a factory in a package, its module name.
        factory: The factory's name, or "".
    """

    kind: SourceKind
    path: str
    factory: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.factory}" if self.factory else self.path

    def what_would_run(self) -> str:
        """Returns a sentence about the code that opening this runs."""
        if self.kind is SourceKind.ARCHIVE:
            return "torch unpickles parts of the archive to load it"
        if self.kind is SourceKind.PICKLE:
            return "unpickling the file runs the code that is in it"
        return f"the code of {self.path} runs, and {self.factory}() in it"


def is_factory(text: str) -> bool:
    """Whether a text names a factory."""
    match = _FACTORY.fullmatch(text)
    return match is not None and (match[1].endswith(".py") or _MODULE.fullmatch(match[1]) is not None)


def source_of(path: Path | str) -> Source:
    """Returns what a path names."""
    text = str(path)
    match = _FACTORY.fullmatch(text)
    if match is not None and is_factory(text) and not Path(text).exists():
        kind = SourceKind.FILE_FACTORY if match[1].endswith(".py") else SourceKind.MODULE_FACTORY
        return Source(kind, match[1], match[2])
    return Source(SourceKind.ARCHIVE if text.lower().endswith(".pt2") else SourceKind.PICKLE, text)


def require_trust(source: Source, trust: bool, step: str) -> None:
    """Refuses a step that runs code from a source which the user has not said to trust.

    Args:
        source: The model.
        trust: Whether the user said so.
        step: What cannot be done without it, such as "writing stages".

    Raises:
        CutterError: They did not.
    """
    if not trust:
        raise CutterError(
            f"{step} needs trust: {one_line(source.what_would_run(), 200)}",
            str(source),
            "nothing was run; give --trust if you trust where it comes from",
        )


def require_torch(where: str) -> None:
    """Refuses what needs torch where it is not installed.

    Raises:
        CutterError: It is not; the remedy says what to install.
    """
    if importlib.util.find_spec("torch") is None:
        raise CutterError(
            "torch is not installed, and this model cannot be handled without it",
            where,
            "install it: pip install 'cutter-gui[torch]'",
        )
