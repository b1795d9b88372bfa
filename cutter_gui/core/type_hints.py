"""Types that a user gives where inference cannot tell: dtypes by name, shapes such as ``1,16,?``; as plain data too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cutter_gui.core.dtypes import BY_CODE, Dtype
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import TypeHint
from cutter_gui.core.graph import Dim

_LARGEST_DIM = (1 << 63) - 1
_PART_SHOWN = 40

DENSE: tuple[Dtype, ...] = tuple(dtype for code, dtype in sorted(BY_CODE.items()) if code > 0)
"""The element types that a user can give: those of dense tensors."""


def parse_dims(text: str) -> tuple[Dim, ...]:
    """Reads the sizes of a shape, with commas between; none of them is the shape of a scalar.

    Args:
        text: Each part is a size, ``?`` for one that is open, or the name of one.

    Raises:
        CutterError: A part is none of these.
    """
    return tuple(_dim(part.strip()) for part in text.split(",")) if text.strip() else ()


def _dim(part: str) -> Dim:
    """Reads one size; what looks like another number is no name."""
    if part == "?":
        return None
    if re.fullmatch(r"[0-9]{1,19}", part) and int(part) <= _LARGEST_DIM:
        return int(part)
    remedy = "write sizes, ? or names with commas between, as in 1,16,?"
    if not part:
        raise CutterError("a size is missing", "", remedy)
    if re.fullmatch(r"[-+.]?[0-9][-+.\w]*", part) or re.search(r"[\[\]]", part):
        raise CutterError(f"{one_line(part, _PART_SHOWN)} is no size", "", remedy)
    return part


def types_data(types: Mapping[str, TypeHint]) -> dict[str, Any]:
    """Returns given types as plain data."""
    return {name: [hint.dtype, hint.shape] for name, hint in types.items()}


def types_of(data: object) -> dict[str, TypeHint]:
    """Returns the types of `types_data`; what is no such data gives none."""
    if not isinstance(data, dict):
        return {}
    found = {}
    for name, entry in data.items():
        match entry:
            case [int(dtype), None]:
                found[str(name)] = TypeHint(dtype, None)
            case [int(dtype), list(dims)] if all(dim is None or isinstance(dim, int | str) for dim in dims):
                found[str(name)] = TypeHint(dtype, tuple(dims))
    return found
