"""Where a path leads."""

from __future__ import annotations

import os
from pathlib import Path


def real_path(path: str | os.PathLike[str]) -> Path:
    """Returns a path without links and dots, absolute; what does not exist, or loops, stays as it is named.

    In place of `Path.resolve`, which before Python 3.13 fails at a loop of links with an error that names no file;
    whoever opens what this returns gets the one of the system.
    """
    return Path(os.path.realpath(path))
