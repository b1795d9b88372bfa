"""torch.fx as one of the formats (`cutter_gui.core.format.ModelFormat`).

A ``.pt2`` is looked at without torch. Whatever needs torch, or runs code from a file, does so in a process of its own
(`cutter_gui.fx.child`), so that nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cutter_gui.core.foreign_code import ForeignCode, Step
from cutter_gui.core.format import (
    BodyStep,
    Form,
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


class FxFormat:
    """Reads, splits and verifies torch.fx graphs."""

    kind = "fx"
    title = "torch.fx"
    suffixes: tuple[str, ...] = (".pt2", ".pt", ".pth")
    forms: tuple[Form, ...] = ()
    shares_weights = False
    rewrites = True

    def reads(self, path: Path) -> bool:
        """Whether a path names a factory, ``path.py:factory`` or ``package.module:factory``."""
        from cutter_gui.fx.source import is_factory

        return is_factory(str(path))

    def load(
        self,
        path: Path,
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,
        options: LoadOptions | None = None,
    ) -> Graph:
        """Reads the graph of a model without its weights; see `cutter_gui.fx.load.load_graph`."""
        from cutter_gui.fx.load import load_graph

        return load_graph(path, progress, types, options or LoadOptions())

    def load_body(
        self,
        path: Path,
        way: Sequence[BodyStep],
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,  # noqa: ARG002  # an archive knows its types
    ) -> Graph:
        """Reads the graph of a branch of a higher-order operator."""
        from cutter_gui.fx.load import load_body

        return load_body(path, way, progress)

    def split(self, request: SplitRequest, progress: Progress = no_progress) -> SplitResult:
        """Writes the stages and the manifest."""
        from cutter_gui.fx.split import split_model

        return split_model(request, progress)

    def verify(self, request: VerifyRequest, progress: Progress = no_progress) -> VerifyReport:
        """Runs the original and the stages on the same inputs and compares every output."""
        from cutter_gui.fx.verify import verify_stages

        return verify_stages(request, progress)

    def rewrite(self, request: RewriteRequest, progress: Progress = no_progress) -> RewriteResult:
        """Finds the patterns of a file in a model, and replaces them where a place for the result is given."""
        from cutter_gui.fx.rewrite import rewrite_model

        return rewrite_model(request, progress)

    def file_of(self, path: Path) -> Path | None:
        """Returns the file of a model: that of the factory, where one is named; None for one in a package."""
        from cutter_gui.fx.source import SourceKind, source_of

        source = source_of(path)
        return None if source.kind is SourceKind.MODULE_FACTORY else Path(source.path)

    def code_to_run(self, path: Path, step: Step) -> tuple[ForeignCode, ...]:
        """Returns the code that a step would run; a ``.pt2`` is opened without any."""
        from cutter_gui.fx.trusted_code import code_to_run

        return code_to_run(path, step)

    def calls_in(self, path: Path) -> tuple[str, ...]:
        """Returns the names that the pickles in a file call."""
        from cutter_gui.fx.pickle_calls import pickle_calls

        return () if path.suffix == ".py" else pickle_calls(path)


FORMAT: ModelFormat = FxFormat()
