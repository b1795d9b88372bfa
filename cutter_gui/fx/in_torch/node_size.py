"""How large a node is: its output, and with it the weights that it needs.

torch's ``get_size_of_node`` fails on nodes with several outputs, counts weights at the output's dtype, leaves out
buffers and sees no weights of functions, which in an exported graph are all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx
from torch.fx.passes.shape_prop import TensorMetadata
from torch.utils import _pytree as pytree

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program import get_by_path, same_bytes

Bytes: TypeAlias = "int | torch.SymInt"


@dataclass(frozen=True)
class NodeSize:
    """Bytes of a node; symbolic where sizes are.

    Attributes:
        output: Of its value, of all parts where it is a tuple.
        total: Of its value and of the parameters and buffers it needs, each at its own dtype and counted once.
    """

    output: Bytes
    total: Bytes


def size_of_node(module: fx.GraphModule, node: fx.Node, lifted: Collection[str] = ()) -> NodeSize:
    """Returns how large a node is.

    Args:
        module: The graph module it is in.
        node: The node, with ``tensor_meta`` or ``val``.
        lifted: Names of placeholders that stand for weights, for the graph of an exported program
            (`lifted_placeholders`).

    Raises:
        CutterError: Nothing is known of the value of the node.
    """
    output = value_bytes(_value_of(module, node))
    weights: dict[tuple[object, ...], Bytes] = {}
    if node.op == "call_module":
        called = module.get_submodule(str(node.target))
        for tensor in [*called.parameters(), *called.buffers()]:
            weights[same_bytes(tensor)] = value_bytes(tensor)
    elif node.op not in ("get_attr", "placeholder", "output"):
        for source in node.all_input_nodes:
            if source.op == "get_attr":
                held = get_by_path(module, str(source.target))
                if isinstance(held, torch.Tensor):
                    weights[same_bytes(held)] = value_bytes(held)
            elif source.op == "placeholder" and source.name in lifted:
                weights[(source.name,)] = value_bytes(_value_of(module, source))
    total = output
    for size in weights.values():
        total = total + size
    return NodeSize(output, total)


def lifted_placeholders(exported: torch.export.ExportedProgram) -> frozenset[str]:
    """Returns the placeholders of an exported graph that stand for parameters, buffers and constants."""
    signature = exported.graph_signature
    return frozenset(
        {
            *signature.inputs_to_parameters,
            *signature.inputs_to_buffers,
            *signature.inputs_to_lifted_tensor_constants,
        }
    )


def value_bytes(value: Any) -> Bytes:
    """Returns the bytes of a value: a tensor, what is known of one, or a container of these; 0 for anything else."""
    if isinstance(value, TensorMetadata):
        elements: Bytes = 1
        for size in value.shape:
            elements = elements * size
        return elements * element_bytes(value.dtype)
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, (tuple, list, dict)):
        total: Bytes = 0
        for leaf in pytree.tree_leaves(value, is_leaf=lambda item: isinstance(item, TensorMetadata)):
            total = total + value_bytes(leaf)
        return total
    return 0


def element_bytes(dtype: torch.dtype) -> int:
    """Returns the bytes of one element, of a quantized dtype too."""
    return dtype.itemsize


def _value_of(module: fx.GraphModule, node: fx.Node) -> Any:
    if node.op == "output":
        return [_value_of(module, source) for source in node.all_input_nodes]
    for key in ("tensor_meta", "val", "example_value"):
        if node.meta.get(key) is not None:
            return node.meta[key]
    if node.op == "get_attr":
        return get_by_path(module, str(node.target))
    if "val" in node.meta:
        return None
    raise CutterError(
        f"nothing is known of the value of {one_line(node.name, 80)}", "size of a node", "run shape propagation first"
    )
