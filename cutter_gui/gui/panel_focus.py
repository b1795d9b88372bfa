"""Going from panel to panel with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def go_to_panel(places: list[QWidget], by: int) -> None:
    """Gives the keyboard to the next (1) or previous (-1) of some places in sight, and around at the end.

    Args:
        places: The canvas and the panels, in order.
        by: 1 or -1.
    """
    reachable = [(place, part) for place in places if place.isVisible() and (part := main_part(place)) is not None]
    if not reachable:
        return
    at = next((at for at, (place, _) in enumerate(reachable) if _has_focus(place)), -1 if by > 0 else 0)
    reachable[(at + by) % len(reachable)][1].setFocus(Qt.FocusReason.TabFocusReason)


def main_part(place: QWidget) -> QWidget | None:
    """Returns what takes the keyboard in a place: its list or table, else the first thing that can."""
    candidates = [place, *place.findChildren(QWidget)]
    taking = [part for part in candidates if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus]
    areas = [part for part in taking if isinstance(part, QAbstractScrollArea)]
    return next(iter(areas or taking), None)


def _has_focus(place: QWidget) -> bool:
    focus = place.window().focusWidget()
    return focus is not None and (focus is place or place.isAncestorOf(focus))
