"""Everything that is wrong, doubtful or worth knowing about a plan (DESIGN, section 7).

Terms: a listing *fails* when it breaks rule 4 of DESIGN section 2; a plan is *settled* when no listing fails, so that
its stages mean what they say. What depends on where tensors go (types at boundaries, copies of weights) is told of
settled plans only; before that it would be noise.

Which code when several fit: ``incomplete-cut`` where both ends lie in one component; else ``cuts-out-of-order`` when
some order of the cuts is valid; else ``backward-edge``; ``empty-stage`` only without any of those.

Complexity: linear in nodes, edges and listings, with bounds on what is searched for the sake of an explanation
(paths, orders of the cuts, nearest names, cheapest completions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.core.format import Form
from cutter_gui.core.problems_boundary import boundary_problems
from cutter_gui.core.problems_incomplete import incomplete_cuts
from cutter_gui.core.problems_listing import listing_problems
from cutter_gui.core.problems_mends import Mends
from cutter_gui.core.problems_names import unknown_names
from cutter_gui.core.problems_order import order_problems
from cutter_gui.core.stages import Staging


def diagnose(staging: Staging, form: Form = "both", symbols: Mapping[str, int] | None = None) -> tuple[Diagnostic, ...]:
    """Returns the findings about a plan: errors first, then warnings, then what is only worth knowing.

    Args:
        staging: The plan's stages.
        form: What is to be written; types that Send and Recv do not take are errors only where those are written.
        symbols: Values of symbolic dimensions for what mends would send; 1 where not given.

    Returns:
        The findings in an order that depends on nothing but graph and plan; none of them an error when, and only
        when, the plan is valid and can be written in that form.
    """
    return tuple(sorted(_findings(staging, form, symbols), key=lambda finding: finding.severity.rank))


def _findings(staging: Staging, form: Form, symbols: Mapping[str, int] | None) -> Iterator[Diagnostic]:
    yield from staging.graph.problems
    yield from unknown_names(staging)
    mends = Mends(staging, symbols)
    incomplete = incomplete_cuts(staging, mends)
    yield from incomplete
    yield from order_problems(staging, bool(incomplete), mends)
    yield from listing_problems(staging)
    if not len(staging.failing):
        yield from boundary_problems(staging, form, symbols)
