"""What a gesture proposes: a plan, shown before it is applied, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cutter_gui.core.plan import Plan
from cutter_gui.core.stages import Staging
from cutter_gui.core.stages_written import Refusal
from cutter_gui.core.traffic import boundary_bytes, crossing_tensors

__all__ = ["Proposal", "Refusal", "proposal", "without_empty_cuts"]


@dataclass(frozen=True, eq=False)
class Proposal:
    """A plan to preview and apply.

    Attributes:
        staging: The stages of the proposed plan.
        cut: The cut that is new or changed; -1 where it is none in particular.
        edges: Numbers of the edges that cross that cut.
        tensors: Numbers of the tensors that cross it.
        bytes: Bytes that cross it, each tensor once, open dimensions at the values given or 1.
        mended: What else was mended first, as titles of fixes, in order.
    """

    staging: Staging
    cut: int
    edges: tuple[int, ...]
    tensors: tuple[int, ...]
    bytes: int
    mended: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        return self.staging.plan


def proposal(
    staging: Staging, cut: int, symbols: Mapping[str, int] | None = None, mended: tuple[str, ...] = ()
) -> Proposal:
    """Returns the proposal of a plan, with the figures of one of its cuts."""
    first, last = staging.edge_span
    edges = tuple(np.flatnonzero((first <= cut) & (last > cut)).tolist())
    return Proposal(staging, cut, edges, crossing_tensors(staging, cut), boundary_bytes(staging, cut, symbols), mended)


def without_empty_cuts(plan: Plan) -> tuple[Plan, str | None]:
    """Returns the plan without cuts that list nothing yet, and the name of the last of them that has one."""
    names = [cut.name for cut in plan.cuts if not cut.edges and cut.name]
    kept = tuple(cut for cut in plan.cuts if cut.edges)
    return (plan if len(kept) == len(plan.cuts) else Plan(kept, plan.transport)), (names[-1] if names else None)
