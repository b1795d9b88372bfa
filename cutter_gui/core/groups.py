"""The hierarchy of groups of a graph's nodes: from scopes where the file has them, else from structure.

Terms: a *scope* is the path of names a node carries (`Graph.node_scopes`); a node is *live* when it is not constant;
the *place* of a node is its position in a topological order.

Steps: (1) where at least half of the live nodes have a scope, scopes are the paths of groups, else
`cutter_gui.core.groups_structure` makes paths; (2) the paths become a tree; (3) groups with fewer than two live nodes
are dissolved into their parent, and a group whose only content is one other group becomes one with it; nodes beside a
group that read from it alone, and from which it reads again, belong to it: folded, it would else stand before and
behind them; (4) a group with more than `MOST_CHILDREN` children has them gathered, by place, into groups of consecutive
ones, so that no unfolding draws more than that; (5) groups are numbered so that a parent stands before its children and
children stand by place; (6) counts and sizes are summed per level of the tree; (7) `cutter_gui.core.groups_equal` finds
groups that are equal.

Complexity: O(D (N + E) log E) for a tree of depth D, which is small and bounded by `DEEPEST`. Left out: groups that
make cycles when folded, which a layout draws as upward edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.groups_equal import equal_groups
from cutter_gui.core.groups_structure import structural_paths

MOST_CHILDREN = 400
GATHERED_AT_MOST = 64  # groups that a crowded group is divided into
GATHERED_AT_LEAST = 16  # children of each of these
DEEPEST = 12

Path = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Groups:
    """A forest of G groups over N nodes.

    Attributes:
        names: G names, unlike within one parent.
        parent: [G], the group around each, -1 for outermost ones; always a smaller number.
        depth: [G], 0 for outermost groups.
        end: [G], the groups within group g are those from g + 1 up to, not including, ``end[g]``.
        node_group: [N], the innermost group of each node, -1 for none.
        node_count: [G], nodes within, at any depth.
        weight_bytes: [G] int64, bytes of the distinct weights that nodes within read.
        equal: [G], a number that groups with the same ops and inner wiring share.
        is_structural: Whether the groups were found from structure.
    """

    names: tuple[str, ...]
    parent: Ints
    depth: Ints
    end: Ints
    node_group: Ints
    node_count: Ints
    weight_bytes: npt.NDArray[np.int64]
    equal: Ints
    is_structural: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def equal_count(self) -> Ints:
        """[G], how many groups are equal to each, itself included."""
        if not len(self):
            return self.equal
        return np.bincount(self.equal)[self.equal].astype(np.int32)

    @cached_property
    def _by_group(self) -> tuple[Ints, Ints]:
        """Nodes in the order of their groups, and where each group's begin."""
        order: Ints = np.argsort(self.node_group, kind="stable").astype(np.int32)
        starts: Ints = np.searchsorted(self.node_group[order], np.arange(len(self) + 1)).astype(np.int32)
        return order, starts

    def nodes(self, group: int) -> Ints:
        """Returns the nodes within a group, at any depth."""
        order, starts = self._by_group
        found: Ints = np.sort(order[starts[group] : starts[self.end[group]]])
        return found

    def own_nodes(self, group: int) -> Ints:
        """Returns the nodes of a group that are in none of its groups; for -1 those in no group at all."""
        order, starts = self._by_group
        if group < 0:
            start, stop = 0, starts[0] if len(self) else len(order)
        else:
            start, stop = starts[group], starts[group + 1]
        return np.asarray(order[start:stop], dtype=np.int32)

    def spans(self, values: Ints) -> tuple[Ints, Ints]:
        """Returns [G] each, the lowest and the highest value of the nodes in a group; -1 where all values are negative.

        Args:
            values: [N]; negative ones stand for none.
        """
        if not len(self):
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        order, starts = self._by_group
        bounds = np.stack([starts[:-1], starts[self.end]], axis=1).ravel()
        ordered = np.append(values[order], -1).astype(np.int64)
        high = np.maximum.reduceat(ordered, bounds)[::2]
        none = np.iinfo(np.int32).max
        low = np.minimum.reduceat(np.where(ordered < 0, none, ordered), bounds)[::2]
        return np.where(high < 0, -1, low).astype(np.int32), np.maximum(high, -1).astype(np.int32)

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for group, parent in enumerate(self.parent.tolist()):
            found.setdefault(parent, []).append(group)
        return found

    def children(self, group: int) -> list[int]:
        """Returns the groups directly within a group, in order; for -1 the outermost ones."""
        return self._children.get(group, [])

    def ancestors(self, group: int) -> list[int]:
        """Returns a group and the groups around it, innermost first; nothing for -1."""
        found = []
        while group >= 0:
            found.append(group)
            group = int(self.parent[group])
        return found

    def path(self, group: int) -> Path:
        """Returns the names from the outermost group down to a group."""
        return tuple(self.names[at] for at in reversed(self.ancestors(group)))

    def at_depth(self, depth: int) -> Ints:
        """Returns [N], the group of each node at a depth, -1 for nodes that are in none so deep."""
        group: Ints = self.node_group.copy()
        if not len(self):
            return group
        for _ in range(int(self.depth.max(initial=0)) - depth):
            deeper = (group >= 0) & (self.depth[group] > depth)
            group[deeper] = self.parent[group[deeper]]
        group[(group >= 0) & (self.depth[group] < depth)] = -1
        return group


