"""Which groups were folded when a model was last open, kept in the settings by the fingerprint of its graph."""

from __future__ import annotations

from cutter_gui.gui.kept_by_model import keep_text, texts_by_model
from cutter_gui.gui.settings import Settings

_KEY = "foldings"


def remembered_foldings(settings: Settings) -> dict[str, str]:
    """Returns the foldings of models opened before, as text by fingerprint, the latest last."""
    return texts_by_model(settings, _KEY)


def remember_folding(settings: Settings, fingerprint: str, text: str) -> None:
    """Keeps the folding of a model, and forgets that of the model opened longest ago."""
    keep_text(settings, _KEY, fingerprint, text)
