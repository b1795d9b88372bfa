"""Where an arrow key goes in the Stages preview.

Steps: of everything that can be pointed at, take what lies in the direction of the key, beyond the middle of where one
is; the nearest wins, a step aside counting three times a step ahead. Nodes of an unfolded stage are a list of their
own: Up and Down go through it, past its ends one leaves it.

Complexity: linear in what is drawn.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF

from cutter_gui.gui.stages_preview.drawing import Drawing, NodesTarget, NodeTarget, StageTarget, Target

_ASIDE = 3.0


def first_target(drawing: Drawing) -> Target | None:
    """Returns where the keyboard begins."""
    return StageTarget(0) if drawing.stages else None


def next_target(drawing: Drawing, current: Target | None, dx: int, dy: int) -> Target | None:
    """Returns what lies next in a direction; None when nothing does."""
    if current is None:
        return None
    within = _within_nodes(drawing, current, dy)
    if within is not None:
        return within
    here = drawing.rect_of(current)
    if here is None:
        return first_target(drawing)
    best: tuple[float, Target] | None = None
    for target, rect in drawing.fixed_targets():
        cost = _cost(here, rect, dx, dy)
        if target != current and cost is not None and (best is None or cost < best[0]):
            best = cost, target
    return None if best is None else best[1]


def _within_nodes(drawing: Drawing, current: Target, dy: int) -> Target | None:
    """Returns the next node of an unfolded stage, None where the list has no such one."""
    if not isinstance(current, NodesTarget | NodeTarget) or not dy:
        return None
    block = drawing.stages[current.stage].nodes
    if not block.unfolded:
        return None
    at = block.place(current.node) if isinstance(current, NodeTarget) else None
    if at is None:
        at = -1
    while 0 <= at + dy < len(block.entries):
        at += dy
        found = block.target(at)
        if isinstance(found, NodeTarget):
            return found
    return NodesTarget(current.stage) if isinstance(current, NodeTarget) and dy < 0 else None


def _cost(here: QRectF, there: QRectF, dx: int, dy: int) -> float | None:
    """Returns how far a place is in a direction, None when it is not there."""
    ahead = (there.center().x() - here.center().x()) * dx + (there.center().y() - here.center().y()) * dy
    if ahead <= 1:
        return None
    if dx:
        gap = max(0.0, there.left() - here.right(), here.left() - there.right())
        aside = max(0.0, there.top() - here.bottom(), here.top() - there.bottom())
        shift = abs(there.center().y() - here.center().y())
    else:
        gap = max(0.0, there.top() - here.bottom(), here.top() - there.bottom())
        aside = max(0.0, there.left() - here.right(), here.left() - there.right())
        shift = abs(there.center().x() - here.center().x())
    return gap + _ASIDE * aside + 0.1 * shift + 0.2 * ahead
