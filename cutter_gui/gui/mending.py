"""Mends of the plan from the window: one fix, or all of them, as one step of undo."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.mend import Mended, mend
from cutter_gui.gui.document import Document
from cutter_gui.gui.mending_jobs import MendPlan

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow

UNKNOWN_TYPE = "unknown-type"
"""The code of the findings that a type given mends."""

_NAME_SHOWN = 80
_QUICK = 6000  # nodes and edges, times cuts beyond a few: a mend looks at the boundaries of all of them
_FEW_CUTS = 4


def sentence_of(found: Diagnostic) -> str:
    """Returns what a finding says in the window, which offers in a dialog what commands take as a flag."""
    if found.code != UNKNOWN_TYPE:
        return found.message
    said = QCoreApplication.translate("Mending", "The element type of {}, which crosses a boundary, is not known.")
    return said.format(one_line(found.tensors[0], _NAME_SHOWN))


def can_mend(document: Document | None) -> bool:
    """Whether some error has a mend."""
    return document is not None and any(found.is_error and found.fixes for found in document.diagnostics)


def is_quick(document: Document) -> bool:
    """Whether what mends the plan is found without keeping anybody waiting."""
    size = document.graph.node_count + document.graph.edge_count
    return size * max(len(document.plan.cuts) / _FEW_CUTS, 1) <= _QUICK


def mend_all(window: MainWindow, document: Document) -> None:
    """Mends every error that an edit of the plan can mend, as one step of undo; says what is left.

    Large models are mended by a worker; when the plan has changed in the meantime nothing is done.
    """
    plan, running = document.plan, window.running
    if is_quick(document):
        _take_mended(document, mend(document.graph, plan, symbols=document.symbols))
        return
    title = QCoreApplication.translate("Mending", "Mend all")
    if running.is_busy:
        window.say(QCoreApplication.translate("Mending", "{}: wait until the present job is done").format(title))
        return

    def done(mended: Mended) -> None:
        if window.document is document and document.plan == plan:
            _take_mended(document, mended)
        else:
            said = QCoreApplication.translate("Mending", "{}: nothing done, the cuts changed meanwhile")
            window.say(said.format(title))

    running.follow(window.workers.run(MendPlan(document.graph, plan, dict(document.symbols))), title, done)


def _take_mended(document: Document, mended: Mended) -> None:
    if mended.steps:
        text = QCoreApplication.translate("Mending", "Mend all ({})").format(len(mended.steps))
        document.take_plan(mended.plan, text, document.active_cut)
    if mended.reason is not None:
        said = QCoreApplication.translate("Mending", "No edit of the cuts mends this: {}")
        document.refused.emit(said.format(mended.reason))


def has_untyped_boundary(document: Document) -> bool:
    """Whether a tensor crosses a boundary whose type is not known."""
    return any(found.code == UNKNOWN_TYPE for found in document.diagnostics)


def troubled_stages(document: Document) -> dict[int, int]:
    """Returns how many errors concern each stage that any concerns."""
    found: dict[int, int] = {}
    for problem in document.diagnostics:
        if problem.is_error:
            for stage in _stages_of(document, problem):
                found[stage] = found.get(stage, 0) + 1
    return found


def tensors_between(graph: Graph, nodes: Sequence[int]) -> list[int]:
    """Returns the tensors along a path of nodes, whichever way its edges run."""
    found: list[int] = []
    for one, other in pairwise(nodes):
        for source, target in ((one, other), (other, one)):
            outputs = [tensor for tensor in graph.node_outputs.row(source).tolist() if tensor >= 0]
            found += [tensor for tensor in outputs if graph.edge(tensor, target) is not None]
    return list(dict.fromkeys(found))


def _stages_of(document: Document, problem: Diagnostic) -> set[int]:
    beside = set() if problem.cut is None else {problem.cut, problem.cut + 1}
    return beside | {int(stage) for stage in document.staging.node_stage[list(problem.nodes)] if stage >= 0}
