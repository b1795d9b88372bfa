"""Arguments of nodes in the JSON of a ``.pt2``: unions of the schema as constants, names of values, and lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Value(str):
    """The name of a value, as distinct from a constant that is text."""


def argument_of(argument: Mapping[str, Any]) -> tuple[str, Any]:
    """Returns the tag of a union of the schema and its content; torch writes either only that, or all with nulls."""
    present = [(tag, content) for tag, content in argument.items() if content is not None]
    return present[0] if present else ("as_none", True)


def plain(tag: str, content: Any) -> Any:
    """Returns an argument as a constant, a `Value`, or lists of these."""
    if tag in ("as_tensor", "as_custom_obj"):
        return Value(content["name"])
    if tag in ("as_sym_int", "as_sym_bool", "as_sym_float"):
        inner, held = argument_of(content)
        return Value(held) if inner == "as_name" else held
    if tag == "as_optional_tensor":
        return plain(*argument_of(content))
    if tag == "as_tensors":
        return [Value(item["name"]) for item in content]
    if tag == "as_nested_tensors":
        return [[Value(item["name"]) for item in items] for items in content]
    if tag in ("as_sym_ints", "as_sym_bools", "as_sym_floats"):
        return [plain(tag[:-1], item) for item in content]
    if tag == "as_optional_tensors":
        return [plain(*argument_of(item)) for item in content]
    if tag == "as_string_to_argument":
        return {key: plain(*argument_of(item)) for key, item in content.items()}
    if tag == "as_none":
        return None
    return content


def values_in(argument: Any) -> Iterator[str]:
    """Yields the names of the values in an argument, in order."""
    if isinstance(argument, Value):
        yield str(argument)
    elif isinstance(argument, (list, tuple)):
        for item in argument:
            yield from values_in(item)
    elif isinstance(argument, dict):
        for item in argument.values():
            yield from values_in(item)
