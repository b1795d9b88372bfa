"""What crosses each boundary, and how even the stages are: the figures shown while a plan is edited.

Terms: a tensor crosses boundary b when its producer lies in a stage <= b and some consumer in a later one. By relay it
is sent there once, whatever the number of consumers; the figures count that, for either transport.

Steps: the last stage of each tensor is the highest one of its consumers; sizes are worked out only for tensors that
cross. Weights and nodes of a stage are those of `contents`, which a split writes.

Complexity: O(N + E), plus one size for each tensor that crosses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cutter_gui.core.contents import stage_contents
from cutter_gui.core.graph import Ints
from cutter_gui.core.sides import cost_of
from cutter_gui.core.stages import Staging


@dataclass(frozen=True)
class Balance:
    """The figures of a plan.

    Attributes:
        nodes: Nodes of each stage, without copies of constant ones.
        weight_bytes: Bytes of the weights of each stage.
        tensors: Number of tensors that cross each boundary.
        boundary_bytes: Bytes that cross each boundary, open dimensions at the values given or 1.
    """

    nodes: tuple[int, ...]
    weight_bytes: tuple[int, ...]
    tensors: tuple[int, ...]
    boundary_bytes: tuple[int, ...]

    @property
    def total_bytes(self) -> int:
        return sum(self.boundary_bytes)


def spans(staging: Staging) -> tuple[Ints, Ints, Ints]:
    """Returns the tensors that cross, the stage each comes from, and the last stage that reads it."""
    first, last = staging.edge_span
    crossing = np.flatnonzero(last > first)
    tensors, at = np.unique(staging.graph.edge_tensor[crossing], return_index=True)
    furthest = np.maximum.reduceat(last[crossing], at) if len(crossing) else last[crossing]
    return tensors, first[crossing[at]], furthest


def crossing_tensors(staging: Staging, boundary: int) -> tuple[int, ...]:
    """Returns the tensors that cross a boundary, in the order of the file."""
    tensors, source, target = spans(staging)
    return tuple(tensors[(source <= boundary) & (target > boundary)].tolist())


def boundary_bytes(staging: Staging, boundary: int, symbols: Mapping[str, int] | None = None) -> int:
    """Returns the bytes that cross a boundary; see `Balance`."""
    return sum(cost_of(staging.graph, tensor, symbols or {}) for tensor in crossing_tensors(staging, boundary))


def balance(staging: Staging, symbols: Mapping[str, int] | None = None) -> Balance:
    """Returns the figures of a plan.

    Args:
        staging: The plan's stages.
        symbols: Values of symbolic dimensions; 1 where not given.
    """
    tensors, source, target = spans(staging)
    counts, sizes = [0] * len(staging.plan.cuts), [0] * len(staging.plan.cuts)
    for tensor, start, end in zip(tensors.tolist(), source.tolist(), target.tolist(), strict=True):
        size = cost_of(staging.graph, tensor, symbols or {})
        for boundary in range(start, end):
            counts[boundary] += 1
            sizes[boundary] += size
    contents = stage_contents(staging)
    return Balance(
        tuple(len(stage.own_nodes) for stage in contents),
        tuple(stage.weight_bytes for stage in contents),
        tuple(counts),
        tuple(sizes),
    )
