"""The splitting core: graphs, plans, stages, diagnostics, specs. No Qt, no onnx, no torch.

This is the face for programs; the modules behind it hold one subject each.
"""

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.contents import StageContents, Transfer, stage_contents, transfers
from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.errors import Cancelled, CutterError, InvalidPlan
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import Staging, assign_stages

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
