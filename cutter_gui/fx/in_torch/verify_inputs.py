"""Inputs on which a program and its stages are compared."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program import Program, copy_of
from cutter_gui.fx.structure import filled


def inputs_of(program: Program, path: str | None, seed: int) -> dict[str, Any]:
    """Returns a value for each input of a program.

    Args:
        program: The program.
        path: An ``.npz`` file with an array for each input that is a tensor, or None to make them.
        seed: Seed of those made.

    Raises:
        CutterError: The file lacks an input, or nothing is known of one.
    """
    examples = _examples(program)
    if path is not None:
        return _from_file(program, examples, Path(path))
    generator = torch.Generator().manual_seed(seed)
    made = {name: _made(value, generator) for name, value in examples.items()}
    return made if _runs(program, made) else examples


def _examples(program: Program) -> dict[str, Any]:
    """Returns the example of each input; one that the program does not have is made from its type."""
    if program.examples is not None:
        return dict(zip(program.input_names, program.examples, strict=True))
    found: dict[str, Any] = {}
    for node in program.module.graph.nodes:
        if node.op != "placeholder":
            continue
        if node.name in program.constants:
            found[node.name] = program.constants[node.name]
        elif isinstance(node.meta.get("val"), torch.Tensor):
            value = node.meta["val"]
            found[node.name] = torch.zeros([_hint(size) for size in value.shape], dtype=value.dtype)
        elif isinstance(node.meta.get("val"), torch.SymInt):
            found[node.name] = _hint(node.meta["val"])
        else:
            raise CutterError(
                f"no value can be made for the input {one_line(node.name, 80)}",
                "verify",
                "give its type when splitting (--type; Edit > Give a type in the window), or values with --inputs",
            )
    return found


def _hint(size: Any) -> int:
    if isinstance(size, torch.SymInt):
        return int(size.node.hint) if size.node.hint is not None else 2
    return int(size)


def _made(value: Any, generator: torch.Generator) -> Any:
    """Returns a random tensor like an example; integers, flags and masks stay, since they may be indices."""
    if not isinstance(value, torch.Tensor):
        return pytree.tree_map_only(torch.Tensor, lambda tensor: _made(tensor, generator), value)
    if not value.is_floating_point() or value.is_quantized or not bool(torch.isfinite(value).all()):
        return value
    if bool(((value == 0) | (value == 1)).all()) and bool((value == 1).any()):
        return value
    drawn = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
    return torch.empty_like(value).copy_(drawn)


def _runs(program: Program, values: Mapping[str, Any]) -> bool:
    """Whether the program takes these values and gives finite ones, with which a comparison means something."""
    from cutter_gui.fx.in_torch.run_verify import kept_buffers

    args, kwargs = arguments_of(program, copy_of(dict(values)))
    try:
        with torch.no_grad(), kept_buffers(program.reference):
            returned = program.call(*args, **kwargs)
    except Exception:  # noqa: BLE001  # the model's own code refuses the values, in whichever way
        return False
    floats = [t for t in pytree.tree_leaves(returned) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    return all(t.is_quantized or bool(torch.isfinite(t).all()) for t in floats)


def _from_file(program: Program, examples: Mapping[str, Any], path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            given = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError) as error:
        raise CutterError(f"the inputs cannot be read: {one_line(str(error), 80)}", str(path), "give an .npz") from None
    found = dict(examples)
    for name, value in examples.items():
        if isinstance(value, torch.Tensor):
            if name not in given:
                raise CutterError(
                    f"the input {one_line(name, 80)} is missing", str(path), f"give {', '.join(program.input_names)}"
                )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[name] = torch.from_numpy(given[name]).to(value.dtype)
    return found


def arguments_of(program: Program, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments with which the model itself is called for these values of its flat inputs."""
    flat = [values[name] for name in program.input_names]
    if not program.exported:
        return tuple(flat), {}
    if program.example_call is not None:
        spec = pytree.tree_structure(program.example_call, is_leaf=lambda item: item is None)
        if spec.num_leaves == len(flat):
            args, kwargs = pytree.tree_unflatten(flat, spec)
            return tuple(args), dict(kwargs)
    import json

    args, kwargs = filled(json.loads(program.structure)["inputs"], dict(values))
    return args, kwargs


def described(values: Mapping[str, Any]) -> dict[str, str]:
    """Returns what the inputs were, in words."""
    return {
        name: f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
        if isinstance(value, torch.Tensor)
        else type(value).__name__
        for name, value in values.items()
    }
