"""How models from code were opened, kept in the settings by name, so that opening them again needs no questions."""

from __future__ import annotations

import json
from pathlib import Path

from cutter_gui.core.format import TRACES, LoadOptions
from cutter_gui.gui.settings import Settings

_KEPT = 40  # models
_KEY = "open/options"


def options_for(settings: Settings, path: Path) -> LoadOptions:
    """Returns how a model was opened last, without trust; the usual way where nothing is known of it."""
    told = _known(settings).get(str(path), [])
    if len(told) < 1 or told[0] not in TRACES:
        return LoadOptions()
    return LoadOptions(trace=told[0], dynamic=tuple(told[1:]))


def remember_options(settings: Settings, path: Path, options: LoadOptions) -> None:
    """Keeps how a model is opened, and forgets that of the one for which it was kept longest ago."""
    known = _known(settings)
    known.pop(str(path), None)
    kept = dict(list(known.items())[-(_KEPT - 1) :])
    kept[str(path)] = [options.trace, *options.dynamic]
    settings.set_text(_KEY, json.dumps(kept))


def _known(settings: Settings) -> dict[str, list[str]]:
    try:
        found = json.loads(settings.text(_KEY, "{}"))
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): [str(part) for part in told] for name, told in found.items() if isinstance(told, list)}