def find_groups(graph: Graph) -> Groups:
    """Returns the groups of a graph; see the top of this file."""
    live = ~graph.node_constant
    place = places(graph)
    scopes = [_clean(scope) for scope in graph.node_scopes]
    scoped = sum(1 for node in np.flatnonzero(live).tolist() if scopes[node])
    structural = 2 * scoped < int(live.sum()) or not scoped
    paths = structural_paths(graph, place) if structural else scopes
    tree = _Tree.of(paths)
    tree.dissolve(live.tolist())
    tree.absorb(graph)
    tree.gather(place.tolist(), graph)
    return _numbered(tree, graph, place, structural)


def no_groups(graph: Graph) -> Groups:
    """Returns a hierarchy without groups."""
    none = np.zeros(0, np.int32)
    outside = np.full(graph.node_count, -1, np.int32)
    return Groups((), none, none, none, outside, none, none.astype(np.int64), none)


def places(graph: Graph) -> Ints:
    """Returns [N], the place of each node in a topological order; nodes on or behind a cycle come last."""
    place = np.full(graph.node_count, -1, dtype=np.int32)
    place[graph.order] = np.arange(len(graph.order), dtype=np.int32)
    rest = np.flatnonzero(place < 0)
    place[rest] = len(graph.order) + np.arange(len(rest), dtype=np.int32)
    return place


def _clean(scope: Path) -> Path:
    """Returns a scope without what a converter added behind a semicolon when it fused nodes, and not too deep."""
    for at, part in enumerate(scope):
        if ";" in part:
            return scope[:at][:DEEPEST]
    return scope[:DEEPEST]


