"""Cuts that leave a way around: ``incomplete-cut``.

Terms: a listing is *incomplete* when both its ends lie in one component, that is, are still joined by edges that no
cut lists or by shared storage; the listings of one cut in one component make one finding.

Steps: (1) group the incomplete listings; (2) for each cut, one breadth-first search that starts at once from one
producer in each of its components, by way of an added node before them all; components do not touch, so every
component gets shortest paths from its own producer; (3) each finding shows the path to the nearest consumer;
(4) `problems_mends` says what mends it.

Complexity: O(N + E) a search, done by scipy's compiled code, for at most `SEARCHES` cuts; findings of further cuts
name their tensors without a path.
Left out: paths of the other tensors of a finding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.problems_mends import Mends
from cutter_gui.core.problems_words import (
    cut_shown,
    node_names,
    node_shown,
    sentence,
    tensor_shown,
    tensors_listed,
)
from cutter_gui.core.stages import Staging

SEARCHES = 16
SHOWN_NODES = 7


def incomplete_cuts(staging: Staging, mends: Mends) -> list[Diagnostic]:
    """Returns one finding per cut and component that it leaves joined, by cut, then by first listing."""
    groups = _groups(staging)
    paths = _paths(staging, groups) if groups else {}
    return [
        _finding(staging, key[0], listings, paths.get(key, ()), mends.of(*key, listings))
        for key, listings in groups.items()
    ]


def _groups(staging: Staging) -> dict[tuple[int, int], list[int]]:
    """Returns the incomplete listings of each (cut, component), in plan order."""
    graph, edges = staging.graph, staging.listings.edge
    joins = np.flatnonzero(graph.edge_joins[edges])
    source = staging.component[graph.tensor_producer[graph.edge_tensor[edges[joins]]]]
    target = staging.component[graph.edge_consumer[edges[joins]]]
    inside = source == target
    groups: dict[tuple[int, int], list[int]] = {}
    at = joins[inside]
    for listing, cut, component in zip(
        at.tolist(), staging.listings.cut[at].tolist(), source[inside].tolist(), strict=True
    ):
        groups.setdefault((cut, component), []).append(listing)
    return groups


def _paths(staging: Staging, groups: dict[tuple[int, int], list[int]]) -> dict[tuple[int, int], tuple[int, ...]]:
    """Returns for each group the nodes from the producer of its first tensor to the nearest of the consumers cut."""
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import breadth_first_order

    graph = staging.graph
    count = graph.node_count
    kept = graph.edge_joins & ~staging.edge_listed
    ends = np.stack([graph.tensor_producer[graph.edge_tensor[kept]], graph.edge_consumer[kept]])
    ends = np.concatenate([ends, graph.joins.T], axis=1)
    rows, columns = np.concatenate([ends, ends[::-1]], axis=1)
    joined = coo_array((np.ones(len(rows)), (rows, columns)), shape=(count, count)).tocsr()
    paths: dict[tuple[int, int], tuple[int, ...]] = {}
    for cut in list(dict.fromkeys(cut for cut, _ in groups))[:SEARCHES]:
        own = {key: _ends(staging, listings) for key, listings in groups.items() if key[0] == cut}
        sources = [source for source, _ in own.values()]
        indices = np.concatenate([joined.indices, np.asarray(sources, dtype=joined.indices.dtype)])
        starts = np.append(joined.indptr, joined.indptr[-1] + len(sources))
        searched = csr_array((np.ones(len(indices)), indices, starts), shape=(count + 1, count + 1))
        order, before = breadth_first_order(searched, count, directed=True, return_predecessors=True)
        place = np.full(count + 1, count + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        for key, (source, targets) in own.items():
            node = int(targets[np.argmin(place[targets])])
            path = [node]
            while node != source:
                node = int(before[node])
                path.append(node)
            paths[key] = tuple(reversed(path))
    return paths


def _ends(staging: Staging, listings: Sequence[int]) -> tuple[int, Ints]:
    """Returns the producer of a group's first tensor and the consumers that the group cuts it from."""
    graph = staging.graph
    edges = staging.listings.edge[np.asarray(listings)]
    tensors = graph.edge_tensor[edges]
    return int(graph.tensor_producer[tensors[0]]), graph.edge_consumer[edges[tensors == tensors[0]]]


