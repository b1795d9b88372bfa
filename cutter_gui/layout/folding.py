"""Which groups are folded, and the graph that is drawn then.

Terms: a group is *open* when its content is drawn; one that is not open, in open groups only, is *folded* and drawn as
one box. A *bundle* is what runs from one box to another when one of them is folded: all tensors together.

Steps of `fold_view`: (1) each node belongs to the box of the outermost group around it that is not open, else to its
own; (2) edges within a box vanish; (3) the tensors of each pair of boxes of which one is folded form a bundle, and
bundles of the same tensors from one box become one tensor of the view, with several consumers; a bundle of one tensor
is that tensor; all other edges keep their tensor; (4) the boxes and these tensors are a graph by themselves, which any
layout engine takes.

Complexity: O((N + E) log E) in arrays, then O(boxes and wires of the view). Left out: laying the content of equal
groups out once; a view is laid out as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.graph import Bools, Csr, Graph, Ints, TensorKind
from cutter_gui.core.groups import Groups, places
from cutter_gui.core.units import bytes_text
from cutter_gui.layout.labels import short_name

OPEN_UP_TO = 600  # boxes with which a graph opens unfolded
FOLDED_TO = 120  # boxes that a larger one is folded to, where its groups allow
TITLE_CHARACTERS = 22
CHIPS = "   "  # room beside a group's title for the numbers of its stages

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Folding:
    """Which groups are open; the others are folded or hidden in one that is."""

    open: frozenset[int] = frozenset()

    def opened(self, groups: Iterable[int]) -> Folding:
        return Folding(self.open | frozenset(groups))

    def folded(self, groups: Groups, group: int) -> Folding:
        """Returns the folding with a group folded, and all within it, so that it opens step by step."""
        return Folding(self.open - frozenset(range(group, int(groups.end[group]))))

    def is_all_open(self, groups: Groups) -> bool:
        return len(self.open) == len(groups)

    def boxes(self, groups: Groups) -> Ints:
        """Returns [G], the folded group that hides or is each group; -1 for those that are open in open ones."""
        shown = np.full(len(groups), -1, dtype=np.int32)
        parent = groups.parent.tolist()
        result = shown.tolist()
        for group in range(len(groups)):
            above = result[parent[group]] if parent[group] >= 0 else -1
            result[group] = above if above >= 0 else (-1 if group in self.open else group)
        return np.asarray(result, dtype=np.int32).reshape(-1)

    def owners(self, groups: Groups) -> Ints:
        """Returns [N], the folded group each node is in, -1 for nodes that are drawn themselves."""
        if not len(groups):
            return np.full(len(groups.node_group), -1, dtype=np.int32)
        owner = self.boxes(groups)[groups.node_group]
        return np.where(groups.node_group >= 0, owner, -1).astype(np.int32)

    def showing(self, groups: Groups, nodes: Iterable[int]) -> Folding:
        """Returns the folding with everything around some nodes open."""
        around: set[int] = set()
        for node in nodes:
            around.update(groups.ancestors(int(groups.node_group[node])))
        return self.opened(around)


def all_open(groups: Groups) -> Folding:
    return Folding(frozenset(range(len(groups))))


def to_level(groups: Groups, level: int) -> Folding:
    """Returns the folding in which groups of this depth are boxes; 0 shows the outermost ones only."""
    return Folding(frozenset(np.flatnonzero(groups.depth < level).tolist()))


def opening_folding(graph: Graph, groups: Groups) -> Folding:
    """Returns how a graph opens: unfolded when it is small, else folded to the deepest level that can be overlooked."""
    live = int((~graph.node_constant).sum())
    if live <= OPEN_UP_TO or not len(groups):
        return all_open(groups)
    best = Folding()
    for level in range(int(groups.depth.max()) + 2):
        folding = to_level(groups, level)
        count = box_count(graph, groups, folding)
        if count > FOLDED_TO and level and box_count(graph, groups, best) > 1:
            break
        best = folding
        if count > FOLDED_TO:
            break
    return best


def box_count(graph: Graph, groups: Groups, folding: Folding) -> int:
    """Returns how many nodes and folded groups are drawn, without constants."""
    owner = folding.owners(groups)[~graph.node_constant]
    return int((owner < 0).sum()) + len(np.unique(owner[owner >= 0]))


@dataclass(frozen=True, eq=False)
class FoldedView:
    """The graph that is drawn in place of another.

    Attributes:
        graph: Its nodes are boxes, V of them, its tensors bundles.
        box_node: [V], the node of a box, -1 for a folded group.
        box_group: [V], the folded group of a box, -1 for a node.
        node_box: [N], the box that each node is in, -1 where it is not drawn.
        bundles: The tensors of each of the view's tensors, ascending.
        edge_bundle: [E], the view's tensor that each edge runs in, -1 for edges that are not drawn.
    """

    graph: Graph
    box_node: Ints
    box_group: Ints
    node_box: Ints
    bundles: Csr
    edge_bundle: Ints


def fold_view(graph: Graph, groups: Groups, folding: Folding, show_constants: bool = False) -> FoldedView:
    """Returns the view of a graph under a folding; see the top of this file."""
    shown = np.ones(graph.node_count, np.bool_) if show_constants else ~graph.node_constant
    code = _codes(graph, folding.owners(groups))
    boxes = _boxes(graph, code, shown)
    count = len(boxes)
    box_of = np.full(graph.node_count + len(groups), -1, dtype=np.int32)
    box_of[boxes] = np.arange(count, dtype=np.int32)
    node_box = np.where(shown, box_of[code], -1).astype(np.int32)
    is_folded = boxes >= graph.node_count
    source, target, drawn = _drawn_edges(graph, node_box, count, show_constants)
    edge = np.flatnonzero(drawn)
    source, target, tensor = source[edge], target[edge], graph.edge_tensor[edge].astype(np.int64)
    out_tensor, out_source = _outputs(graph, node_box, count)
    words = np.concatenate([_bundle_words(source, target, tensor, is_folded), _word(out_tensor)])
    key = _word(_word(words) + _word(np.concatenate([source, out_source])))
    _, first, bundle = np.unique(key, return_index=True, return_inverse=True)
    bundle = bundle.reshape(-1)
    all_tensors = np.concatenate([tensor, out_tensor])
    members = np.unique(np.stack([bundle, all_tensors], axis=1), axis=0)
    rows = np.split(members[:, 1], np.searchsorted(members[:, 0], np.arange(1, len(first))))
    names = _names(graph, rows)
    builder = _ViewBuilder(graph, groups, boxes, show_constants)
    bundle_source = np.concatenate([source, out_source])[first].tolist()
    pairs = np.unique(np.stack([bundle[: len(edge)], target], axis=1), axis=0).tolist()
    view = builder.build(names, bundle_source, pairs)
    number = np.array([view.tensor_index.get(name, -1) for name in names], dtype=np.int32)
    edge_bundle = np.full(graph.edge_count, -1, dtype=np.int32)
    if len(edge):
        edge_bundle[edge] = number[bundle[: len(edge)]]
    return FoldedView(
        graph=view,
        box_node=np.where(is_folded, -1, boxes).astype(np.int32),
        box_group=np.where(is_folded, boxes - graph.node_count, -1).astype(np.int32),
        node_box=node_box,
        bundles=_bundles(graph, view, number, rows),
        edge_bundle=edge_bundle,
    )


def _codes(graph: Graph, owner: Ints) -> npt.NDArray[np.int64]:
    """Returns [N], a number for the box of each node: its own, or behind all nodes that of its folded group."""
    nodes = np.arange(graph.node_count, dtype=np.int64)
    return np.where(owner >= 0, graph.node_count + owner.astype(np.int64), nodes)


def _boxes(graph: Graph, code: npt.NDArray[np.int64], shown: Bools) -> npt.NDArray[np.int64]:
    """Returns the codes of all boxes, in the order of the graph."""
    nodes = np.flatnonzero(shown)
    nodes = nodes[np.argsort(places(graph)[nodes], kind="stable")]
    codes, first = np.unique(code[nodes], return_index=True)
    return np.asarray(codes[np.argsort(first, kind="stable")], dtype=np.int64)


def _drawn_edges(
    graph: Graph, node_box: Ints, count: int, show_constants: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Bools]:
    """Returns [E] source, a box or behind all boxes a tensor that no node makes, target, and whether it is drawn."""
    tensor = graph.edge_tensor
    producer = graph.tensor_producer[tensor]
    target = node_box[graph.edge_consumer].astype(np.int64)
    kind = graph.tensor_kind[tensor]
    pill = (kind == TensorKind.INPUT) | (kind == TensorKind.MISSING)
    if show_constants:
        pill |= kind == TensorKind.INITIALIZER
    made = np.where(producer >= 0, node_box[producer], -1) if graph.node_count else np.full(len(tensor), -1)
    source = np.where(pill, count + tensor.astype(np.int64), made).astype(np.int64)
    return source, target, np.asarray((target >= 0) & (source >= 0) & (source != target), dtype=np.bool_)


def _outputs(graph: Graph, node_box: Ints, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns the model outputs whose source is drawn, and these sources."""
    tensor = np.unique(graph.outputs).astype(np.int64)
    producer = graph.tensor_producer[tensor] if len(tensor) else np.zeros(0, np.int32)
    made = np.where(producer >= 0, node_box[producer], -1) if graph.node_count else np.full(len(tensor), -1)
    given = graph.tensor_kind[tensor] == TensorKind.INPUT if len(tensor) else np.zeros(0, np.bool_)
    source = np.where(given, count + tensor, made).astype(np.int64)
    return tensor[source >= 0], source[source >= 0]


