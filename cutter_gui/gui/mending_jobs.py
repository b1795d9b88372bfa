"""Finding what mends a plan as tasks for a worker, since in large graphs it takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutter_gui.frames import Task

if TYPE_CHECKING:
    from cutter_gui.core.diagnostic import Fix
    from cutter_gui.core.graph import Graph
    from cutter_gui.core.mend import Mended
    from cutter_gui.core.plan import Plan


@dataclass(frozen=True)
class FindFixes(Task):
    """Finds the mends of some findings; the result is theirs, in the order asked for.

    Attributes:
        graph: The graph.
        plan: The plan over it.
        symbols: Values of symbols to count bytes with.
        findings: Which of its findings, by place.
    """

    graph: Graph
    plan: Plan
    symbols: Mapping[str, int]
    findings: tuple[int, ...]

    def run(self, progress: Callable[[str, float], None]) -> tuple[tuple[Fix, ...], ...]:
        from cutter_gui.core.problems import diagnose
        from cutter_gui.core.stages import assign_stages

        progress("Finding what mends the plan", 0.0)
        found = diagnose(assign_stages(self.graph, self.plan), symbols=self.symbols)
        return tuple(tuple(found[at].fixes) for at in self.findings)


@dataclass(frozen=True)
class MendPlan(Task):
    """Mends every error of a plan that an edit of it can mend; the result is a `Mended`."""

    graph: Graph
    plan: Plan
    symbols: Mapping[str, int]

    def run(self, progress: Callable[[str, float], None]) -> Mended:
        from cutter_gui.core.mend import mend

        progress("Mending the plan", 0.0)
        return mend(self.graph, self.plan, symbols=self.symbols)
