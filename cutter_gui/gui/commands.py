"""What the undo stack holds: the state of the plan before and after, never widgets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from cutter_gui.core.plan import Plan

if TYPE_CHECKING:
    from cutter_gui.core.spec import CutSpec
    from cutter_gui.gui.document import Document


@dataclass(frozen=True, eq=False)
class SpecFile:
    """A cut spec and the file it is kept in; the spec carries the comments that saving keeps."""

    path: Path
    spec: CutSpec


@dataclass(frozen=True, eq=False)
class PlanState:
    """All that undo brings back.

    Attributes:
        plan: The plan.
        active_cut: The cut that clicks go into, None without cuts.
        spec: The file the plan is kept in, None before it is saved.
    """

    plan: Plan
    active_cut: int | None
    spec: SpecFile | None


class ChangePlan(QUndoCommand):
    """One change of the plan, as one step of undo; the file is part of it only when the step changed the file."""

    def __init__(self, document: Document, text: str, before: PlanState, after: PlanState) -> None:
        super().__init__(text)
        self._document = document
        self._before = before
        self._after = after
        self._moves_file = before.spec is not after.spec

    def undo(self) -> None:
        self._document.restore(self._before, self._moves_file)

    def redo(self) -> None:
        self._document.restore(self._after, self._moves_file)
