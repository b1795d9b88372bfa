"""Which groups are equal: the same ops with the same attributes, wired the same inside, reading weights of one type.

Terms: the *rank* of a node in a group is its place among the live nodes of the group; the *print* of a group is a
64 bit number.

Steps, for all groups of one level of the hierarchy at once: (1) ranks; (2) each input slot of a live node becomes a
number: rank and output slot of its producer where that is live and in the group, the type of the weight it reads, or
that it comes from outside; (3) the numbers of a node with its op, attributes and rank are mixed into one, those of a
group's nodes are summed. Groups with one print and one count are equal.

Complexity: O((N + E) log N) a level. Left out: names; constant nodes beyond the fact that one is read; groups that
differ only in the order in which the file lists their nodes, which are not recognised as equal. Two groups that are not
equal get one print with a probability of about G² / 2⁶⁴.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Graph, Ints, TensorKind

Words = npt.NDArray[np.uint64]

_OUTSIDE, _OMITTED, _CONSTANT, _WEIGHT, _INSIDE = (np.uint64(number) for number in (1, 2, 3, 5, 7))


def equal_groups(graph: Graph, place: Ints, levels: Sequence[Ints], count: int) -> Ints:
    """Returns [G], a number that equal groups share, numbered by first appearance.

    Args:
        graph: The graph.
        place: [N], places in a topological order.
        levels: For each level [N], the group of each node there or -1; every group is in one level.
        count: Number of groups.
    """
    prints = np.zeros(count, dtype=np.uint64)
    for level in levels:
        prints += group_prints(graph, place, level, count)
    _, first, inverse = np.unique(prints, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return np.asarray(number[inverse.reshape(-1)], dtype=np.int32)


def group_prints(graph: Graph, place: Ints, group: Ints, count: int) -> Words:
    """Returns [G], the prints of groups.

    Args:
        graph: The graph.
        place: [N], places in a topological order.
        group: [N], the group of each node, -1 for none.
        count: Number of groups.
    """
    inside = (group >= 0) & ~graph.node_constant
    nodes = np.flatnonzero(inside)
    if not len(nodes):
        return np.zeros(count, dtype=np.uint64)
    nodes = nodes[np.lexsort((place[nodes], group[nodes]))]
    owner = group[nodes]
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    rank = np.zeros(graph.node_count, dtype=np.int64)
    rank[nodes] = np.arange(len(nodes)) - np.repeat(starts, np.diff(np.r_[starts, len(nodes)]))
    word = _mixed(rank.astype(np.uint64), _node_words(graph))
    reader, slot, tensor = _slots(graph)
    used = inside[reader]
    reader, slot, tensor = reader[used], slot[used], tensor[used]
    token = _tokens(graph, group, rank, reader, tensor)
    mixed = _mixed(_mixed(rank[reader].astype(np.uint64), slot.astype(np.uint64) + np.uint64(11)), token)
    np.add.at(word, reader, mixed)
    prints = np.zeros(count, dtype=np.uint64)
    prints[owner[starts]] = np.add.reduceat(_mixed(word[nodes], word[nodes]), starts)
    sizes = np.bincount(owner, minlength=count).astype(np.uint64)
    return np.asarray(_mixed(prints, sizes) * (sizes > 0), dtype=np.uint64)


def _tokens(graph: Graph, group: Ints, rank: npt.NDArray[np.int64], reader: Ints, tensor: Ints) -> Words:
    """Returns a number for what each slot reads; step 2."""
    token = np.full(len(tensor), _OUTSIDE, dtype=np.uint64)
    token[tensor < 0] = _OMITTED
    real = tensor >= 0
    weight = real & (graph.tensor_kind[tensor] == TensorKind.INITIALIZER)
    token[weight] = _mixed(np.full(int(weight.sum()), _WEIGHT), _type_words(graph, tensor[weight]))
    producer = np.where(real, graph.tensor_producer[tensor], -1)
    made = producer >= 0
    constant = made & graph.node_constant[producer]
    token[constant] = _CONSTANT
    within = made & ~constant & (group[producer] == group[reader])
    output = _output_slots(graph)
    where = _mixed(rank[producer[within]].astype(np.uint64), output[tensor[within]].astype(np.uint64))
    token[within] = _mixed(np.full(len(where), _INSIDE), where)
    return token


def _slots(graph: Graph) -> tuple[Ints, Ints, Ints]:
    """Returns reader, slot and tensor of every input slot, captures behind them as one slot."""
    parts = []
    for rows, is_capture in ((graph.node_inputs, False), (graph.node_captures, True)):
        lengths = np.diff(rows.starts)
        reader = np.repeat(np.arange(graph.node_count, dtype=np.int32), lengths)
        slot = np.arange(len(rows.values), dtype=np.int32) - np.repeat(rows.starts[:-1], lengths)
        parts.append((reader, np.full_like(slot, -1) if is_capture else slot, rows.values))
    reader, slot, tensor = (np.concatenate(columns).astype(np.int32) for columns in zip(*parts, strict=True))
    return reader, slot, tensor


def _output_slots(graph: Graph) -> Ints:
    """Returns [T], the output slot of its producer that each tensor comes from."""
    rows = graph.node_outputs
    slot = np.arange(len(rows.values), dtype=np.int32) - np.repeat(rows.starts[:-1], np.diff(rows.starts))
    found = np.zeros(graph.tensor_count + 1, dtype=np.int32)
    found[rows.values] = slot
    return found[:-1]


def _node_words(graph: Graph) -> Words:
    """Returns [N], a number for op and attributes of each node."""
    known: dict[object, int] = {}
    attributes = [known.setdefault(found, len(known)) for found in graph.node_attributes]
    return _mixed(graph.node_op.astype(np.uint64), np.asarray(attributes, dtype=np.uint64))


def _type_words(graph: Graph, tensors: Ints) -> Words:
    """Returns a number for dtype and shape of each tensor."""
    known: dict[object, int] = {}
    dtypes = graph.tensor_dtype.tolist()
    shapes = graph.tensor_shapes
    # Sorted by content, the numbers would not depend on who is asked first; within one call that does not matter,
    # and between calls only prints of one level are compared, but for the groups of a graph all calls see all types.
    for tensor in np.flatnonzero(graph.tensor_kind == TensorKind.INITIALIZER).tolist():
        known.setdefault((dtypes[tensor], shapes[tensor]), len(known))
    return np.asarray([known[dtypes[tensor], shapes[tensor]] for tensor in tensors.tolist()], dtype=np.uint64)


def _mixed(one: Words, two: Words) -> Words:
    """Returns a number for each pair, as random as the finalizer of splitmix64 makes it."""
    word = one * np.uint64(0x9E3779B97F4A7C15) + two + np.uint64(0xD1B54A32D192ED03)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)), dtype=np.uint64)
