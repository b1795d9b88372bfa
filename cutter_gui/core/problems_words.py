"""How diagnostics name tensors, nodes, cuts and lists of them in their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Plan
from cutter_gui.core.stages import cut_name

NAME_LIMIT = 80

FIX_LIMIT = 20
"""How many diagnostics of one code are searched for the best fixes; errors beyond that have the plain one.

Warnings and notes beyond that have none: each fix holds a plan of its own.
"""


def shown(name: str) -> str:
    """Returns a name fit for a sentence: one line, its middle elided when long."""
    return one_line(name, NAME_LIMIT)


def node_name(graph: Graph, node: int) -> str:
    """Returns how files name a node: by its first output, else by its own name or number."""
    return graph.consumer_name(node) or graph.node_label(node)


def node_names(graph: Graph, nodes: Iterable[int]) -> tuple[str, ...]:
    return tuple(node_name(graph, node) for node in nodes)


def tensor_shown(graph: Graph, tensor: int) -> str:
    return shown(graph.tensor_names[tensor])


def node_shown(graph: Graph, node: int) -> str:
    return shown(node_name(graph, node))


def cut_shown(plan: Plan, index: int) -> str:
    """Returns ``cut 0`` or ``cut 0 (its name)``."""
    return one_line(cut_name(plan.cuts[index], index), NAME_LIMIT)


def listed(words: Sequence[str], limit: int = 3) -> str:
    """Returns ``a``, ``a and b``, or ``a, b, c and 4 more``."""
    if len(words) > limit + 1:
        return f"{', '.join(words[:limit])} and {len(words) - limit} more"
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def nodes_listed(graph: Graph, nodes: Sequence[int], limit: int = 3) -> str:
    """Returns the names of nodes as `listed` does, without making those it leaves out."""
    return _some([node_shown(graph, node) for node in nodes[: limit + 1]], len(nodes), limit)


def tensors_listed(graph: Graph, tensors: Sequence[int], limit: int = 3) -> str:
    """Returns the names of tensors as `listed` does, without making those it leaves out."""
    return _some([tensor_shown(graph, tensor) for tensor in tensors[: limit + 1]], len(tensors), limit)


def _some(words: Sequence[str], count: int, limit: int) -> str:
    return listed(words, limit) if count <= limit + 1 else f"{', '.join(words[:limit])} and {count - limit} more"


def counted(word: str, numbers: Sequence[int]) -> str:
    """Returns ``stage 1`` or ``stages 0, 1 and 2``."""
    return f"{word}{'' if len(numbers) == 1 else 's'} {listed([str(number) for number in numbers], 8)}"


def sentence(text: str) -> str:
    """Returns the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
