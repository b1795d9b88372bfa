"""The cuts of a plan as rows: a card for each cut, the active one unfolded.

A card's head shows the stages that the cut separates, its name and the bytes that cross there. The active card lists
its tensors, and below a tensor that is cut in part, or that the user opened, its consumers as check boxes. Long lists
of consumers show their beginning until they are opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.edits import is_listed
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import TensorKind
from cutter_gui.core.plan import CutEdge
from cutter_gui.core.stages import Staging, resolve_edge
from cutter_gui.core.units import tensor_size_text, type_text
from cutter_gui.gui.panels.rows import CardPlace, Check, Chip, Gap, Part, Row, Sign, Span, Tone, name_span
from cutter_gui.gui.panels.sizes import total_text

CONSUMERS_SHOWN = 8
_HEAD = 34
_INDENT = 4


@dataclass(frozen=True)
class ActivateCut:
    cut: int


@dataclass(frozen=True)
class RemoveCut:
    cut: int


@dataclass(frozen=True)
class NewCut:
    pass


@dataclass(frozen=True)
class SelectTensor:
    tensor: int


@dataclass(frozen=True)
class SelectNode:
    node: int


@dataclass(frozen=True)
class ToggleConsumer:
    cut: int
    tensor: int
    consumer: int


@dataclass(frozen=True)
class OpenConsumers:
    """Shows or hides the consumers of a tensor."""

    tensor: int


@dataclass(frozen=True)
class ShowAllConsumers:
    tensor: int


@dataclass(frozen=True)
class RemoveTensor:
    cut: int
    name: str


@dataclass(frozen=True)
class Unfolded:
    """What the user opened: tensors whose consumers are shown, and those of which all are."""

    opened: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    whole: frozenset[int] = frozenset()
    filter: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("CutsPanel", text)


def cut_rows(
    staging: Staging, active: int | None, unfolded: Unfolded, symbols: Mapping[str, int] | None = None
) -> tuple[Row, ...]:
    """Returns the rows of all cuts; bytes are counted with the values given to symbols."""
    rows: list[Row] = []
    for cut in range(len(staging.plan.cuts)):
        card = list(_card(staging, cut, cut == active, unfolded, symbols))
        card[0] = replace(card[0], card=CardPlace.TOP)
        card[-1] = replace(card[-1], card=CardPlace.BOTTOM)
        rows += card
        rows.append(Row(key=("space", cut), parts=(), height=8, card=CardPlace.SPACE))
    if not rows:
        text = _tr("No cuts yet. Click an edge on the canvas: it makes the first one.")
        rows.append(Row(key="none", parts=(Span(text, Tone.MUTED),), wrap=True))
    new = (Sign("add-line", Tone.LINK, target=NewCut()), Span(_tr("New cut"), Tone.LINK, target=NewCut()))
    rows.append(Row(key="new", parts=new, height=28, indent=4, target=NewCut()))
    return tuple(rows)


def tensors_of_cut(staging: Staging, cut: int) -> list[int]:
    """Returns the tensors a cut lists, each once, in order."""
    index = staging.graph.tensor_index
    numbers = (index.get(edge.tensor) for edge in staging.plan.cuts[cut].edges)
    return list(dict.fromkeys(number for number in numbers if number is not None))


def _card(
    staging: Staging, cut: int, active: bool, unfolded: Unfolded, symbols: Mapping[str, int] | None
) -> Iterator[Row]:
    this = staging.plan.cuts[cut]
    tensors = tensors_of_cut(staging, cut)
    size = Span(total_text(staging.graph, tensors, symbols) if tensors else "", Tone.MUTED)
    title = this.name or _tr("Cut {}").format(cut)
    parts: tuple[Part, ...] = (
        Chip(cut),
        Sign("arrow-right-s-line"),
        Chip(cut + 1),
        replace(name_span(title), mono=False, bold=True),
        Gap(),
        size,
    )
    if active:
        parts = (*parts, Sign("close-line", target=RemoveCut(cut), tip=_tr("Remove this cut")))
    yield Row(
        key=("cut", cut),
        parts=parts,
        height=_HEAD,
        card=CardPlace.MIDDLE,
        active=active,
        target=ActivateCut(cut),
        edit=this.name or "",
    )
    body = _tensor_rows(staging, cut, unfolded, symbols or {}) if active else iter(())
    empty = True
    for row in body:
        empty = False
        yield replace(row, card=CardPlace.MIDDLE, active=active)
    if empty or not active:
        yield Row(
            key=("summary", cut),
            parts=(Span(_summary(staging, cut, tensors), Tone.MUTED, elastic=True),),
            indent=_INDENT,
            height=26,
            card=CardPlace.MIDDLE,
            active=active,
            target=ActivateCut(cut),
        )
    else:
        yield Row(key=("foot", cut), parts=(), height=6, card=CardPlace.MIDDLE, active=active)


def _summary(staging: Staging, cut: int, tensors: list[int]) -> str:
    names = len({edge.tensor for edge in staging.plan.cuts[cut].edges})
    if not names:
        return _tr("Empty: click an edge on the canvas to cut it")
    if names == 1:
        shape = type_text(staging.graph, tensors[0]) if tensors else _tr("not in this model")
        return f"{one_line(staging.plan.cuts[cut].edges[0].tensor)} · {shape}"
    return _tr("{} tensors").format(names)


def _tensor_rows(staging: Staging, cut: int, unfolded: Unfolded, symbols: Mapping[str, int]) -> Iterator[Row]:
    graph = staging.graph
    by_name: dict[str, list[CutEdge]] = {}
    for edge in staging.plan.cuts[cut].edges:
        by_name.setdefault(edge.tensor, []).append(edge)
    wanted = unfolded.filter.lower()
    for name, edges in by_name.items():
        if wanted and wanted not in name.lower():
            continue
        tensor = graph.tensor_index.get(name)
        if tensor is None:
            yield _stale_row(cut, name)
            continue
        chosen: set[int] = set()
        unknown: list[str] = []
        for cut_edge in edges:
            found = resolve_edge(graph, cut_edge)
            if found is not None:
                chosen.update(int(graph.edge_consumer[edge]) for edge in found[0])
                unknown += found[1]
        yield from _known_tensor(staging, cut, tensor, chosen, unknown, unfolded, symbols)


def _stale_row(cut: int, name: str) -> Row:
    return Row(
        key=("stale", cut, name),
        parts=(
            Sign("error-warning-line", Tone.ERROR),
            name_span(name),
            Gap(),
            Span(_tr("not in this model"), Tone.ERROR),
            Sign("close-line", target=RemoveTensor(cut, name), tip=_tr("Take it out of the cut")),
        ),
        indent=_INDENT,
        height=24,
    )


def _known_tensor(
    staging: Staging,
    cut: int,
    tensor: int,
    chosen: set[int],
    unknown: list[str],
    unfolded: Unfolded,
    symbols: Mapping[str, int],
) -> Iterator[Row]:
    graph = staging.graph
    consumers = graph.consumers(tensor).tolist()
    in_part = len(chosen) < len(consumers)
    opened = (in_part or tensor in unfolded.opened) and tensor not in unfolded.closed
    name = graph.tensor_names[tensor]
    parts: list[Part] = [name_span(name, target=SelectTensor(tensor))]
    if graph.tensor_kind[tensor] == TensorKind.INPUT:
        parts.append(Span(_tr("model input"), Tone.MUTED))
    parts += [Gap(), Sign("close-line", target=RemoveTensor(cut, name), tip=_tr("Take it out of the cut"))]
    yield Row(key=("tensor", cut, tensor), parts=tuple(parts), indent=_INDENT, height=24, target=SelectTensor(tensor))
    if in_part:
        uses = _tr("to {0} of {1}").format(len(chosen), len(consumers))
    elif len(consumers) == 1:
        uses = _tr("to 1")
    else:
        uses = _tr("to all {}").format(len(consumers))
    tip = _tr("{0} of its {1} consumers are cut off; click to list them").format(len(chosen), len(consumers))
    fold = Sign("arrow-down-s-line" if opened else "arrow-right-s-line", target=OpenConsumers(tensor))
    yield Row(
        key=("type", cut, tensor),
        parts=(
            Span(f"{type_text(graph, tensor)} · {tensor_size_text(graph, tensor, symbols)}", Tone.MUTED, elastic=True),
            Gap(),
            Span(uses, Tone.MUTED, target=OpenConsumers(tensor), tip=tip),
            fold,
        ),
        indent=_INDENT,
        height=20,
        target=SelectTensor(tensor),
    )
    for missing in unknown:
        parts = [Sign("error-warning-line", Tone.ERROR), name_span(missing), Gap()]
        note = Span(_tr("does not read it"), Tone.ERROR)
        yield Row(key=("unknown", cut, tensor, missing), parts=(*parts, note), indent=16, height=22)
    if opened:
        yield from _consumer_rows(staging, cut, tensor, consumers, chosen, tensor in unfolded.whole)


def _consumer_rows(
    staging: Staging, cut: int, tensor: int, consumers: list[int], chosen: set[int], whole: bool
) -> Iterator[Row]:
    graph = staging.graph
    shown = consumers if whole or len(consumers) <= CONSUMERS_SHOWN + 1 else _most_telling(consumers, chosen)
    for node in shown:
        stage = int(staging.node_stage[node])
        toggle = ToggleConsumer(cut, tensor, node)
        parts: tuple[Part, ...] = (
            Check(node in chosen, toggle, enabled=graph.consumer_name(node) is not None),
            Span(one_line(graph.op(node), 80)),
            name_span(graph.consumer_name(node) or graph.node_label(node), tone=Tone.MUTED, target=SelectNode(node)),
            Gap(),
        )
        yield Row(
            key=("consumer", cut, tensor, node),
            parts=(*parts, Chip(stage)) if stage >= 0 else parts,
            indent=16,
            height=24,
            target=toggle,
        )
    if len(shown) < len(consumers):
        yield Row(
            key=("more", cut, tensor),
            parts=(
                Span(_tr("… {} more").format(len(consumers) - len(shown)), Tone.LINK, target=ShowAllConsumers(tensor)),
            ),
            indent=16,
            height=24,
            target=ShowAllConsumers(tensor),
        )


def _most_telling(consumers: list[int], chosen: set[int]) -> list[int]:
    """Returns the few consumers around the place where the chosen ones begin."""
    first = next((at for at, node in enumerate(consumers) if node in chosen), 0)
    start = max(0, min(first - 1, len(consumers) - CONSUMERS_SHOWN))
    return consumers[start : start + CONSUMERS_SHOWN]


def listed_in(staging: Staging, tensor: int) -> list[int]:
    """Returns the cuts that list a tensor."""
    name = staging.graph.tensor_names[tensor]
    return [cut for cut in range(len(staging.plan.cuts)) if is_listed(staging.plan, cut, name)]
