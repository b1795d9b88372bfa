"""Rewriting a model by pattern: asked for here, run in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions, Progress, no_progress
from cutter_gui.fx.source import SourceKind, require_torch, require_trust, source_of


@dataclass(frozen=True)
class FoundMatch:
    """A place where a pattern occurs.

    Attributes:
        anchor: Name of the node that the pattern's result matched.
        nodes: Names of the pattern's nodes to names of the model's.
    """

    anchor: str
    nodes: dict[str, str]


@dataclass(frozen=True)
class AppliedRule:
    """What a rule did.

    Attributes:
        replaces: Whether it replaces what it finds.
        matches: Where its pattern occurs.
    """

    replaces: bool
    matches: tuple[FoundMatch, ...]


def rewrite_model(
    model: Path,
    pattern: Path,
    out: Path | None,
    options: LoadOptions,
    progress: Progress = no_progress,
    force: bool = False,
) -> tuple[AppliedRule, ...]:
    """Applies the rules of a Python file to a model.

    Args:
        model: The model.
        pattern: The file (`cutter_gui.fx.in_torch.rules`).
        out: The ``.pt2`` to write, or None to list the matches only.
        options: Trust, and how code becomes a graph.
        progress: Told what is being done.
        force: Whether ``out`` may be replaced.

    Raises:
        CutterError: Trust or torch is lacking, a file cannot be read, or the result cannot be written.
    """
    source = source_of(model)
    if not pattern.is_file():
        raise CutterError("the rules cannot be read", str(pattern), "give a Python file with a pattern")
    if source.kind is not SourceKind.MODULE_FACTORY and not Path(source.path).is_file():
        raise CutterError("the file cannot be read", source.path, "check the path")
    if out is not None and not out.name.endswith(".pt2"):
        raise CutterError("the rewritten model is written as a .pt2", str(out), "give a name that ends so")
    if out is not None and out.exists() and not force:
        raise CutterError("the file exists", str(out), "give --force to replace it, or another name")
    require_torch(str(source))
    require_trust(source, options.trust, "rewriting")
    from cutter_gui.fx.child import run_child

    written = None if out is None else out.with_name(f".{out.name}.part.pt2")
    request = {
        "source": str(model),
        "trace": options.trace,
        "dynamic": list(options.dynamic),
        "pattern": str(pattern),
        "out": None if written is None else str(written),
    }
    try:
        answer = run_child("rewrite", request, progress)
        if out is not None and written is not None:
            written.replace(out)
    finally:
        if written is not None:
            written.unlink(missing_ok=True)
    return tuple(
        AppliedRule(rule["replaces"], tuple(FoundMatch(match["anchor"], match["nodes"]) for match in rule["matches"]))
        for rule in answer["rules"]
    )
