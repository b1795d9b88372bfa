"""The minimum cut of a network whose limits do not fit into 32 bits.

Terms: *limits* are the capacities of arcs; what an arc can still take is its *residue*, which counts for the reverse
arc too.

scipy's maximum flow (Dinic) is compiled but computes with 32 bits. Steps: (1) bound what can flow at all; (2) measure
limits in units so large that the bound fits, and find the maximum flow in units; (3) what can still flow is bounded by
the residue, in full digits, of the minimum cut in units, at most one unit an arc more than nothing: repeat with that
bound and smaller units, until the unit is 1. No arc needs a limit above the bound, so clipping loses nothing and the
result is exact.

Complexity: that of Dinic's algorithm, O(V^2 E) at worst and near linear on layered networks, two or three times over
where limits are large. Left out: the flow itself, which nobody asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Bools

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FLOW_LIMIT = 2**31 - 2
TOTAL_LIMIT = 2**52
"""What finite limits may add up to; see `endless`."""


def endless(limits: npt.NDArray[np.int64]) -> int:
    """Returns a limit that no minimum cut pays next to these, which add up to at most `TOTAL_LIMIT`."""
    return int(limits.sum()) + 1


def minimum_cut(
    tails: npt.NDArray[np.int64],
    heads: npt.NDArray[np.int64],
    limits: npt.NDArray[np.int64],
    size: int,
    source: int,
    sink: int,
) -> tuple[Bools, Bools]:
    """Finds the two extreme minimum cuts between source and sink.

    Args:
        tails: [A], the node each arc leaves.
        heads: [A], the node each arc enters; the limits of parallel arcs add up.
        limits: [A], each at most `TOTAL_LIMIT` + 1.
        size: Number of nodes.
        source: Where flow starts.
        sink: Where it ends.

    Returns:
        [size] whether the source still reaches a node, and [size] whether a node still reaches the sink, when the flow
        is at its maximum. The first set and the complement of the second are minimum cuts; all others lie between.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    residue = coo_array((limits, (tails, heads)), shape=(size, size)).tocsr()
    residue.eliminate_zeros()
    bound = min(int(residue[[source]].sum()), 2 * TOTAL_LIMIT)
    while bound:
        unit = -(-bound // FLOW_LIMIT)
        network = residue.copy()
        network.data = (np.minimum(network.data, bound) // unit).astype(np.int32)
        network.eliminate_zeros()
        flow = maximum_flow(network, source, sink).flow
        residue = (residue - flow.astype(np.int64) * unit).tocsr()
        residue.eliminate_zeros()
        if unit == 1:
            break
        reached = reach(network - flow, source)
        rows = np.repeat(np.arange(size), np.diff(residue.indptr))
        bound = int(residue.data[reached[rows] & ~reached[residue.indices]].sum())
    return reach(residue, source), reach(residue.T.tocsr(), sink)


def reach(arcs: csr_array, start: int) -> Bools:
    """Returns [V], whether a node can be reached along arcs that are not 0."""
    from scipy.sparse.csgraph import breadth_first_order

    arcs.eliminate_zeros()
    found = np.zeros(arcs.shape[0], dtype=np.bool_)
    found[breadth_first_order(arcs, start, return_predecessors=False)] = True
    return found
