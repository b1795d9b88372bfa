"""How much is drawn at which zoom."""

from __future__ import annotations

from enum import IntEnum

TEXT_FROM = 0.5  # an op is then 6.5 pixels high
LABELS_FROM = 0.72
BOXES_FROM = 0.14
CURVES_AT_MOST = 3000
BOXES_AT_MOST = 4000


class Detail(IntEnum):
    """Steps of detail, each drawing what the ones before it draw, and more finely."""

    OVERVIEW = 0  # boxes as plain rectangles, wires as lines
    BOXES = 1  # rounded boxes in the colour of their stage, curves
    TEXT = 2  # op and name, badges
    LABELS = 3  # types and sizes on edges


def detail_at(scale: float, boxes: int, wires: int) -> Detail:
    """Returns the detail for a zoom and a number of visible boxes and wires."""
    if scale < BOXES_FROM or boxes > BOXES_AT_MOST or wires > CURVES_AT_MOST:
        return Detail.OVERVIEW
    if scale < TEXT_FROM:
        return Detail.BOXES
    return Detail.TEXT if scale < LABELS_FROM else Detail.LABELS
