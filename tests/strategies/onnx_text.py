"""Small ONNX models written as text, as ``onnx.parser`` reads them, and plans in one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx
import onnx.parser
from onnx import ModelProto

from cutter_gui.core import Cut, CutEdge, Plan
from cutter_gui.core.format import SplitRequest, SplitResult
from cutter_gui.core.plan import Transport
from cutter_gui.onnx.format import FORMAT


def model(graph: str, opset: int = 17, ir: int = 8, opsets: Sequence[tuple[str, int]] = ()) -> ModelProto:
    """Returns the model with this graph, for example ``g (float[2] x) => (float[2] y) { y = Neg(x) }``."""
    listed = ", ".join(f'"{domain}" : {version}' for domain, version in (("", opset), *opsets))
    return onnx.parser.parse_model(f"<ir_version: {ir}, opset_import: [{listed}]> {graph}")


def saved(proto: ModelProto, path: Path) -> Path:
    """Writes a model as it is and returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(proto.SerializeToString())
    return path


def plan(*cuts: str, transport: Transport = "relay") -> Plan:
    """Returns a plan; a cut is ``"a; b > c d"``: tensor a whole, and tensor b to the consumers that make c and d."""
    return Plan(tuple(Cut(tuple(_edge(entry) for entry in cut.split(";") if entry.strip())) for cut in cuts), transport)


def _edge(text: str) -> CutEdge:
    tensor, _, consumers = text.partition(">")
    return CutEdge(tensor.strip(), consumers.split() or None)


def split(path: Path, wanted: Plan, out: Path, **options: object) -> SplitResult:
    """Splits a model file; options are those of `SplitRequest`."""
    return FORMAT.split(SplitRequest(path, wanted, out, **options))  # type: ignore[arg-type]  # options vary by test
