"""What an fx graph says, apart from where it was read: from an archive as data, or from a graph module in torch.

Both readers make a `Draft`; one function makes the core's graph of it (`cutter_gui.fx.draft_graph`). A draft is plain
data that passes between processes as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cutter_gui.core.graph import Attributes, Shape


@dataclass(frozen=True)
class ValueType:
    """A dtype code of `cutter_gui.core.dtypes` and a shape; None where the rank is not known."""

    dtype: int
    shape: Shape


@dataclass(frozen=True)
class DraftWeight:
    """A parameter, buffer or constant.

    Attributes:
        name: Its qualified name; that of the first of those tied to it.
        stored: Bytes as stored, 0 when it is no tensor.
        also: The qualified names of the others tied to it.
    """

    name: str
    stored: int
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class DraftNode:
    """A node that computes.

    Attributes:
        name: The fx node's name, which is that of its value too.
        op: What it does, for people: ``aten.linear``, ``getitem``, ``torch.nn.Conv2d``.
        inputs: The values it reads, weights by qualified name, in the order of its arguments.
        attributes: Its other arguments as (name, short text).
        scope: The modules it was called in, outermost first.
        mutates: Values, of those it reads, that it changes in place.
        aliases: Values, of those it reads, whose storage its own value may share.
        element: When it takes one element out of a value that is a tuple, which.
        random: Whether it draws random numbers.
        bodies: The names of the branches of a higher-order operator, where they can be read.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    attributes: Attributes = ()
    scope: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    element: int | None = None
    random: bool = False
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Draft:
    """An fx graph.

    Attributes:
        inputs: The model's inputs, flattened in pytree order, constants among them.
        weights: What it holds.
        nodes: The nodes in the order of the file.
        outputs: The values that it returns, flattened in pytree order, without constants.
        updates: (value, weight or input) pairs: after a run the second has the value of the first.
        types: Types by value name; a value without one is no tensor, or its type is not known.
        structure: JSON text of how inputs and outputs nest (`cutter_gui.fx.structure`), or "".
        metadata: What ``info`` shows besides.
    """

    inputs: tuple[str, ...]
    weights: tuple[DraftWeight, ...]
    nodes: tuple[DraftNode, ...]
    outputs: tuple[str, ...]
    updates: tuple[tuple[str, str], ...] = ()
    types: Mapping[str, ValueType] = field(default_factory=dict)
    structure: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns the draft as JSON values."""
        return asdict(self)


def draft_from_json(data: Mapping[str, Any]) -> Draft:
    """Returns the draft that `Draft.as_json` wrote."""
    return Draft(
        inputs=tuple(data["inputs"]),
        weights=tuple(DraftWeight(w["name"], w["stored"], tuple(w["also"])) for w in data["weights"]),
        nodes=tuple(_node(node) for node in data["nodes"]),
        outputs=tuple(data["outputs"]),
        updates=tuple((first, second) for first, second in data["updates"]),
        types={
            name: ValueType(kind["dtype"], None if kind["shape"] is None else tuple(kind["shape"]))
            for name, kind in data["types"].items()
        },
        structure=data["structure"],
        metadata=dict(data["metadata"]),
    )


def _node(data: Mapping[str, Any]) -> DraftNode:
    return DraftNode(
        name=data["name"],
        op=data["op"],
        inputs=tuple(data["inputs"]),
        attributes=tuple((key, text) for key, text in data["attributes"]),
        scope=tuple(data["scope"]),
        mutates=tuple(data["mutates"]),
        aliases=tuple(data["aliases"]),
        element=data["element"],
        random=data["random"],
        bodies=tuple(data["bodies"]),
    )
