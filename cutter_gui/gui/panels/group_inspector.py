"""A group in the inspector: what is in it, which groups are like it, and the tensors that cross its border."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Ints
from cutter_gui.core.groups import Groups
from cutter_gui.core.stages import Staging
from cutter_gui.core.units import bytes_text, tensor_size_text, type_text
from cutter_gui.gui.panels.cut_rows import SelectTensor
from cutter_gui.gui.panels.rows import Chip, Gap, Part, Row, Span, Tone, name_span

_OPS = 8
_TENSORS = 12
_LINE = 22


def _tr(text: str) -> str:
    return QCoreApplication.translate("GroupInspector", text)


def group_rows(staging: Staging, groups: Groups, group: int, symbols: Mapping[str, int]) -> tuple[Row, ...]:
    """Returns the rows for a selected group; bytes are counted with values of symbols too."""
    graph = staging.graph
    nodes = groups.nodes(group)
    rows = [
        Row("title", (Span(one_line(groups.names[group]), bold=True, elastic=True), Gap(), *_chips(staging, nodes))),
        _pair(_tr("path"), Span(one_line(" / ".join(groups.path(group))), elastic=True)),
        _pair(_tr("nodes"), Span(str(len(nodes)))),
    ]
    if groups.weight_bytes[group]:
        rows.append(_pair(_tr("weights"), Span(bytes_text(int(groups.weight_bytes[group])))))
    if groups.equal_count[group] > 1:
        rows.append(_pair(_tr("equal groups"), Span(f"≡ {int(groups.equal_count[group])} ×")))
    ops = Counter(graph.op(node) for node in nodes.tolist()).most_common()
    shown = ", ".join(f"{count} {op}" for op, count in ops[:_OPS]) + (" …" if len(ops) > _OPS else "")
    rows.append(Row("ops", (Span(_tr("ops"), Tone.MUTED), Span(shown)), wrap=True))
    within = set(nodes.tolist())
    entering, leaving = _border(staging, within)
    for title, tensors in ((_tr("inputs"), entering), (_tr("outputs"), leaving)):
        rows.append(Row(("section", title), (Span(f"{title} {len(tensors)}", Tone.MUTED),), height=28))
        for tensor in tensors[:_TENSORS]:
            name = name_span(graph.tensor_names[tensor], tone=Tone.LINK, target=SelectTensor(tensor))
            size = Span(f"{type_text(graph, tensor)}  {tensor_size_text(graph, tensor, symbols)}", Tone.MUTED)
            rows.append(Row((title, tensor), (name, Gap(), size), height=_LINE, indent=8, target=SelectTensor(tensor)))
        if len(tensors) > _TENSORS:
            more = Span(_tr("… {} more").format(len(tensors) - _TENSORS), Tone.MUTED)
            rows.append(Row(("more", title), (more,), height=_LINE, indent=8))
    return tuple(rows)


def _border(staging: Staging, within: set[int]) -> tuple[list[int], list[int]]:
    """Returns the tensors that enter a set of nodes, constants left out, and those that leave it."""
    graph = staging.graph
    entering: dict[int, None] = {}
    leaving: dict[int, None] = {}
    outputs = set(graph.outputs.tolist())
    for node in sorted(within):
        for edge in graph.node_edges.row(node).tolist():
            tensor = int(graph.edge_tensor[edge])
            if int(graph.tensor_producer[tensor]) not in within and not graph.is_constant_tensor(tensor):
                entering[tensor] = None
        for tensor in graph.node_outputs.row(node).tolist():
            if tensor >= 0 and (tensor in outputs or any(at not in within for at in graph.consumers(tensor).tolist())):
                leaving[tensor] = None
    return list(entering), list(leaving)


def _chips(staging: Staging, nodes: Ints) -> list[Part]:
    if not staging.plan.cuts:
        return []
    stages = sorted({int(stage) for stage in staging.node_stage[nodes] if stage >= 0})
    if len(stages) > 3:
        return [Chip(stages[0]), Span("–", Tone.MUTED), Chip(stages[-1])]
    return [Chip(stage) for stage in stages]


def _pair(label: str, *parts: Part) -> Row:
    return Row((label, None), (Span(label, Tone.MUTED), *parts), height=_LINE)