def _bundle_words(
    source: npt.NDArray[np.int64], target: npt.NDArray[np.int64], tensor: npt.NDArray[np.int64], is_folded: Bools
) -> Words:
    """Returns for each drawn edge a number that edges share whose pairs of boxes carry the same tensors; step 3."""
    own = _word(tensor)
    count = len(is_folded)
    inner = source < count
    bundled = is_folded[target] | (inner & is_folded[np.where(inner, source, 0)]) if count else inner
    at = np.flatnonzero(bundled & inner)
    if not len(at):
        return own
    _, pair = np.unique(source[at] * count + target[at], return_inverse=True)
    pair = pair.reshape(-1)
    distinct = np.unique(np.stack([pair, tensor[at]], axis=1), axis=0)
    total = np.zeros(int(pair.max()) + 1, dtype=np.uint64)
    np.add.at(total, distinct[:, 0], _word(distinct[:, 1]))
    own[at] = total[pair]
    return own


def _word(values: npt.NDArray[np.int64] | Words) -> Words:
    """Returns 64 bits for each number, as random as the finalizer of splitmix64 makes them."""
    word = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)


def _names(graph: Graph, rows: list[npt.NDArray[np.int64]]) -> list[str]:
    """Returns a name for each bundle, unlike any other: that of its tensor, or how many there are and a number."""
    names = []
    for number, row in enumerate(rows):
        if len(row) == 1:
            names.append(graph.tensor_names[int(row[0])])
            continue
        name = f"{len(row)} tensors ({number})"
        while name in graph.tensor_index:
            name += "'"
        names.append(name)
    return names


