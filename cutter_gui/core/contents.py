"""What each stage holds, receives and sends: read by the preview and by every writer alike.

Terms: a *transfer* is one Send and its Recv; a tensor *crosses* when an edge runs from its stage to a later one.

Steps: (1) for every tensor that crosses, its stage and the stages that read it; (2) `relay` gives it a hop over every
boundary up to its last reader, `direct` one hop to each stage that reads it; (3) hops with the same ends are one
transfer, its tensors in the order of first listing in the plan; (4) a stage holds its component's nodes, the constant
nodes those need, found by walking back from them, and the initializers and graph inputs that any of them reads.

Complexity: linear in nodes, edges and hops, plus, per stage, the constant nodes copied into it. Left out: names of
signals and files, which belong to a format.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from cutter_gui.core.graph import Graph, Ints, TensorKind
from cutter_gui.core.stages import Staging


@dataclass(frozen=True)
class Transfer:
    """One Send and its Recv.

    Attributes:
        source: The stage that sends.
        destination: The stage that receives.
        tensors: The tensors carried, in order.
    """

    source: int
    destination: int
    tensors: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many boundaries it passes."""
        return self.destination - self.source

    def label(self, transport: str) -> str:
        """Returns what its signals are numbered by: the boundary, or ``<src>_<dst>`` for direct transport."""
        return str(self.source) if transport == "relay" else f"{self.source}_{self.destination}"

    @property
    def tag(self) -> int:
        """The tag of both ends: there is one transfer for each pair of stages, so none has to be told apart."""
        return 0

    @property
    def send_rank(self) -> int:
        """The rank that the Send names: where the tensors go."""
        return self.destination

    @property
    def recv_rank(self) -> int:
        """The rank that the Recv names: where the tensors come from."""
        return self.source


@dataclass(frozen=True, eq=False)
class StageContents:
    """One stage.

    Attributes:
        index: The stage's number.
        nodes: Nodes to write, constant copies included, in the order of the file.
        own_nodes: Nodes of the stage itself.
        inputs: The model's inputs that the stage reads, in the model's order.
        weights: Initializers that the stage reads, in the order of the file.
        outputs: The model's outputs made here, in the model's order, as listed (a tensor may be listed twice).
        receives: Transfers into the stage, by source.
        sends: Transfers out of the stage, by destination.
        weight_bytes: Bytes of ``weights`` as stored.
    """

    index: int
    nodes: Ints
    own_nodes: Ints
    inputs: Ints
    weights: Ints
    outputs: Ints
    receives: tuple[Transfer, ...]
    sends: tuple[Transfer, ...]
    weight_bytes: int


def transfers(staging: Staging) -> tuple[Transfer, ...]:
    """Returns every transfer of the plan, by source, then destination."""
    hops: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for tensor, source, readers in _crossing(staging):
        if staging.plan.transport == "relay":
            for stage in range(source, readers[-1]):
                hops[stage, stage + 1].append(tensor)
        else:
            for stage in readers:
                hops[source, stage].append(tensor)
    rank = staging.tensor_rank
    return tuple(
        Transfer(source, destination, tuple(sorted(tensors, key=lambda tensor: (int(rank[tensor]), tensor))))
        for (source, destination), tensors in sorted(hops.items())
    )


def _crossing(staging: Staging) -> list[tuple[int, int, list[int]]]:
    """Returns (tensor, its stage, the later stages that read it, ascending) of every tensor that crosses."""
    first, last = staging.edge_span
    found: list[tuple[int, int, list[int]]] = []
    crossing = np.flatnonzero(last > first)
    tensors = staging.graph.edge_tensor[crossing]
    if not len(crossing):
        return found
    starts: list[int] = np.flatnonzero(np.r_[True, tensors[1:] != tensors[:-1]]).tolist()
    for start, end in zip(starts, [*starts[1:], len(tensors)], strict=True):
        edges = crossing[start:end]
        found.append((int(tensors[start]), int(first[edges[0]]), sorted({int(stage) for stage in last[edges]})))
    return found


def stage_contents(staging: Staging) -> tuple[StageContents, ...]:
    """Returns the contents of every stage; see the top of this file."""
    graph = staging.graph
    moved = transfers(staging)
    output_stage = _output_stages(staging)
    by_stage = _nodes_by_stage(staging)
    stages = []
    for stage in range(staging.stage_count):
        own = by_stage[stage]
        outputs = graph.outputs[output_stage == stage]
        nodes = np.sort(np.concatenate([own, _constants_for(graph, own, outputs)])).astype(np.int32)
        read = np.unique(np.concatenate([graph.edge_tensor[_edges_into(graph, nodes)], outputs]))
        kinds = graph.tensor_kind[read]
        weights = read[kinds == TensorKind.INITIALIZER].astype(np.int32)
        reads_input = np.isin(graph.inputs, read[kinds == TensorKind.INPUT])
        stages.append(
            StageContents(
                index=stage,
                nodes=nodes,
                own_nodes=own,
                inputs=graph.inputs[reads_input],
                weights=weights,
                outputs=outputs,
                receives=tuple(t for t in moved if t.destination == stage),
                sends=tuple(t for t in moved if t.source == stage),
                weight_bytes=int(graph.tensor_stored[weights].sum()),
            )
        )
    return tuple(stages)


def _nodes_by_stage(staging: Staging) -> list[Ints]:
    order = np.argsort(staging.node_stage, kind="stable").astype(np.int32)
    bounds = np.searchsorted(staging.node_stage[order], np.arange(staging.stage_count + 1))
    return [order[bounds[s] : bounds[s + 1]] for s in range(staging.stage_count)]


def _output_stages(staging: Staging) -> Ints:
    """[O], the stage of each model output; inputs, initializers and constants belong to stage 0."""
    graph = staging.graph
    producer = graph.tensor_producer[graph.outputs]
    if not graph.node_count:
        return np.zeros(len(producer), dtype=np.int32)
    stage = np.where(producer >= 0, staging.node_stage[producer], 0)
    return np.maximum(stage, 0).astype(np.int32)


def _edges_into(graph: Graph, nodes: Ints) -> Ints:
    """Returns the edges that enter the given nodes."""
    starts, ends = graph.node_edges.starts[nodes], graph.node_edges.starts[nodes + 1]
    lengths = ends - starts
    offsets = np.repeat(starts - np.r_[0, np.cumsum(lengths)[:-1]], lengths) if len(nodes) else np.zeros(0, np.int32)
    return graph.node_edges.values[np.arange(int(lengths.sum())) + offsets]


def _constants_for(graph: Graph, own: Ints, outputs: Ints) -> Ints:
    """Returns the constant nodes that the given nodes and outputs need, directly or through others."""
    if not np.any(graph.node_constant):
        return np.zeros(0, dtype=np.int32)
    needed = np.zeros(graph.node_count, dtype=np.bool_)
    producer = graph.tensor_producer[outputs]
    frontier = np.concatenate([own, producer[(producer >= 0) & graph.node_constant[producer]]])
    needed[frontier[graph.node_constant[frontier]]] = True
    while len(frontier):
        sources = graph.tensor_producer[graph.edge_tensor[_edges_into(graph, frontier)]]
        sources = np.unique(sources[sources >= 0])
        frontier = sources[graph.node_constant[sources] & ~needed[sources]].astype(np.int32)
        needed[frontier] = True
    return np.flatnonzero(needed).astype(np.int32)