class _Tree:
    """The groups while they are being made; -1 stands for the graph itself."""

    def __init__(self, node_group: list[int]) -> None:
        self.parent: list[int] = []
        self.names: list[str] = []
        self.node_group = node_group

    @classmethod
    def of(cls, paths: Sequence[Path]) -> _Tree:
        tree = cls([-1] * len(paths))
        index: dict[Path, int] = {(): -1}
        for node, path in enumerate(paths):
            group = index.get(path)
            if group is None:
                group = tree._add_path(path, index)
            tree.node_group[node] = group
        return tree

    def _add_path(self, path: Path, index: dict[Path, int]) -> int:
        group = -1
        for length in range(1, len(path) + 1):
            part = path[:length]
            found = index.get(part)
            if found is None:
                found = index[part] = self.add(group, path[length - 1])
            group = found
        return group

    def add(self, parent: int, name: str) -> int:
        self.parent.append(parent)
        self.names.append(name)
        return len(self.parent) - 1

    def _topmost_first(self) -> list[int]:
        depth = self._depths()
        return sorted(range(len(self.parent)), key=depth.__getitem__)

    def _depths(self) -> list[int]:
        depth = [-1] * len(self.parent)
        for start in range(len(self.parent)):
            chain = []
            group = start
            while group >= 0 and depth[group] < 0:
                chain.append(group)
                group = self.parent[group]
            at = depth[group] if group >= 0 else -1
            for member in reversed(chain):
                at += 1
                depth[member] = at
        return depth

    def dissolve(self, live: list[bool]) -> None:
        """Step 3 of the top of this file."""
        own = [0] * len(self.parent)
        for node, group in enumerate(self.node_group):
            if group >= 0 and live[node]:
                own[group] += 1
        total = list(own)
        topmost = self._topmost_first()
        for group in reversed(topmost):
            if self.parent[group] >= 0:
                total[self.parent[group]] += total[group]
        kept_children = [0] * len(self.parent)
        for group in topmost:
            if total[group] >= 2 and self.parent[group] >= 0:
                kept_children[self.parent[group]] += 1
        into: list[int] = list(range(len(self.parent)))
        for group in topmost:
            parent = self.parent[group]
            parent = into[parent] if parent >= 0 else -1
            if total[group] < 2:
                into[group] = parent
            elif parent >= 0 and own[self.parent[group]] == 0 and total[group] == total[self.parent[group]]:
                # The parent holds nothing besides: its box would only be one more to open.
                self.names[parent] += f"/{self.names[group]}"
                into[group] = parent
            else:
                self.parent[group] = parent
        self.node_group = [into[group] if group >= 0 else -1 for group in self.node_group]
        self._drop({group for group in range(len(into)) if into[group] != group})

    def absorb(self, graph: Graph) -> None:
        """Puts nodes between two nodes of a group into it; the end of step 3 of the top of this file."""
        constant = graph.node_constant.tolist()
        producer = graph.tensor_producer.tolist()
        starts, edges = graph.node_edges.starts.tolist(), graph.edge_tensor[graph.node_edges.values].tolist()
        node_group = self.node_group
        behind: list[int] = [-1] * len(node_group)  # the group beside a node that all its inputs come from
        order = [node for node in graph.order.tolist() if not constant[node]]
        sources: list[list[int]] = [[] for _ in node_group]
        for node in order:
            sources[node] = [
                producer[tensor]
                for tensor in edges[starts[node] : starts[node + 1]]
                if producer[tensor] >= 0 and not constant[producer[tensor]]
            ]
            found = {self._beside(node_group[node], source, behind) for source in sources[node]}
            if len(found) == 1:
                behind[node] = found.pop()
        between = [False] * len(node_group)
        for node in reversed(order):
            for source in sources[node]:
                group = behind[source]
                if group >= 0 and not between[source]:
                    around = node_group[source]
                    returns = between[node] and node_group[node] == around and behind[node] == group
                    between[source] = returns or self._child(around, node_group[node]) == group
        for node in order:
            if between[node]:
                node_group[node] = behind[node]

    def _beside(self, around: int, source: int, behind: list[int]) -> int:
        """Returns the group directly within ``around`` that a node is in or behind, -1 for none."""
        inside = self.node_group[source]
        return behind[source] if inside == around else self._child(around, inside)

    def _child(self, around: int, group: int) -> int:
        """Returns the group directly within ``around`` that holds a group, -1 when it is not within."""
        while group >= 0 and self.parent[group] != around:
            group = self.parent[group]
        return group

    def _drop(self, dropped: set[int]) -> None:
        number: dict[int, int] = {-1: -1}
        kept = [group for group in range(len(self.parent)) if group not in dropped]
        number.update({group: at for at, group in enumerate(kept)})
        self.names = [self.names[group] for group in kept]
        self.parent = [number[self.parent[group]] for group in kept]
        self.node_group = [number[group] for group in self.node_group]

    def gather(self, place: list[int], graph: Graph) -> None:
        """Step 4 of the top of this file."""
        first = self.first_places(place, graph.node_constant.tolist())
        members: dict[int, list[tuple[int, int, bool]]] = {}
        constant = graph.node_constant.tolist()
        for node, group in enumerate(self.node_group):
            if not constant[node]:
                members.setdefault(group, []).append((place[node], node, False))
        for group, parent in enumerate(self.parent):
            members.setdefault(parent, []).append((first[group], group, True))
        crowded = [group for group, found in members.items() if len(found) > MOST_CHILDREN]
        while crowded:
            group = crowded.pop()
            found = sorted(members.pop(group))
            pieces = min(GATHERED_AT_MOST, -(-len(found) // GATHERED_AT_LEAST))
            bounds = [len(found) * piece // pieces for piece in range(pieces + 1)]
            for start, end in pairwise(bounds):
                piece = found[start:end]
                names = [self.names[at] if is_group else _node_title(graph, at) for _, at, is_group in piece]
                added = self.add(group, range_title(names[0], names[-1]))
                for _, at, is_group in piece:
                    if is_group:
                        self.parent[at] = added
                    else:
                        self.node_group[at] = added
                members[added] = piece
                if len(piece) > MOST_CHILDREN:
                    crowded.append(added)

    def first_places(self, place: list[int], constant: list[bool]) -> list[int]:
        """Returns the first place of any live node in each group."""
        first = [len(place)] * len(self.parent)
        for node, group in enumerate(self.node_group):
            if group >= 0 and not constant[node]:
                first[group] = min(first[group], place[node])
        for group in reversed(self._topmost_first()):
            parent = self.parent[group]
            if parent >= 0:
                first[parent] = min(first[parent], first[group])
        return first


def range_title(first: str, last: str) -> str:
    """Returns ``layer.1 … 7`` for two names that differ in the number at their end only, else both."""
    stem = last.rstrip("0123456789")
    return f"{first} … {last[len(stem) :] if first.startswith(stem) and stem != last else last}"


def _node_title(graph: Graph, node: int) -> str:
    return one_line(graph.node_label(node), 40)


def _numbered(tree: _Tree, graph: Graph, place: Ints, structural: bool) -> Groups:
    """Returns the tree in arrays; steps 5 to 7."""
    count = len(tree.parent)
    if not count:
        return no_groups(graph)
    first = tree.first_places(place.tolist(), graph.node_constant.tolist())
    children: dict[int, list[int]] = {}
    for group in sorted(range(count), key=first.__getitem__):
        children.setdefault(tree.parent[group], []).append(group)
    number = [-1] * count
    parent: list[int] = []
    depth: list[int] = []
    names: list[str] = []
    stack = [(group, -1, 0) for group in reversed(children[-1])]
    while stack:
        group, above, level = stack.pop()
        number[group] = len(parent)
        stack.extend((child, len(parent), level + 1) for child in reversed(children.get(group, [])))
        parent.append(above)
        depth.append(level)
        names.append(tree.names[group])
    end = list(range(1, count + 1))
    for group in range(count - 1, -1, -1):
        if parent[group] >= 0:
            end[parent[group]] = max(end[parent[group]], end[group])
    node_group = np.array([number[group] if group >= 0 else -1 for group in tree.node_group], dtype=np.int32)
    bare = Groups(
        names=tuple(names),
        parent=np.asarray(parent, dtype=np.int32),
        depth=np.asarray(depth, dtype=np.int32),
        end=np.asarray(end, dtype=np.int32),
        node_group=node_group,
        node_count=np.zeros(count, np.int32),
        weight_bytes=np.zeros(count, np.int64),
        equal=np.zeros(count, np.int32),
        is_structural=structural,
    )
    sizes = _weight_sizes(graph)
    levels = [bare.at_depth(level) for level in range(max(depth) + 1)]
    node_count = np.zeros(count, np.int32)
    weight_bytes = np.zeros(count, np.int64)
    for group_of in levels:
        node_count += np.bincount(group_of[group_of >= 0], minlength=count).astype(np.int32)
        weight_bytes += _weight_bytes(graph, sizes, group_of, count)
    return Groups(
        names=bare.names,
        parent=bare.parent,
        depth=bare.depth,
        end=bare.end,
        node_group=node_group,
        node_count=node_count,
        weight_bytes=weight_bytes,
        equal=equal_groups(graph, place, levels, count),
        is_structural=structural,
    )


def _weight_bytes(graph: Graph, sizes: npt.NDArray[np.int64], level: Ints, count: int) -> npt.NDArray[np.int64]:
    """Returns [G], the bytes of the distinct weights read in each group of a level."""
    group, tensor = level[graph.edge_consumer].astype(np.int64), graph.edge_tensor.astype(np.int64)
    read = (group >= 0) & (sizes[tensor] > 0)
    total = np.zeros(count, np.int64)
    pairs = np.unique(group[read] * graph.tensor_count + tensor[read])
    if len(pairs):
        np.add.at(total, pairs // graph.tensor_count, sizes[pairs % graph.tensor_count])
    return total


def _weight_sizes(graph: Graph) -> npt.NDArray[np.int64]:
    """Returns [T], the bytes of initializers and of what `Constant` nodes hold, 0 for other tensors."""
    sizes: npt.NDArray[np.int64] = graph.tensor_stored.copy()
    holders = np.array([op == "Constant" for op in graph.op_types], dtype=np.bool_)
    if len(holders):
        for tensor in np.flatnonzero(
            (graph.tensor_producer >= 0) & holders[graph.node_op[graph.tensor_producer]]
        ).tolist():
            sizes[tensor] = graph.tensor_bytes(tensor) or 0
    return sizes
