"""What is selected, as rows: a node, a tensor, or else the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.core.stages import Staging, cut_name
from cutter_gui.core.units import bytes_text, tensor_size_text, type_text
from cutter_gui.gui.panels.cut_rows import ActivateCut, SelectNode, SelectTensor, listed_in
from cutter_gui.gui.panels.rows import Chip, Gap, Part, Row, Span, Tone, name_span
from cutter_gui.gui.panels.sizes import size_text, total_text

LISTED = 24
_LINE = 22
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class ShowAll:
    """Shows a section of the inspector whole."""

    section: str


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)


def _pair(label: str, *parts: Part, key: object = None) -> Row:
    return Row(key=(label, key), parts=(Span(label, Tone.MUTED), *parts), height=_LINE)


def _title(*parts: Part) -> Row:
    return Row(key="title", parts=parts, height=26)


def _section(title: str, count: int, note: str = "") -> Row:
    text = f"{title} {count}" + (f" · {note}" if note else "")
    return Row(key=("section", title), parts=(Span(text, Tone.MUTED),), height=28)


def _limited(
    things: Sequence[Thing], row_of: Callable[[Thing, int], Row], section: str, whole: frozenset[str]
) -> Iterator[Row]:
    """Yields a row for each thing and its place, or for the first ones; rows that are not listed are not made."""
    if section in whole or len(things) <= LISTED + 1:
        yield from (row_of(thing, at) for at, thing in enumerate(things))
        return
    yield from (row_of(thing, at) for at, thing in enumerate(things[:LISTED]))
    text = _tr("… {} more").format(len(things) - LISTED)
    target = ShowAll(section)
    yield Row(
        key=("more", section), parts=(Span(text, Tone.LINK, target=target),), height=_LINE, target=target, indent=8
    )


def model_rows(
    path: Path, graph: Graph, whole: frozenset[str], symbols: Mapping[str, int], body: str = ""
) -> tuple[Row, ...]:
    """Returns the rows for the model as a whole, or for a body of one of its nodes, under the name of that node."""
    rows = [
        _title(Span(one_line(body or path.name), bold=True, elastic=True, tip=str(path))),
        _pair(_tr("nodes"), Span(str(graph.node_count))),
        _pair(_tr("tensors"), Span(str(graph.tensor_count))),
        _pair(_tr("weights"), Span(bytes_text(int(graph.tensor_stored.sum())))),
    ]
    rows += [_pair(one_line(key, 40), Span(one_line(value), elastic=True)) for key, value in graph.metadata.items()]
    for title, tensors in ((_tr("inputs"), graph.inputs.tolist()), (_tr("outputs"), graph.outputs.tolist())):
        rows.append(_section(title, len(tensors)))
        rows += _tensor_rows(graph, tensors, title, whole, symbols)
    return tuple(rows)


def _tensor_rows(
    graph: Graph, tensors: Sequence[int], title: str, whole: frozenset[str], symbols: Mapping[str, int]
) -> Iterator[Row]:
    return _limited(tensors, lambda tensor, at: _tensor_row(graph, tensor, (title, at), symbols), title, whole)


def _tensor_row(graph: Graph, tensor: int, key: object, symbols: Mapping[str, int]) -> Row:
    target = SelectTensor(tensor)
    return Row(
        key=("tensor", tensor, key),
        parts=(
            name_span(graph.tensor_names[tensor], tone=Tone.LINK, target=target),
            Gap(),
            Span(type_text(graph, tensor), Tone.MUTED),
            Span(tensor_size_text(graph, tensor, symbols), Tone.MUTED),
        ),
        indent=8,
        height=_LINE,
        target=target,
    )


def _cut_row(staging: Staging, cut: int) -> Row:
    target = ActivateCut(cut)
    name = one_line(cut_name(staging.plan.cuts[cut], cut))
    parts = (Span(name, Tone.LINK, target=target),)
    return Row(key=("cut", cut), parts=parts, indent=8, height=_LINE, target=target)


def _stage_chip(staging: Staging, node: int) -> tuple[Part, ...]:
    stage = int(staging.node_stage[node])
    return (Chip(stage),) if stage >= 0 else (Span(_tr("constant"), Tone.MUTED),)


def _node_row(staging: Staging, node: int, key: object) -> Row:
    graph, target = staging.graph, SelectNode(node)
    return Row(
        key=("node", node, key),
        parts=(
            Span(one_line(graph.op(node), 80)),
            name_span(graph.node_label(node), tone=Tone.LINK, target=target),
            Gap(),
            *_stage_chip(staging, node),
        ),
        indent=8,
        height=_LINE,
        target=target,
    )


def node_rows(staging: Staging, node: int, whole: frozenset[str], symbols: Mapping[str, int]) -> tuple[Row, ...]:
    """Returns the rows for a node."""
    graph = staging.graph
    rows = [
        _title(Span(one_line(graph.op(node), 80), bold=True, elastic=True), Gap(), *_stage_chip(staging, node)),
        _pair(_tr("name"), name_span(graph.node_names[node] or _tr("(none)"))),
    ]
    if graph.node_scopes[node]:
        rows.append(_pair(_tr("group"), name_span("/".join(graph.node_scopes[node]))))
    attributes = [
        _pair(one_line(name, 60), Span(one_line(value), elastic=True, tip=one_line(value)), key=at)
        for at, (name, value) in enumerate(graph.node_attributes[node])
    ]
    rows += _limited(attributes, lambda row, _: row, "attributes", whole)
    read = [int(tensor) for tensor in graph.node_inputs.row(node) if tensor >= 0]
    weights = [tensor for tensor in read if graph.tensor_kind[tensor] == TensorKind.INITIALIZER]
    data = [tensor for tensor in read if graph.tensor_kind[tensor] != TensorKind.INITIALIZER]
    made = [int(tensor) for tensor in graph.node_outputs.row(node) if tensor >= 0]
    captured = graph.node_captures.row(node).tolist()
    for title, tensors in (
        (_tr("inputs"), data),
        (_tr("read by its body"), captured),
        (_tr("weights"), weights),
        (_tr("outputs"), made),
    ):
        if tensors:
            note = total_text(graph, tensors) if tensors is weights else ""
            rows.append(_section(title, len(tensors), note))
            rows += _tensor_rows(graph, tensors, title, whole, symbols)
    return tuple(rows)


def tensor_rows(staging: Staging, tensor: int, whole: frozenset[str], symbols: Mapping[str, int]) -> tuple[Row, ...]:
    """Returns the rows for a tensor."""
    graph = staging.graph
    rows = [
        _title(name_span(graph.tensor_names[tensor], bold=True)),
        _pair(_tr("type"), Span(type_text(graph, tensor)), Span(size_text(graph, tensor, symbols), Tone.MUTED)),
    ]
    kind = {
        TensorKind.INPUT: _tr("a model input"),
        TensorKind.INITIALIZER: _tr("a weight"),
        TensorKind.MISSING: _tr("nothing: the model is broken"),
    }.get(TensorKind(int(graph.tensor_kind[tensor])))
    if kind is None:
        rows.append(Row(key="from", parts=(Span(_tr("made by"), Tone.MUTED),), height=_LINE))
        rows.append(_node_row(staging, int(graph.tensor_producer[tensor]), "producer"))
    else:
        rows.append(_pair(_tr("made by"), Span(kind)))
    if tensor in graph.outputs:
        rows.append(_pair(_tr("use"), Span(_tr("a model output"))))
    consumers = graph.consumers(tensor).tolist()
    rows.append(_section(_tr("consumers"), len(consumers)))
    rows += _limited(consumers, lambda node, _: _node_row(staging, node, "consumer"), "consumers", whole)
    cuts = listed_in(staging, tensor)
    if cuts:
        rows.append(_section(_tr("listed by cuts"), len(cuts)))
        rows += _limited(cuts, lambda cut, _: _cut_row(staging, cut), "cuts", whole)
    return tuple(rows)
