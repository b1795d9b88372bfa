"""Finds what is shipped beside the code: icons, themes, sample models, help.

A wheel carries the folder as ``cutter_gui/resources``; in a checkout, which an editable install runs from, it stands
beside the package.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Returns the path of a shipped file or folder.

    Args:
        parts: Path below the resources folder, such as ``"models", "bert_small.onnx"``; none for the folder itself.

    Raises:
        FileNotFoundError: This installation does not have it.
    """
    for root in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"no resource {'/'.join(parts)} in this installation of cutter-gui")
