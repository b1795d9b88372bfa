"""Where a path leads."""

from __future__ import annotations

import os
from pathlib import Path

from cutter_gui.core.errors import CutterError


def real_path(path: str | os.PathLike[str]) -> Path:
    """Returns a path without links and dots, absolute; what does not exist, or loops, stays as it is named.

    In place of `Path.resolve`, which before Python 3.13 fails at a loop of links with an error that names no file;
    whoever opens what this returns gets the one of the system.

    Raises:
        CutterError: The path is relative, and the current folder has been removed.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError as error:  # a relative path, and the folder it is relative to has been removed
        raise CutterError("the current folder is gone", os.fspath(path), "change into one that exists") from error
