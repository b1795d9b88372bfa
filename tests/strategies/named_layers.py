"""Layers with names as exporters give them, to be searched."""

from __future__ import annotations

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.graph import Graph


def graph_of_layers(count: int = 2) -> Graph:
    """Builds layers of three nodes, ``layer.<i>/MatMul``, ``Sum`` and ``Out``, whose tensors are numbered."""
    builder = GraphBuilder("onnx")
    builder.add_input("tokens")
    builder.set_type("tokens", BY_NAME["int64"].code, ("batch", 16))
    last = "tokens"
    for layer in range(count):
        builder.add_initializer(f"layer.{layer}.weight", 64)
        builder.set_type(f"layer.{layer}.weight", BY_NAME["float16"].code, (16, 64))
        at = f"layer.{layer}"
        builder.add_node("MatMul", [last, f"{at}.weight"], [f"{3 * layer}"], name=f"{at}/MatMul")
        builder.add_node("Add", [f"{3 * layer}", last], [f"{3 * layer + 1}"], name=f"{at}/Sum")
        axis = (("axis", "-1" if layer else "2"),)
        builder.add_node("Softmax", [f"{3 * layer + 1}"], [f"{3 * layer + 2}"], name=f"{at}/Out", attributes=axis)
        for number in range(3 * layer, 3 * layer + 3):
            builder.set_type(f"{number}", BY_NAME["float32"].code, ("batch", 16, 64))
        last = f"{3 * layer + 2}"
    builder.add_output(last)
    return builder.build()
