"""Building a `Graph` from nodes, in one pass over them.

Terms: a slot is a place in a node's list of inputs or outputs; an edge is a (tensor, consumer) pair.

Steps: (1) number tensors by first mention; (2) sort the (tensor, consumer) pairs of all slots and captures and drop
repeats, which gives the edges in order and, as row starts, the adjacency; (3) Kahn's algorithm over the edges gives a
topological order, which ends early on a cycle; (4) along it, a node is constant when nothing volatile or fed by a
graph input is among its ancestors.

Complexity: O((N + E) log E) for the sort, else linear. Left out: shape inference, which belongs to a format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.dtypes import UNKNOWN
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Attributes, Bools, Csr, Graph, Ints, Shape, TensorKind

OUTER = "a node and a graph input or initializer"


class GraphBuilder:
    """Collects inputs, initializers, nodes and outputs in the order of the file; `build` makes the graph."""

    def __init__(self, kind: str, carries_any_type: bool = False) -> None:
        self._kind = kind
        self._carries_any_type = carries_any_type
        self._names: list[str] = []
        self._index: dict[str, int] = {}
        self._kinds: list[int] = []
        self._producer: list[int] = []
        self._dtypes: list[int] = []
        self._shapes: list[Shape] = []
        self._stored: list[int] = []
        self._inputs: list[int] = []
        self._outputs: list[int] = []
        self._node_names: list[str] = []
        self._ops: dict[str, int] = {}
        self._node_op: list[int] = []
        self._attributes: list[Attributes] = []
        self._bodies: dict[int, tuple[str, ...]] = {}
        self._scopes: list[tuple[str, ...]] = []
        self._volatile: list[bool] = []
        self._in = _Rows()
        self._out = _Rows()
        self._captured = _Rows()
        self._joins: list[tuple[int, int]] = []
        self._produced_twice: list[tuple[int, int]] = []
        self._given_twice: list[tuple[int, str]] = []
        self._also_given: list[int] = []  # tensors of nodes that were added as input or initializer afterwards

    def tensor(self, name: str) -> int:
        """Returns the number of the tensor with this name, a new one if it has none yet."""
        found = self._index.get(name)
        if found is not None:
            return found
        index = len(self._names)
        self._index[name] = index
        self._names.append(name)
        self._kinds.append(TensorKind.MISSING)
        self._producer.append(-1)
        self._dtypes.append(UNKNOWN)
        self._shapes.append(None)
        self._stored.append(0)
        return index

    def add_input(self, name: str) -> None:
        """Adds a graph input; an initializer of the same name wins over it."""
        index = self.tensor(name)
        if self._producer[index] >= 0:
            self._also_given.append(index)
        elif self._kinds[index] == TensorKind.INPUT:
            self._given_twice.append((index, "two graph inputs"))
        elif self._kinds[index] == TensorKind.MISSING:
            self._kinds[index] = TensorKind.INPUT
            self._inputs.append(index)

    def add_initializer(self, name: str, stored: int) -> None:
        """Adds a weight of ``stored`` bytes."""
        index = self.tensor(name)
        if self._producer[index] >= 0:
            self._also_given.append(index)
            return
        if self._kinds[index] == TensorKind.INITIALIZER:
            self._given_twice.append((index, "two initializers"))
        if self._kinds[index] == TensorKind.INPUT:
            self._inputs.remove(index)
        self._kinds[index] = TensorKind.INITIALIZER
        self._stored[index] = stored

    def add_output(self, name: str) -> None:
        self._outputs.append(self.tensor(name))

    def add_node(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        name: str = "",
        captures: Collection[str] = (),
        attributes: Attributes = (),
        scope: tuple[str, ...] = (),
        volatile: bool = False,
        bodies: tuple[str, ...] = (),
    ) -> int:
        """Adds a node; ``""`` in inputs or outputs is an omitted slot.

        Args:
            op: The op type, with its domain where that is not the default one.
            inputs: Tensor names of the input slots.
            outputs: Tensor names of the output slots.
            name: The node's name in the file, may be empty.
            captures: Outer tensors read by the node's subgraph bodies.
            attributes: (name, short text) pairs to show.
            scope: The groups the node belongs to, outermost first.
            volatile: Whether the node is random, mutates state, or is a Send or Recv.
            bodies: The names of its subgraph bodies, those that a format can load.

        Returns:
            The node's number.
        """
        node = len(self._node_names)
        self._node_names.append(name)
        self._node_op.append(self._ops.setdefault(op, len(self._ops)))
        self._attributes.append(attributes)
        self._scopes.append(scope)
        self._volatile.append(volatile)
        if bodies:
            self._bodies[node] = bodies
        self._in.add([self.tensor(tensor) if tensor else -1 for tensor in inputs])
        produced = [self.tensor(tensor) if tensor else -1 for tensor in outputs]
        for tensor in produced:
            if tensor < 0:
                continue
            if self._producer[tensor] >= 0 or self._kinds[tensor] != TensorKind.MISSING:
                self._produced_twice.append((tensor, node))
            else:
                self._producer[tensor] = node
                self._kinds[tensor] = TensorKind.PRODUCED
        self._out.add(produced)
        self._captured.add(sorted({self.tensor(tensor) for tensor in captures if tensor}) if captures else ())
        return node

    def join(self, first: int, second: int) -> None:
        """States that two nodes share storage that is mutated and may never be separated."""
        self._joins.append((first, second))

    def set_type(self, name: str, dtype: int, shape: Shape) -> None:
        """Sets dtype code and shape of a tensor that exists; unknown parts leave what was known."""
        index = self._index.get(name)
        if index is None:
            return
        if dtype != UNKNOWN:
            self._dtypes[index] = dtype
        if shape is not None:
            self._shapes[index] = shape

    def build(self, metadata: Mapping[str, str] | None = None) -> Graph:
        """Returns the graph, with the structural problems found."""
        count = len(self._node_names)
        node_inputs, node_outputs, captures = self._in.csr(), self._out.csr(), self._captured.csr()
        tensor, consumer, captured = _edges(node_inputs, captures, count)
        producer = np.asarray(self._producer, dtype=np.int32)
        kinds = np.asarray(self._kinds, dtype=np.uint8)
        volatile = np.asarray(self._volatile, dtype=np.bool_)
        tensor_edges = np.searchsorted(tensor, np.arange(len(self._names) + 1)).astype(np.int32)
        by_consumer = np.argsort(consumer, kind="stable").astype(np.int32)
        node_edges = Csr(np.searchsorted(consumer[by_consumer], np.arange(count + 1)).astype(np.int32), by_consumer)
        order = topological_order(producer[tensor], consumer, count)
        joins = np.asarray(self._joins, dtype=np.int32).reshape(-1, 2)
        unstable = volatile.copy()
        unstable[joins.ravel()] = True
        constant = _constant_nodes(order, unstable, kinds, producer, tensor, node_edges)
        problems = (
            *_duplicate_producers(
                self._produced_twice, self._also_given, self._given_twice, self._names, producer, self._label
            ),
            *_missing(kinds, tensor, consumer, self._outputs, self._names, self._label),
            *_cycle(order, producer, tensor, node_edges, self._names, self._label),
        )
        return Graph(
            kind=self._kind,
            node_names=tuple(self._node_names),
            op_types=tuple(self._ops),
            node_op=np.asarray(self._node_op, dtype=np.int32),
            node_inputs=node_inputs,
            node_outputs=node_outputs,
            node_captures=captures,
            node_volatile=volatile,
            node_constant=constant,
            node_attributes=tuple(self._attributes),
            node_scopes=tuple(self._scopes),
            tensor_names=tuple(self._names),
            tensor_kind=kinds,
            tensor_producer=producer,
            tensor_dtype=np.asarray(self._dtypes, dtype=np.int16),
            tensor_shapes=tuple(self._shapes),
            tensor_stored=np.asarray(self._stored, dtype=np.int64),
            edge_tensor=tensor,
            edge_consumer=consumer,
            edge_captured=captured,
            tensor_edges=tensor_edges,
            node_edges=node_edges,
            inputs=np.asarray(self._inputs, dtype=np.int32),
            outputs=np.asarray(self._outputs, dtype=np.int32),
            joins=joins,
            order=order,
            problems=problems,
            metadata=dict(metadata or {}),
            fingerprint=self._fingerprint(),
            carries_any_type=self._carries_any_type,
            node_bodies=dict(self._bodies),
        )

    def _label(self, node: int) -> str:
        """The node's name as a consumer, or its own, or its number."""
        for tensor in self._out.row(node):
            if tensor >= 0:
                return self._names[tensor]
        return self._node_names[node] or f"node {node}"

    def _fingerprint(self) -> str:
        """Hashes ops, names and edges, each string with its length so that no two structures share a text."""
        words = [_counted(name) for name in self._names]
        ops = [_counted(op) for op in self._ops]
        absent = _counted("")
        parts = [_counted(self._kind), b";"]
        for row in (self._inputs, self._outputs):
            parts += [words[tensor] for tensor in row]
            parts.append(b";")
        for node in range(len(self._node_names)):
            parts.append(ops[self._node_op[node]])
            for rows in (self._in, self._captured, self._out):
                parts.append(b";")
                parts += [words[tensor] if tensor >= 0 else absent for tensor in rows.row(node)]
        return f"sha256:{hashlib.sha256(b''.join(parts)).hexdigest()}"


