"""Boundaries on the dear side of a quantization: ``quantized-boundary``.

Terms: a *pair node* is a QuantizeLinear or DequantizeLinear whose scale and zero point are constant, so that it can
stand in either stage without sending more.

A tensor that a pair node turns to float just before a boundary is cheaper to send before that node; one that a pair
node quantizes just behind a boundary is cheaper to send after it. Both are told only where the boundary can be moved
without touching other tensors: every edge of the tensor is cut alike, or the pair node is all that the boundary
leads to. A mend is offered when its plan, staged anew, has no failing listing and no stage that became empty.

Complexity: linear in the edges of the tensors that are sent, plus O(N + E) a mend, whose number is bounded by
`CHECKED`. Left out: longer chains (a Reshape between the two).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.fixes import AddEdges, PlanEdit, RemoveEdge, fix
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.problems_words import FIX_LIMIT, cut_shown, listed, node_names, tensor_shown
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.units import tensor_size_text

CHECKED = 200_000
"""Nodes and edges that may be staged anew to check mends."""


def quantized_boundaries(staging: Staging, sent: Sequence[int]) -> Iterator[Diagnostic]:
    """Yields a finding for each sent tensor that would be smaller on the other side of a pair node."""
    graph = staging.graph
    pairs = {at for at, op in enumerate(graph.op_types) if _word(op) in ("QuantizeLinear", "DequantizeLinear")}
    if not pairs:
        return
    cuts_of: dict[int, list[int]] = {}
    for edge, cut in zip(staging.listings.edge.tolist(), staging.listings.cut.tolist(), strict=True):
        cuts_of.setdefault(edge, []).append(cut)
    mends = min(FIX_LIMIT, max(1, CHECKED // (graph.node_count + graph.edge_count)))
    for tensor in sent:
        found = _before(graph, tensor, cuts_of) or _after(graph, tensor, cuts_of)
        if found is None:
            continue
        node, other, cuts, entry = found
        if not _smaller(graph, other, tensor):
            continue
        mend = _moved(staging, tensor, cuts, entry) if mends else None
        mends -= bool(mends)
        name, cheaper = tensor_shown(graph, tensor), tensor_shown(graph, other)
        yield Diagnostic(
            "quantized-boundary",
            Severity.WARNING,
            f"{name} ({tensor_size_text(graph, tensor)}) is sent as {_type(graph, tensor)}; cutting {cheaper} on the "
            f"other side of its {_word(graph.op(node))} would send {tensor_size_text(graph, other)}.",
            tensors=(graph.tensor_names[tensor], graph.tensor_names[other]),
            nodes=(node,),
            node_names=node_names(graph, (node,)),
            cut=cuts[0],
            fixes=(mend,) if mend is not None else (),
        )


def _word(op: str) -> str:
    """Returns an op type without its domain."""
    return re.split(r"[.:]+", op)[-1]


def _type(graph: Graph, tensor: int) -> str:
    return dtype_of(int(graph.tensor_dtype[tensor])).name


_Found = tuple[int, int, list[int], CutEdge]
"""Pair node, tensor to cut, cuts concerned, entry to list in them."""


def _before(graph: Graph, tensor: int, cuts_of: dict[int, list[int]]) -> _Found | None:
    """Returns what to cut instead where a dequantized tensor is cut from all its readers."""
    node = int(graph.tensor_producer[tensor])
    if node < 0 or _word(graph.op(node)) != "DequantizeLinear":
        return None
    source = _data_input(graph, node)
    cuts = _common_cuts(graph.edges_of(tensor), cuts_of)
    if source is None or not cuts:
        return None
    edge = graph.edge(source, node)
    if edge is None or edge in cuts_of:
        return None
    only = len(graph.edges_of(source)) == 1
    entry = CutEdge(graph.tensor_names[source], None if only else (graph.tensor_names[tensor],))
    return node, source, cuts, entry


def _after(graph: Graph, tensor: int, cuts_of: dict[int, list[int]]) -> _Found | None:
    """Returns what to cut instead where all that a tensor is cut from is one quantizer."""
    cut_edges = [edge for edge in graph.edges_of(tensor) if edge in cuts_of]
    if len(cut_edges) != 1:
        return None
    node = int(graph.edge_consumer[cut_edges[0]])
    if _word(graph.op(node)) != "QuantizeLinear" or _data_input(graph, node) != tensor:
        return None
    outputs = graph.node_outputs.row(node)
    result = int(outputs[0]) if len(outputs) else -1
    if result < 0 or not len(graph.edges_of(result)):
        return None
    return node, result, cuts_of[cut_edges[0]], CutEdge(graph.tensor_names[result])


def _data_input(graph: Graph, node: int) -> int | None:
    """Returns the tensor that a pair node converts, when its other inputs are constant and it is not."""
    slots = graph.node_inputs.row(node).tolist()
    if not slots or slots[0] < 0 or graph.is_constant_tensor(slots[0]):
        return None
    if graph.tensor_producer[slots[0]] < 0:
        return None
    others = [tensor for tensor in slots[1:] if tensor >= 0]
    return slots[0] if all(graph.is_constant_tensor(tensor) for tensor in others) else None


def _common_cuts(edges: range, cuts_of: dict[int, list[int]]) -> list[int]:
    """Returns the cuts that list every one of the edges, when each edge is listed in just these."""
    cuts = [sorted(cuts_of.get(edge, [])) for edge in edges]
    return cuts[0] if cuts and all(other == cuts[0] for other in cuts) else []


def _smaller(graph: Graph, other: int, tensor: int) -> bool:
    """Whether one value of ``other`` takes fewer bits: a pair node keeps the shape, so the element types decide."""
    bits = dtype_of(int(graph.tensor_dtype[other])).bits
    return 0 < bits < dtype_of(int(graph.tensor_dtype[tensor])).bits


def _moved(staging: Staging, tensor: int, cuts: list[int], entry: CutEdge) -> Fix | None:
    """Returns the mend that moves the boundary, or None when it would break the plan."""
    plan, name = staging.plan, staging.graph.tensor_names[tensor]
    edits: list[PlanEdit] = []
    for cut in cuts:
        edges = plan.cuts[cut].edges
        edits += [RemoveEdge(cut, at) for at in reversed(range(len(edges))) if edges[at].tensor == name]
        edits.append(AddEdges(cut, entry))
    where = listed([cut_shown(plan, cut) for cut in cuts])
    other = tensor_shown(staging.graph, staging.graph.tensor_index[entry.tensor])
    mend = fix(plan, f"Cut {other} in place of {tensor_shown(staging.graph, tensor)} in {where}", edits)
    after = assign_stages(staging.graph, mend.plan)
    return None if len(after.failing) or set(after.empty) - set(staging.empty) else mend
