"""The graph that is cut: immutable, in arrays.

Names are kept in tuples, everything else in numpy arrays; nothing on a hot path is an object per node. Nodes and
tensors are numbered in the order of the file, edges by (tensor, consumer).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from cutter_gui.core.dtypes import dtype_of

if TYPE_CHECKING:
    from cutter_gui.core.diagnostic import Diagnostic

Ints: TypeAlias = npt.NDArray[np.int32]
Bools: TypeAlias = npt.NDArray[np.bool_]
Dim: TypeAlias = "int | str | None"
Shape: TypeAlias = "tuple[Dim, ...] | None"
Attributes: TypeAlias = "tuple[tuple[str, str], ...]"


class TensorKind(IntEnum):
    """Where a tensor comes from."""

    PRODUCED = 0  # by a node
    INPUT = 1  # a graph input without an initializer
    INITIALIZER = 2  # a weight, also when it stands in the graph inputs
    MISSING = 3  # read, but nothing produces it


@dataclass(frozen=True, eq=False)
class Csr:
    """Rows of int32 values of varying length: row i is ``values[starts[i]:starts[i + 1]]``."""

    starts: Ints
    values: Ints

    def row(self, index: int) -> Ints:
        return self.values[self.starts[index] : self.starts[index + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Graph:
    """A model's graph.

    N nodes, T tensors, E edges. An edge is a (tensor, consumer node) pair: two slots, or a slot and a capture by a
    subgraph body, are one edge.

    Attributes:
        kind: The format's name: ``onnx``, ``fx``.
        node_names: The names in the file, N of them; may be empty or repeated.
        op_types: The distinct op types; ``node_op`` [N] indexes them.
        node_inputs: Tensor of each input slot, -1 for an omitted one; N rows.
        node_outputs: Tensor of each output slot, -1 for an omitted one; N rows.
        node_captures: Outer tensors that subgraph bodies of the node read; N rows, each tensor once.
        node_volatile: [N], whether the node is random, mutates state, or is a Send or Recv.
        node_constant: [N], the constant nodes of DESIGN section 1.
        node_attributes: Per node the attributes as (name, short text).
        node_scopes: Per node the path of groups it belongs to, outermost first; may be empty.
        tensor_names: T names.
        tensor_kind: [T] of `TensorKind`.
        tensor_producer: [T], the producing node or -1.
        tensor_dtype: [T], codes of `cutter_gui.core.dtypes`.
        tensor_shapes: T shapes; None where the rank is not known.
        tensor_stored: [T] int64, bytes of an initializer as stored, 0 for other tensors.
        edge_tensor: [E], sorted.
        edge_consumer: [E], sorted within a tensor.
        edge_captured: [E], whether only a subgraph body of the consumer reads the tensor.
        tensor_edges: [T + 1], the edges of tensor t are ``tensor_edges[t]:tensor_edges[t + 1]``.
        node_edges: Edges that enter each node; N rows.
        inputs: Graph inputs in order, without those that have an initializer.
        outputs: Graph outputs in order; a tensor may be listed twice.
        joins: [J, 2], pairs of nodes that may never be separated (shared storage that is mutated).
        order: Nodes in a topological order; shorter than N when the graph has a cycle.
        problems: What is wrong with the graph itself.
        metadata: What ``info`` shows besides: opsets, producer, format version.
        fingerprint: ``sha256:...`` of ops, names and edges, not of the weights.
        node_bodies: The names of the subgraph bodies of each node that has some, by node.
        carries_any_type: Whether stages pass on values of any type, known or not; Send and Recv of ONNX do not.
        op_labels: Short names of the op types, for boxes; empty where they are what follows the last point.
    """

    kind: str
    node_names: tuple[str, ...]
    op_types: tuple[str, ...]
    node_op: Ints
    node_inputs: Csr
    node_outputs: Csr
    node_captures: Csr
    node_volatile: Bools
    node_constant: Bools
    node_attributes: tuple[Attributes, ...]
    node_scopes: tuple[tuple[str, ...], ...]
    tensor_names: tuple[str, ...]
    tensor_kind: npt.NDArray[np.uint8]
    tensor_producer: Ints
    tensor_dtype: npt.NDArray[np.int16]
    tensor_shapes: tuple[Shape, ...]
    tensor_stored: npt.NDArray[np.int64]
    edge_tensor: Ints
    edge_consumer: Ints
    edge_captured: Bools
    tensor_edges: Ints
    node_edges: Csr
    inputs: Ints
    outputs: Ints
    joins: Ints
    order: Ints
    problems: tuple[Diagnostic, ...]
    metadata: dict[str, str]
    fingerprint: str
    carries_any_type: bool = False
    node_bodies: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    op_labels: tuple[str, ...] = ()

    def with_types(self, types: Mapping[str, tuple[int, Shape]]) -> Graph:
        """Returns the graph with dtype codes and shapes by tensor name; unknown names are passed over."""
        dtypes = self.tensor_dtype.copy()
        shapes = list(self.tensor_shapes)
        for name, (dtype, shape) in types.items():
            tensor = self.tensor_index.get(name)
            if tensor is not None:
                dtypes[tensor], shapes[tensor] = dtype, shape
        return replace(self, tensor_dtype=dtypes, tensor_shapes=tuple(shapes))

    @property
    def node_count(self) -> int:
        return len(self.node_names)

    @property
    def tensor_count(self) -> int:
        return len(self.tensor_names)

    @property
    def edge_count(self) -> int:
        return len(self.edge_tensor)

    @cached_property
    def tensor_index(self) -> dict[str, int]:
        """Tensor number by name."""
        return {name: index for index, name in enumerate(self.tensor_names)}

    @cached_property
    def edge_joins(self) -> Bools:
        """[E], whether the edge joins its ends: it starts at a node that is not constant and does not end at one."""
        producer = self.tensor_producer[self.edge_tensor]
        from_node = (producer >= 0) & ~self.node_constant[producer]
        return np.asarray(from_node & ~self.node_constant[self.edge_consumer], dtype=np.bool_)

    def op(self, node: int) -> str:
        return self.op_types[int(self.node_op[node])]

    def short_op(self, node: int) -> str:
        """Returns a node's op without its domain, as boxes show it."""
        kind = int(self.node_op[node])
        return self.op_labels[kind] if self.op_labels else self.op_types[kind].rsplit(".", 1)[-1]

    def consumers(self, tensor: int) -> Ints:
        """Returns the nodes that read a tensor, each once."""
        return self.edge_consumer[self.tensor_edges[tensor] : self.tensor_edges[tensor + 1]]

    def edges_of(self, tensor: int) -> range:
        return range(int(self.tensor_edges[tensor]), int(self.tensor_edges[tensor + 1]))

    def edge(self, tensor: int, consumer: int) -> int | None:
        """Returns the edge from a tensor to a consumer node, or None."""
        consumers = self.consumers(tensor)
        at = int(np.searchsorted(consumers, consumer))
        if at < len(consumers) and consumers[at] == consumer:
            return int(self.tensor_edges[tensor]) + at
        return None

    def consumer_name(self, node: int) -> str | None:
        """Returns the name a node has as a consumer: its first non-empty output; None when it has none."""
        for tensor in self.node_outputs.row(node):
            if tensor >= 0:
                return self.tensor_names[int(tensor)]
        return None

    def node_label(self, node: int) -> str:
        """Returns a name to show for a node: its own, or that of its first output, or its op and number."""
        return self.node_names[node] or self.consumer_name(node) or f"{self.op(node)} {node}"

    def is_constant_tensor(self, tensor: int) -> bool:
        """Whether a tensor is an initializer or made by a constant node."""
        if self.tensor_kind[tensor] == TensorKind.INITIALIZER:
            return True
        producer = self.tensor_producer[tensor]
        return bool(producer >= 0 and self.node_constant[producer])

    def tensor_bytes(self, tensor: int, symbols: dict[str, int] | None = None) -> int | None:
        """Returns the bytes of one value of the tensor, or None where dtype or shape leave them open.

        Args:
            tensor: The tensor.
            symbols: Values for symbolic dimensions.
        """
        stored = int(self.tensor_stored[tensor])
        if stored:
            return stored
        bits = dtype_of(int(self.tensor_dtype[tensor])).bits
        shape = self.tensor_shapes[tensor]
        if not bits or shape is None:
            return None
        elements = 1
        for dim in shape:
            size = (symbols or {}).get(dim) if isinstance(dim, str) else dim
            if size is None or size < 0:
                return None
            elements *= size
        return (elements * bits + 7) // 8
