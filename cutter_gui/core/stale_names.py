"""Names of a plan that a re-exported model no longer has, each once, with the names that may be meant.

Terms: a *stale name* is a tensor that the graph does not have, or a consumer that no node reading its tensor goes by.
One that stands in several cuts is one stale name: it is renamed everywhere at once.

Renaming all goes in rounds, since the consumers of a tensor can be looked for only once its own name is right: each
round takes the nearest name of every stale one. It ends: a name taken is one the graph has, so no round brings a stale
name back. Complexity: two rounds, each one stage assignment and the search of `problems_names`. Left out: telling
whether two stale names want to become the same one, which the listing shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import CutEdge, Plan
from cutter_gui.core.problems_names import PROPOSED, NameSearch, why_no_consumer
from cutter_gui.core.stages import Staging, assign_stages

Key = tuple[str, str | None]
"""A tensor and None, or a tensor and its consumer: what a stale name is told apart by."""


@dataclass(frozen=True)
class StaleName:
    """A name that the graph does not have.

    Attributes:
        tensor: The tensor it is, or whose consumer it is.
        consumer: The consumer, or None when the tensor itself is unknown.
        cuts: Where it stands, ascending.
        nearest: Names that may be meant, the most alike first.
    """

    tensor: str
    consumer: str | None
    cuts: tuple[int, ...]
    nearest: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.tensor if self.consumer is None else self.consumer

    @property
    def key(self) -> Key:
        return self.tensor, self.consumer


def stale_names(staging: Staging) -> tuple[StaleName, ...]:
    """Returns the stale names of a plan, in plan order."""
    cuts: dict[Key, list[int]] = {}
    for unknown in staging.listings.unknown:
        cuts.setdefault((unknown.tensor, unknown.consumer), []).append(unknown.cut)
    search = NameSearch(staging.graph)
    return tuple(
        StaleName(tensor, consumer, tuple(dict.fromkeys(where)), _nearest(staging.graph, search, tensor, consumer))
        for (tensor, consumer), where in cuts.items()
    )


def _nearest(graph: Graph, search: NameSearch, tensor: str, consumer: str | None) -> tuple[str, ...]:
    if consumer is None:
        found = (*search.outputs_of(tensor), *search.tensors(tensor))
    else:
        index = graph.tensor_index[tensor]
        _, _, proposal = why_no_consumer(graph, index, consumer, search)
        found = (*(() if proposal is None else (proposal,)), *search.readers(index, consumer))
    return tuple(dict.fromkeys(found))[:PROPOSED]


def renamed(plan: Plan, names: Mapping[Key, str | None]) -> Plan:
    """Returns the plan with names in the place of stale ones, wherever those stand.

    Args:
        plan: The plan.
        names: The new name of each stale one; None takes it out.
    """
    cuts = []
    for cut in plan.cuts:
        edges = [_renamed_edge(edge, names) for edge in cut.edges]
        cuts.append(replace(cut, edges=tuple(edge for edge in edges if edge is not None)))
    return replace(plan, cuts=tuple(cuts))


def _renamed_edge(edge: CutEdge, names: Mapping[Key, str | None]) -> CutEdge | None:
    tensor = names.get((edge.tensor, None), edge.tensor)
    if tensor is None:
        return None
    if edge.consumers is None:
        return replace(edge, tensor=tensor)
    found = [names.get((edge.tensor, consumer), consumer) for consumer in edge.consumers]
    consumers = tuple(dict.fromkeys(consumer for consumer in found if consumer is not None))
    return replace(edge, tensor=tensor, consumers=consumers) if consumers else None


def all_renamed(graph: Graph, plan: Plan) -> tuple[Plan, int]:
    """Returns the plan with the nearest name in the place of every stale one that has any, and how many those were."""
    count = 0
    while True:
        found = stale_names(assign_stages(graph, plan))
        names: dict[Key, str | None] = {stale.key: stale.nearest[0] for stale in found if stale.nearest}
        if not names:
            return plan, count
        plan = renamed(plan, names)
        count += len(names)
