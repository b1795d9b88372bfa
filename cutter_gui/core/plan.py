"""What the user decides: edges to cut, cuts, the plan (DESIGN, section 1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from cutter_gui.core.errors import CutterError

Transport = Literal["relay", "direct"]
TRANSPORTS: tuple[Transport, ...] = ("relay", "direct")


@dataclass(frozen=True)
class CutEdge:
    """The edges of one tensor that are cut.

    Attributes:
        tensor: Name of the tensor.
        consumers: Names of the consumers whose edges are cut, each named by one of its output tensors; None cuts
            all edges of the tensor. Any iterable of names is taken; a set, which has no order, is sorted.

    Raises:
        CutterError: ``consumers`` is empty, which would cut nothing.
        TypeError: A name is no string, or ``consumers`` is one.
    """

    tensor: str
    consumers: tuple[str, ...] | None = None

    def __init__(self, tensor: str, consumers: Iterable[str] | None = None) -> None:
        if not isinstance(tensor, str):
            raise TypeError(f"the tensor of a CutEdge is a name, not {tensor!r}")
        object.__setattr__(self, "tensor", tensor)
        object.__setattr__(self, "consumers", _names(tensor, consumers))


def _names(tensor: str, consumers: Iterable[str] | None) -> tuple[str, ...] | None:
    if consumers is None:
        return None
    if isinstance(consumers, str):
        raise TypeError(f"the consumers of a CutEdge are a list of names, not the string {consumers!r}")
    ordered = sorted(consumers) if isinstance(consumers, (set, frozenset)) else tuple(consumers)
    if any(not isinstance(name, str) for name in ordered):
        raise TypeError(f"the consumers of a CutEdge are names, not {ordered!r}")
    if not ordered:
        raise CutterError(
            "an edge lists no consumers", f"tensor {tensor}", "leave out consumers to cut all, or name at least one"
        )
    return tuple(ordered)


@dataclass(frozen=True)
class Cut:
    """One cut: a list of edges that separates the stages before it from those after it."""

    edges: tuple[CutEdge, ...] = ()
    name: str | None = None


@dataclass(frozen=True)
class Plan:
    """The ordered cuts; n cuts make n + 1 stages.

    Attributes:
        cuts: The cuts in order; cut k separates stages <= k from stages >= k + 1.
        transport: ``relay`` (a hop at every boundary) or ``direct`` (DESIGN 2.6).
    """

    cuts: tuple[Cut, ...] = field(default=())
    transport: Transport = "relay"

    @property
    def stage_count(self) -> int:
        return len(self.cuts) + 1

    def with_transport(self, transport: Transport) -> Plan:
        return replace(self, transport=transport)
