"""Places that look like a cut: where the same cut can be made again, as after each layer of a network.

Terms: the *colour* of a node after r rounds stands for its op and for what is around it up to r edges away, as
Weisfeiler and Leman's refinement of colours makes it; nodes with the same surroundings have the same colour. The *lead*
of a cut is the node just before it whose colour recurs, and recurs the least; tensors of nodes that are one of a kind,
such as a mask that all layers read, come along by themselves. The *likeness* of a place is the number of rounds, up to
`ROUNDS`, after which its lead still has the colour of the cut's lead, and `IN_EQUAL_GROUPS` where both take the same
place in two equal groups, whose surroundings may differ at the ends of the network.

Steps: (1) colours of each round; (2) every node with the lead's colour after `ROUGH` rounds leads a place; (3) the
edges of the cut are found again there: of the edges whose ends have the right colours the one at the nearest distance
from the lead, counted in topological order; (4) places are ranked by likeness. The knife makes the cuts.

Complexity: O(ROUNDS (N + E)), and O(log N) for each place and edge of the cut. Left out: slots, attributes and shapes,
which seldom tell places apart that surroundings do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.groups import Groups, places
from cutter_gui.core.knife import knife
from cutter_gui.core.plan import Plan
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.stages import Staging

Words = npt.NDArray[np.uint64]

ROUNDS = 16
ROUGH = 2
IN_EQUAL_GROUPS = ROUNDS + 1


@dataclass(frozen=True)
class Place:
    """A place that looks like a cut.

    Attributes:
        node: The node that leads it; its stage would end there.
        edges: The edges that answer to those of the cut.
        likeness: From `ROUGH` to `IN_EQUAL_GROUPS`; see the top of this file.
    """

    node: int
    edges: tuple[int, ...]
    likeness: int


def places_like(staging: Staging, cut: int, groups: Groups | None = None) -> tuple[Place, ...]:
    """Returns the places that look like a cut, the most alike first, then in topological order.

    Args:
        staging: The stages of the plan.
        cut: The cut to repeat.
        groups: The groups of the graph, where they are at hand.

    Returns:
        Places that lie within a stage, none of them the cut itself; none when nothing about the cut recurs.
    """
    graph = staging.graph
    first, last = staging.edge_span
    crossing = np.flatnonzero((first <= cut) & (last > cut)).astype(np.int32)
    if not len(crossing):
        return ()
    colours = _colours(graph)
    rough, place = colours[ROUGH], places(graph)
    producers = graph.tensor_producer[graph.edge_tensor[crossing]]
    lead = _lead(rough, place, producers)
    if lead is None:
        return ()
    counts = _counts(rough)
    beside = _Beside(graph, rough, place, crossing[counts[producers] > 1], lead)
    likeness = np.zeros(graph.node_count, dtype=np.int32)
    for number, colour in enumerate(colours):
        likeness[(likeness == number - 1) & (colour == colour[lead])] = number
    if groups is not None:
        likeness[_in_equal_groups(graph, groups, place, lead)] = IN_EQUAL_GROUPS
    leads = np.flatnonzero((rough == rough[lead]) & ~graph.node_constant)
    result = []
    for node in leads[np.argsort(place[leads], kind="stable")].tolist():
        edges = beside.edges(node) if node != lead else []
        own = [edge for edge in edges if first[edge] == last[edge] == staging.node_stage[node]]
        if own:
            result.append(Place(node, tuple(own), int(likeness[node])))
    return tuple(sorted(result, key=lambda found: -found.likeness))


def repeat(
    graph: Graph, plan: Plan, chosen: Iterable[Place], symbols: Mapping[str, int] | None = None
) -> Proposal | Refusal:
    """Proposes the plan with one more cut at each of the places chosen, or says why one of them cannot be cut.

    Args:
        graph: The graph.
        plan: The plan in which the places were found.
        chosen: The places, in any order.
        symbols: Values of symbolic dimensions; 1 where not given.
    """
    proposed: Proposal | Refusal = Refusal("No places are chosen.")
    for place in chosen:
        made = knife(graph, plan, place.edges, symbols)
        if isinstance(made, Refusal):
            return made
        proposed, plan = made.proposal, made.proposal.plan
    return proposed


def _colours(graph: Graph) -> list[Words]:
    """Returns [N] colours for each round; the first is the op."""
    live = np.flatnonzero(graph.tensor_producer[graph.edge_tensor] >= 0)
    producer, consumer = graph.tensor_producer[graph.edge_tensor[live]], graph.edge_consumer[live]
    reads = np.diff(graph.node_inputs.starts).astype(np.uint64)
    colour = _mixed(graph.node_op.astype(np.uint64) * np.uint64(64) + reads)
    found = [colour]
    for _ in range(ROUNDS):
        before, behind = np.zeros_like(colour), np.zeros_like(colour)
        word = _mixed(colour)
        np.add.at(before, consumer, word[producer])
        np.add.at(behind, producer, word[consumer])
        colour = _mixed(colour * np.uint64(3) + _mixed(before) * np.uint64(5) + _mixed(behind + np.uint64(1)))
        found.append(colour)
    return found


def _mixed(words: Words) -> Words:
    """Returns each number scattered over 64 bits, by the finalizer of splitmix64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)), dtype=np.uint64)