def _bundles(graph: Graph, view: Graph, number: Ints, rows: list[npt.NDArray[np.int64]]) -> Csr:
    """Returns the tensors of each tensor of the view; those that are in no bundle, unread inputs, are themselves."""
    members: list[list[int]] = [[graph.tensor_index.get(name, 0)] for name in view.tensor_names]
    for at, row in zip(number.tolist(), rows, strict=True):
        if at >= 0:
            members[at] = row.tolist()
    starts = np.concatenate([[0], np.cumsum([len(row) for row in members])]).astype(np.int32)
    return Csr(starts, np.array([tensor for row in members for tensor in row], dtype=np.int32))


class _ViewBuilder:
    """Makes the graph of a view; step 4."""

    def __init__(self, graph: Graph, groups: Groups, boxes: npt.NDArray[np.int64], show_constants: bool) -> None:
        self._graph = graph
        self._groups = groups
        self._boxes = boxes.tolist()
        self._show_constants = show_constants

    def build(self, names: list[str], sources: list[int], pairs: list[list[int]]) -> Graph:
        """Returns the view.

        Args:
            names: Of each bundle.
            sources: The box each bundle leaves, or a number behind all boxes.
            pairs: (bundle, box that reads it).
        """
        graph = self._graph
        builder = GraphBuilder("view")
        for tensor in graph.inputs.tolist():
            builder.add_input(graph.tensor_names[tensor])
        inputs: list[list[str]] = [[] for _ in self._boxes]
        outputs: list[list[str]] = [[] for _ in self._boxes]
        for bundle, box in enumerate(sources):
            if box < len(self._boxes):
                outputs[box].append(names[bundle])
            elif self._show_constants:
                tensor = box - len(self._boxes)
                if graph.tensor_kind[tensor] == TensorKind.INITIALIZER:
                    builder.add_initializer(names[bundle], max(int(graph.tensor_stored[tensor]), 1))
        for bundle, box in pairs:
            inputs[box].append(names[bundle])
        for box, code in enumerate(self._boxes):
            op, name = self._titles(code)
            # Nothing in a view is constant: what is not to be drawn has been left out already.
            builder.add_node(op, inputs[box], outputs[box], name=name, volatile=True)
        for tensor in dict.fromkeys(graph.outputs.tolist()):
            builder.add_output(graph.tensor_names[tensor])
        for name in names:
            # A bundle of one tensor has its name, and its type is written beside it.
            tensor = graph.tensor_index.get(name, -1)
            if tensor >= 0:
                builder.set_type(name, int(graph.tensor_dtype[tensor]), graph.tensor_shapes[tensor])
        return builder.build()

    def _titles(self, code: int) -> tuple[str, str]:
        if code < self._graph.node_count:
            return self._graph.op(code), self._graph.node_label(code)
        group = code - self._graph.node_count
        return group_title(self._groups, group) + CHIPS, group_summary(self._groups, group)


