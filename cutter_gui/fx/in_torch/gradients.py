"""Gradients of a model and of its stages, by the weight's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from cutter_gui.fx.in_torch.program import Program, set_by_path
from cutter_gui.fx.in_torch.serialize_values import flat_leaves


def gradients_of(outputs: Iterable[Any], modules: Sequence[nn.Module], seed: int) -> dict[str, torch.Tensor]:
    """Returns the gradient of every parameter, by name, of a sum of all outputs with weights drawn from a seed."""
    generator = torch.Generator().manual_seed(seed)
    for module in modules:
        module.zero_grad(set_to_none=True)
    total: torch.Tensor | None = None
    for value in flat_leaves(list(outputs)):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            continue
        scale = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
        if value.requires_grad:
            part = (value * scale).sum()
            total = part if total is None else total + part
    if total is not None:
        total.backward()  # type: ignore[no-untyped-call]  # torch leaves it without types
    found: dict[str, torch.Tensor] = {}
    for module in modules:
        for name, parameter in module.named_parameters(remove_duplicate=False):
            if parameter.grad is not None:
                found[name] = parameter.grad.detach().clone()
        module.zero_grad(set_to_none=True)
    return found


def named_gradients(program: Program, gradients: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Returns gradients under the names that the program has for its weights, tied ones once."""
    names = {target: held.name for held in program.weights.values() for target in (held.target, *held.also)}
    return {names.get(name, name): gradient for name, gradient in gradients.items()}


def tie_parameters(program: Program, modules: Sequence[nn.Module]) -> None:
    """Makes a parameter that several stages have one, so that its gradients add up as in the whole model.

    Tied weights are one parameter too, whichever of their names a stage has them under.
    """
    names = {target: held.target for held in program.weights.values() for target in (held.target, *held.also)}
    first: dict[str, nn.Parameter] = {}
    for module in modules:
        for name, parameter in list(module.named_parameters(remove_duplicate=False)):
            known = first.setdefault(names.get(name, name), parameter)
            if known is not parameter:
                set_by_path(module, name, known)
