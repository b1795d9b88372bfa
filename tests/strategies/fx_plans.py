"""Plans for graphs of any format: a cut between the first nodes of a topological order and the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan, Transport
from cutter_gui.core.stages import assign_stages


def level_plan(graph: Graph, places: Sequence[float], transport: Transport = "relay") -> Plan:
    """Returns a plan that cuts at fractions of the nodes' order.

    Args:
        graph: The graph.
        places: Fractions between 0 and 1, ascending.
        transport: The plan's transport.
    """
    return plan_of(graph, levels(graph, places), transport)


def levels(graph: Graph, places: Sequence[float]) -> np.ndarray:
    """Returns a stage for each node, cutting at fractions of the nodes' order.

    Joined nodes stay together, in the latest stage of theirs. Stages that would be empty are left out.

    Args:
        graph: The graph.
        places: Fractions between 0 and 1, ascending.
    """
    order = np.empty(graph.node_count, dtype=np.int64)
    order[graph.order] = np.arange(graph.node_count)
    stage = np.zeros(graph.node_count, dtype=np.int64)
    for place in places:
        stage += order >= max(1, round(place * graph.node_count))
    _settle(graph, stage)
    live = ~graph.node_constant
    used = sorted(set(stage[live].tolist()))
    return np.searchsorted(used, stage)


def plan_of(graph: Graph, stage: np.ndarray, transport: Transport = "relay") -> Plan:
    """Returns the plan that puts each node into its stage.

    Args:
        graph: The graph.
        stage: A stage for each node, from `levels`.
        transport: The plan's transport.
    """
    live = ~graph.node_constant
    cuts = []
    for k in range(int(stage[live].max())):
        edges: dict[str, list[str]] = {}
        for edge in range(graph.edge_count):
            tensor, consumer = int(graph.edge_tensor[edge]), int(graph.edge_consumer[edge])
            producer = int(graph.tensor_producer[tensor])
            if not live[consumer]:
                continue
            if producer >= 0 and live[producer]:
                crosses = stage[producer] <= k < stage[consumer]
            else:
                # An edge from an input or a constant puts a reader that nothing else holds into its stage.
                crosses = stage[consumer] == k + 1
            name = graph.consumer_name(consumer)
            if crosses and name is not None:
                edges.setdefault(graph.tensor_names[tensor], []).append(name)
        cuts.append(Cut(tuple(CutEdge(tensor, names) for tensor, names in edges.items())))
    return Plan(tuple(cuts), transport)


def _settle(graph: Graph, stage: np.ndarray) -> None:
    """Moves nodes until joined ones share a stage and no edge runs backward."""
    live = ~graph.node_constant
    producer = graph.tensor_producer[graph.edge_tensor]
    real = (producer >= 0) & live[np.maximum(producer, 0)] & live[graph.edge_consumer]
    while True:
        before = stage.copy()
        for first, second in graph.joins.tolist():
            stage[first] = stage[second] = max(stage[first], stage[second])
        np.maximum.at(stage, graph.edge_consumer[real], stage[producer[real]])
        if np.array_equal(before, stage):
            return


def is_valid(graph: Graph, plan: Plan) -> bool:
    return assign_stages(graph, plan).is_valid