def group_title(groups: Groups, group: int) -> str:
    """Returns a group's name, short enough for its box."""
    return short_name(groups.names[group], TITLE_CHARACTERS)


def group_summary(groups: Groups, group: int) -> str:
    """Returns what is in a group: ``40 nodes · 16 MiB · ≡ 24 ×``."""
    parts = [f"{int(groups.node_count[group])} nodes"]
    if groups.weight_bytes[group]:
        parts.append(bytes_text(int(groups.weight_bytes[group])))
    if groups.equal_count[group] > 1:
        parts.append(f"≡ {int(groups.equal_count[group])} ×")
    return " · ".join(parts)


def folding_text(folding: Folding, groups: Groups) -> str:
    """Returns a folding as text, to be remembered: the number of groups, then the open ones as ranges."""
    ranges: list[str] = []
    start = end = -2
    for group in [*sorted(folding.open), -1]:
        if group == end + 1:
            end = group
            continue
        if start >= 0:
            ranges.append(str(start) if start == end else f"{start}-{end}")
        start = end = group
    return f"{len(groups)}:{','.join(ranges)}"


def folding_of_text(text: str, groups: Groups) -> Folding | None:
    """Returns the folding that a text remembers; None when it was of other groups or is none."""
    count, _, ranges = text.partition(":")
    if count != str(len(groups)):
        return None
    opened: set[int] = set()
    for part in ranges.split(",") if ranges else ():
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return None
        opened.update(range(int(first), min(int(last or first), len(groups) - 1) + 1))
    return Folding(frozenset(group for group in opened if group < len(groups)))
