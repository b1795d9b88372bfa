"""What the dialogs that export and print offer to choose, and what the choice makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox

from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas.camera import Rect
from cutter_gui.gui.export_drawing import Drawing, model_drawing, stages_drawing
from cutter_gui.gui.palette import palette_named
from cutter_gui.layout.scene import Scene

Part = Literal["all", "sight", "stages"]


@dataclass(frozen=True, eq=False)
class Subject:
    """What there is to draw.

    Attributes:
        title: The model's name.
        graph: Its graph.
        scene: The layout, with groups folded as they are.
        groups: The groups.
        staging: The stages.
        in_sight: The part of the scene that the window shows.
    """

    title: str
    graph: Graph
    scene: Scene
    groups: Groups | None
    staging: Staging
    in_sight: Rect

    def drawing(self, part: Part, theme: str) -> Drawing:
        """Returns the drawing of a part."""
        palette = palette_named(theme)
        if part == "stages":
            return stages_drawing(self.staging, palette, self.title)
        sight = self.in_sight if part == "sight" else None
        return model_drawing(self.graph, self.scene, self.groups, self.staging, palette, self.title, sight)


def part_choice(subject: Subject) -> QComboBox:
    """Returns the choice of what to draw; its data are `Part`."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Pictures", text)

    choice = QComboBox()
    choice.addItem(tr("The whole graph"), "all")
    choice.addItem(tr("What is in sight"), "sight")
    if subject.staging.plan.cuts:
        choice.addItem(tr("The stages"), "stages")
    return choice
