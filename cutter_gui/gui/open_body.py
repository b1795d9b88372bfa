"""Opening a subgraph body as a task for a worker: its graph is read from the file and laid out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cutter_gui.core.format import BodyStep, TypeHint, format_for
from cutter_gui.frames import Task

if TYPE_CHECKING:
    from cutter_gui.core.graph import Graph
    from cutter_gui.layout.scene import LayoutOptions, Scene


@dataclass(frozen=True, eq=False)
class BodyPicture:
    """A body and its picture."""

    graph: Graph
    scene: Scene


@dataclass(frozen=True)
class OpenBody(Task):
    """Reads and lays out a body; the result is a `BodyPicture`.

    Attributes:
        path: The model.
        way: From the model's graph into the body.
        options: How to lay it out.
        types: The types that the user gave.
    """

    path: Path
    way: tuple[BodyStep, ...]
    options: LayoutOptions
    types: Mapping[str, TypeHint] = field(default_factory=dict)

    def run(self, progress: Callable[[str, float], None]) -> object:
        from cutter_gui.layout import lay_out

        read = format_for(self.path).load_body(
            self.path, self.way, lambda what, part: progress(what, part * 0.5), self.types
        )
        scene = lay_out(read, self.options, lambda what, part: progress(what, 0.5 + part * 0.5))
        return BodyPicture(read, scene)
