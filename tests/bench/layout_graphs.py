"""Graphs of up to 400 nodes to judge layouts by: real ones from the sample and the onnx package, and built ones."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from canvas_models import write_convolutions, write_random, write_transformer

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.format import format_for
from cutter_gui.core.graph import Graph
from cutter_gui.resource_files import resource

CORPUS_FOLDER = "CUTTER_GUI_CORPUS"
MOST_NODES = 400


def graphs() -> Iterator[tuple[str, Graph]]:
    """Yields names and graphs: the sample, models that the onnx package ships and of the corpus folder, built ones."""
    light = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    corpus = os.environ.get(CORPUS_FOLDER)
    paths = [resource("models/bert_small.onnx"), *sorted(light.glob("*.onnx"))]
    paths += sorted(Path(corpus).rglob("*.onnx")) if corpus else []
    for path in paths:
        graph = loaded(path)
        if int((~graph.node_constant).sum()) <= MOST_NODES:
            yield path.stem, graph
    with tempfile.TemporaryDirectory(prefix="cutter-bench-") as folder:
        yield from _written(Path(folder))
    for seed in range(3):
        yield f"tree {seed}", tree(120, seed)
    for steps in (6, 16):
        yield f"recurrent {steps}", recurrent(steps)
    for depth in (3, 5):
        yield f"u-net {depth}", u_net(depth)
    yield "dense", dense(5, 6)
    yield "experts", experts(6, 8)


def _written(folder: Path) -> Iterator[tuple[str, Graph]]:
    path = folder / "model.onnx"
    for count in (60, 200, 400):
        for hub in (True, False):
            write_transformer(path, count - 30, hub=hub)
            yield f"transformer {count}{' hub' if hub else ''}", loaded(path)
    for count in (80, 240):
        write_convolutions(path, count)
        yield f"convolutions {count}", loaded(path)
    for width, count in ((3, 60), (5, 120), (8, 200), (12, 240)):
        write_random(path, count, width, seed=width)
        yield f"random {width}", loaded(path)


def loaded(path: Path) -> Graph:
    graph = format_for(path).load(path, lambda _what, _fraction: None)
    assert isinstance(graph, Graph)
    return graph


def tree(count: int, seed: int) -> Graph:
    """Returns a graph in which every node reads one or two values at random, recent ones more often."""
    builder = GraphBuilder("onnx")
    builder.add_input("t0")
    random = np.random.default_rng(seed)
    for node in range(1, count):
        back = 1 + random.geometric(0.15, size=1 + int(random.random() < 0.3))
        builder.add_node("Op", [f"t{at}" for at in sorted({max(node - int(b), 0) for b in back})], [f"t{node}"])
    builder.add_output(f"t{count - 1}")
    return builder.build()


def recurrent(steps: int) -> Graph:
    """Returns an unrolled cell with two states and four gates a step."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    builder.add_node("Split", ["x"], [f"x{step}" for step in range(steps)])
    for name in ("h", "c"):
        builder.add_input(f"{name}0")
    for step in range(steps):
        for gate in "ifog":
            builder.add_node("Gemm", [f"x{step}", f"h{step}"], [f"{gate}{step}"])
            builder.add_node("Tanh" if gate == "g" else "Sigmoid", [f"{gate}{step}"], [f"{gate}{step}a"])
        builder.add_node("Mul", [f"i{step}a", f"g{step}a"], [f"new{step}"])
        builder.add_node("Mul", [f"f{step}a", f"c{step}"], [f"kept{step}"])
        builder.add_node("Add", [f"new{step}", f"kept{step}"], [f"c{step + 1}"])
        builder.add_node("Tanh", [f"c{step + 1}"], [f"shown{step}"])
        builder.add_node("Mul", [f"o{step}a", f"shown{step}"], [f"h{step + 1}"])
    builder.add_node("Concat", [f"h{step + 1}" for step in range(steps)], ["y"])
    builder.add_output("y")
    return builder.build()


def u_net(depth: int) -> Graph:
    """Returns an encoder and a decoder with a skip at each depth."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    value = "x"
    for level in range(depth):
        for step in range(4):
            builder.add_node("Conv", [value], [f"down{level}/{step}"])
            value = f"down{level}/{step}"
        builder.add_node("MaxPool", [value], [f"pool{level}"])
        value = f"pool{level}"
    for level in reversed(range(depth)):
        builder.add_node("Resize", [value], [f"up{level}"])
        builder.add_node("Concat", [f"down{level}/3", f"up{level}"], [f"join{level}"])
        builder.add_node("Conv", [f"join{level}"], [f"conv{level}"])
        value = f"conv{level}"
    builder.add_output(value)
    return builder.build()


def dense(blocks: int, layers: int) -> Graph:
    """Returns blocks in which every layer reads all layers before it."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    value = "x"
    for block in range(blocks):
        before = [value]
        for layer in range(layers):
            builder.add_node("Concat", before, [f"cat{block}.{layer}"])
            builder.add_node("Conv", [f"cat{block}.{layer}"], [f"conv{block}.{layer}"])
            before = [*before, f"conv{block}.{layer}"]
        builder.add_node("Concat", before, [f"block{block}"])
        value = f"block{block}"
    builder.add_output(value)
    return builder.build()


def experts(layers: int, count: int) -> Graph:
    """Returns layers of parallel experts, weighted by a gate and added."""
    builder = GraphBuilder("onnx")
    builder.add_input("x")
    value = "x"
    for layer in range(layers):
        builder.add_node("Gemm", [value], [f"gate{layer}"])
        builder.add_node("Split", [f"gate{layer}"], [f"weight{layer}.{at}" for at in range(count)])
        for at in range(count):
            builder.add_node("Gemm", [value], [f"up{layer}.{at}"])
            builder.add_node("Relu", [f"up{layer}.{at}"], [f"act{layer}.{at}"])
            builder.add_node("Mul", [f"act{layer}.{at}", f"weight{layer}.{at}"], [f"out{layer}.{at}"])
        builder.add_node("Sum", [*(f"out{layer}.{at}" for at in range(count)), value], [f"sum{layer}"])
        value = f"sum{layer}"
    builder.add_output(value)
    return builder.build()
