"""A model as the window has it open, so that it can be put in the place of another and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QUndoCommand

from cutter_gui.core.format import LoadOptions
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.gui.commands import PlanState
from cutter_gui.layout.folding import Folding
from cutter_gui.layout.scene import LayoutOptions, Scene

if TYPE_CHECKING:
    from cutter_gui.gui.document import Document


@dataclass(frozen=True, eq=False)
class ModelPicture:
    """A drawn graph.

    Attributes:
        groups: The groups of its nodes.
        folding: Which are open.
        layout: How it was laid out.
        scene: Where everything is.
    """

    groups: Groups
    folding: Folding
    layout: LayoutOptions
    scene: Scene


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model that is, or was, open.

    Attributes:
        path: Where it is.
        graph: Its graph as it was read.
        options: How it was opened.
        picture: Its picture.
    """

    path: Path
    graph: Graph
    options: LoadOptions
    picture: ModelPicture


class ReplaceModel(QUndoCommand):
    """Another model in the place of the open one, with the plan over it, as one step of undo."""

    def __init__(
        self,
        document: Document,
        text: str,
        before: tuple[OpenedModel, PlanState],
        after: tuple[OpenedModel, PlanState],
    ) -> None:
        super().__init__(text)
        self._document = document
        self._before = before
        self._after = after

    def undo(self) -> None:
        self._document.take_model(*self._before)

    def redo(self) -> None:
        self._document.take_model(*self._after)


def picture_of(parts: dict[type, Any], layout: LayoutOptions) -> ModelPicture:
    """Returns the picture from the parts that a worker sent."""
    return ModelPicture(parts[Groups], parts[Folding], layout, parts[Scene])
