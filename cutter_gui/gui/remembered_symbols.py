"""Which values were given to a model's symbols, kept in the settings by the fingerprint of its graph."""

from __future__ import annotations

import json
from collections.abc import Mapping

from cutter_gui.core.symbols import LARGEST
from cutter_gui.gui.kept_by_model import keep_text, texts_by_model
from cutter_gui.gui.settings import Settings

_KEY = "symbols"


def remembered_symbols(settings: Settings, fingerprint: str) -> dict[str, int]:
    """Returns the values given when the model was open before; a settings file that was damaged gives none."""
    try:
        found = json.loads(texts_by_model(settings, _KEY).get(fingerprint, "{}"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        str(name): value
        for name, value in found.items()
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST
    }


def remember_symbols(settings: Settings, fingerprint: str, symbols: Mapping[str, int]) -> None:
    """Keeps the values of a model's symbols."""
    if symbols or texts_by_model(settings, _KEY).get(fingerprint):
        keep_text(settings, _KEY, fingerprint, json.dumps(dict(symbols)))
