"""From JSON and weights back to a graph module that runs, without pickle.

The JSON is taken as what somebody wrote: only operators of torch, arithmetic, methods of tensors and the leaf modules
of `cutter_gui.fx.in_torch.lowering` are called, and every name that torch.fx puts into the code which it generates is
checked to be a name.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.allowed_calls import checked_method, function_of
from cutter_gui.fx.in_torch.lowering import module_from_attributes
from cutter_gui.fx.in_torch.program import named_node, set_by_path

_PATH = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*", re.ASCII)
_NAMED_VALUES: dict[str, Any] = {
    str(value): value
    for value in vars(torch).values()
    if isinstance(value, (torch.dtype, torch.memory_format, torch.qscheme, torch.layout))
}


def deserialize_module(
    document: Mapping[str, Any], weights: Mapping[str, torch.Tensor], name_prefix: str = ""
) -> fx.GraphModule:
    """Returns the graph module of a document that `serialize_module` wrote.

    Args:
        document: The document.
        weights: Its weights by qualified name.
        name_prefix: What the qualified names of the document begin with.

    Raises:
        CutterError: It calls what it may not, or is not as `serialize_module` writes it.
    """
    try:
        return _Deserializer(document, weights, name_prefix).module()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, AssertionError, RecursionError) as error:
        reason = one_line(f"{type(error).__name__} {error}", 120)
        raise CutterError(f"the module is not as it is written: {reason}", "JSON of a stage", "split again") from None


class _Deserializer:
    """Rebuilds one graph module."""

    def __init__(self, document: Mapping[str, Any], weights: Mapping[str, torch.Tensor], name_prefix: str) -> None:
        self._document = document
        self._listed: Mapping[str, Any] = document["weights"]
        self._weights = weights
        self._prefix = f"{name_prefix}." if name_prefix else ""
        self._root = nn.Module()
        self._graph = fx.Graph()
        self._nodes: dict[str, fx.Node] = {}

    def module(self) -> fx.GraphModule:
        held = self._hold_weights()
        for entry in self._document["nodes"]:
            self._add(entry, held)
        module = fx.GraphModule(self._root, self._graph)
        self._graph.lint()
        return module

    def _hold_weights(self) -> dict[str, Any]:
        """Puts the weights under their names; tied ones are one tensor. Those of leaf modules wait for their module."""
        held: dict[str, Any] = {}
        leaves = {
            f"{self._prefix}{entry['target']}."
            for entry in self._document["nodes"]
            if entry["op_code"] == "call_module"
        }
        for name, info in self._listed.items():
            first = info.get("tied_to", name)
            tensor = self._weights.get(first, self._weights.get(name))
            if tensor is None:
                raise CutterError(f"the weight {one_line(name, 80)} is missing", "JSON of a stage", "split again")
            if first in held:
                value = held[first]
            elif info["kind"] == "parameter" and not info["is_quantized"]:
                value = nn.Parameter(tensor, requires_grad=info["requires_grad"] == "True")
            else:
                value = tensor
            held[name] = held[first] = value
            if not any(name.startswith(leaf) for leaf in leaves) and name.startswith(self._prefix):
                target = _checked_path(name.removeprefix(self._prefix))
                set_by_path(self._root, target, value, info["kind"])
        return held

    def _add(self, entry: Mapping[str, Any], held: Mapping[str, Any]) -> None:
        code, name = entry["op_code"], entry["name"]
        args = tuple(self._argument(argument) for argument in entry["args"])
        if code == "output":
            returned: Any = {"tuple": tuple, "list": list}.get(entry["returns"], lambda parts: parts[0])(args)
            self._graph.output(returned)
            return
        kwargs = {_checked_name(key): self._argument(value) for key, value in entry["kwargs"].items()}
        target: Any = entry["target"]
        if code == "placeholder":
            target = _checked_name(target)
        elif code == "call_function":
            target = function_of(target)
            if target is getattr and not (isinstance(args[1], str) and args[1].isidentifier() and args[1][0] != "_"):
                raise CutterError("an attribute is read that is no public one", "JSON of a stage", "do not run it")
        elif code == "call_method":
            target = checked_method(target)
        elif code == "call_module":
            self._add_module(_checked_path(target), entry, held)
        elif code == "get_attr":
            target = self._attribute(_checked_path(target), held)
        else:
            raise CutterError(f"a node of kind {one_line(str(code), 40)}", "JSON of a stage", "split again")
        if code == "get_attr" and not name.isidentifier():
            made = self._graph.create_node(code, target, args, kwargs)
        else:
            made = named_node(self._graph, code, target, args, kwargs, _checked_name(name), {})
        self._nodes[name] = made

    def _attribute(self, target: str, held: Mapping[str, Any]) -> str:
        """Makes what a ``get_attr`` reads: a nested module, or a weight that only the parent lists under its name."""
        if target in self._document["modules"]:
            inner = deserialize_module(self._document["modules"][target], self._weights, self._prefix + target)
            set_by_path(self._root, target, inner, "module")
        elif self._prefix + target not in held and target in held:
            set_by_path(self._root, target, held[target])
        return target

    def _add_module(self, target: str, entry: Mapping[str, Any], held: Mapping[str, Any]) -> None:
        if target in self._document["modules"]:
            made: nn.Module = deserialize_module(
                self._document["modules"][target], self._weights, self._prefix + target
            )
        else:
            start = f"{self._prefix}{target}."
            own = {name.removeprefix(start): value for name, value in held.items() if name.startswith(start)}
            trainable = {name for name, value in own.items() if isinstance(value, nn.Parameter) and value.requires_grad}
            made = module_from_attributes(entry["parameters"], own, trainable)
        set_by_path(self._root, target, made, "module")

    def _argument(self, told: Any) -> Any:
        if isinstance(told, list):
            return [self._argument(item) for item in told]
        if isinstance(told, str):
            return _NAMED_VALUES.get(told, told)
        if not isinstance(told, dict):
            return told
        if told.get("is_node"):
            return self._nodes[told["name"]]
        if "is_tuple" in told:
            return tuple(self._argument(item) for item in told["is_tuple"])
        if "is_dict" in told:
            return {key: self._argument(item) for key, item in told["is_dict"]}
        if "is_slice" in told:
            return slice(*(self._argument(item) for item in told["is_slice"]))
        if "is_float" in told:
            return float(told["is_float"])
        if "is_complex" in told:
            return complex(*told["is_complex"])
        if "is_device" in told:
            return torch.device(told["is_device"])
        if "is_text" in told:
            return str(told["is_text"])
        if "is_ellipsis" in told:
            return Ellipsis
        raise CutterError("an argument of an unknown kind", "JSON of a stage", "split again")


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise CutterError(f"{one_line(str(name), 80)} is no name", "JSON of a stage", "split again")
    return name


def _checked_path(name: str) -> str:
    if not isinstance(name, str) or _PATH.fullmatch(name) is None:
        raise CutterError(f"{one_line(str(name), 80)} is no qualified name", "JSON of a stage", "split again")
    return name
