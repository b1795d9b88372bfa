"""A stage border pushed up or down the graph, past a node or a row of nodes; the plan follows.

Terms: boundary k lies between stages k and k + 1. Pushed *down* past a node it leaves that node before it: the node and
all that must then stand before go to stage k where they were in later ones. Pushed *up* past a node it leaves the node
behind: the node and all that must then stand behind go to stage k + 1 where they were in earlier ones. Other borders
give way only where they would be passed.

Complexity: O(N + E). Left out: the bytes; the border goes where it is pushed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Plan
from cutter_gui.core.proposal import Proposal, Refusal, proposal
from cutter_gui.core.sides import Bonds
from cutter_gui.core.stages import assign_stages
from cutter_gui.core.stages_written import write_stages

Direction = Literal["up", "down"]


def move_boundary(
    graph: Graph,
    plan: Plan,
    boundary: int,
    nodes: Iterable[int],
    direction: Direction,
    symbols: Mapping[str, int] | None = None,
) -> Proposal | Refusal:
    """Proposes the plan whose boundary lies beyond the given nodes.

    Args:
        graph: The graph.
        plan: The plan so far. It has to be valid, for otherwise its boundaries lie nowhere.
        boundary: The boundary to push: the number of its cut.
        nodes: The nodes to push it past; constant ones are passed over. To follow a pointer, give from the plan at the
            start of the gesture all nodes between there and the pointer, so that going back takes back.
        direction: ``down``, with the edges, so that the nodes come to stand before it, or ``up``.
        symbols: Values of symbolic dimensions for the bytes told; 1 where not given.

    Returns:
        The plan, with the figures of the cut, or why the border cannot go there: a stage would be left empty.
        `traffic.balance` of its stages gives bytes and balance.
    """
    staging = assign_stages(graph, plan)
    if not staging.is_valid:
        return Refusal("The plan is not valid yet; mend it before its boundaries are moved.")
    pushed = np.zeros(graph.node_count, dtype=np.bool_)
    pushed[list(nodes)] = True
    pushed &= ~graph.node_constant
    bonds = Bonds(graph)
    stage = staging.node_stage
    if direction == "down":
        wanted = np.where(bonds.before(pushed), np.minimum(stage, boundary), stage)
    else:
        wanted = np.where(bonds.behind(pushed), np.maximum(stage, boundary + 1), stage)
    written = write_stages(graph, wanted.astype(np.int32), staging.plan, stage)
    return written if isinstance(written, Refusal) else proposal(written, boundary, symbols)
