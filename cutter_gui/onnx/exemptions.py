"""Where stages may differ from the whole, and why (DESIGN, section 2, rule 7).

Two causes are known: random nodes without a seed, and float16 that the runtime computes in float32, where a boundary
rounds what would have stayed wide. Each spreads to everything downstream of it and to nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.graph import Bools, Graph

FLOAT16_TOLERANCE = 1e-2
OPTIMIZED_TOLERANCE = 1e-3

_RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
_NARROW = (BY_NAME["float16"].code, BY_NAME["bfloat16"].code)


def randomized_outputs(graph: Graph) -> set[int]:
    """Returns the model outputs downstream of a volatile node without a seed."""
    unseeded = [
        node
        for node in np.flatnonzero(graph.node_volatile).tolist()
        if not (graph.op(node) in _RANDOM and any(name == "seed" for name, _ in graph.node_attributes[node]))
        and not graph.op(node).endswith(("::Send", "::Recv"))
    ]
    return _outputs_of(graph, _downstream(graph, unseeded))


def rounded_outputs(graph: Graph, crossing: Iterable[int]) -> set[int]:
    """Returns the model outputs downstream of a float16 or bfloat16 tensor among those that cross a boundary."""
    narrow = [tensor for tensor in crossing if int(graph.tensor_dtype[tensor]) in _NARROW]
    readers = [int(node) for tensor in narrow for node in graph.consumers(tensor)]
    return _outputs_of(graph, _downstream(graph, readers)) | {t for t in narrow if t in graph.outputs}


def _downstream(graph: Graph, nodes: Iterable[int]) -> Bools:
    """[N], the given nodes and all that read from them, directly or through others."""
    reached = np.zeros(graph.node_count, dtype=np.bool_)
    frontier = list(nodes)
    reached[frontier] = True
    while frontier:
        node = frontier.pop()
        for tensor in graph.node_outputs.row(node).tolist():
            if tensor < 0:
                continue
            for consumer in graph.consumers(tensor).tolist():
                if not reached[consumer]:
                    reached[consumer] = True
                    frontier.append(consumer)
    return reached


def _outputs_of(graph: Graph, nodes: Bools) -> set[int]:
    return {
        tensor
        for tensor in graph.outputs.tolist()
        if graph.tensor_producer[tensor] >= 0 and nodes[graph.tensor_producer[tensor]]
    }
