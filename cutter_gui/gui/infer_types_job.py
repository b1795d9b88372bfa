"""Inferring on from given types as a task for a worker, since it reads the model once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cutter_gui.core.format import LoadOptions, TypeHint
from cutter_gui.core.graph import Graph, Shape
from cutter_gui.frames import Task


@dataclass(frozen=True)
class InferTypes(Task):
    """Reads a model with given types; the result is what is then known of each tensor behind them, by name.

    Attributes:
        path: The model.
        fingerprint: That of its graph; a file with another gives nothing.
        types: The types given.
        options: How the model is opened; it needs no trust, as only files of graphs leave types open.
    """

    path: Path
    fingerprint: str
    types: Mapping[str, TypeHint]
    options: LoadOptions

    def run(self, progress: Callable[[str, float], None]) -> dict[str, tuple[int, Shape]]:
        from cutter_gui.core.format import format_for

        graph = format_for(self.path).load(self.path, progress, self.types, self.options)
        if graph.fingerprint != self.fingerprint:
            return {}
        return {
            graph.tensor_names[tensor]: (int(graph.tensor_dtype[tensor]), graph.tensor_shapes[tensor])
            for tensor in _behind(graph, [graph.tensor_index[name] for name in self.types])
        }


def _behind(graph: Graph, tensors: list[int]) -> set[int]:
    """Returns the tensors that nodes make of the given ones, directly or through others."""
    found: set[int] = set()
    waiting = list(tensors)
    while waiting:
        for node in graph.consumers(waiting.pop()).tolist():
            made = {tensor for tensor in graph.node_outputs.row(node).tolist() if tensor >= 0} - found
            found |= made
            waiting.extend(made)
    return found
