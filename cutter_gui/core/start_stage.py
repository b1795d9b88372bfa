"""Cut before a node, or after it: the complete cut through that place with the fewest bytes.

Terms: the *place* is a node in stage s of a valid plan. The new boundary falls within stage s: earlier stages stand
before it, later ones behind, and the nodes of stage s are divided.

Steps: (1) cutting before a node puts it behind and all in its stage that it reads before; cutting after it puts it
before and its readers behind; where its stage holds none of these, as in front of a branch that reads only inputs, the
node that precedes or follows in topological order takes their place; (2) all that is bound to these follows; (3)
the nodes that remain free, branches beside the place, take the cheapest sides (`sides.cheapest_sides`); of equally
cheap cuts the one with fewer edges is taken; (4) the cut is inserted at its position, written in full.

Complexity: O(N + E) and a minimum cut over the free nodes. Left out: moving other boundaries to make room.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.mend import settled
from cutter_gui.core.plan import Plan
from cutter_gui.core.problems_words import node_shown
from cutter_gui.core.proposal import Proposal, Refusal, proposal, without_empty_cuts
from cutter_gui.core.sides import Bonds, bytes_at, cheapest_sides, edges_between
from cutter_gui.core.stages import Staging
from cutter_gui.core.stages_written import with_boundary


def cut_before(graph: Graph, plan: Plan, node: int, symbols: Mapping[str, int] | None = None) -> Proposal | Refusal:
    """Proposes a cut that runs just before a node, so that a stage starts with it.

    Args:
        graph: The graph.
        plan: The plan so far. Cuts without edges are left out, the new cut takes their place; what else is wrong with
            it is mended first, and `Proposal.mended` says so.
        node: The node.
        symbols: Values of symbolic dimensions; 1 where not given.

    Returns:
        The plan with the cut inserted, or why none runs there.
    """
    return _cut_at(graph, plan, node, symbols, starts=True)


def cut_after(graph: Graph, plan: Plan, node: int, symbols: Mapping[str, int] | None = None) -> Proposal | Refusal:
    """Proposes a cut that runs just after a node, so that a stage ends with it; see `cut_before`."""
    return _cut_at(graph, plan, node, symbols, starts=False)


def _cut_at(graph: Graph, plan: Plan, node: int, symbols: Mapping[str, int] | None, starts: bool) -> Proposal | Refusal:
    if graph.node_constant[node]:
        return Refusal(f"{node_shown(graph, node)} is constant: every stage that needs it gets its own copy.", (node,))
    filled, name = without_empty_cuts(plan)
    base = settled(graph, filled, symbols)
    if isinstance(base, Refusal):
        return base
    staging, mended = base
    ends = _ends(staging, node, starts)
    if isinstance(ends, Refusal):
        return ends
    result = divide(staging, *ends, symbols=symbols, name=name)
    return result if isinstance(result, Refusal) else proposal(result, int(staging.node_stage[node]), symbols, mended)


def divide(
    staging: Staging,
    before: Bools,
    behind: Bools,
    symbols: Mapping[str, int] | None = None,
    name: str | None = None,
) -> Staging | Refusal:
    """Divides the one stage that all given nodes lie in by a new cut, the cheapest that parts them.

    Args:
        staging: The stages of a valid plan.
        before: [N], nodes of the stage that are to stand before the new cut; at least one.
        behind: [N], nodes of the stage that are to stand behind it; at least one.
        symbols: Values of symbolic dimensions.
        name: The new cut's name.
    """
    graph, stage = staging.graph, staging.node_stage
    at = int(stage[np.flatnonzero(before)[0]])
    live = ~graph.node_constant
    inside = live & (stage == at)
    bonds = Bonds(graph, inside)
    way = bonds.way(behind, before)
    if way:
        first, last = node_shown(graph, way[0]), node_shown(graph, way[-1])
        why = f"{first} would stand on both sides" if first == last else f"{last} cannot stand before {first}"
        return Refusal(f"No cut runs there: {why}.", way)
    before = bonds.before(before) | (live & (stage < at))
    behind = bonds.behind(behind) | (stage > at)
    choices = cheapest_sides(bonds, before, behind, bytes_at(graph, symbols))
    return with_boundary(staging, at, min(choices, key=lambda side: edges_between(graph, side)), name)


def _ends(staging: Staging, node: int, starts: bool) -> tuple[Bools, Bools] | Refusal:
    """Returns what is to stand right before the cut, and what right behind it."""
    graph, stage = staging.graph, staging.node_stage
    own = _mask(graph, np.asarray([node], dtype=np.int32))
    near = _read_by(graph, node) if starts else _readers_of(graph, node)
    near = near[(stage[near] == stage[node]) & (near != node)]
    if not len(near):
        near = _beside(staging, node, starts)
    if not len(near):
        side, does = ("before", "starts") if starts else ("after", "ends")
        where = f"stage {stage[node]}" if staging.plan.cuts else "the model"
        return Refusal(f"Nothing in {where} comes {side} {node_shown(graph, node)}, which {does} it.", (node,))
    others = _mask(graph, near)
    return (others, own) if starts else (own, others)


def _read_by(graph: Graph, node: int) -> Ints:
    edges = graph.node_edges.row(node)
    producers: Ints = np.unique(graph.tensor_producer[graph.edge_tensor[edges[graph.edge_joins[edges]]]])
    return producers


def _readers_of(graph: Graph, node: int) -> Ints:
    tensors = [tensor for tensor in graph.node_outputs.row(node).tolist() if tensor >= 0]
    edges = np.asarray([edge for tensor in tensors for edge in graph.edges_of(tensor)], dtype=np.int32)
    readers: Ints = np.unique(graph.edge_consumer[edges[graph.edge_joins[edges]]])
    return readers


def _beside(staging: Staging, node: int, starts: bool) -> Ints:
    """Returns the node of the stage that precedes or follows in topological order, if there is one."""
    order = staging.graph.order
    own = order[staging.node_stage[order] == staging.node_stage[node]]
    at = int(np.flatnonzero(own == node)[0])
    beside: Ints = own[max(at - 1, 0) : at] if starts else own[at + 1 : at + 2]
    return beside


def _mask(graph: Graph, nodes: Ints) -> Bools:
    mask = np.zeros(graph.node_count, dtype=np.bool_)
    mask[nodes] = True
    return mask
