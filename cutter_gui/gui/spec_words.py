"""What is selected, as it stands in a cut spec."""

from __future__ import annotations

from cutter_gui.core.plan import CutEdge
from cutter_gui.core.spec_text import edge_item
from cutter_gui.gui.document import Document


def words_of_selection(document: Document, consumer: int = -1) -> str:
    """Returns an edge of a cut spec, such as ``{tensor: "71", consumers: ["273"]}``; empty for what has none.

    A tensor is written as the active cut lists it, else whole; with a consumer at hand, the edge to that one. A node
    is written as the consumer of its first input that is no constant.

    Args:
        document: The model and its selection.
        consumer: The consumer of the selected tensor that the keyboard is at, -1 for none.
    """
    graph, selection = document.graph, document.selection
    tensor = selection.tensor
    if tensor is None and selection.node is not None:
        inputs = [at for at in graph.node_inputs.row(selection.node).tolist() if at >= 0]
        tensor = next((at for at in inputs if not graph.is_constant_tensor(at)), None)
        consumer = selection.node
    if tensor is None:
        return ""
    name = graph.tensor_names[tensor]
    if consumer >= 0:
        reader = graph.consumer_name(consumer)
        return edge_item(CutEdge(name) if reader is None else CutEdge(name, [reader])).flow
    cut = document.active_cut
    listed = [] if cut is None else [edge for edge in document.plan.cuts[cut].edges if edge.tensor == name]
    return ", ".join(edge_item(edge).flow for edge in listed or [CutEdge(name)])
