"""From a `Draft` to the core's graph, with the nodes that share storage that is changed joined (DESIGN 2.1).

Terms: values are *alike* when one may share the storage of the other: a view and its base, a changed value and what
became of it, an element and the tuple it is in. A set of values alike is *live* when a node changes one of them.

Steps: (1) find the sets, with the elements of a tuple of fresh values kept apart; (2) of each live set, all nodes that
read a value of it are joined into one component; the node that made the storage is not one of them, as it has finished
when the first change is made, unless the model returns that very value, which then must be what the changes left.

Complexity: linear in nodes and the values they read, but for the inverse Ackermann factor of the sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Graph
from cutter_gui.fx.draft import Draft, DraftNode

KIND = "fx"

_OPERATORS = frozenset(
    {
        *("aten", "prim", "prims", "quantized", "quantized_decomposed", "higher_order", "rngprims", "inductor"),
        *("torchao", "torchvision", "torchaudio", "fbgemm", "onednn", "mkldnn", "sparse"),
        *("c10d_functional", "_c10d_functional"),
    }
)
"""Namespaces of operators, whose names are ``namespace.name.overload``."""


def graph_of(draft: Draft) -> Graph:
    """Returns the core's graph of a draft."""
    builder = GraphBuilder(KIND, carries_any_type=True)
    for weight in draft.weights:
        builder.add_initializer(weight.name, weight.stored)
    for name in draft.inputs:
        builder.add_input(name)
    for node in draft.nodes:
        builder.add_node(
            node.op,
            node.inputs,
            (node.name,),
            name=node.name,
            attributes=node.attributes,
            scope=node.scope,
            volatile=node.random or bool(node.mutates),
            bodies=node.bodies,
        )
    for name in draft.outputs:
        builder.add_output(name)
    for name, kind in draft.types.items():
        builder.set_type(name, kind.dtype, kind.shape)
    for first, second in joined_nodes(draft):
        builder.join(first, second)
    graph = builder.build(draft.metadata)
    return replace(graph, op_labels=tuple(short_op(op) for op in graph.op_types))


def short_op(op: str) -> str:
    """Returns an op as boxes show it: ``add`` for ``aten.add.Tensor``, ``Linear`` for ``torch.nn.Linear``.

    An operator of torch ends in its overload, which says less than its name; a path of Python ends in its name.
    """
    parts = op.split(".")
    return parts[1] if len(parts) == 3 and parts[0] in _OPERATORS else parts[-1]


def joined_nodes(draft: Draft) -> list[tuple[int, int]]:
    """Returns pairs of node numbers whose chains join each component of shared, changed storage."""
    sets = _Sets()
    opened: dict[str, bool] = {}  # tuples of fresh values: their elements are sets of their own
    for node in draft.nodes:
        for source in node.aliases:
            sets.merge(node.name, _key(node, source, opened))
        opened[node.name] = not node.aliases
    live = {sets.find(value) for node in draft.nodes for value in node.mutates}
    updated = {sets.find(target): value for value, target in draft.updates}
    members: defaultdict[Hashable, list[int]] = defaultdict(list)
    maker = {node.name: number for number, node in enumerate(draft.nodes)}
    for number, node in enumerate(draft.nodes):
        read = {sets.find(_key(node, value, opened)) for value in node.inputs}
        for found in read & (live | updated.keys()):
            members[found].append(number)
    for name in draft.outputs:
        found = sets.find(name)
        if found in live and name in maker and maker[name] not in members[found]:
            members[found].append(maker[name])
    for found, value in updated.items():
        if value in maker:
            members[found].append(maker[value])
    return [pair for numbers in members.values() for pair in pairwise(numbers)]


def _key(node: DraftNode, value: str, opened: dict[str, bool]) -> Hashable:
    """The storage that a node reads of a value: that of one element where the value is a tuple of fresh ones."""
    return (value, node.element) if node.element is not None and opened.get(value, False) else value


class _Sets:
    """Disjoint sets."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def find(self, item: Hashable) -> Hashable:
        root = item
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while (parent := self._parent.get(item, item)) != root:
            self._parent[item] = root
            item = parent
        return root

    def merge(self, first: Hashable, second: Hashable) -> None:
        self._parent[self.find(first)] = self.find(second)
