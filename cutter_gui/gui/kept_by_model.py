"""Small texts that the settings keep for each model, by the fingerprint of its graph."""

from __future__ import annotations

import json

from cutter_gui.gui.settings import Settings

_KEPT = 40  # models


def texts_by_model(settings: Settings, key: str) -> dict[str, str]:
    """Returns what is kept under a key, by fingerprint, the latest last."""
    try:
        found = json.loads(settings.text(key, "{}"))
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def keep_text(settings: Settings, key: str, fingerprint: str, text: str) -> None:
    """Keeps a text for a model, and forgets that of the model for which one was kept longest ago."""
    known = texts_by_model(settings, key)
    known.pop(fingerprint, None)
    kept = dict(list(known.items())[-(_KEPT - 1) :])
    kept[fingerprint] = text
    settings.set_text(key, json.dumps(kept))
