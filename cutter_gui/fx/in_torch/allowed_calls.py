"""What a stage's JSON may call: operators of torch, arithmetic, and methods of tensors and containers.

The JSON is taken as what somebody wrote. Functions that read or write files, compile, or take code are not among these.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
from torch import nn
from torch.fx._symbolic_trace import _assert_is_none
from torch.overrides import get_overridable_functions

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.serialize import target_name

_BUILTINS = {function.__name__: function for function in (len, int, float, bool, abs, round, min, max, sum, getattr)}
_SYMBOLIC = ("sym_int", "sym_float", "sym_not", "sym_max", "sym_min", "sym_ite", "sym_sum", "sym_fresh_size")
_CONTAINER_METHODS = frozenset({"get", "items", "keys", "values", "index", "count"})
_FORBIDDEN_METHODS = frozenset(
    {"numpy", "register_hook", "register_post_accumulate_grad_hook", "map_", "map2_", "apply_"}
)
_OF_FILES = (["aten", "save"], ["aten", "from_file"])
_FORBIDDEN_SPACES = ("debugprims", "prim", "profiler")
_SPACES: dict[Any, str] = {torch: "torch", torch.functional: "torch.functional", nn.functional: "torch.nn.functional"}


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_OTHERS: dict[Any, tuple[str, ...]] = {
    torch: _names(
        """
        arange as_tensor bartlett_window blackman_window broadcast_shapes can_cast empty empty_permuted empty_strided
        eye fill full hamming_window hann_window kaiser_window linspace logspace normal ones promote_types rand
        rand_like randint randint_like randn randn_like randperm range result_type scalar_tensor segment_reduce tensor
        tril_indices triu_indices vander zeros
        """
    ),
    nn.functional: _names("hardsigmoid hardswish logsigmoid upsample upsample_bilinear upsample_nearest"),
    torch.fft: _names("fftfreq rfftfreq"),
}
"""Functions that torch does not count among those that can be overridden, mostly since they make tensors of nothing."""


def function_of(name: str) -> Any:
    """Returns what a node calls by its full name.

    Raises:
        CutterError: It is nothing that a stage may call.
    """
    parts = name.split(".")
    found: Any = None
    if parts[:2] == ["torch", "ops"] and len(parts) in (4, 5):
        found = _operator(parts[2:])
    elif len(parts) == 2 and parts[0] in ("_operator", "operator"):
        found = getattr(operator, parts[1], None) if parts[1] in operator.__all__ else None
        found = None if parts[1] in ("attrgetter", "methodcaller", "itemgetter", "call") else found
    elif len(parts) == 2 and parts[0] == "math":
        found = getattr(math, parts[1], None)
    elif len(parts) == 2 and parts[0] == "torch" and parts[1] in _SYMBOLIC:
        found = getattr(torch, parts[1])
    elif (parts[0] in ("builtins",) and len(parts) == 2) or len(parts) == 1:
        found = _BUILTINS.get(parts[-1])
    elif parts[0] == "torch":
        found = _tensor_functions().get(name)
    if found is None or not callable(found):
        raise CutterError(
            f"a stage may not call {one_line(name, 80)}",
            "JSON of a stage",
            "do not run it, or split again if it is yours",
        )
    return found


def _operator(parts: list[str]) -> Any:
    if parts[0] == "higher_order":
        found = getattr(torch.ops.higher_order, parts[1], None)
        return found if isinstance(found, torch._ops.HigherOrderOperator) else None
    try:
        packet = getattr(getattr(torch.ops, parts[0]), parts[1])
        found = getattr(packet, parts[2]) if len(parts) == 3 else packet
    except (AttributeError, RuntimeError):
        return None
    if parts[0] in _FORBIDDEN_SPACES or parts[:2] in _OF_FILES:
        return None
    return found if isinstance(found, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)) else None


_KNOWN_FUNCTIONS: dict[str, Any] = {}


def _tensor_functions() -> dict[str, Any]:
    """Returns torch's functions on tensors by full name; those that load, save or compile are not among them."""
    if not _KNOWN_FUNCTIONS:
        _KNOWN_FUNCTIONS.update({"torch._assert": torch._assert, target_name(_assert_is_none): _assert_is_none})
        for space, functions in get_overridable_functions().items():
            for function in () if space is torch.Tensor else functions:
                if hasattr(function, "__module__"):  # what reads a property has none, and no graph calls it
                    _KNOWN_FUNCTIONS.setdefault(target_name(function), function)
                    if space in _SPACES:
                        _KNOWN_FUNCTIONS.setdefault(f"{_SPACES[space]}.{function.__name__}", function)
        for space, names in _OTHERS.items():
            in_place = [name for name in dir(space) if name.endswith("_") and not name.startswith("_")]
            for name in (*names, *in_place):
                function = getattr(space, name)
                _KNOWN_FUNCTIONS.setdefault(target_name(function), function)
                _KNOWN_FUNCTIONS.setdefault(f"{space.__name__}.{name}", function)
    return _KNOWN_FUNCTIONS


def checked_method(name: str) -> str:
    """Returns the name of a method that a node calls.

    Raises:
        CutterError: It is none that a stage may call.
    """
    allowed = name in _CONTAINER_METHODS or (
        hasattr(torch.Tensor, name) and not name.startswith("_") and name not in _FORBIDDEN_METHODS
    )
    if not allowed:
        raise CutterError(f"a stage may not call the method {one_line(name, 80)}", "JSON of a stage", "do not run it")
    return name
