"""``cutter-gui info``: what is in a model."""

from __future__ import annotations

import argparse
from collections import Counter

from cutter_gui.commands.arguments import add_json, add_model, read_options, read_types
from cutter_gui.commands.terminal import print_diagnostics, print_json, print_table, print_text, progress_shown
from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.format import format_for
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.units import bytes_text, shape_text

_COMMON_OPS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    with progress_shown() as progress:
        graph = format_for(arguments.model).load(
            arguments.model, progress, read_types(arguments.types), read_options(arguments)
        )
    document = describe(graph)
    if arguments.json:
        print_json(document)
        return 0
    print_text(f"{arguments.model}: {graph.kind}, {graph.node_count} nodes, {graph.tensor_count} tensors")
    weights = int((graph.tensor_kind == TensorKind.INITIALIZER).sum())
    print_text(f"weights: {bytes_text(int(graph.tensor_stored.sum()))} in {weights} initializers")
    for key, value in graph.metadata.items():
        print_text(f"{key}: {value}")
    common = Counter(graph.node_op.tolist()).most_common(_COMMON_OPS)
    print_text("ops: " + ", ".join(f"{count} {graph.op_types[op]}" for op, count in common))
    rows = [("input", graph.tensor_names[t], *_type(graph, t)) for t in graph.inputs.tolist()]
    rows += [("output", graph.tensor_names[t], *_type(graph, t)) for t in graph.outputs.tolist()]
    print_table(rows)
    print_diagnostics(graph.problems)
    return 0


def _type(graph: Graph, tensor: int) -> tuple[str, str]:
    return dtype_of(int(graph.tensor_dtype[tensor])).name, shape_text(graph.tensor_shapes[tensor])


def describe(graph: Graph) -> dict[str, object]:
    """Returns what ``info --json`` prints."""
    opsets = {key.removeprefix("opset "): int(v) for key, v in graph.metadata.items() if key.startswith("opset ")}
    return {
        "kind": graph.kind,
        "nodes": graph.node_count,
        "tensors": graph.tensor_count,
        "edges": graph.edge_count,
        "inputs": [tensor_entry(graph, tensor) for tensor in graph.inputs.tolist()],
        "outputs": [tensor_entry(graph, tensor) for tensor in graph.outputs.tolist()],
        "weight_bytes": int(graph.tensor_stored.sum()),
        "opsets": opsets,
        "metadata": {key: value for key, value in graph.metadata.items() if not key.startswith("opset ")},
        "fingerprint": graph.fingerprint,
        "problems": [problem.as_json() for problem in graph.problems],
    }


def tensor_entry(graph: Graph, tensor: int) -> dict[str, object]:
    """Returns name, dtype and shape of a tensor as manifests write them."""
    shape = graph.tensor_shapes[tensor]
    return {
        "name": graph.tensor_names[tensor],
        "dtype": dtype_of(int(graph.tensor_dtype[tensor])).name,
        "shape": None if shape is None else list(shape),
    }
