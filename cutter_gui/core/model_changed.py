"""Whether a cut spec was made for the model at hand."""

from __future__ import annotations

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.graph import Graph
from cutter_gui.core.spec import CutSpec


def changed_model(graph: Graph, spec: CutSpec | None) -> tuple[Diagnostic, ...]:
    """Returns a warning when a spec was made for a graph of another structure."""
    if spec is None or spec.model is None or spec.model.fingerprint in (None, graph.fingerprint):
        return ()
    message = "The cut spec was made for a model of another structure; check where the cuts lie."
    return (Diagnostic("model-changed", Severity.WARNING, message),)
