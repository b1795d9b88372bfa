"""What the gestures that cut see of the canvas."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF, QRectF

from cutter_gui.gui.canvas.gestures.base import GestureTarget


class CuttingTarget(GestureTarget, Protocol):
    """Shows previews of what a gesture would do; nothing is changed before `apply_preview`."""

    def preview_line(self, start: QPointF, end: QPointF) -> None:
        """Shows the cut along a line between two viewport points."""
        ...

    def preview_place(self, position: QPointF, after: bool) -> None:
        """Shows the cut just before, or after, what is under a viewport point."""
        ...

    @property
    def flow(self) -> int:
        """The axis along which edges run: 0 for x, 1 for y."""
        ...

    def preview_border(self, cut: int, shift: float) -> None:
        """Shows the plan with the line of a cut pushed along the edges by viewport pixels."""
        ...

    def show_band(self, band: QRectF | None) -> None:
        """Shows a rubber band, in viewport pixels."""
        ...

    def choose_within(self, band: QRectF) -> None:
        """Chooses the nodes within a rubber band."""
        ...

    def take_cut(self, cut: int) -> None:
        """Does what a click on the line of a cut does."""
        ...

    def apply_preview(self, exactly: bool = False) -> None:
        """Does what is shown; ``exactly``: only what was asked for, without what completes it."""
        ...

    def drop_preview(self) -> None:
        """Takes the preview away."""
        ...
