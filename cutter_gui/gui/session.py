"""What was open when the window was closed, so that it comes back at the next start."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cutter_gui.gui.settings import Settings
    from cutter_gui.gui.tab import Tab

_KEY = "session/open"

Sight = tuple[float, float, float]
"""The middle of the view, x and y in the scene, and the zoom."""


@dataclass(frozen=True)
class OpenFile:
    """A model that was open; which of its groups were folded is remembered for each model anyway.

    Attributes:
        model: The model.
        spec: The cut spec that its plan was kept in, or None.
        active_cut: The cut that clicks went into.
        view: Where it was looked at, or None.
        constants: Whether constants were drawn.
        groups: Whether the tree of groups stood beside the canvas; None where that is not known.
    """

    model: Path
    spec: Path | None = None
    active_cut: int | None = None
    view: Sight | None = None
    constants: bool = False
    groups: bool | None = None


@dataclass(frozen=True)
class Session:
    """All models that were open, and which of them was looked at."""

    files: tuple[OpenFile, ...] = ()
    current: int = 0


def open_file_of(tab: Tab) -> OpenFile | None:
    """Returns what a tab has open, None for a blank one."""
    if tab.waiting is not None:
        return tab.waiting
    workspace, document = tab.workspace, tab.document
    if workspace is None or document is None:
        return None if tab.path is None else OpenFile(tab.path)
    return OpenFile(
        document.path,
        document.spec.path if document.spec else None,
        document.active_cut,
        workspace.canvas.sight if workspace.has_picture else None,
        tab.opener.shows_constants,
        not workspace.groups.isHidden() if workspace.has_picture else None,
    )


def session_of(tabs: Iterable[Tab], current: Tab) -> Session:
    """Returns what is open in some tabs."""
    files: list[OpenFile] = []
    at = 0
    for tab in tabs:
        file = open_file_of(tab)
        if file is not None:
            at = len(files) if tab is current else at
            files.append(file)
    return Session(tuple(files), at)


def keep_session(settings: Settings, session: Session) -> None:
    """Keeps what is open, at once also on the disk, for programs that are killed."""
    text = json.dumps({"current": session.current, "files": [_data(file) for file in session.files]})
    if text != settings.text(_KEY):
        settings.set_text(_KEY, text)
        settings.sync()


def kept_session(settings: Settings) -> Session:
    """Returns what was open when the program ended; an empty session where that cannot be read."""
    try:
        found = json.loads(settings.text(_KEY, "{}"))
        files = tuple(_file(entry) for entry in found["files"])
        return Session(files, min(max(int(found["current"]), 0), max(len(files) - 1, 0)))
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return Session()


def _data(file: OpenFile) -> dict[str, Any]:
    return {
        "model": str(file.model),
        "spec": None if file.spec is None else str(file.spec),
        "active": file.active_cut,
        "view": file.view,
        "constants": file.constants,
        "groups": file.groups,
    }


def _file(data: dict[str, Any]) -> OpenFile:
    view, active, spec = data["view"], data["active"], data["spec"]
    sight = None if view is None else (float(view[0]), float(view[1]), float(view[2]))
    if sight is not None and not all(map(math.isfinite, sight)):
        sight = None
    return OpenFile(
        Path(data["model"]),
        None if spec is None else Path(spec),
        None if active is None else int(active),
        sight,
        bool(data["constants"]),
        groups if isinstance(groups := data.get("groups"), bool) else None,
    )
