"""ONNX as one of the formats (`cutter_gui.core.format.ModelFormat`).

The modules that need onnx are loaded when one of these is called, so asking which format reads a file costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.foreign_code import ForeignCode, Step
from cutter_gui.core.format import (
    FORMS,
    BodyStep,
    LoadOptions,
    ModelFormat,
    Progress,
    RewriteRequest,
    RewriteResult,
    SplitRequest,
    SplitResult,
    TypeHint,
    VerifyReport,
    VerifyRequest,
    no_progress,
)
from cutter_gui.core.graph import Graph


class OnnxFormat:
    """Reads, splits and verifies ONNX models."""

    kind = "onnx"
    title = "ONNX"
    suffixes: tuple[str, ...] = (".onnx",)
    forms = FORMS
    shares_weights = True
    rewrites = False

    def reads(self, path: Path) -> bool:  # noqa: ARG002  # a model of this format is always a file
        """Whether a path that ends in none of the suffixes still names a model of this format: never."""
        return False

    def load(
        self,
        path: Path,
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,
        options: LoadOptions | None = None,  # noqa: ARG002  # an ONNX file holds no code
    ) -> Graph:
        """Reads the graph of a model without its weights."""
        from cutter_gui.onnx.load import load_graph

        return load_graph(path, progress, types)

    def load_body(
        self,
        path: Path,
        way: Sequence[BodyStep],
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,
    ) -> Graph:
        """Reads the graph of a subgraph body, or of the model-local function that a node calls."""
        from cutter_gui.onnx.body_graph import load_body

        return load_body(path, way, progress, types)

    def split(self, request: SplitRequest, progress: Progress = no_progress) -> SplitResult:
        """Writes the stages and the manifest."""
        from cutter_gui.onnx.split import split_model

        return split_model(request, progress)

    def verify(self, request: VerifyRequest, progress: Progress = no_progress) -> VerifyReport:
        """Runs the original and the stages on the same inputs and compares every output."""
        from cutter_gui.onnx.verify import verify_stages

        return verify_stages(request, progress)

    def rewrite(self, request: RewriteRequest, progress: Progress = no_progress) -> RewriteResult:  # noqa: ARG002
        """Refuses: patterns are written in torch."""
        raise CutterError("an ONNX model cannot be rewritten", str(request.model), "rewrite the model it came from")

    def file_of(self, path: Path) -> Path:
        """Returns the file itself."""
        return path

    def code_to_run(self, path: Path, step: Step) -> tuple[ForeignCode, ...]:  # noqa: ARG002
        """Returns nothing: an ONNX file holds no code."""
        return ()

    def calls_in(self, path: Path) -> tuple[str, ...]:  # noqa: ARG002
        """Returns nothing, likewise."""
        return ()


FORMAT: ModelFormat = OnnxFormat()
