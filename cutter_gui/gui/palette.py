"""Every colour and distance of the window, as tokens for light and dark.

Grey is the ground; colour means stage; the accent means selected or active; red is an error and never comes alone.
"""

from __future__ import annotations

from typing import NamedTuple

STEP = 4  # all distances are multiples of it, in pixels at scale 1

STAGES = ("#56B4E9", "#E69F00", "#2FB98F", "#D55E00", "#0072B2", "#CC79A7", "#F0E442")
"""Stage colours in the order of Okabe and Ito (2008), the same in light and dark; then again with a hatch."""

STAGE_TEXT = ("#15171C", "#15171C", "#15171C", "#15171C", "#FFFFFF", "#15171C", "#15171C")
"""The colour of a number on each stage colour, with a contrast of at least 4.5."""


def stage_colour(stage: int) -> str:
    """Returns the colour of a stage."""
    return STAGES[stage % len(STAGES)]


def stage_text(stage: int) -> str:
    """Returns the colour of the number on a stage's colour."""
    return STAGE_TEXT[stage % len(STAGES)]


def stage_is_hatched(stage: int) -> bool:
    """Whether a stage's colour was used before and a hatch tells it apart."""
    return stage >= len(STAGES)


class Palette(NamedTuple):
    """Colours by role, as ``#RRGGBB`` or ``#AARRGGBB``.

    Attributes:
        name: ``light`` or ``dark``.
        window: Ground of the window, toolbars and status line.
        panel: Ground of panels and cards.
        canvas: Ground of the graph.
        dot: The dots of the canvas.
        field: Ground of text fields.
        line: Lines between panels, borders of cards.
        track: The empty part of a bar.
        text: Text, and cuts.
        text_soft: Text of less weight.
        text_off: Text of what is disabled.
        accent: Selected or active.
        accent_text: Text on the accent.
        accent_soft: Ground of a selected row, halo of a selected edge.
        node: Ground of node boxes.
        node_border: Their border.
        node_plain: Stripe of nodes that have no stage colour.
        shadow: Shadow below node boxes.
        edge: Edges.
        pill: Ground of the labels on edges.
        pill_border: Their border.
        error: Errors.
        error_soft: Halo of an error path.
        warning: Warnings.
        success: What is well.
    """

    name: str
    window: str
    panel: str
    canvas: str
    dot: str
    field: str
    line: str
    track: str
    text: str
    text_soft: str
    text_off: str
    accent: str
    accent_text: str
    accent_soft: str
    node: str
    node_border: str
    node_plain: str
    shadow: str
    edge: str
    pill: str
    pill_border: str
    error: str
    error_soft: str
    warning: str
    success: str

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


LIGHT = Palette(
    name="light",
    window="#FDFDFE",
    panel="#FFFFFF",
    canvas="#FCFCFD",
    dot="#DADDE4",
    field="#F4F5F8",
    line="#DDE1E7",
    track="#DFE2E7",
    text="#1B1F2A",
    text_soft="#5F687B",
    text_off="#9AA2B1",
    accent="#2457D6",
    accent_text="#FFFFFF",
    accent_soft="#E6ECFA",
    node="#FFFFFF",
    node_border="#CBD1DD",
    node_plain="#C3C9D5",
    shadow="#141B2632",
    edge="#8A93A5",
    pill="#FFFFFF",
    pill_border="#C3C9D5",
    error="#C62828",
    error_soft="#FBE3E3",
    warning="#9A5B00",
    success="#1B7A43",
)

DARK = Palette(
    name="dark",
    window="#1C1F26",
    panel="#1C1F26",
    canvas="#14161A",
    dot="#2A2E37",
    field="#14161A",
    line="#343945",
    track="#2C313B",
    text="#EEF1F6",
    text_soft="#9AA3B5",
    text_off="#646C7C",
    accent="#7AA2FF",
    accent_text="#10141F",
    accent_soft="#243255",
    node="#22262E",
    node_border="#474E5D",
    node_plain="#4A5160",
    shadow="#40000000",
    edge="#7C8598",
    pill="#22262E",
    pill_border="#474E5D",
    error="#FF7B72",
    error_soft="#4A2022",
    warning="#E3B341",
    success="#56D08A",
)


def palette_named(name: str) -> Palette:
    """Returns the palette called ``light`` or ``dark``."""
    return DARK if name == "dark" else LIGHT
