"""Graph modules as JSON, with their weights apart: ``serialize_module``, which torch once had.

MODULE: ``modules`` {name: MODULE}, ``nodes`` [NODE], ``weights`` {qualified name: WEIGHT}.

NODE: ``shape``, ``stride``, ``dtype``, ``requires_grad``, ``is_quantized``; where quantized ``qscheme`` and
``q_scale``, ``q_zero_point``, or ``q_per_channel_scales``, ``q_per_channel_zero_points``, ``q_per_channel_axis``;
``target``, ``op_code``, ``name``, ``args``, ``kwargs``, ``users``; for a placeholder that is said to be one
``ph_type``; for a leaf module ``parameters``; and whatever ``node.meta["lowering_info"]`` has. Nodes that call a graph
module, and the output, have no shape of their own; each argument of the output has one. ``returns`` says whether the
output is one value, a tuple or a list.

WEIGHT: ``dtype``, ``is_quantized``, ``shape``, ``stride``, quantization as above and again as ``quantization_info``,
``kind``, and ``tied_to`` for a weight that is the same tensor as another.

The JSON Schema is ``resources/schemas/fx_module.schema.json``; `cutter_gui.fx.in_torch.deserialize` reads it back.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx, nn
from torch.fx.node import _get_qualified_name

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.lowering import lowering_attributes
from cutter_gui.fx.in_torch.program import get_by_path, same_bytes
from cutter_gui.fx.in_torch.serialize_values import argument_info, fused_dtype, node_info, weight_info

PLACEHOLDER_TYPES = ("input_ph", "output_ph")
_PARENT = "parent."


def serialize_module(module: fx.GraphModule, weights: dict[str, torch.Tensor], name_prefix: str = "") -> dict[str, Any]:
    """Returns a graph module as JSON values, nested ones included, and adds its weights to ``weights``.

    Args:
        module: The graph module, with shapes on its nodes (``tensor_meta`` or ``val``).
        weights: Weights by qualified name; those of the module are added. A ``get_attr`` of ``parent.<name>`` stands
            for one that is there already.
        name_prefix: What qualified names begin with.

    Raises:
        CutterError: A node has no shape, a leaf module's lowering attributes are not known, ``lowering_info`` overlaps
            with what is written, a ``ph_type`` is not one, or an argument cannot be written.
    """
    return _Serializer(module, weights, name_prefix).document()


def target_name(target: Any) -> str:
    """Returns the full name of what a node calls: ``torch.ops.aten.add.Tensor``, ``torch.relu``, ``_operator.add``."""
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"torch.ops.higher_order.{target._name}"
    if isinstance(target, torch._ops.OpOverload):
        return f"torch.ops.{target}"
    if isinstance(target, torch._ops.OpOverloadPacket):
        return f"torch.ops.{str(target).replace('::', '.')}"
    module = getattr(target, "__module__", None)
    if module == "math":
        return f"math.{target.__name__}"
    return _get_qualified_name(target)


class _Serializer:
    """Serializes one graph module."""

    def __init__(self, module: fx.GraphModule, weights: dict[str, torch.Tensor], name_prefix: str) -> None:
        self._module = module
        self._weights = weights
        self._prefix = f"{name_prefix}." if name_prefix else ""
        self._listed: dict[str, dict[str, Any]] = {}
        self._modules: dict[str, Any] = {}
        self._seen: dict[tuple[object, ...], str] = {same_bytes(tensor): name for name, tensor in weights.items()}

    def document(self) -> dict[str, Any]:
        for name, parameter in self._module.named_parameters():
            self._add_weight(name, parameter, "parameter")
        saved = set(self._module.state_dict())
        for name, buffer in self._module.named_buffers():
            self._add_weight(name, buffer, "buffer" if name in saved else "temporary")
        nodes = [self._node(node) for node in self._module.graph.nodes]
        return {"modules": self._modules, "nodes": nodes, "weights": self._listed}

    def _name(self, node: fx.Node) -> str:
        if node.op == "get_attr" and str(node.target).startswith(_PARENT):
            return str(node.target).removeprefix(_PARENT)
        return node.name

    def _node(self, node: fx.Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        called = self._called(node)
        if node.op != "output" and not isinstance(called, fx.GraphModule):
            found.update(self._info(node))
        target = str(node.target)
        if isinstance(called, fx.GraphModule):
            inner = self._prefix + target
            self._modules[target] = serialize_module(called, self._weights, inner)
        elif node.op == "call_module":
            assert isinstance(called, nn.Module)
            found["parameters"] = self._leaf(target, called)
        if node.op == "get_attr":
            self._attribute(node, called)
            target = target.removeprefix(_PARENT)
        elif node.op == "placeholder":
            self._placeholder(node, found)
        found["target"] = target_name(node.target) if node.op == "call_function" else target
        found["op_code"] = node.op
        found["name"] = self._name(node)
        found.update(self._arguments(node))
        found["kwargs"] = {key: argument_info(value, self._name) for key, value in node.kwargs.items()}
        found["users"] = [{"is_node": True, "name": self._name(user)} for user in node.users]
        return found

    def _info(self, node: fx.Node) -> dict[str, Any]:
        if node.op == "get_attr" and not {"tensor_meta", "val"} & node.meta.keys():
            held = self._weights.get(self._name(node)) if str(node.target).startswith(_PARENT) else None
            value = held if held is not None else get_by_path(self._module, str(node.target))
            node.meta["val"] = value
        return node_info(node)

    def _called(self, node: fx.Node) -> Any:
        """What a node calls or reads from the module: a module, a tensor, or None."""
        target = str(node.target)
        if node.op == "call_module":
            return self._module.get_submodule(target)
        if node.op == "get_attr" and not target.startswith(_PARENT):
            return get_by_path(self._module, target)
        return None

    def _arguments(self, node: fx.Node) -> dict[str, Any]:
        if node.op != "output":
            return {"args": [argument_info(argument, self._name) for argument in node.args]}
        returned = node.args[0]
        kind = "tuple" if isinstance(returned, tuple) else "list" if isinstance(returned, list) else "single"
        parts = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        return {"args": [self._output(part) for part in parts], "returns": kind}

    def _output(self, part: Any) -> Any:
        told = argument_info(part, self._name)
        if isinstance(part, fx.Node) and not isinstance(self._called(part), fx.GraphModule):
            told.update(self._info(part))
        return told

    def _leaf(self, target: str, called: nn.Module) -> dict[str, str]:
        """Returns the attributes of a leaf module that are no tensors, as text; its tensors become weights."""
        found = {}
        parameters = {name for name, _ in called.named_parameters()}
        for name, value in lowering_attributes(called).items():
            if isinstance(value, torch.Tensor):
                self._add_weight(f"{target}.{name}", value, "parameter" if name in parameters else "buffer")
            else:
                found[name] = str(value)
        return found

    def _attribute(self, node: fx.Node, called: Any) -> None:
        """Lists the weight that a ``get_attr`` reads."""
        target = str(node.target)
        name = target.removeprefix(_PARENT)
        if target.startswith(_PARENT):
            if name not in self._weights:
                raise CutterError(
                    f"{one_line(target, 80)} stands for a weight that is not given",
                    "serializing",
                    "give the parent's weights",
                )
            self._listed[name] = weight_info(self._weights[name])
        elif isinstance(called, torch.Tensor):
            self._add_weight(target, called, "constant")
            name = self._prefix + target
        if name in self._listed:
            fused = fused_dtype(node, target_name)
            if fused is not None:
                self._listed[name]["dtype"] = fused

    def _add_weight(self, name: str, tensor: torch.Tensor, kind: str) -> None:
        qualified = self._prefix + name
        if qualified in self._listed or name.startswith(_PARENT):
            return
        self._listed[qualified] = info = weight_info(tensor, kind)
        first = self._seen.setdefault(same_bytes(tensor), qualified)
        if first != qualified:
            info["tied_to"] = first
        self._weights[qualified] = tensor

    def _placeholder(self, node: fx.Node, found: dict[str, Any]) -> None:
        kind = node.meta.get("ph_type", "")
        if kind and kind not in PLACEHOLDER_TYPES:
            raise CutterError(
                f"{one_line(str(kind), 40)} is no placeholder type",
                f"node {one_line(node.name, 80)}",
                f"give {' or '.join(PLACEHOLDER_TYPES)}",
            )
        if kind:
            found["ph_type"] = kind
