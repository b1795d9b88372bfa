"""What the Stages panel shows of a plan: items of the strip, and the details of one of them as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.contents import StageContents, Transfer
from cutter_gui.core.graph import Graph
from cutter_gui.core.units import bytes_text, tensor_size_text, type_text
from cutter_gui.gui.panels.cut_rows import SelectTensor
from cutter_gui.gui.panels.rows import Chip, Gap, Row, Sign, Span, Tone, name_span
from cutter_gui.gui.panels.sizes import count_text, nodes_text, parameter_count, tensors_text, total_text
from cutter_gui.gui.panels.stage_strip import Item, SendItem, StageItem

_LINES = 3
_LISTED = 100


@dataclass(frozen=True)
class RevealStage:
    stage: int


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPanel", text)


def strip_items(
    graph: Graph,
    stages: Iterable[StageContents],
    errors: Mapping[int, int] | None = None,
    symbols: Mapping[str, int] | None = None,
) -> tuple[Item, ...]:
    """Returns cards and, between them, what the stage on the left sends.

    Args:
        graph: The graph.
        stages: What the stages contain.
        errors: How many errors concern a stage, by its number.
        symbols: Values of symbols.
    """
    contents = tuple(stages)
    heaviest = max((stage.weight_bytes for stage in contents), default=0) or 1
    items: list[Item] = []
    for stage in contents:
        if stage.index:
            items.append(_send_item(graph, contents[stage.index - 1], symbols))
        empty = len(stage.own_nodes) == 0 and len(contents) > 1
        ends = " · ".join(
            count_text(one, many, len(tensors))
            for one, many, tensors in (
                (_tr("1 model input"), _tr("{} model inputs"), stage.inputs),
                (_tr("1 model output"), _tr("{} model outputs"), stage.outputs),
            )
            if len(tensors)
        )
        items.append(
            StageItem(
                stage.index,
                _tr("empty") if empty else nodes_text(len(stage.nodes)),
                _tr("weights {}").format(bytes_text(stage.weight_bytes)),
                stage.weight_bytes / heaviest,
                ends,
                empty,
                (errors or {}).get(stage.index, 0),
            )
        )
    return tuple(items)


def _send_item(graph: Graph, source: StageContents, symbols: Mapping[str, int] | None) -> SendItem:
    sends = source.sends
    if not sends:
        return SendItem(source.index, _tr("nothing sent"), ())
    if len(sends) == 1 and sends[0].destination == source.index + 1:
        size = total_text(graph, sends[0].tensors, symbols)
        return SendItem(source.index, _tr("Send ▸ Recv"), (size, tensors_text(len(sends[0].tensors))))
    lines = [f"▸ {send.destination}   {total_text(graph, send.tensors, symbols)}" for send in sends]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], _tr("and {} more").format(len(lines) - _LINES + 1)]
    return SendItem(source.index, _tr("Send ▸ Recv"), tuple(lines))


def stage_detail_rows(graph: Graph, stage: StageContents, symbols: Mapping[str, int] | None = None) -> tuple[Row, ...]:
    """Returns the details of a stage."""
    target = RevealStage(stage.index)
    rows = [
        Row(
            key="title",
            parts=(
                Chip(stage.index),
                Span(_tr("Stage {}").format(stage.index), bold=True),
                Gap(),
                Span(_tr("Show"), Tone.LINK, target=target),
            ),
            height=26,
            target=target,
        ),
        _pair(_tr("nodes"), str(len(stage.nodes))),
        _pair(_tr("weights"), f"{bytes_text(stage.weight_bytes)} · {tensors_text(len(stage.weights))}"),
    ]
    copied = len(stage.nodes) - len(stage.own_nodes)
    if copied:
        rows.append(_pair(_tr("constants copied in"), nodes_text(copied)))
    parameters = parameter_count(graph, stage.weights.tolist())
    if parameters is not None:
        rows.append(_pair(_tr("parameters"), f"{parameters:,}".replace(",", "\u202f")))
    rows += _tensors(graph, _tr("model inputs"), stage.inputs.tolist(), symbols)
    for transfer in stage.receives:
        rows += transfer_rows(graph, transfer, _tr("receives"), symbols)
    for transfer in stage.sends:
        rows += transfer_rows(graph, transfer, _tr("sends"), symbols)
    rows += _tensors(graph, _tr("model outputs"), stage.outputs.tolist(), symbols)
    return tuple(rows)


def send_detail_rows(graph: Graph, source: StageContents, symbols: Mapping[str, int] | None = None) -> tuple[Row, ...]:
    """Returns the details of all that a stage sends."""
    return tuple(row for transfer in source.sends for row in transfer_rows(graph, transfer, _tr("sends"), symbols))


def transfer_rows(
    graph: Graph, transfer: Transfer, word: str, symbols: Mapping[str, int] | None = None
) -> Iterator[Row]:
    """Yields a heading and the tensors of one Send and its Recv."""
    key = (word, transfer.source, transfer.destination)
    yield Row(
        key=key,
        parts=(
            Span(word, Tone.MUTED),
            Chip(transfer.source),
            Sign("arrow-right-s-line"),
            Chip(transfer.destination),
            Gap(),
            Span(total_text(graph, transfer.tensors, symbols), bold=True),
        ),
        height=28,
    )
    yield from _tensor_rows(graph, key, transfer.tensors, symbols)


def _pair(label: str, value: str) -> Row:
    return Row(key=("pair", label), parts=(Span(label, Tone.MUTED), Span(value, elastic=True)), height=20)


def _tensors(graph: Graph, title: str, tensors: list[int], symbols: Mapping[str, int] | None) -> Iterator[Row]:
    if tensors:
        yield Row(key=("section", title), parts=(Span(f"{title} {len(tensors)}", Tone.MUTED),), height=26)
        yield from _tensor_rows(graph, title, tensors, symbols)


def _tensor_rows(graph: Graph, key: object, tensors: Iterable[int], symbols: Mapping[str, int] | None) -> Iterator[Row]:
    listed = list(tensors)
    for at, tensor in enumerate(listed[:_LISTED]):
        target = SelectTensor(tensor)
        yield Row(
            key=(key, at, tensor),
            parts=(
                name_span(graph.tensor_names[tensor], tone=Tone.LINK, target=target),
                Gap(),
                Span(type_text(graph, tensor), Tone.MUTED),
                Span(tensor_size_text(graph, tensor, symbols), Tone.MUTED),
            ),
            indent=8,
            height=20,
            target=target,
        )
    if len(listed) > _LISTED:
        text = _tr("… {} more").format(len(listed) - _LISTED)
        yield Row(key=(key, "more"), parts=(Span(text, Tone.MUTED),), indent=8, height=20)
