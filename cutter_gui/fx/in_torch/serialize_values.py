"""Values, weights and arguments as JSON; see `cutter_gui.fx.in_torch.serialize`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch.fx.passes.shape_prop import TensorMetadata, _extract_tensor_metadata
from torch.utils import _pytree as pytree

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program_draft import dim_of

_PER_TENSOR = (torch.per_tensor_affine, torch.per_tensor_symmetric)
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_symmetric, torch.per_channel_affine_float_qparams)
_NAMED = (torch.dtype, torch.memory_format, torch.qscheme, torch.layout)
_FUSED = {
    "embedding_bag_byte_rowwise_offsets": "acc.uint8fused",
    "embedding_bag_4bit_rowwise_offsets": "acc.uint4fused",
}


def node_info(node: fx.Node) -> dict[str, Any]:
    """Returns shape, stride, dtype and the rest of a node's value.

    A value that is no tensor has ``shape`` and ``dtype`` null, and for a tuple ``elements`` with those of each part.

    Raises:
        CutterError: Nothing is known of the value, or its ``lowering_info`` overlaps with what is written anyway.
    """
    if node.meta.get("tensor_meta") is not None:
        info = value_info(node.meta["tensor_meta"])
    elif "val" in node.meta:
        info = value_info(node.meta["val"])
    elif "example_value" in node.meta:
        info = value_info(node.meta["example_value"])
    else:
        raise CutterError(
            f"nothing is known of the value of {one_line(node.name, 80)}",
            "serializing",
            "run shape propagation on the graph first",
        )
    extra = node.meta.get("lowering_info")
    if extra is not None:
        overlap = sorted(info.keys() & extra.keys())
        if overlap:
            raise CutterError(
                f"lowering_info has keys that are written anyway: {', '.join(overlap)}",
                f"node {one_line(node.name, 80)}",
                "give them other names",
            )
        info.update(extra)
    return info


def value_info(value: Any) -> dict[str, Any]:
    """Returns what is written of a value, given it or a FakeTensor or its metadata."""
    if isinstance(value, torch.Tensor):
        value = _extract_tensor_metadata(value, include_contiguity=False)
    if isinstance(value, TensorMetadata):
        info: dict[str, Any] = {
            "shape": [dim_of(size) for size in value.shape],
            "stride": [dim_of(size) for size in value.stride],
            "dtype": str(value.dtype),
            "requires_grad": str(value.requires_grad),
            "is_quantized": value.is_quantized,
        }
        if value.is_quantized:
            info.update(_quantization(value.qparams))
        return info
    info = {"shape": None, "stride": None, "dtype": None, "requires_grad": "False", "is_quantized": False}
    if isinstance(value, (tuple, list)):
        info["elements"] = [value_info(part) for part in value]
    return info


def _quantization(parameters: Any) -> dict[str, Any]:
    """Returns the fields of a quantized value: scheme, and scales and zero points per tensor or per channel."""
    scheme = parameters["qscheme"]
    found: dict[str, Any] = {"qscheme": str(scheme)}
    if scheme in _PER_TENSOR:
        found["q_scale"] = parameters["scale"]
        found["q_zero_point"] = parameters["zero_point"]
    elif scheme in _PER_CHANNEL:
        found["q_per_channel_scales"] = _listed(parameters["scale"])
        found["q_per_channel_zero_points"] = _listed(parameters["zero_point"])
        found["q_per_channel_axis"] = parameters["axis"]
    return found


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, torch.Tensor) else list(values)


def weight_info(tensor: torch.Tensor, kind: str = "parameter") -> dict[str, Any]:
    """Returns what is written of a weight; the bytes stand apart."""
    info = value_info(tensor)
    quantization = {key: value for key, value in info.items() if key.startswith("q")}
    if tensor.is_quantized:
        info["quantization_info"] = quantization
    info["kind"] = kind
    return info


def fused_dtype(node: fx.Node, target_name: Callable[[Any], str]) -> str | None:
    """Returns the dtype of rows fused with their scales, where a node's weight is read by an embedding bag of such."""
    for user in node.users:
        name = target_name(user.target).removesuffix(".default").rsplit(".", 1)[-1]
        read = user.kwargs.get("weight", user.args[0] if user.args else None)
        if name in _FUSED and read is node:
            return _FUSED[name]
    return None


def argument_info(argument: Any, named: Callable[[fx.Node], str]) -> Any:
    """Returns an argument as JSON.

    A node is ``{"is_node": true, "name": n}``; dtypes, memory formats, layouts and quantization schemes are their text.
    What JSON lacks is an object with a key of its own: ``is_tuple``, ``is_slice``, ``is_dict``, ``is_float``,
    ``is_complex``, ``is_device``, ``is_ellipsis``, ``is_text`` (text that would be taken for a dtype).

    Raises:
        CutterError: It is of a kind that cannot be written.
    """

    def inner(item: Any) -> Any:
        return argument_info(item, named)

    if isinstance(argument, fx.Node):
        return {"is_node": True, "name": named(argument)}
    if isinstance(argument, _NAMED):
        return str(argument)
    if isinstance(argument, str):
        return {"is_text": argument} if argument.startswith("torch.") else argument
    if argument is None or isinstance(argument, (bool, int)):
        return argument
    if isinstance(argument, float):
        return argument if math.isfinite(argument) else {"is_float": str(argument)}
    if isinstance(argument, complex):
        return {"is_complex": [argument.real, argument.imag]}
    if isinstance(argument, torch.device):
        return {"is_device": str(argument)}
    if isinstance(argument, slice):
        return {"is_slice": [inner(argument.start), inner(argument.stop), inner(argument.step)]}
    if argument is Ellipsis:
        return {"is_ellipsis": True}
    if isinstance(argument, tuple):
        return {"is_tuple": [inner(item) for item in argument]}
    if isinstance(argument, list):
        return [inner(item) for item in argument]
    if isinstance(argument, dict):
        return {"is_dict": [[key, inner(item)] for key, item in argument.items()]}
    raise CutterError(
        f"an argument of type {type(argument).__name__} cannot be written",
        "serializing",
        "make it a weight or constant",
    )


def flat_leaves(value: Any) -> list[Any]:
    """Returns the leaves of nested containers, None included."""
    return pytree.tree_leaves(value, is_leaf=lambda item: item is None)
