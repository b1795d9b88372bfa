"""The sample models that come with the program."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from cutter_gui.resource_files import resource


class Sample(NamedTuple):
    """A sample model.

    Attributes:
        name: Name of its file without the ending.
        title: What kind of model it is.
        about: What can be tried with it, in a few words.
        path: The file.
    """

    name: str
    title: str
    about: str
    path: Path


@lru_cache(maxsize=1)
def samples() -> tuple[Sample, ...]:
    """Returns the samples that this installation has."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Samples", text)

    known = (
        ("bert_small", tr("Transformer"), tr("three layers, one mask for all")),
        ("cnn_small", tr("Residual network"), tr("convolutions with shortcuts")),
        ("branches_small", tr("Branches"), tr("an If that reads from outside")),
    )
    found = []
    for name, title, about in known:
        try:
            found.append(Sample(name, title, about, resource("models", f"{name}.onnx")))
        except FileNotFoundError:
            continue
    return tuple(found)
