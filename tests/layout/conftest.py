"""Graphs to lay out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph


@pytest.fixture
def chain() -> Callable[[int], Graph]:
    def make(length: int) -> Graph:
        builder = GraphBuilder("onnx")
        builder.add_input("t0")
        for number in range(length):
            builder.add_node("Relu", [f"t{number}"], [f"t{number + 1}"])
        builder.add_output(f"t{length}")
        return builder.build()

    return make


@pytest.fixture
def encoder() -> Callable[..., Graph]:
    """Layers of three branches and a residual each; ``hub`` adds a mask that feeds every layer."""

    def make(layers: int, *, hub: bool = True) -> Graph:
        builder = GraphBuilder("onnx")
        builder.add_initializer("w", 4096)
        builder.add_input("x")
        builder.add_input("mask")
        builder.add_node("Cast", ["mask"], ["m"])
        last = "x"
        for layer in range(layers):
            for branch in "qkv":
                builder.add_node("MatMul", [last, "w"], [f"{branch}{layer}"], name=f"layer.{layer}/attention/{branch}")
            builder.add_node("MatMul", [f"q{layer}", f"k{layer}"], [f"s{layer}"])
            builder.add_node("Add", [f"s{layer}", "m"] if hub else [f"s{layer}"], [f"a{layer}"])
            builder.add_node("MatMul", [f"a{layer}", f"v{layer}"], [f"c{layer}"])
            builder.add_node("Add", [f"c{layer}", last], [f"x{layer}"])
            last = f"x{layer}"
        builder.add_output(last)
        return builder.build()

    return make
