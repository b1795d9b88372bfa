"""Comparing two values bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Difference:
    """How two values differ.

    Attributes:
        max_abs: Largest absolute difference; None where the values cannot be subtracted.
        max_rel: Largest difference relative to the original's size; None likewise.
        index: The first element that differs, or None.
        reason: In words, when type or shape differ.
    """

    max_abs: float | None = None
    max_rel: float | None = None
    index: tuple[int, ...] | None = None
    reason: str = ""


def difference(original: Any, other: Any) -> Difference | None:
    """Returns how two values differ, or None when they are equal: tensors in every bit, containers in every part."""
    if isinstance(original, (tuple, list)) and isinstance(other, (tuple, list)):
        if len(original) != len(other):
            return Difference(reason=f"{len(other)} parts instead of {len(original)}")
        return next((d for a, b in zip(original, other, strict=True) if (d := difference(a, b)) is not None), None)
    if isinstance(original, dict) and isinstance(other, dict):
        if original.keys() != other.keys():
            return Difference(reason="other keys")
        return next((d for key in original if (d := difference(original[key], other[key])) is not None), None)
    if isinstance(original, torch.Tensor) and isinstance(other, torch.Tensor):
        return _tensor_difference(original.detach(), other.detach())
    return None if type(original) is type(other) and original == other else Difference(reason=f"{other} for {original}")


def _tensor_difference(left: torch.Tensor, right: torch.Tensor) -> Difference | None:
    if left.dtype != right.dtype or left.shape != right.shape:
        return Difference(
            reason=f"{right.dtype} {list(right.shape)} instead of {left.dtype} {list(left.shape)}".replace("torch.", "")
        )
    if left.is_quantized:
        if left.qscheme() != right.qscheme() or not torch.equal(left, right):
            return Difference(reason="other quantized values")
        return None
    if torch.equal(left, right):
        return None
    if left.is_complex():
        left, right = torch.view_as_real(left.resolve_conj()), torch.view_as_real(right.resolve_conj())
    unequal = (left != right) & ~(torch.isnan(left) & torch.isnan(right)) if left.is_floating_point() else left != right
    if not bool(unequal.any()):
        return None
    apart = (left.double() - right.double()).abs()[unequal]
    size = left.double().abs()[unequal].clamp_min(torch.finfo(torch.float64).tiny)
    index = tuple(int(place) for place in torch.nonzero(unequal)[0])
    return Difference(float(apart.max()), float((apart / size).max()), index)
