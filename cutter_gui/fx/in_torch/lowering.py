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
_EMBEDDING = (
    *("num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"),
)
_CELL = ("input_size", "hidden_size", "bias")
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
    nn.LocalResponseNorm: ("size", "alpha", "beta", "k"),
    nn.Embedding: _EMBEDDING,
    nn.EmbeddingBag: (*_EMBEDDING, "mode", "include_last_offset"),
    nn.MultiheadAttention: ("embed_dim", "num_heads", "dropout", "add_zero_attn", "kdim", "vdim", "batch_first"),
    nn.LSTM: (*_RNN, "proj_size"),
    nn.GRU: _RNN,
    nn.RNN: (*_RNN, "nonlinearity"),
    nn.LSTMCell: _CELL,
    nn.GRUCell: _CELL,
    nn.RNNCell: (*_CELL, "nonlinearity"),
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
    nn.AdaptiveMaxPool3d: ("output_size", "return_indices"),
    nn.LPPool1d: ("norm_type", "kernel_size", "stride", "ceil_mode"),
    nn.LPPool2d: ("norm_type", "kernel_size", "stride", "ceil_mode"),
    nn.MaxUnpool1d: ("kernel_size", "stride", "padding"),
    nn.MaxUnpool2d: ("kernel_size", "stride", "padding"),
    nn.MaxUnpool3d: ("kernel_size", "stride", "padding"),
    nn.Fold: ("output_size", "kernel_size", "dilation", "padding", "stride"),
    nn.Unfold: ("kernel_size", "dilation", "padding", "stride"),
    nn.ReLU: ("inplace",),
    nn.ReLU6: ("inplace",),
    nn.LeakyReLU: ("negative_slope", "inplace"),
    nn.ELU: ("alpha", "inplace"),
    nn.CELU: ("alpha", "inplace"),
    nn.SELU: ("inplace",),
    nn.GELU: ("approximate",),
    nn.GLU: ("dim",),
    nn.SiLU: ("inplace",),
    nn.Mish: ("inplace",),
    nn.RReLU: ("lower", "upper", "inplace"),
    nn.PReLU: ("num_parameters",),
    nn.Hardswish: ("inplace",),
    nn.Hardsigmoid: ("inplace",),
    nn.Hardtanh: ("min_val", "max_val", "inplace"),
    nn.Hardshrink: ("lambd",),
    nn.Softshrink: ("lambd",),
    nn.Softplus: ("beta", "threshold"),
    nn.Softsign: (),
    nn.Threshold: ("threshold", "value", "inplace"),
    nn.Sigmoid: (),
    nn.LogSigmoid: (),
    nn.Tanh: (),
    nn.Tanhshrink: (),
    nn.Softmax: ("dim",),
    nn.Softmin: ("dim",),
    nn.Softmax2d: (),
    nn.LogSoftmax: ("dim",),
    **dict.fromkeys((nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d), ("p", "inplace")),
    **dict.fromkeys((nn.AlphaDropout, nn.FeatureAlphaDropout), ("p", "inplace")),
    nn.Flatten: ("start_dim", "end_dim"),
    nn.Unflatten: ("dim", "unflattened_size"),
    nn.Identity: (),
    nn.Upsample: ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor"),
    nn.UpsamplingNearest2d: ("size", "scale_factor"),
    nn.UpsamplingBilinear2d: ("size", "scale_factor"),
    nn.PixelShuffle: ("upscale_factor",),
    nn.PixelUnshuffle: ("downscale_factor",),
    nn.ChannelShuffle: ("groups",),
    nn.CosineSimilarity: ("dim", "eps"),
    **dict.fromkeys((nn.ZeroPad1d, nn.ZeroPad2d, nn.ZeroPad3d), ("padding",)),
    **dict.fromkeys((nn.ConstantPad1d, nn.ConstantPad2d, nn.ConstantPad3d), ("padding", "value")),
    **dict.fromkeys((nn.ReflectionPad1d, nn.ReflectionPad2d, nn.ReflectionPad3d), ("padding",)),
    **dict.fromkeys((nn.ReplicationPad1d, nn.ReplicationPad2d, nn.ReplicationPad3d), ("padding",)),
    **dict.fromkeys((nn.CircularPad1d, nn.CircularPad2d, nn.CircularPad3d), ("padding",)),
    **dict.fromkeys((nn.L1Loss, nn.MSELoss, nn.BCELoss, nn.BCEWithLogitsLoss), ("reduction",)),
    nn.SmoothL1Loss: ("reduction", "beta"),
    nn.HuberLoss: ("reduction", "delta"),
    nn.NLLLoss: ("ignore_index", "reduction"),
    nn.CrossEntropyLoss: ("ignore_index", "reduction", "label_smoothing"),
    nn.KLDivLoss: ("reduction", "log_target"),
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
    elif issubclass(kind, nn.MultiheadAttention):
        arguments.update(bias="in_proj_bias" in weights, add_bias_kv="bias_k" in weights)
    with torch.device("meta"):  # the tensors that it makes are replaced below
        module = kind(**arguments)
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
