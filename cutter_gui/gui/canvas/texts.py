"""What the canvas says: tooltips, and what a click would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.groups import Groups
from cutter_gui.core.units import bytes_text, type_text
from cutter_gui.gui.canvas.hit import Hit, HitKind
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.panels.sizes import size_text
from cutter_gui.gui.selection import Selection

NAME_LIMIT = 120
OPS_SHOWN = 6
TENSORS_SHOWN = 12
BODIES_SHOWN = 6


def _tr(text: str) -> str:
    return QCoreApplication.translate("Canvas", text)


def _name(text: str) -> str:
    return one_line(text, NAME_LIMIT)


def tooltip(picture: Picture, hit: Hit) -> str:
    """Returns what there is to know about a thing, as plain text in lines; empty for the ground."""
    if hit.kind is HitKind.NODE:
        return node_text(picture, hit.node)
    if hit.kind is HitKind.GROUP:
        return group_text(picture, hit.group)
    if hit.kind is HitKind.BUNDLE:
        return bundle_text(picture, hit.wire)
    return tensor_text(picture, hit.tensor) if hit.tensor >= 0 else ""


def group_name(groups: Groups, group: int) -> str:
    """Returns the name of a group on its box."""
    return _name(groups.names[group])


def group_content(groups: Groups, group: int) -> str:
    """Returns what is in a group: ``40 nodes · 16 MiB · ≡ 24 ×``."""
    parts = [_tr("{count} nodes").format(count=int(groups.node_count[group]))]
    if groups.weight_bytes[group]:
        parts.append(bytes_text(int(groups.weight_bytes[group])))
    if groups.equal_count[group] > 1:
        parts.append(f"≡ {int(groups.equal_count[group])} ×")
    return " · ".join(parts)


def group_text(picture: Picture, group: int) -> str:
    """Returns path, content, most frequent ops and stages of a group."""
    groups, graph = picture.sheet.groups, picture.graph
    nodes = groups.nodes(group)
    ops = Counter(graph.op(int(node)) for node in nodes).most_common(OPS_SHOWN)
    lines = [
        _name(" / ".join(groups.path(group))),
        group_content(groups, group),
        " · ".join(f"{count} {op}" for op, count in ops),
    ]
    if picture.staging is not None and picture.staging.plan.cuts:
        stages = sorted({int(stage) for stage in picture.staging.node_stage[nodes] if stage >= 0})
        lines.append(_tr("stage {number}").format(number=", ".join(map(str, stages))) if stages else "")
    return "\n".join(line for line in lines if line)


def bundle_text(picture: Picture, wire: int) -> str:
    """Returns the tensors of a wire, a line each."""
    graph, tensors = picture.graph, picture.scene.tensors_of(wire).tolist()
    lines = [_tr("{count} tensors").format(count=len(tensors))]
    lines += [f"{_name(graph.tensor_names[tensor])}  {type_text(graph, tensor)}" for tensor in tensors[:TENSORS_SHOWN]]
    return "\n".join([*lines, "…"] if len(tensors) > TENSORS_SHOWN else lines)


def tensor_text(picture: Picture, tensor: int) -> str:
    """Returns name, type, size, producer, consumers and cuts of a tensor."""
    graph = picture.graph
    consumers = len(graph.consumers(tensor))
    lines = [
        _name(graph.tensor_names[tensor]),
        f"{type_text(graph, tensor)} · {size_text(graph, tensor, picture.sheet.symbols)}",
        _from_text(graph, tensor),
        _tr("1 consumer") if consumers == 1 else _tr("{count} consumers").format(count=consumers),
    ]
    cuts = picture.cuts_of_tensor(tensor)
    if cuts:
        lines.append(_tr("in cut {numbers}").format(numbers=", ".join(map(str, cuts))))
    return "\n".join(lines)


def _from_text(graph: Graph, tensor: int) -> str:
    producer = int(graph.tensor_producer[tensor])
    if producer >= 0:
        return _tr("from {op} {node}").format(op=graph.op(producer), node=_name(graph.node_label(producer)))
    kind = graph.tensor_kind[tensor]
    if kind == TensorKind.INPUT:
        return _tr("graph input")
    return _tr("initializer") if kind == TensorKind.INITIALIZER else _tr("nothing produces it")


def node_text(picture: Picture, node: int) -> str:
    """Returns op, name and stage of a node."""
    graph, staging = picture.graph, picture.staging
    lines = [graph.op(node), _name(graph.node_label(node))]
    if staging is not None and staging.plan.cuts and staging.node_stage[node] >= 0:
        lines.append(_tr("stage {number}").format(number=int(staging.node_stage[node])))
    if node in graph.node_bodies:
        lines.append(_bodies_text(graph.node_bodies[node]))
    return "\n".join(lines)


def _bodies_text(names: Sequence[str]) -> str:
    """Returns what is inside a node: ``bodies: then_branch, else_branch``."""
    shown = ", ".join(_name(name) for name in names[:BODIES_SHOWN])
    more = ", …" if len(names) > BODIES_SHOWN else ""
    return (_tr("body: {names}") if len(names) == 1 else _tr("bodies: {names}")).format(names=shown + more)


def selection_text(picture: Picture | None, selection: Selection) -> str:
    """Returns what is selected, for assistive programs."""
    if picture is not None and selection.tensor is not None:
        return tensor_text(picture, selection.tensor)
    if picture is not None and selection.group is not None:
        return group_text(picture, selection.group)
    return "" if picture is None or selection.node is None else node_text(picture, selection.node)


def hint(picture: Picture, selection: Selection, hit: Hit) -> str:
    """Returns what a click would do now, for the status line."""
    if hit.kind is HitKind.EDGE:
        return _edge_hint(picture, hit.tensor)
    if hit.kind is HitKind.END:
        return _tr("Click: select tensor {tensor}").format(tensor=_name(picture.graph.tensor_names[hit.tensor]))
    if hit.kind is HitKind.NODE:
        return _node_hint(picture, selection, hit.node)
    if hit.kind is HitKind.GROUP:
        return _group_hint(picture, selection, hit.group)
    if hit.kind is HitKind.BUNDLE:
        count = len(picture.scene.tensors_of(hit.wire))
        return _tr("Click: choose among the {count} tensors that run here").format(count=count)
    if not picture.graph.node_count:
        return _tr("This model has no nodes: there is nothing to cut")
    if selection.tensor is not None:
        return _tr("Click a consumer of {tensor} to put it in or out · Esc: deselect").format(
            tensor=_name(picture.graph.tensor_names[selection.tensor])
        )
    return _tr("Click an edge to cut it · Drag: move · Wheel: zoom · F: whole graph")


def _edge_hint(picture: Picture, tensor: int) -> str:
    graph, cut = picture.graph, picture.active_cut
    name = _name(graph.tensor_names[tensor])
    only = _tr("Alt: select only")
    if cut is None:
        text = _tr("Click: start a cut with tensor {tensor}").format(tensor=name)
    elif cut in picture.cuts_of_tensor(tensor):
        text = _tr("Click: take tensor {tensor} out of cut {cut}").format(tensor=name, cut=cut)
    else:
        count = len(graph.consumers(tensor))
        edges = _tr("its edge") if count == 1 else _tr("its {count} edges").format(count=count)
        text = _tr("Click: put tensor {tensor} ({edges}) into cut {cut}").format(tensor=name, edges=edges, cut=cut)
    return f"{text} · {only}"


def _node_hint(picture: Picture, selection: Selection, node: int) -> str:
    graph, tensor = picture.graph, selection.tensor
    label = _name(graph.node_label(node))
    if tensor is None or graph.edge(tensor, node) is None:
        text = _tr("Click: select {op} {node}").format(op=graph.op(node), node=label)
        if node in graph.node_bodies:
            return f"{text} · " + _tr("Double click: open its body")
        group = int(picture.sheet.groups.node_group[node])
        if group < 0:
            return text
        return f"{text} · " + _tr("Double click: fold {group}").format(group=group_name(picture.sheet.groups, group))
    name, cut = _name(graph.tensor_names[tensor]), picture.active_cut
    if cut is None:
        return _tr("Click: start a cut with {tensor} for {node}").format(tensor=name, node=label)
    if node in picture.cut_consumers(tensor):
        return _tr("Click: take {node} out of cut {cut} for {tensor}").format(node=label, cut=cut, tensor=name)
    return _tr("Click: put {node} into cut {cut} for {tensor}").format(node=label, cut=cut, tensor=name)


def _group_hint(picture: Picture, selection: Selection, group: int) -> str:
    name, tensor = _name(picture.sheet.groups.names[group]), selection.tensor
    opens = _tr("Double click: unfold")
    inside = [] if tensor is None else picture.sheet.consumers_in(tensor, group)
    if tensor is None or not inside:
        return _tr("Click: select group {group}").format(group=name) + f" · {opens}"
    shown, cut = _name(picture.graph.tensor_names[tensor]), picture.active_cut
    if cut is None:
        return _tr("Click: start a cut with {tensor} for {group}").format(tensor=shown, group=name) + f" · {opens}"
    out = set(inside) <= picture.cut_consumers(tensor)
    text = _tr("Click: take {group} out of cut {cut} for {tensor}") if out else ""
    text = text or _tr("Click: put {group} into cut {cut} for {tensor}")
    return text.format(group=name, cut=cut, tensor=shown) + f" · {opens}"


def as_shown(text: str) -> str:
    """Returns plain text for a tooltip; Qt would otherwise guess from names like ``<b>`` that it is rich text."""
    return f'<p style="white-space:pre">{escape(text)}</p>'
