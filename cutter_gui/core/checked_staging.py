"""The stages of a plan, for those who are about to write them: an invalid plan is refused."""

from __future__ import annotations

from cutter_gui.core.errors import InvalidPlan
from cutter_gui.core.format import Form
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import Staging, assign_stages


def checked_staging(graph: Graph, plan: Plan, form: Form = "both") -> Staging:
    """Assigns the stages and refuses an invalid plan.

    Raises:
        InvalidPlan: With every diagnostic.
    """
    staging = assign_stages(graph, plan)
    diagnostics = diagnose(staging, form)
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise InvalidPlan(
            f"the plan is not valid: {errors[0].message.rstrip('.')}{more}",
            errors[0].code,
            "nothing was written; run check for all findings",
            diagnostics,
        )
    return staging
