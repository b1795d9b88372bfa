"""Rewriting a model by pattern: asked for here, run in a process of its own."""

from __future__ import annotations

from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import AppliedRule, FoundMatch, Progress, RewriteRequest, RewriteResult, no_progress
from cutter_gui.fx.source import SourceKind, require_torch, require_trust, source_of


def rewrite_model(request: RewriteRequest, progress: Progress = no_progress) -> RewriteResult:
    """Applies the rules of a Python file (`cutter_gui.fx.in_torch.rules`) to a model.

    Args:
        request: What to rewrite; ``out`` is a ``.pt2``.
        progress: Told what is being done.

    Raises:
        CutterError: Trust or torch is lacking, a file cannot be read, or the result cannot be written.
    """
    model, pattern, out = request.model, request.pattern, request.out
    source = source_of(model)
    if not pattern.is_file():
        raise CutterError("the rules cannot be read", str(pattern), "give a Python file with a pattern")
    if source.kind is not SourceKind.MODULE_FACTORY and not Path(source.path).is_file():
        raise CutterError("the file cannot be read", source.path, "check the path")
    if out is not None and not out.name.endswith(".pt2"):
        raise CutterError("the rewritten model is written as a .pt2", str(out), "give a name that ends so")
    if out is not None and out.exists() and not request.force:
        raise CutterError("the file exists", str(out), "give --force to replace it, or another name")
    require_torch(str(source))
    require_trust(source, request.options.trust, "rewriting")
    from cutter_gui.fx.child import run_child

    written = None if out is None else out.with_name(f".{out.name}.part.pt2")
    told = {
        "source": str(model),
        "trace": request.options.trace,
        "dynamic": list(request.options.dynamic),
        "agreed": request.options.agreed,
        "types": {name: [hint.dtype, hint.shape] for name, hint in request.types.items()},
        "pattern": str(pattern),
        "out": None if written is None else str(written),
        "shown": str(out),
    }
    try:
        answer = run_child("rewrite", told, progress)
        if out is not None and written is not None:
            written.replace(out)
    finally:
        if written is not None:
            written.unlink(missing_ok=True)
    rules = tuple(
        AppliedRule(
            rule["replaces"],
            tuple(FoundMatch(match["anchor"], match["nodes"], tuple(match["own"])) for match in rule["matches"]),
        )
        for rule in answer["rules"]
    )
    return RewriteResult(rules, answer["names"])
