"""Random valid plans for any graph."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cutter_gui.core import Cut, CutEdge, Graph, Plan, assign_stages
from cutter_gui.core.plan import TRANSPORTS

_TRIES_PER_PLAN = 4
_MOST_CUTS = 4


def random_valid_plans(graph: Graph, count: int, seed: int) -> Iterator[Plan]:
    """Yields up to ``count`` different valid plans for each transport; the plan without cuts comes first, once.

    A graph with a single node that is not constant has no other plan: a cut would leave a stage empty.
    """
    yield Plan()
    if graph.node_count - int(graph.node_constant.sum()) < 2:
        return
    for transport in TRANSPORTS:
        draw = random.Random(f"{seed} {transport}")
        seen = {Plan((), transport)}
        for _ in range(_TRIES_PER_PLAN * count):
            if len(seen) >= count:
                break
            plan = _random_plan(graph, draw).with_transport(transport)
            if plan not in seen and assign_stages(graph, plan).is_valid:
                seen.add(plan)
                yield plan


def _random_plan(graph: Graph, draw: random.Random) -> Plan:
    """Gives every node a stage that never falls along an edge, and lists each crossing edge in some of its cuts.

    Half of the plans cut a topological order at random places; the other half push random nodes later, which gives
    stages that interleave in the order of the file.
    """
    live = [node for node in graph.order.tolist() if not graph.node_constant[node]]
    cuts = draw.randint(1, _MOST_CUTS)
    stage: dict[int, int] = {}
    if draw.random() < 0.5:
        places = sorted(draw.randint(0, len(live)) for _ in range(cuts))
        stage = {node: sum(place <= at for place in places) for at, node in enumerate(live)}
    else:
        for node in live:
            tensors = graph.edge_tensor[graph.node_edges.row(node)]
            sources = [stage[p] for p in graph.tensor_producer[tensors].tolist() if p in stage]
            least = max(sources, default=0)
            stage[node] = least if draw.random() < 0.8 else draw.randint(least, cuts)
    return _plan_of(graph, stage, cuts, draw)


def _plan_of(graph: Graph, stage: dict[int, int], cuts: int, draw: random.Random) -> Plan:
    listed: list[dict[str, list[str] | None]] = [{} for _ in range(cuts)]
    for tensor in range(graph.tensor_count):
        producer = int(graph.tensor_producer[tensor])
        source = stage.get(producer)
        consumers = [node for node in graph.consumers(tensor).tolist() if node in stage]
        if source is None:
            continue
        for k in range(cuts):
            crossing = [node for node in consumers if source <= k < stage[node]]
            names = [graph.consumer_name(node) for node in crossing]
            named = [name for name in names if name is not None]
            if len(named) < len(names) or (len(named) == len(consumers) and draw.random() < 0.5):
                listed[k][graph.tensor_names[tensor]] = None
            elif named:
                listed[k][graph.tensor_names[tensor]] = named
    return Plan(tuple(Cut(tuple(CutEdge(name, chosen) for name, chosen in cut.items())) for cut in listed))
