"""The weights of a stage in a ``.safetensors`` file, bit for bit.

What the file format lacks is stored as what it has: a quantized tensor as its integers, a complex one as pairs. Their
scales, and the strides of every weight, are in the JSON beside the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from cutter_gui.core.errors import CutterError, one_line


def write_weights(path: Path, weights: Mapping[str, torch.Tensor], listed: Mapping[str, Any]) -> None:
    """Writes the weights that a document lists, tied ones once.

    Args:
        path: The file.
        weights: Weights by qualified name.
        listed: The document's ``weights``, those of nested modules included.
    """
    stored = {name: _as_stored(weights[name]) for name, info in listed.items() if info.get("tied_to", name) == name}
    save_file(stored, path)


def read_weights(path: Path, listed: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Reads the weights that a document lists.

    Raises:
        CutterError: The file is missing, damaged, or lacks a weight.
    """
    try:
        stored = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CutterError(
            f"the weights cannot be read: {one_line(str(error), 120)}", str(path), "split the model again"
        ) from None
    found = {}
    for name, info in listed.items():
        if info.get("tied_to", name) != name:
            continue
        if name not in stored:
            raise CutterError(f"the weight {one_line(name, 80)} is missing", str(path), "split the model again")
        found[name] = _from_stored(stored[name], info)
    return found


def all_listed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the weights that a document and those nested in it list."""
    found: dict[str, Any] = {}
    for inner in document["modules"].values():
        found.update(all_listed(inner))
    found.update(document["weights"])
    return found


def _as_stored(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.int_repr()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    if tensor.is_meta:
        raise CutterError(
            "the model has no weights, only their shapes", "meta device", "make it with weights to write its stages"
        )
    return tensor.clone(memory_format=torch.contiguous_format)


def _from_stored(tensor: torch.Tensor, info: Mapping[str, Any]) -> torch.Tensor:
    if info["is_quantized"]:
        return _quantized(tensor, info)
    dtype = str(info["dtype"])
    if dtype.startswith("torch.complex"):
        tensor = torch.view_as_complex(tensor)
    stride = tuple(info["stride"])
    # In memory of its own: where a tensor starts decides which kernels run, and with them the last bits.
    tensor = tensor.clone()
    if tuple(tensor.stride()) == stride or not _is_dense(tuple(tensor.shape), stride):
        return tensor
    placed = torch.empty_strided(tuple(tensor.shape), stride, dtype=tensor.dtype)
    return placed.copy_(tensor)


def _is_dense(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether strides visit each place of a block of memory exactly once."""
    expected = 1
    for step, size in sorted((step, size) for step, size in zip(stride, shape, strict=True) if size != 1):
        if step != expected:
            return False
        expected *= size
    return True


def _quantized(integers: torch.Tensor, info: Mapping[str, Any]) -> torch.Tensor:
    # torch makes the scheme from the constructor; symmetric ones are the affine ones with a zero point of 0.
    if "q_scale" in info:
        return torch._make_per_tensor_quantized_tensor(integers, info["q_scale"], info["q_zero_point"])
    floats = info["qscheme"] == str(torch.per_channel_affine_float_qparams)
    return torch._make_per_channel_quantized_tensor(
        integers,
        torch.tensor(info["q_per_channel_scales"], dtype=torch.float32 if floats else torch.float64),
        torch.tensor(info["q_per_channel_zero_points"], dtype=torch.float32 if floats else torch.int64),
        info["q_per_channel_axis"],
    )
