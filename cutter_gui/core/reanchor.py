"""Taking a plan over to a model that was rewritten, by what became of each name.

Terms: a name *stays* or is *replaced* when the rewriter says what it is called now; else it is *gone*. Steps, for each
edge of each cut: the tensor takes its new name, or the edge is left out when it is gone. A named consumer that stays
and still reads the tensor is kept; in place of one that was replaced stand the new nodes that read the tensor. An edge
of which no consumer is left is left out. Linear in the number of listed consumers and of those of the cut tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import CutEdge, Plan


@dataclass(frozen=True)
class Reanchored:
    """A plan over another model.

    Attributes:
        plan: The plan; it has as many cuts as before.
        lost: Names of tensors and consumers, in the order of the plan, that have no counterpart.
    """

    plan: Plan
    lost: tuple[str, ...] = ()


def reanchored(plan: Plan, before: Graph, after: Graph, names: Mapping[str, str]) -> Reanchored:
    """Returns a plan for the model as it is after rewriting.

    Args:
        plan: The plan over ``before``; names that are not in it stay as they are.
        before: The graph the plan was made for.
        after: The graph after rewriting.
        names: Names of tensors before, to those after; weights that are in both graphs need no entry.
    """
    found = _Names(before, after, names)
    lost: dict[str, None] = {}
    cuts = []
    for cut in plan.cuts:
        edges: dict[str, CutEdge] = {}
        for edge in cut.edges:
            moved = _moved(edge, found, lost)
            if moved is not None:
                edges[moved.tensor] = _joined(edges.get(moved.tensor), moved)
        cuts.append(replace(cut, edges=tuple(edges.values())))
    return Reanchored(replace(plan, cuts=tuple(cuts)), tuple(lost))


class _Names:
    """What names have become."""

    def __init__(self, before: Graph, after: Graph, names: Mapping[str, str]) -> None:
        self.before = before
        self.after = after
        self.names = names
        self.old = set(names.values())

    def now(self, name: str) -> str | None:
        """Returns what a tensor is called now; None when it is gone."""
        if name in self.names:
            new = self.names[name]
            return new if new in self.after.tensor_index else None
        tensor = self.before.tensor_index.get(name)
        if tensor is None:
            return name  # it was stale before, which its diagnostic says
        stays = self.before.tensor_producer[tensor] < 0 and name in self.after.tensor_index
        return name if stays else None

    def reads(self, consumer: str, tensor: str) -> bool:
        index = self.after.tensor_index
        if consumer not in index or tensor not in index:
            return False
        node = int(self.after.tensor_producer[index[consumer]])
        return node >= 0 and self.after.edge(index[tensor], node) is not None

    def new_readers(self, tensor: str) -> list[str]:
        """Returns the consumers of a tensor that were not there before."""
        at = self.after.tensor_index.get(tensor)
        readers = [] if at is None else [self.after.consumer_name(int(node)) for node in self.after.consumers(at)]
        return [name for name in readers if name is not None and name not in self.old]


def _moved(edge: CutEdge, found: _Names, lost: dict[str, None]) -> CutEdge | None:
    tensor = found.now(edge.tensor)
    if tensor is None:
        lost[edge.tensor] = None
        return None
    if edge.consumers is None or edge.tensor not in found.before.tensor_index:
        return CutEdge(tensor, edge.consumers)
    consumers: dict[str, None] = {}
    for name in edge.consumers:
        now = found.now(name)
        if now is not None and (found.reads(now, tensor) or name not in found.before.tensor_index):
            consumers[now] = None
            continue
        readers = found.new_readers(tensor)
        consumers.update(dict.fromkeys(readers))
        if not readers:
            lost[name] = None
    return CutEdge(tensor, tuple(consumers)) if consumers else None


def _joined(one: CutEdge | None, other: CutEdge) -> CutEdge:
    """Returns the edges of two listings of a tensor as one."""
    if one is None:
        return other
    if one.consumers is None or other.consumers is None:
        return CutEdge(other.tensor)
    return CutEdge(other.tensor, tuple(dict.fromkeys((*one.consumers, *other.consumers))))
