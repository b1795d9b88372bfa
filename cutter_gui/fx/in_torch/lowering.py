"""What another backend needs to know of a leaf module: the attributes it was made with, and its weights.

torch has such a table for six module types (``torch.fx.passes.param_fetch``), whose entries lack what is needed to make
the module again; this one has the arguments of the constructor, so that it serves both.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line

_POOL = ("kernel_size", "stride", "padding", "ceil_mode")
_CONV = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode")
_NORM = ("num_features", "eps", "momentum", "affine", "track_running_stats")
_RNN = ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional")

ATTRIBUTES: dict[type[nn.Module], tuple[str, ...]] = {
    nn.Linear: ("in_features", "out_features"),
    nn.Bilinear: ("in1_features", "in2_features", "out_features"),
    nn.Conv1d: _CONV,
    nn.Conv2d: _CONV,
    nn.Conv3d: _CONV,
    nn.ConvTranspose1d: (*_CONV, "output_padding"),
    nn.ConvTranspose2d: (*_CONV, "output_padding"),
    nn.ConvTranspose3d: (*_CONV, "output_padding"),
    nn.BatchNorm1d: _NORM,
    nn.BatchNorm2d: _NORM,
    nn.BatchNorm3d: _NORM,
    nn.InstanceNorm1d: _NORM,
    nn.InstanceNorm2d: _NORM,
    nn.InstanceNorm3d: _NORM,
    nn.LayerNorm: ("normalized_shape", "eps", "elementwise_affine"),
    nn.RMSNorm: ("normalized_shape", "eps", "elementwise_affine"),
    nn.GroupNorm: ("num_groups", "num_channels", "eps", "affine"),
    nn.Embedding: ("num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq"),
    nn.EmbeddingBag: (
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ),
    nn.LSTM: (*_RNN, "proj_size"),
    nn.GRU: _RNN,
    nn.RNN: (*_RNN, "nonlinearity"),
    nn.MaxPool1d: (*_POOL, "dilation", "return_indices"),
    nn.MaxPool2d: (*_POOL, "dilation", "return_indices"),
    nn.MaxPool3d: (*_POOL, "dilation", "return_indices"),
    nn.AvgPool1d: (*_POOL, "count_include_pad"),
    nn.AvgPool2d: (*_POOL, "count_include_pad", "divisor_override"),
    nn.AvgPool3d: (*_POOL, "count_include_pad", "divisor_override"),
    nn.AdaptiveAvgPool1d: ("output_size",),
    nn.AdaptiveAvgPool2d: ("output_size",),
    nn.AdaptiveAvgPool3d: ("output_size",),
    nn.AdaptiveMaxPool1d: ("output_size", "return_indices"),
    nn.AdaptiveMaxPool2d: ("output_size", "return_indices"),
    nn.ReLU: ("inplace",),
    nn.ReLU6: ("inplace",),
    nn.LeakyReLU: ("negative_slope", "inplace"),
    nn.ELU: ("alpha", "inplace"),
    nn.GELU: ("approximate",),
    nn.SiLU: ("inplace",),
    nn.Mish: ("inplace",),
    nn.Hardswish: ("inplace",),
    nn.Hardsigmoid: ("inplace",),
    nn.Hardtanh: ("min_val", "max_val", "inplace"),
    nn.PReLU: ("num_parameters",),
    nn.Softplus: ("beta", "threshold"),
    nn.Sigmoid: (),
    nn.Tanh: (),
    nn.Softmax: ("dim",),
    nn.LogSoftmax: ("dim",),
    nn.Dropout: ("p", "inplace"),
    nn.Dropout1d: ("p", "inplace"),
    nn.Dropout2d: ("p", "inplace"),
    nn.Flatten: ("start_dim", "end_dim"),
    nn.Identity: (),
    nn.Upsample: ("size", "scale_factor", "mode", "align_corners"),
    nn.PixelShuffle: ("upscale_factor",),
    nn.ZeroPad2d: ("padding",),
}

_WITH_BIAS = (nn.Linear, nn.Bilinear, nn.modules.conv._ConvNd, nn.LayerNorm)
_BY_NAME = {torch.typename(kind): kind for kind in ATTRIBUTES}


def lowering_attributes(module: nn.Module) -> dict[str, Any]:
    """Returns what another backend needs to know of a leaf module.

    Returns:
        ``name``, the type's full name; ``training``; each argument of the constructor; and every parameter and buffer
        as a tensor, by its name in the module; ``bias`` is None where the type could have one and this has none.

    Raises:
        CutterError: The attributes of such modules are not known.
    """
    names = ATTRIBUTES.get(type(module))
    if names is None:
        raise CutterError(
            f"the lowering attributes of a {one_line(torch.typename(module), 80)} are not known",
            "leaf module",
            "trace into it, or register them with cutter_gui.fx.in_torch.lowering.register_attributes",
        )
    found: dict[str, Any] = {"name": torch.typename(module), "training": module.training}
    found.update({name: getattr(module, name) for name in names})
    if isinstance(module, _WITH_BIAS):
        found["bias"] = None
    found.update(module.named_parameters())
    found.update(module.named_buffers())
    return found


def register_attributes(kind: type[nn.Module], names: tuple[str, ...]) -> None:
    """Makes the attributes of a module type known: the names of its constructor's arguments, kept as attributes."""
    ATTRIBUTES[kind] = names
    _BY_NAME[torch.typename(kind)] = kind


def lift_lowering_attributes(module: fx.GraphModule) -> None:
    """Puts ``attrs_for_lowering`` on each node that calls a leaf module, in nested graph modules too.

    Raises:
        CutterError: The attributes of a leaf module are not known.
    """
    for node in module.graph.nodes:
        if node.op != "call_module":
            continue
        called = module.get_submodule(str(node.target))
        if isinstance(called, fx.GraphModule):
            lift_lowering_attributes(called)
        else:
            node.attrs_for_lowering = lowering_attributes(called)


def module_from_attributes(
    parameters: Mapping[str, str], weights: Mapping[str, torch.Tensor], trainable: Any
) -> nn.Module:
    """Makes a leaf module again.

    Args:
        parameters: The attributes that are no tensors, as text; ``name`` must be a type of `ATTRIBUTES`.
        weights: Its parameters and buffers by their names in the module.
        trainable: The names of those that require a gradient.

    Raises:
        CutterError: The type is not known, or an attribute is no Python literal.
    """
    kind = _BY_NAME.get(parameters.get("name", ""))
    if kind is None:
        name = one_line(str(parameters.get("name")), 80)
        raise CutterError(f"a module of type {name} cannot be made", "leaf module", "register its type first")
    arguments = {name: _literal(parameters[name]) for name in ATTRIBUTES[kind] if name in parameters}
    if issubclass(kind, _WITH_BIAS):
        arguments["bias"] = "bias" in weights
    module = kind(**arguments, **({"device": "meta"} if weights else {}))
    for name, value in weights.items():
        path, _, last = name.rpartition(".")
        holder = module.get_submodule(path)
        if last in holder._parameters:
            holder._parameters[last] = nn.Parameter(value, requires_grad=name in trainable)
        else:
            holder._buffers[last] = value
    if isinstance(module, nn.RNNBase):
        module._init_flat_weights()
    module.train(parameters.get("training") == "True")
    return module


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        if text.isidentifier():
            return text
        raise CutterError(
            f"an attribute is no literal: {one_line(text, 80)}", "leaf module", "write it again"
        ) from None
