"""What the diagnostics say of small graphs and plans."""

from cutter_gui.core import Diagnostic, Graph, assign_stages, diagnose
from strategies.small_graphs import small_plan


def findings(graph: Graph, *cuts: str, form: str = "both", transport: str = "relay") -> list[Diagnostic]:
    """Returns what there is to say about a plan."""
    return list(diagnose(assign_stages(graph, small_plan(*cuts, transport=transport)), form))


def only(graph: Graph, *cuts: str, **options: str) -> Diagnostic:
    """Returns the one finding of a plan."""
    (found,) = findings(graph, *cuts, **options)
    return found


def codes(graph: Graph, *cuts: str, **options: str) -> list[str]:
    """Returns the codes of what there is to say about a plan."""
    return [found.code for found in findings(graph, *cuts, **options)]


def mended(graph: Graph, finding: Diagnostic) -> list[str]:
    """Codes after the first fix of a finding was applied."""
    return [found.code for found in diagnose(assign_stages(graph, finding.fixes[0].plan))]
