"""What mends a cut that fails: completing it, giving way where the plan contradicts itself, or taking edges out.

The first mend of a finding always leads on: where a cut can be completed it is; where it cannot, the plan is at odds
(`conflicts`), and after that mend every cut can. Completing only ever adds edges, and a plan is mended of being at odds
once, so applying first mends one after the other ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from cutter_gui.core.completion import Completion, completions
from cutter_gui.core.conflicts import Conflicts, unlisting
from cutter_gui.core.diagnostic import Fix, LaterFixes
from cutter_gui.core.fixes import PlanEdit, applied, fix
from cutter_gui.core.problems_words import FIX_LIMIT, cut_shown, tensor_shown, tensors_listed
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import bytes_text

WORK_LIMIT = 600_000
"""Nodes and edges that may be searched for mends of one plan; the first finding has its mends whatever the size.

Findings beyond that can only be mended by taking edges out, until those before them are mended.
"""


class Mends:
    """Finds the mends of failing listings of one plan, each cut and component once, when they are first looked at.

    Which findings may be searched for is settled as they are told, so it does not depend on who looks first.
    """

    def __init__(self, staging: Staging, symbols: Mapping[str, int] | None = None) -> None:
        self._staging, self._symbols = staging, symbols
        self._found: dict[tuple[int, int], tuple[Fix, ...]] = {}
        self._searched: set[tuple[int, int]] = set()
        size = staging.graph.node_count + staging.graph.edge_count
        self._left = min(FIX_LIMIT, max(1, WORK_LIMIT // max(size, 1)))

    def of(self, cut: int, component: int, listings: Sequence[int]) -> Sequence[Fix]:
        """Returns the mends of listings of a cut that fail because of a component, best first.

        Args:
            cut: The cut.
            component: The component of the producers, which has to be parted or to be left alone.
            listings: The listings that fail.
        """
        if self._left and (cut, component) not in self._searched:
            self._left -= 1
            self._searched.add((cut, component))
        return LaterFixes(lambda: self._worked_out(cut, component, listings))

    def _worked_out(self, cut: int, component: int, listings: Sequence[int]) -> tuple[Fix, ...]:
        mends = self._leading_on(cut, component)
        last = self._taking_out(cut, listings)
        return mends if any(mend.plan == last.plan for mend in mends) else (*mends, last)

    def _leading_on(self, cut: int, component: int) -> tuple[Fix, ...]:
        """Returns the mends after which every listing of the cut still counts, or as many as can."""
        key = cut, component
        if key not in self._searched:
            return ()
        if key not in self._found:
            found = completions(self._staging, cut, component, self._symbols)
            self._found[key] = tuple(self._completing(cut, completion) for completion in found)
        if not self._found[key] and self._conflict is not None:
            return (self._conflict,)
        return self._found[key]

    @cached_property
    def _conflict(self) -> Fix | None:
        return Conflicts(self._staging, self._symbols).fix

    def _completing(self, cut: int, completion: Completion) -> Fix:
        graph, plan = self._staging.graph, self._staging.plan
        sizes = [graph.tensor_bytes(tensor, dict(self._symbols or {})) for tensor in completion.tensors]
        size = "" if None in sizes else f" ({bytes_text(completion.cost)} more)"
        lead = {"cheapest": "Also cut", "earlier": "Cut early: also", "later": "Cut late: also"}[completion.choice]
        where = cut_shown(plan, cut) + ("" if not completion.elsewhere else " and where it is relayed")
        title = f"{lead} {tensors_listed(graph, completion.tensors)} in {where}{size}"
        return fix(plan, title, completion.additions(cut))

    def _taking_out(self, cut: int, listings: Sequence[int]) -> Fix:
        graph, plan, edges = self._staging.graph, self._staging.plan, self._staging.listings.edge
        by_tensor: dict[int, list[int]] = {}
        for listing in listings:
            by_tensor.setdefault(int(graph.edge_tensor[edges[listing]]), []).append(int(edges[listing]))
        edits: list[PlanEdit] = []
        for tensor, members in by_tensor.items():
            edits.extend(unlisting(self._staging, applied(plan, edits), cut, tensor, members))
        names = (
            tensors_listed(graph, list(by_tensor)) if len(by_tensor) > 1 else tensor_shown(graph, next(iter(by_tensor)))
        )
        return fix(plan, f"Take {names} out of {cut_shown(plan, cut)}", edits)
