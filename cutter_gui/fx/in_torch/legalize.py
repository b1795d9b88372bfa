"""Putting the nodes of a graph into topological order."""

from __future__ import annotations

from collections import deque

from torch import fx

from cutter_gui.core.errors import CutterError, one_line


def is_legal(graph: fx.Graph) -> bool:
    """Whether every node stands after those it reads."""
    seen: set[fx.Node] = set()
    for node in graph.nodes:
        if any(source not in seen for source in node.all_input_nodes):
            return False
        seen.add(node)
    return True


def legalized(module: fx.GraphModule) -> fx.GraphModule:
    """Returns the module with its graph in topological order, itself where it is in order; the given one is unchanged.

    Nodes that are ready keep their order, so that ones with side effects run as they stood. Names, ``meta`` and the
    calling convention stay.

    Raises:
        CutterError: The graph has a cycle.
    """
    if is_legal(module.graph):
        return module
    waiting = {node: len(node.all_input_nodes) for node in module.graph.nodes}
    ready = deque(node for node, count in waiting.items() if not count)
    copy = fx.Graph()
    mapped: dict[fx.Node, fx.Node] = {}
    while ready:
        node = ready.popleft()
        made = copy.node_copy(node, lambda source: mapped[source])
        made.name = node.name
        mapped[node] = made
        for user in node.users:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    if len(mapped) < len(waiting):
        stuck = next(node for node in waiting if node not in mapped)
        raise CutterError(
            "the graph has a cycle", f"node {one_line(stuck.name, 80)}", "a cyclic graph has no topological order"
        )
    for node, made in mapped.items():
        made.meta = dict(node.meta)
    copy._codegen = module.graph._codegen
    return fx.GraphModule(module, copy, type(module).__name__)
