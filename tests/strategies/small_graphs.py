"""Small graphs written as text, for tests that show one thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cutter_gui.core import Cut, CutEdge, Graph, GraphBuilder, Plan
from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.graph import Shape

NODE = re.compile(
    r"(?:(?P<name>\S+): )?(?P<volatile>!?)(?P<op>\S+)(?P<inputs>[^[>]*?)(?:\[(?P<captures>.*)\])? *->(?P<outputs>.*)"
)


def small_graph(
    *nodes: str,
    inputs: Iterable[str] = ("x",),
    weights: Mapping[str, int] | Iterable[str] = (),
    outputs: Iterable[str] = (),
    types: Mapping[str, tuple[str, Shape]] | None = None,
    together: Iterable[tuple[int, int]] = (),
    kind: str = "onnx",
) -> Graph:
    """Builds a graph.

    Args:
        *nodes: Each ``Op a b -> c d``; ``_`` is an omitted slot, ``[a b]`` before the arrow what bodies capture, a name
            and a colon before the op the node's name, ``!`` before the op makes it volatile.
        inputs: Names of the graph inputs.
        weights: Names of initializers, with their bytes or of 4 bytes each.
        outputs: Names of the graph outputs.
        types: Element type and shape of tensors; ``float32`` of shape [1, 4] where not given.
        together: Pairs of nodes that share storage that is mutated.
        kind: The format.
    """
    builder = GraphBuilder(kind)
    sizes = weights if isinstance(weights, Mapping) else dict.fromkeys(weights, 4)
    for name, size in sizes.items():
        builder.add_initializer(name, size)
    for name in inputs:
        builder.add_input(name)
    named = {*sizes, *inputs}
    for text in nodes:
        parts = NODE.fullmatch(text)
        assert parts, text
        slots = [["" if word == "_" else word for word in (parts[key] or "").split()] for key in ("inputs", "outputs")]
        captures = (parts["captures"] or "").split()
        named.update(*slots, captures)
        builder.add_node(
            parts["op"], *slots, name=parts["name"] or "", captures=captures, volatile=bool(parts["volatile"])
        )
    for name in outputs:
        builder.add_output(name)
    for first, second in together:
        builder.join(first, second)
    for name in named - {""}:
        dtype, shape = (types or {}).get(name, ("float32", (1, 4)))
        builder.set_type(name, BY_NAME[dtype].code, shape)
    return builder.build()


def small_plan(*cuts: str, transport: str = "relay") -> Plan:
    """Builds a plan; each cut is ``a b->c,d``: tensors, with the consumers behind an arrow where not all are cut."""
    return Plan(tuple(Cut(tuple(map(_entry, cut.split()))) for cut in cuts), transport)  # type: ignore[arg-type]


def _entry(text: str) -> CutEdge:
    tensor, arrow, consumers = text.partition("->")
    return CutEdge(tensor, consumers.split(",") if arrow else None)
