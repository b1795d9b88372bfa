"""Nodes put into stages by number: the plan that does it, or why none can.

Terms: a *wish* is a stage for a node. No edge may run backward, so all that comes after a node with a wish lies in its
stage or a later one, all that comes before it in its stage or an earlier one.

Steps: (1) the lowest stage of a node is the highest wish among all that it comes after, its highest stage the lowest
wish among all that come after it; where the first is above the second there is no plan, and a way from one wish through
the graph to another, lower one says why; (2) every other node stays where it is, or as near to that as these bounds
allow, which keeps all edges running forward; (3) the plan is written.

Complexity: O(N + E) for each distinct stage that is wished for. Left out: which of several plans is the cheapest; nodes
that nobody asked for move only where they must.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.mend import settled
from cutter_gui.core.plan import Cut, Plan
from cutter_gui.core.problems_words import node_shown
from cutter_gui.core.proposal import Proposal, Refusal, proposal, without_empty_cuts
from cutter_gui.core.sides import Bonds
from cutter_gui.core.stages_written import write_stages


def assign_nodes(
    graph: Graph, plan: Plan, wishes: Mapping[int, int], symbols: Mapping[str, int] | None = None
) -> Proposal | Refusal:
    """Proposes the plan that puts nodes into the stages wished for.

    Args:
        graph: The graph.
        plan: The plan so far; cuts without edges are left out, and what is wrong with it is mended first.
        wishes: Stage by node number; the stage after the last one is made. Constant nodes are passed over, since
            every stage has its own copy.
        symbols: Values of symbolic dimensions for the bytes told; 1 where not given.

    Returns:
        The plan, or why there is none: a way through the graph that would run backward, or a stage left empty. The cut
        of the proposal is the one before the highest stage wished for.
    """
    live = {node: stage for node, stage in wishes.items() if not graph.node_constant[node]}
    if not live:
        constant = next(iter(wishes), None)
        if constant is None:
            return Refusal("No nodes are chosen.")
        return Refusal(
            f"{node_shown(graph, constant)} is constant: every stage that needs it gets its own copy.", (constant,)
        )
    filled, name = without_empty_cuts(plan)
    base = settled(graph, filled, symbols)
    if isinstance(base, Refusal):
        return base
    staging, mended = base
    last = max(live.values())
    if min(live.values()) < 0:
        return Refusal("Stages are numbered from 0.")
    if last > staging.stage_count:
        return Refusal(
            f"There are {staging.stage_count} stages; the next new one is stage {staging.stage_count}, not {last}."
        )
    bounds = _bounds(Bonds(graph), live)
    if isinstance(bounds, Refusal):
        return bounds
    wanted = np.minimum(np.maximum(staging.node_stage, bounds[0]), bounds[1]).astype(np.int32)
    wanted[graph.node_constant] = -1
    roomy = staging.plan
    if last == staging.stage_count:
        roomy = replace(roomy, cuts=(*roomy.cuts, Cut((), name)))
    written = write_stages(graph, wanted, roomy, staging.node_stage)
    if isinstance(written, Refusal):
        return written
    return proposal(written, max(last - 1, 0) if written.plan.cuts else -1, symbols, mended)


def _bounds(bonds: Bonds, wishes: Mapping[int, int]) -> tuple[Ints, Ints] | Refusal:
    """Returns [N] the lowest and the highest stage that wishes leave to each node."""
    count = bonds.graph.node_count
    lowest = np.zeros(count, dtype=np.int32)
    highest = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    for stage in sorted(set(wishes.values())):
        lowest[bonds.behind(_wishing(wishes, stage, count))] = stage
    for stage in sorted(set(wishes.values()), reverse=True):
        highest[bonds.before(_wishing(wishes, stage, count))] = stage
    if np.any(lowest > highest):
        return _backward(bonds, wishes, lowest, highest)
    return lowest, highest


def _wishing(wishes: Mapping[int, int], stage: int, count: int) -> Bools:
    mask = np.zeros(count, dtype=np.bool_)
    mask[[node for node, wish in wishes.items() if wish == stage]] = True
    return mask


def _backward(bonds: Bonds, wishes: Mapping[int, int], lowest: Ints, highest: Ints) -> Refusal:
    """Returns the refusal that shows a way from a node wished into a stage to one wished into an earlier stage."""
    graph = bonds.graph
    node = int(np.flatnonzero(lowest > highest)[0])
    late, early = int(lowest[node]), int(highest[node])
    way = bonds.way(_wishing(wishes, late, graph.node_count), _wishing(wishes, early, graph.node_count))
    first, last = node_shown(graph, way[0]), node_shown(graph, way[-1])
    if len(way) < 3:
        why = f"{last} comes after {first} or is held together with it"
    else:
        why = f"{last} comes after {first}, through {node_shown(graph, way[len(way) // 2])}"
    return Refusal(f"{first} cannot be in stage {late} while {last} is in stage {early}: {why}.", way)
