"""The way of each tensor from stage to stage, and what that adds up to over each boundary.

Terms: a *hop* is one tensor in one transfer. A tensor *passes* a stage that receives it and sends it on. A hop *spans*
every boundary between its ends: one by relay, any number when sent directly.

Steps: count the hops of each tensor once, then number them in the order in which they are sent. Complexity: linear in
the hops. Left out: names and types, which the graph knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cutter_gui.core.contents import StageContents, Transfer
from cutter_gui.core.stages import Staging


@dataclass(frozen=True)
class Hop:
    """One tensor in one transfer.

    Attributes:
        tensor: The tensor.
        transfer: What carries it.
        place: Its place among the transfer's tensors, the same at both ends.
        number: Which hop of the tensor this is, from 1.
        count: How many hops the tensor has in all.
    """

    tensor: int
    transfer: Transfer
    place: int
    number: int
    count: int


def hops(moved: Sequence[Transfer]) -> tuple[Hop, ...]:
    """Returns every hop of a plan's transfers, in their order."""
    counts = Counter(tensor for transfer in moved for tensor in transfer.tensors)
    done: Counter[int] = Counter()
    found = []
    for transfer in moved:
        for place, tensor in enumerate(transfer.tensors):
            done[tensor] += 1
            found.append(Hop(tensor, transfer, place, done[tensor], counts[tensor]))
    return tuple(found)


def passed_on(stage: StageContents) -> frozenset[int]:
    """Returns the tensors that a stage receives and sends on."""
    received = {tensor for transfer in stage.receives for tensor in transfer.tensors}
    return frozenset(tensor for transfer in stage.sends for tensor in transfer.tensors if tensor in received)


def received_and_read(staging: Staging, stage: int) -> frozenset[int]:
    """Returns the tensors of earlier stages that nodes of a stage read themselves."""
    first, last = staging.edge_span
    edges = np.flatnonzero((last == stage) & (first < stage))
    return frozenset(staging.graph.edge_tensor[edges].tolist())


def sent_over(moved: Sequence[Transfer], boundary: int) -> tuple[int, ...]:
    """Returns the tensors that are sent over a boundary, once for each hop that spans it."""
    spanning = (transfer for transfer in moved if transfer.source <= boundary < transfer.destination)
    return tuple(tensor for transfer in spanning for tensor in transfer.tensors)
