"""What a gesture would do, shown on the canvas before it is done."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutter_gui.core.stages import Staging


@dataclass(frozen=True)
class GhostLine:
    """A line of the card: a tensor with its type and size.

    Attributes:
        name: Its name.
        detail: Such as ``8×512×1024 f32 · 16 MiB``.
    """

    name: str
    detail: str


@dataclass(frozen=True, eq=False)
class Ghost:
    """A preview.

    Attributes:
        title: What comes of it, such as ``Stage 1 starts here``; or that there is nothing to do.
        verdict: Whether the cut is complete, or why there is none.
        lines: The tensors that would be sent.
        hint: What a click would do now, for the line at the bottom of the window.
        refused: Whether there is nothing to apply.
        staging: The stages it would make, None when it is refused.
        cut: The cut that is new or moved, -1 for none in particular.
        edges: Edges that would cross that cut.
        added: Those of them that were not asked for and complete the cut.
        nodes: When it is refused, the nodes that say why.
    """

    title: str
    verdict: str = ""
    lines: tuple[GhostLine, ...] = ()
    hint: str = ""
    refused: bool = False
    staging: Staging | None = field(default=None, repr=False)
    cut: int = -1
    edges: tuple[int, ...] = field(default=())
    added: tuple[int, ...] = field(default=())
    nodes: tuple[int, ...] = field(default=())
