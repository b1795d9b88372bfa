"""Mend all: the first mend of the first error, again and again, until the plan is valid or nothing mends it.

Why it ends: names that do not exist are replaced or leave; a plan that is at odds is mended of that once; completing
cuts only adds edges; stages that stay empty take a cut away each (`problems_mends`). Names are mended in batches, one
for each of the first entries, so that the plan of a re-exported model is not staged anew for every name.

Complexity: that of `diagnose` for each step. Left out: asking which of several mends is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cutter_gui.core.diagnostic import Diagnostic, Fix
from cutter_gui.core.format import Form
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.problems_names import SEARCH_LIMIT, unknown_names
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.stages_written import Refusal


@dataclass(frozen=True)
class Mended:
    """What came of mending a plan.

    Attributes:
        plan: The plan after all steps.
        steps: The titles of the mends, in order.
        reason: Why the plan is still not valid: what no edit of it can mend; None when it is valid.
    """

    plan: Plan
    steps: tuple[str, ...]
    reason: str | None


def mend(graph: Graph, plan: Plan, form: Form = "both", symbols: Mapping[str, int] | None = None) -> Mended:
    """Mends every error of a plan that an edit of the plan can mend.

    Args:
        graph: The graph.
        plan: The plan.
        form: What is to be written; types that Send and Recv do not take are errors only where those are written.
        symbols: Values of symbolic dimensions for the bytes that mends are chosen by; 1 where not given.
    """
    steps: list[str] = []
    seen = {plan}
    while True:
        staging = assign_stages(graph, plan)
        named, titles = _with_names(staging)
        errors = [] if titles else [finding for finding in diagnose(staging, form, symbols) if finding.is_error]
        first = next((finding.fixes[0] for finding in errors if finding.fixes), None)
        if first is not None:
            named, titles = first.plan, [first.title]
        if not titles or named in seen:
            return Mended(plan, tuple(steps), _why(errors))
        plan = named
        steps.extend(titles)
        seen.add(plan)


def settled(
    graph: Graph, plan: Plan, symbols: Mapping[str, int] | None = None
) -> tuple[Staging, tuple[str, ...]] | Refusal:
    """Returns the stages of a plan made valid, and what was mended; or why it cannot be valid."""
    staging = assign_stages(graph, plan)
    if staging.is_valid:
        return staging, ()
    mended = mend(graph, plan, "plain", symbols)
    staging = assign_stages(graph, mended.plan)
    if not staging.is_valid:
        return Refusal(mended.reason or "The plan cannot be made valid.")
    return staging, mended.steps


def _with_names(staging: Staging) -> tuple[Plan, list[str]]:
    """Returns the plan with one unknown name mended in each entry that has any, and the titles of these mends.

    Entries are taken from the last one on, so that one that leaves its cut does not shift those still to come.
    """
    plan = staging.plan
    first: dict[tuple[int, int], Fix] = {}
    if staging.listings.unknown:
        for unknown, finding in zip(staging.listings.unknown[:SEARCH_LIMIT], unknown_names(staging), strict=False):
            if finding.fixes:
                first.setdefault((unknown.cut, unknown.edge), finding.fixes[0])
    cuts = list(plan.cuts)
    for (cut, place), mended in sorted(first.items(), key=lambda item: item[0], reverse=True):
        behind = len(plan.cuts[cut].edges) - place - 1
        edges = mended.plan.cuts[cut].edges
        entries = (*cuts[cut].edges[:place], *edges[place : len(edges) - behind], *cuts[cut].edges[place + 1 :])
        cuts[cut] = replace(cuts[cut], edges=entries)
    return replace(plan, cuts=tuple(cuts)), [
        mended.title for _, mended in sorted(first.items(), key=lambda item: item[0])
    ]


def _why(errors: list[Diagnostic]) -> str | None:
    """Returns what is left to say of a plan that no further edit mends."""
    if not errors:
        return None
    more = f" ({len(errors) - 1} more like this or of another kind)" if len(errors) > 1 else ""
    return f"{errors[0].message}{more}"
