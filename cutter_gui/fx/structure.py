"""How a model's inputs and outputs nest, as JSON: torch's pytrees without torch.

A tree is a leaf or a node. A leaf is ``"name"`` for a value or ``{"constant": c}``; a node is ``{"tuple": [...]}``,
``[...]`` for a list, or ``{"dict": [[key, tree], ...]}``; any other container is ``{"type": name, "context": c,
"items": [...]}``. The manifest keeps it, so that flat values can be put back as the model has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

_TUPLE, _LIST, _DICT = "builtins.tuple", "builtins.list", "builtins.dict"


def tree_from_treespec(text: str, leaves: Sequence[object], name_type: type) -> Any:
    """Returns the tree that a serialized treespec (torch/utils/_pytree.py, protocol 1) makes of its leaves.

    Args:
        text: The treespec, JSON of ``[protocol, spec]``.
        leaves: The leaves in order; those of ``name_type`` are values, the others constants.
        name_type: The type of names.

    Raises:
        ValueError: The text is no treespec, or has another number of leaves.
    """
    protocol = json.loads(text)
    if not isinstance(protocol, list) or len(protocol) != 2:
        raise ValueError("no treespec")
    rest = iter([str(leaf) if isinstance(leaf, name_type) else {"constant": leaf} for leaf in leaves])
    try:
        return _node(protocol[1], rest)
    except StopIteration:
        raise ValueError("a treespec with more leaves than there are") from None


def _node(spec: dict[str, Any], leaves: Iterator[Any]) -> Any:
    kind = spec["type"]
    if kind is None:
        return next(leaves)
    items = [_node(child, leaves) for child in spec["children_spec"]]
    if kind == _TUPLE:
        return {"tuple": items}
    if kind == _LIST:
        return items
    context = spec.get("context")
    if kind == _DICT:
        return {"dict": [[key, item] for key, item in zip(json.loads(context or "[]"), items, strict=True)]}
    return {"type": kind, "context": context, "items": items}


def structure_text(inputs: Any, outputs: Any) -> str:
    """Returns the text that the manifest keeps."""
    return json.dumps({"inputs": inputs, "outputs": outputs}, ensure_ascii=True)


def leaves_of(tree: Any) -> Iterator[Any]:
    """Yields the leaves of a tree in order: names as text, constants as ``{"constant": c}``."""
    if isinstance(tree, str) or (isinstance(tree, dict) and "constant" in tree):
        yield tree
    elif isinstance(tree, list):
        for item in tree:
            yield from leaves_of(item)
    elif "tuple" in tree:
        for item in tree["tuple"]:
            yield from leaves_of(item)
    elif "dict" in tree:
        for _, item in tree["dict"]:
            yield from leaves_of(item)
    else:
        for item in tree["items"]:
            yield from leaves_of(item)


def filled(tree: Any, values: dict[str, Any]) -> Any:
    """Returns the Python value of a tree; containers other than tuples, lists and dicts become tuples.

    Raises:
        KeyError: A name has no value.
    """
    if isinstance(tree, str):
        return values[tree]
    if isinstance(tree, list):
        return [filled(item, values) for item in tree]
    if "constant" in tree:
        return tree["constant"]
    if "tuple" in tree:
        return tuple(filled(item, values) for item in tree["tuple"])
    if "dict" in tree:
        return {key: filled(item, values) for key, item in tree["dict"]}
    return tuple(filled(item, values) for item in tree["items"])
