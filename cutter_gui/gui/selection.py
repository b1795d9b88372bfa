"""What is selected: one tensor, one node, one group, or nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """The selection that canvas and panels share.

    Attributes:
        tensor: The tensor selected, or None.
        node: The node selected, or None.
        group: The group of nodes selected, or None.
    """

    tensor: int | None = None
    node: int | None = None
    group: int | None = None

    def __bool__(self) -> bool:
        return self.tensor is not None or self.node is not None or self.group is not None


NOTHING = Selection()
