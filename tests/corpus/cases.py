"""The models of the corpus, each with inputs to run it on where its source has some."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, TypeProto, numpy_helper

CORPUS_FOLDER = "CUTTER_GUI_CORPUS"


@dataclass(frozen=True)
class Case:
    """One model.

    Attributes:
        name: What the table calls it.
        path: The file, or None for a model that is generated.
        model: The generated model.
        inputs: Python values of the inputs in graph order, or None where verification is to make them.
    """

    name: str
    path: Path | None
    model: onnx.ModelProto | None = None
    inputs: tuple[Any, ...] | None = None


def folder_cases() -> Iterator[Case]:
    """The models of the folder that ``CUTTER_GUI_CORPUS`` names."""
    folder = os.environ.get(CORPUS_FOLDER)
    if folder:
        for path in sorted(Path(folder).rglob("*.onnx")):
            yield Case(str(path.relative_to(folder)), path)


def stored_cases() -> Iterator[Case]:
    """The models that the onnx package ships under ``backend/test/data``."""
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for path in sorted(data.rglob("*.onnx")):
        yield Case(str(path.relative_to(data)), path, inputs=_stored_inputs(path))


def _stored_inputs(path: Path) -> tuple[Any, ...] | None:
    folder = path.parent / "test_data_set_0"
    if not folder.is_dir():
        return None
    model = onnx.load(path, load_external_data=False)
    stored = {tensor.name for tensor in model.graph.initializer}
    values = [value for value in model.graph.input if value.name not in stored]
    found = []
    for position, value in enumerate(values):
        file = folder / f"input_{position}.pb"
        if not file.is_file():
            return None
        found.append(_read_value(file.read_bytes(), value.type))
    return tuple(found)


def _read_value(data: bytes, kind: TypeProto) -> Any:
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if which == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(TensorProto.FromString(data))


def generated_cases() -> Iterator[Case]:
    """The node tests that the onnx package generates, function expansions and small graphs among them."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        inputs = tuple(case.data_sets[0][0]) if case.data_sets else None
        yield Case(f"node/{case.name}", None, case.model, inputs)
