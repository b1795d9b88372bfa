"""The splitting core: graphs, plans, stages, diagnostics, specs. No Qt, no onnx, no torch.

This is the face for programs; the modules behind it hold one subject each. Names are imported when first used: the
empty window needs none of them, and numpy alone takes longer to import than the window to appear.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutter_gui.core.build import GraphBuilder
    from cutter_gui.core.contents import StageContents, Transfer, stage_contents, transfers
    from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
    from cutter_gui.core.errors import Cancelled, CutterError, InvalidPlan
    from cutter_gui.core.graph import Graph, TensorKind
    from cutter_gui.core.plan import Cut, CutEdge, Plan
    from cutter_gui.core.problems import diagnose
    from cutter_gui.core.stages import Staging, assign_stages

_MODULE_OF = {
    "Cancelled": "errors",
    "Cut": "plan",
    "CutEdge": "plan",
    "CutterError": "errors",
    "Diagnostic": "diagnostic",
    "Fix": "diagnostic",
    "Graph": "graph",
    "GraphBuilder": "build",
    "InvalidPlan": "errors",
    "Plan": "plan",
    "Severity": "diagnostic",
    "StageContents": "contents",
    "Staging": "stages",
    "TensorKind": "graph",
    "Transfer": "contents",
    "assign_stages": "stages",
    "diagnose": "problems",
    "stage_contents": "contents",
    "transfers": "contents",
}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})


__all__ = [
    "Cancelled",
    "Cut",
    "CutEdge",
    "CutterError",
    "Diagnostic",
    "Fix",
    "Graph",
    "GraphBuilder",
    "InvalidPlan",
    "Plan",
    "Severity",
    "StageContents",
    "Staging",
    "TensorKind",
    "Transfer",
    "assign_stages",
    "diagnose",
    "stage_contents",
    "transfers",
]
