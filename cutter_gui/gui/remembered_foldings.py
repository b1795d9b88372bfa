"""Which groups were folded when a model was last open, kept in the settings by the fingerprint of its graph."""

from __future__ import annotations

import json

from cutter_gui.gui.settings import Settings

_KEPT = 40  # models
_KEY = "foldings"


def remembered_foldings(settings: Settings) -> dict[str, str]:
    """Returns the foldings of models opened before, as text by fingerprint, the latest last."""
    try:
        found = json.loads(settings.text(_KEY, "{}"))
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def remember_folding(settings: Settings, fingerprint: str, text: str) -> None:
    """Keeps the folding of a model, and forgets that of the model opened longest ago."""
    known = remembered_foldings(settings)
    known.pop(fingerprint, None)
    kept = dict(list(known.items())[-(_KEPT - 1) :])
    kept[fingerprint] = text
    settings.set_text(_KEY, json.dumps(kept))
