"""What the undo stack holds: the state of the plan before and after, never widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from cutter_gui.core.plan import Plan

if TYPE_CHECKING:
    from cutter_gui.core.format import TypeHint
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
        types: Types that the user gave for tensors of which inference cannot tell it, by name.
    """

    plan: Plan
    active_cut: int | None
    spec: SpecFile | None
    types: Mapping[str, TypeHint] = field(default_factory=dict)


class ChangePlan(QUndoCommand):
    """One change of plan or given types, as one step of undo; the file is part of it only when the step changed it."""

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
