"""A small graph on a canvas, and a listener to all it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import assign_stages
from cutter_gui.gui.canvas.view import GraphCanvas
from cutter_gui.layout import Scene, lay_out


def block_graph(layers: int = 6) -> Graph:
    """Returns layers of two branches and a residual, and a mask that feeds every layer and so is a hub."""
    builder = GraphBuilder("onnx")
    builder.add_initializer("w", 4096)
    builder.add_input("x")
    builder.add_input("mask")
    builder.add_node("Cast", ["mask"], ["m"])
    last = "x"
    for layer in range(layers):
        builder.add_node("MatMul", [last, "w"], [f"q{layer}"], name=f"layer.{layer}/query")
        builder.add_node("MatMul", [last, "w"], [f"k{layer}"])
        builder.add_node("Add", [f"q{layer}", "m"], [f"a{layer}"])
        builder.add_node("Sum", [f"a{layer}", f"k{layer}", last], [f"x{layer}"])
        last = f"x{layer}"
    builder.add_output(last)
    for name in ("x", "m", *(f"{letter}{layer}" for letter in "qkax" for layer in range(layers))):
        builder.set_type(name, BY_NAME["float32"].code, (1, 16, 128))
    return builder.build()


@dataclass
class Shown:
    """A canvas with a graph, and what its signals told."""

    canvas: GraphCanvas
    graph: Graph
    scene: Scene
    tensors: list[int] = field(default_factory=list)
    consumers: list[tuple[int, int]] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    zooms: list[int] = field(default_factory=list)

    def tensor(self, name: str) -> int:
        return self.graph.tensor_index[name]

    def node(self, output: str) -> int:
        return int(self.graph.tensor_producer[self.tensor(output)])

    def edge_point(self, tensor: str, consumer: str) -> QPoint:
        self.canvas.reveal(tensors=[self.tensor(tensor)])
        return self.canvas.edge_point(self.tensor(tensor), self.node(consumer))

    def node_point(self, output: str) -> QPoint:
        self.canvas.reveal(nodes=[self.node(output)])
        return self.canvas.node_point(self.node(output))

    def stage(self, *cuts: list[CutEdge], active: int | None = 0) -> None:
        plan = Plan(tuple(Cut(tuple(edges)) for edges in cuts))
        self.canvas.show_staging(assign_stages(self.graph, plan), active)


@pytest.fixture
def shown(qtbot) -> Iterator[Shown]:
    graph = block_graph()
    scene = lay_out(graph)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(1000, 700)
    canvas.show()
    canvas.show_graph(graph, scene)
    found = Shown(canvas, graph, scene)
    canvas.tensor_clicked.connect(found.tensors.append)
    canvas.consumer_clicked.connect(lambda tensor, node: found.consumers.append((tensor, node)))
    canvas.hint_changed.connect(found.hints.append)
    canvas.zoom_changed.connect(found.zooms.append)
    found.stage()
    canvas.setFocus()
    QCoreApplication.processEvents()
    yield found
    canvas.close()


@pytest.fixture
def click(qtbot, shown: Shown) -> Callable[..., None]:
    def press(point: QPoint, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        qtbot.mouseClick(shown.canvas.viewport(), Qt.MouseButton.LeftButton, modifier, point)

    return press
