"""Where an arrow key goes in the Stages preview.

Steps: from the head of a stage to that of the next, where stages stand side by side; else, of everything that can be
pointed at, take what lies in the direction of the key, beyond the middle of where one is; the nearest wins, a step
aside counting three times a step ahead. Across the way that the stages go, one stays within a stage, or among the
tensors of a boundary, as long as there is more. Nodes of an unfolded stage are a list of their own: Up and Down go
through it, past its ends one leaves it.

Complexity: linear in what is drawn.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF

from cutter_gui.gui.stages_preview.drawing import Drawing, NodesTarget, NodeTarget, StageTarget, Target, WireTarget
from cutter_gui.gui.stages_preview.texts import stage_of

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
    beside = _beside(drawing, current, dx)
    if beside is not None:
        return beside
    here = drawing.rect_of(current)
    if here is None:
        return first_target(drawing)
    across = bool(dy) if _is_columns(drawing) else bool(dx)
    best: tuple[bool, float, Target] | None = None
    for target, rect in drawing.fixed_targets():
        cost = _cost(here, rect, dx, dy)
        if target == current or cost is None:
            continue
        elsewhere = across and _band(target) != _band(current)
        if best is None or (elsewhere, cost) < best[:2]:
            best = elsewhere, cost, target
    return None if best is None else best[2]


def _is_columns(drawing: Drawing) -> bool:
    return len(drawing.stages) < 2 or drawing.stages[0].head.top() == drawing.stages[1].head.top()


def _band(target: Target) -> tuple[bool, int]:
    """Returns the stage, or else the boundary, that something is drawn in."""
    return isinstance(target, WireTarget), stage_of(target)


def _beside(drawing: Drawing, current: Target, dx: int) -> Target | None:
    """Returns the head of the stage left or right, where stages stand in columns."""
    if not isinstance(current, StageTarget) or not 0 <= current.stage + dx < len(drawing.stages) or not dx:
        return None
    return StageTarget(current.stage + dx) if _is_columns(drawing) else None


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
