"""What a model is called in the window: a file, or for a format that has them a name of code in one or in a package."""

from __future__ import annotations

from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import format_for


def file_of(path: Path) -> Path | None:
    """Returns the file that a model's name stands for; None when it is found by name, as a package is."""
    if path.is_file():
        return path
    try:
        return format_for(path).file_of(path)
    except CutterError:  # no format reads it, which opening it says
        return path


def full_name(path: Path) -> Path:
    """Returns a model's name that means the same in every folder."""
    return path if file_of(path) is None else path.absolute()


def is_there(path: Path) -> bool:
    """Whether a model is still where its name says; what is found by name is looked for when it is opened."""
    file = file_of(path)
    return file is None or file.exists()
