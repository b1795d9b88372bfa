"""Mends of a plan as plain data: what the edits of a `Fix` are made of.

Each edit knows the plan that follows and the data that ``check --json`` prints, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from cutter_gui.core.diagnostic import Fix
from cutter_gui.core.plan import Cut, CutEdge, Plan, Transport


class PlanEdit(Protocol):
    """One edit of a plan."""

    def apply(self, plan: Plan) -> Plan:
        """Returns the plan after the edit."""
        ...

    def data(self) -> dict[str, object]:
        """Returns the edit as plain data; ``edit`` says which one it is."""
        ...


@dataclass(frozen=True)
class ReorderCuts:
    """Puts the cuts into a new order, given as their present positions."""

    order: tuple[int, ...]

    def apply(self, plan: Plan) -> Plan:
        return replace(plan, cuts=tuple(plan.cuts[index] for index in self.order))

    def data(self) -> dict[str, object]:
        return {"edit": "reorder-cuts", "order": list(self.order)}


@dataclass(frozen=True)
class RemoveCut:
    """Takes a cut out of the plan."""

    cut: int

    def apply(self, plan: Plan) -> Plan:
        return replace(plan, cuts=plan.cuts[: self.cut] + plan.cuts[self.cut + 1 :])

    def data(self) -> dict[str, object]:
        return {"edit": "remove-cut", "cut": self.cut}


@dataclass(frozen=True)
class MergeCuts:
    """Adds the edges of the cut after it to a cut and takes that next cut out of the plan."""

    cut: int

    def apply(self, plan: Plan) -> Plan:
        first, second = plan.cuts[self.cut : self.cut + 2]
        merged = Cut(union(first.edges, second.edges), first.name or second.name)
        return replace(plan, cuts=(*plan.cuts[: self.cut], merged, *plan.cuts[self.cut + 2 :]))

    def data(self) -> dict[str, object]:
        return {"edit": "merge-cuts", "cut": self.cut, "with": self.cut + 1}


@dataclass(frozen=True)
class AddEdges:
    """Adds edges of a tensor to a cut; an entry of the tensor that is there is extended."""

    cut: int
    edge: CutEdge

    def apply(self, plan: Plan) -> Plan:
        return _with_edges(plan, self.cut, union(plan.cuts[self.cut].edges, [self.edge]))

    def data(self) -> dict[str, object]:
        return {"edit": "add-edges", "cut": self.cut, "edge": edge_data(self.edge)}


@dataclass(frozen=True)
class ReplaceEdge:
    """Puts another entry in the place of one entry of a cut."""

    cut: int
    position: int
    edge: CutEdge

    def apply(self, plan: Plan) -> Plan:
        edges = list(plan.cuts[self.cut].edges)
        edges[self.position] = self.edge
        return _with_edges(plan, self.cut, tuple(edges))

    def data(self) -> dict[str, object]:
        return {"edit": "replace-edge", "cut": self.cut, "position": self.position, "edge": edge_data(self.edge)}


@dataclass(frozen=True)
class RemoveEdge:
    """Takes one entry out of a cut."""

    cut: int
    position: int

    def apply(self, plan: Plan) -> Plan:
        edges = plan.cuts[self.cut].edges
        return _with_edges(plan, self.cut, edges[: self.position] + edges[self.position + 1 :])

    def data(self) -> dict[str, object]:
        return {"edit": "remove-edge", "cut": self.cut, "position": self.position}


@dataclass(frozen=True)
class ReplaceEdges:
    """Puts other entries in the place of all entries of a cut."""

    cut: int
    edges: tuple[CutEdge, ...]

    def apply(self, plan: Plan) -> Plan:
        return _with_edges(plan, self.cut, self.edges)

    def data(self) -> dict[str, object]:
        return {"edit": "replace-edges", "cut": self.cut, "edges": [edge_data(edge) for edge in self.edges]}


@dataclass(frozen=True)
class SetTransport:
    """Chooses how tensors travel between stages."""

    transport: Transport

    def apply(self, plan: Plan) -> Plan:
        return replace(plan, transport=self.transport)

    def data(self) -> dict[str, object]:
        return {"edit": "set-transport", "transport": self.transport}


def fix(plan: Plan, title: str, edits: Iterable[PlanEdit]) -> Fix:
    """Returns the mend that these edits make, applied one after the other."""
    edits = tuple(edits)
    return Fix(title, tuple(edit.data() for edit in edits), applied(plan, edits))


def applied(plan: Plan, edits: Iterable[PlanEdit]) -> Plan:
    """Returns the plan after these edits, applied one after the other.

    Edges added to one cut in a row are joined with it at once: thousands of them one by one would take quadratic time.
    """
    for cut, run in groupby(edits, key=lambda edit: edit.cut if isinstance(edit, AddEdges) else None):
        if cut is None:
            for edit in run:
                plan = edit.apply(plan)
        else:
            added = [edit.edge for edit in run if isinstance(edit, AddEdges)]
            plan = _with_edges(plan, cut, union(plan.cuts[cut].edges, added))
    return plan


def edge_data(edge: CutEdge) -> dict[str, object]:
    """Returns an entry as it stands in a cut spec (DESIGN, section 3)."""
    if edge.consumers is None:
        return {"tensor": edge.tensor}
    return {"tensor": edge.tensor, "consumers": list(edge.consumers)}


def union(edges: tuple[CutEdge, ...], added: Iterable[CutEdge]) -> tuple[CutEdge, ...]:
    """Returns entries that name the edges of both, one entry for each tensor of ``added``.

    Such an entry stands where the tensor is first listed; ``edges`` of other tensors stay as they are.
    """
    more: dict[str, list[CutEdge]] = {}
    for edge in added:
        more.setdefault(edge.tensor, []).append(edge)
    for edge in reversed(edges):
        if edge.tensor in more:
            more[edge.tensor].insert(0, edge)
    result = []
    for edge in edges:
        if edge.tensor not in more:
            result.append(edge)
        elif more[edge.tensor]:
            result.append(_joined(more[edge.tensor]))
            more[edge.tensor] = []
    result.extend(_joined(entries) for entries in more.values() if entries)
    return tuple(result)


def _joined(entries: list[CutEdge]) -> CutEdge:
    names: dict[str, None] = {}
    for entry in entries:
        if entry.consumers is None:
            return CutEdge(entry.tensor)
        names.update(dict.fromkeys(entry.consumers))
    return CutEdge(entries[0].tensor, tuple(names))


def _with_edges(plan: Plan, index: int, edges: tuple[CutEdge, ...]) -> Plan:
    return replace(plan, cuts=(*plan.cuts[:index], replace(plan.cuts[index], edges=edges), *plan.cuts[index + 1 :]))