def _finding(
    staging: Staging, cut: int, listings: Sequence[int], path: tuple[int, ...], fixes: Sequence[Fix]
) -> Diagnostic:
    graph = staging.graph
    edges = staging.listings.edge[np.asarray(listings)]
    tensors = list(dict.fromkeys(graph.edge_tensor[edges].tolist()))
    source, targets = _ends(staging, listings)
    target = path[-1] if path else int(targets[0])
    where = sentence(cut_shown(staging.plan, cut))
    first = tensor_shown(graph, tensors[0])
    what = tensors_listed(graph, tensors)
    verb, whose = ("is", "its producer") if len(tensors) == 1 else ("are", f"the producer of {first}")
    if source == target:
        still = f"{node_shown(graph, source)} reads its own output"
    else:
        still = f"{whose} is still joined to {node_shown(graph, target)}{_way(staging, path)}"
    message = f"{where} is incomplete: {what} {verb} cut, but {still}."
    nodes = path or (source, target)
    return Diagnostic(
        "incomplete-cut",
        Severity.ERROR,
        message,
        tensors=tuple(graph.tensor_names[tensor] for tensor in tensors),
        nodes=nodes,
        node_names=node_names(graph, nodes),
        cut=cut,
        fixes=fixes,
    )


def _way(staging: Staging, path: tuple[int, ...]) -> str:
    """Returns the path in words, its middle left out when it is long."""
    graph = staging.graph
    if not path:
        return ""
    links = _links(staging, path)
    if len(path) == 2:
        joined = _tensor_between(staging, path[0], path[1])
        if joined is None:
            return " because they share storage that is changed in place"
        return f" through {tensor_shown(graph, joined)}"
    half = SHOWN_NODES // 2
    names = [node_shown(graph, node) if links[place] else "" for place, node in enumerate(path)]
    if len(path) <= SHOWN_NODES:
        steps = [f"{link} {name}" for link, name in zip(links[1:], names[1:], strict=True)]
        return f" through {' '.join([names[0], *steps])}"
    head = [names[0], *(f"{links[place]} {names[place]}" for place in range(1, half))]
    tail = [f"{links[place]} {names[place]}" for place in range(len(path) - half, len(path))]
    return f" through {' '.join([*head, f'... ({len(path) - 2 * half} more)', *tail])}"


def _links(staging: Staging, path: tuple[int, ...]) -> list[str]:
    """Returns how each shown node of a path hangs on the one before it; ``""`` for those that are not shown."""
    half = SHOWN_NODES // 2
    links = ["from"]
    for place in range(1, len(path)):
        if len(path) > SHOWN_NODES and half <= place < len(path) - half:
            links.append("")
        elif _tensor_from(staging, path[place - 1], path[place]) is not None:
            links.append("->")
        elif _tensor_from(staging, path[place], path[place - 1]) is not None:
            links.append("<-")
        else:
            links.append("--")
    return links


def _tensor_between(staging: Staging, first: int, second: int) -> int | None:
    forward = _tensor_from(staging, first, second)
    return forward if forward is not None else _tensor_from(staging, second, first)


def _tensor_from(staging: Staging, source: int, target: int) -> int | None:
    """Returns a tensor that still joins the two nodes, running from the first to the second."""
    graph: Graph = staging.graph
    edges = graph.node_edges.row(target)
    tensors = graph.edge_tensor[edges]
    joining = edges[(graph.tensor_producer[tensors] == source) & ~staging.edge_listed[edges] & graph.edge_joins[edges]]
    return int(graph.edge_tensor[joining[0]]) if len(joining) else None