def _counted(word: str) -> bytes:
    data = word.encode("utf-8", "surrogatepass")
    return b"%d:%s" % (len(data), data)


class _Rows:
    """Rows of numbers, collected one by one."""

    def __init__(self) -> None:
        self._starts = [0]
        self._values: list[int] = []

    def add(self, row: Iterable[int]) -> None:
        self._values.extend(row)
        self._starts.append(len(self._values))

    def row(self, index: int) -> list[int]:
        return self._values[self._starts[index] : self._starts[index + 1]]

    def csr(self) -> Csr:
        return Csr(np.asarray(self._starts, dtype=np.int32), np.asarray(self._values, dtype=np.int32))


def _edges(inputs: Csr, captures: Csr, count: int) -> tuple[Ints, Ints, Bools]:
    """Returns tensor, consumer and captured-only of each distinct (tensor, consumer) pair, sorted."""
    nodes = np.arange(count, dtype=np.int64)
    consumer = np.concatenate([np.repeat(nodes, np.diff(rows.starts)) for rows in (inputs, captures)])
    tensor = np.concatenate([inputs.values, captures.values]).astype(np.int64)
    captured = np.concatenate([np.zeros(len(inputs.values), np.bool_), np.ones(len(captures.values), np.bool_)])
    present = tensor >= 0
    tensor, consumer, captured = tensor[present], consumer[present], captured[present]
    key = tensor * max(count, 1) + consumer
    ranked = np.lexsort((captured, key))
    key, captured = key[ranked], captured[ranked]
    first = np.ones(len(key), dtype=np.bool_)
    first[1:] = key[1:] != key[:-1]
    key, captured = key[first], captured[first]
    return (key // max(count, 1)).astype(np.int32), (key % max(count, 1)).astype(np.int32), captured


def topological_order(source: Ints, target: Ints, count: int) -> Ints:
    """Returns the nodes in a topological order: that of the file where it is one, else one that runs depth first.

    Args:
        source: [E], the node each edge leaves, -1 where it leaves none.
        target: [E], the node each edge enters.
        count: Number of nodes.

    Returns:
        The order; nodes on or behind a cycle are absent.
    """
    real = source >= 0
    if np.all(source[real] < target[real]):
        return np.arange(count, dtype=np.int32)
    by_source = np.argsort(source[real], kind="stable")
    starts = np.searchsorted(source[real][by_source], np.arange(count + 1)).tolist()
    heads = target[real][by_source].tolist()
    waiting = np.bincount(target[real], minlength=count).tolist()
    ready = [node for node in range(count - 1, -1, -1) if waiting[node] == 0]
    order: list[int] = []
    while ready:
        node = ready.pop()
        order.append(node)
        for at in range(starts[node + 1] - 1, starts[node] - 1, -1):
            head = heads[at]
            waiting[head] -= 1
            if waiting[head] == 0:
                ready.append(head)
    return np.asarray(order, dtype=np.int32)


def _constant_nodes(
    order: Ints, unstable: Bools, kinds: npt.NDArray[np.uint8], producer: Ints, edge_tensor: Ints, node_edges: Csr
) -> Bools:
    """Returns [N], whether a node is constant (DESIGN, section 1); nodes on a cycle are not.

    Unstable nodes are those that are volatile or share storage that is mutated: the latter stay together in one stage,
    which nodes that every stage copies could not.
    """
    live_tensor = ((kinds == TensorKind.INPUT) | (kinds == TensorKind.MISSING)).tolist()
    producers = producer.tolist()
    flags = [False] * len(unstable)
    starts, edges = node_edges.starts.tolist(), edge_tensor[node_edges.values].tolist()
    stable = (~unstable).tolist()
    for node in order.tolist():
        if not stable[node]:
            continue
        flags[node] = all(
            flags[producers[tensor]] if producers[tensor] >= 0 else not live_tensor[tensor]
            for tensor in edges[starts[node] : starts[node + 1]]
        )
    return np.asarray(flags, dtype=np.bool_)


def _duplicate_producers(
    twice: Iterable[tuple[int, int]],
    also_given: Iterable[int],
    given_twice: Iterable[tuple[int, str]],
    names: Sequence[str],
    producer: Ints,
    label: Callable[[int], str],
) -> Iterable[Diagnostic]:
    found = {(tensor, node): "two nodes" if producer[tensor] >= 0 else OUTER for tensor, node in twice}
    found.update({(tensor, node): "two outputs of one node" for tensor, node in found if producer[tensor] == node})
    found.update({(tensor, int(producer[tensor])): OUTER for tensor in also_given})
    found.update({(tensor, -1): what for tensor, what in given_twice})
    for (tensor, node), what in sorted(found.items()):
        nodes = tuple(dict.fromkeys(at for at in (int(producer[tensor]), node) if at >= 0))
        yield Diagnostic(
            "duplicate-producer",
            Severity.ERROR,
            f"Tensor {one_line(names[tensor], 80)} is produced by {what}; the model must be mended before it is split.",
            tensors=(names[tensor],),
            nodes=nodes,
            node_names=tuple(label(at) for at in nodes),
        )


def _missing(
    kinds: npt.NDArray[np.uint8],
    edge_tensor: Ints,
    edge_consumer: Ints,
    outputs: Sequence[int],
    names: Sequence[str],
    label: Callable[[int], str],
) -> Iterable[Diagnostic]:
    for tensor in np.flatnonzero(kinds == TensorKind.MISSING).tolist():
        first, last = np.searchsorted(edge_tensor, [tensor, tensor + 1])
        readers = edge_consumer[first:last].tolist()
        if not readers and tensor not in outputs:
            continue
        reader = f"node {one_line(label(readers[0]), 80)} reads it" if readers else "it is a model output"
        yield Diagnostic(
            "missing-input",
            Severity.ERROR,
            f"Nothing produces tensor {one_line(names[tensor], 80)}, but {reader}.",
            tensors=(names[tensor],),
            nodes=tuple(readers),
            node_names=tuple(label(node) for node in readers),
        )


def _cycle(
    order: Ints,
    producer: Ints,
    edge_tensor: Ints,
    node_edges: Csr,
    names: Sequence[str],
    label: Callable[[int], str],
) -> Iterable[Diagnostic]:
    """Yields one diagnostic that names a cycle, if there is one.

    Walking backward from any node that has no place in the order, always to a predecessor that has none either, must
    come back to a node already seen; the walk between the two visits is a cycle.
    """
    count = len(node_edges.starts) - 1
    if len(order) == count:
        return
    placed = np.zeros(count, dtype=np.bool_)
    placed[order] = True
    node = int(np.flatnonzero(~placed)[0])
    seen: dict[int, int] = {}
    walk: list[int] = []
    read: list[int] = []
    while node not in seen:
        seen[node] = len(walk)
        walk.append(node)
        tensors = edge_tensor[node_edges.row(node)].tolist()
        read.append(next(tensor for tensor in tensors if producer[tensor] >= 0 and not placed[producer[tensor]]))
        node = int(producer[read[-1]])
    cycle = tuple(reversed(walk[seen[node] :]))
    shown = " -> ".join(one_line(label(n), 60) for n in cycle[:6]) + (" -> ..." if len(cycle) > 6 else "")
    yield Diagnostic(
        "cyclic-graph",
        Severity.ERROR,
        f"The graph has a cycle of {len(cycle)} {'node' if len(cycle) == 1 else 'nodes'}: {shown}; "
        "a cyclic graph has no stages.",
        tensors=tuple(names[tensor] for tensor in reversed(read[seen[node] :])),
        nodes=cycle,
        node_names=tuple(label(n) for n in cycle),
    )
