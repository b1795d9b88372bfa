"""Exporting a picture as a task for a worker, since drawing a large graph takes seconds.

The window knows only this file; what draws is imported in the worker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutter_gui.frames import Task

if TYPE_CHECKING:
    from cutter_gui.core.graph import Graph
    from cutter_gui.core.stages import Staging
    from cutter_gui.layout.scene import Scene


@dataclass(frozen=True)
class ExportPicture(Task):
    """Writes a picture of a graph; the result is an `Exported`.

    Attributes:
        path: The file; its ending decides the format.
        graph: The graph.
        scene: Its layout.
        staging: Its stages.
        theme: ``light`` or ``dark``.
        options: Further arguments of `export_picture`, such as ``groups``.
    """

    path: Path
    graph: Graph
    scene: Scene
    staging: Staging
    theme: str
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, progress: Callable[[str, float], None]) -> object:
        from cutter_gui.gui.export import export_picture

        return export_picture(
            self.path, self.graph, self.scene, self.staging, self.theme, progress=progress, **self.options
        )