def _counts(colour: Words) -> npt.NDArray[np.int64]:
    """Returns [N], how many nodes have the colour of each."""
    _, inverse, counts = np.unique(colour, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse.reshape(-1)], dtype=np.int64)


def _lead(colour: Words, place: Ints, producers: Ints) -> int | None:
    counts = _counts(colour)
    recurring = sorted({(int(counts[node]), -int(place[node]), int(node)) for node in producers if counts[node] > 1})
    return recurring[0][2] if recurring else None


class _Beside:
    """Finds the edges of a cut again beside another lead."""

    def __init__(self, graph: Graph, colour: Words, place: Ints, edges: Ints, lead: int) -> None:
        joining = np.flatnonzero(graph.edge_joins).astype(np.int32)
        producer, consumer = graph.tensor_producer[graph.edge_tensor], graph.edge_consumer
        kind = _mixed(colour[producer]) + colour[consumer]
        where = place[producer].astype(np.int64) + place[consumer]
        self._place, self._lead = place, lead
        alike = {word: joining[kind[joining] == word] for word in np.unique(kind[edges]).tolist()}
        ranked = {word: found[np.argsort(where[found], kind="stable")] for word, found in alike.items()}
        self._rows = [(ranked[int(kind[edge])], where[ranked[int(kind[edge])]], int(where[edge])) for edge in edges]

    def edges(self, node: int) -> list[int]:
        """Returns the edges that lie from a node as those of the cut lie from its lead, or nearest to that."""
        shift = 2 * (int(self._place[node]) - int(self._place[self._lead]))
        found = []
        for edges, where, at in self._rows:
            near = int(np.searchsorted(where, at + shift))
            options = [index for index in (near - 1, near) if 0 <= index < len(edges)]
            found.append(int(edges[min(options, key=lambda index: abs(int(where[index]) - at - shift))]))
        return list(dict.fromkeys(found))


def _in_equal_groups(graph: Graph, groups: Groups, place: Ints, lead: int) -> list[int]:
    """Returns the nodes that take the lead's place in groups equal to the outermost repeated group around it."""

    def ranked(group: int) -> list[int]:
        nodes = groups.nodes(group)
        nodes = nodes[~graph.node_constant[nodes]]
        return [int(node) for node in nodes[np.argsort(place[nodes], kind="stable")]]

    repeated = [group for group in groups.ancestors(int(groups.node_group[lead])) if groups.equal_count[group] > 1]
    if not repeated:
        return []
    rank = ranked(repeated[-1]).index(lead)
    equal = np.flatnonzero(groups.equal == groups.equal[repeated[-1]]).tolist()
    return [ranked(group)[rank] for group in equal]
