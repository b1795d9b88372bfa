"""What a gesture would do to the document's plan: a ghost for the canvas, and the plan to take over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QCoreApplication

from cutter_gui.core.assign import assign_nodes
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph
from cutter_gui.core.knife import knife
from cutter_gui.core.move_boundary import move_boundary
from cutter_gui.core.plan import Plan
from cutter_gui.core.proposal import Proposal, Refusal
from cutter_gui.core.repeat import Place, repeat
from cutter_gui.core.start_stage import cut_after, cut_before
from cutter_gui.core.traffic import balance
from cutter_gui.core.units import bytes_text, type_text
from cutter_gui.gui.canvas.ghost import Ghost, GhostLine
from cutter_gui.gui.panels.sizes import size_text, total_text

Symbols = Mapping[str, int] | None
"""Values of symbolic dimensions, which the bytes shown and the cheapest cut go by; 1 where not given."""

_TENSORS = 5
_NAME = 80


def _tr(text: str) -> str:
    return QCoreApplication.translate("Previews", text)


@dataclass(frozen=True, eq=False)
class Preview:
    """What a gesture would do.

    Attributes:
        ghost: What the canvas shows of it.
        plan: The plan to take over; None when there is nothing to do.
        text: What the step of undo is called.
        active_cut: The cut that clicks go into afterwards.
        exact: The plan with just what was asked for, where that differs and can be written.
    """

    ghost: Ghost
    plan: Plan | None = None
    text: str = ""
    active_cut: int | None = None
    exact: Plan | None = None


def nothing_to_do(title: str, why: str, nodes: Sequence[int] = ()) -> Preview:
    """Returns a preview that says why there is nothing to do."""
    return Preview(Ghost(title, why, hint=f"{title}: {why}", refused=True, nodes=tuple(nodes)))


def start_stage(graph: Graph, plan: Plan, node: int, after: bool, symbols: Symbols = None) -> Preview:
    """Previews the complete cut before a node, or after it."""
    found = (cut_after if after else cut_before)(graph, plan, node, symbols)
    label = one_line(graph.node_label(node), _NAME)
    if isinstance(found, Refusal):
        title = _tr("No stage can end here") if after else _tr("No stage can start here")
        return nothing_to_do(title, found.reason, found.nodes)
    if after:
        title = _tr("Stage {} ends here").format(found.cut)
        hint = _tr("Click: end stage {0} with {1}, sending {2}")
        text = _tr("End stage {0} with {1}").format(found.cut, label)
        number = found.cut
    else:
        title = _tr("Stage {} starts here").format(found.cut + 1)
        hint = _tr("Click: start stage {0} with {1}, sending {2}")
        text = _tr("Start stage {0} with {1}").format(found.cut + 1, label)
        number = found.cut + 1
    said = hint.format(number, label, total_text(graph, found.tensors, symbols)) + _tr(
        " · Alt: after it · Enter: apply"
    )
    ghost = _ghost(graph, found, title, _complete(graph, found, symbols), said, symbols)
    return Preview(ghost, found.plan, text, found.cut)


def knife_cut(graph: Graph, plan: Plan, edges: Iterable[int], symbols: Symbols = None) -> Preview:
    """Previews the cut along a line that crosses edges."""
    found = knife(graph, plan, edges, symbols)
    if isinstance(found, Refusal):
        return nothing_to_do(_tr("Nothing to cut"), found.reason, found.nodes)
    proposal = found.proposal
    title = _tr("Cut {0}: {1} to send").format(found.at, total_text(graph, proposal.tensors, symbols))
    if found.is_complete:
        verdict = _complete(graph, proposal, symbols)
        count = len(proposal.edges)
        hint = _tr("Let go: cut 1 edge") if count == 1 else _tr("Let go: cut {} edges").format(count)
    else:
        edge = _tr("1 more edge completes it") if len(found.missing) == 1 else _tr("{} more edges complete it")
        verdict = _tr("Not complete: {}, cut too (dashed)").format(edge.format(len(found.missing)))
        hint = _tr("Let go: cut what is crossed, and what completes it · Shift: only what is crossed")
    if found.left_out:
        verdict += "\n" + _tr("{} crossed edges cannot be in it").format(len(found.left_out))
    ghost = _ghost(graph, proposal, title, verdict, hint + _tr(" · Esc: nothing"), symbols, found.missing)
    return Preview(ghost, proposal.plan, _tr("Knife: cut {}").format(found.at), found.at, found.as_drawn)


def push_border(
    graph: Graph,
    plan: Plan,
    cut: int,
    nodes: Sequence[int],
    direction: Literal["up", "down"],
    symbols: Symbols = None,
) -> Preview:
    """Previews the plan with a border pushed past nodes."""
    if not nodes:
        return nothing_to_do(_tr("Cut {} stays where it is").format(cut), _tr("push it past a node"))
    found = move_boundary(graph, plan, cut, nodes, direction, symbols)
    if isinstance(found, Refusal):
        return nothing_to_do(_tr("Cut {} cannot go there").format(cut), found.reason, found.nodes)
    figures = balance(found.staging, symbols)
    shares = "  ".join(
        _tr("stage {0}: {1} nodes, {2}").format(stage, figures.nodes[stage], bytes_text(figures.weight_bytes[stage]))
        for stage in (cut, cut + 1)
        if stage < len(figures.nodes)
    )
    title = _tr("Cut {0}: {1} to send").format(cut, total_text(graph, found.tensors, symbols))
    hint = _tr("Let go, or Enter: move the cut here · {} · Esc: leave it").format(shares)
    later = direction == "down"
    text = (_tr("Push cut {} towards the outputs") if later else _tr("Push cut {} towards the inputs")).format(cut)
    return Preview(_ghost(graph, found, title, shares.replace("  ", "\n"), hint, symbols), found.plan, text, cut)


def put_into_stage(graph: Graph, plan: Plan, nodes: Sequence[int], stage: int, symbols: Symbols = None) -> Preview:
    """Previews the plan that puts nodes into a stage."""
    found = assign_nodes(graph, plan, dict.fromkeys(nodes, stage), symbols)
    if isinstance(found, Refusal):
        return nothing_to_do(_tr("They cannot be in stage {}").format(stage), found.reason, found.nodes)
    count = _tr("1 node") if len(nodes) == 1 else _tr("{} nodes").format(len(nodes))
    title = _tr("{0} in stage {1}").format(count, stage)
    hint = _tr("Enter: put {0} into stage {1} · Esc: leave them").format(count, stage)
    if found.plan == plan:
        return nothing_to_do(title, _tr("they are there already"))
    text = _tr("Put {0} into stage {1}").format(count, stage)
    ghost = _ghost(graph, found, title, _complete(graph, found, symbols) + "\n" + _tr("Enter: apply"), hint, symbols)
    return Preview(ghost, found.plan, text, found.cut if found.cut >= 0 else None)


def repeat_cut(graph: Graph, plan: Plan, places: Sequence[Place], symbols: Symbols = None) -> Preview:
    """Previews one more cut at each of some places."""
    found = repeat(graph, plan, places, symbols)
    if isinstance(found, Refusal):
        return nothing_to_do(_tr("No cuts to make"), found.reason, found.nodes)
    count = _tr("1 more cut") if len(places) == 1 else _tr("{} more cuts").format(len(places))
    stages = _tr("{} stages").format(found.staging.stage_count)
    sent = balance(found.staging, symbols).total_bytes
    verdict = _tr("✓ {0}, {1} sent in all").format(stages, bytes_text(sent))
    ghost = replace(_ghost(graph, found, count, verdict, f"{count} · {stages}", symbols), lines=())
    return Preview(ghost, found.plan, _tr("Repeat: {}").format(count), found.cut)


def _complete(graph: Graph, found: Proposal, symbols: Symbols) -> str:
    count = _tr("1 tensor") if len(found.tensors) == 1 else _tr("{} tensors").format(len(found.tensors))
    said = _tr("✓ Complete: {0}, {1}").format(count, total_text(graph, found.tensors, symbols))
    return "\n".join([said, *(_tr("first: {}").format(one_line(step)) for step in found.mended)])


def _ghost(
    graph: Graph,
    found: Proposal,
    title: str,
    verdict: str,
    hint: str,
    symbols: Symbols,
    added: Sequence[int] = (),
) -> Ghost:
    lines = [
        GhostLine(
            one_line(graph.tensor_names[tensor], _NAME),
            f"{type_text(graph, tensor)} · {size_text(graph, tensor, symbols or {})}",
        )
        for tensor in found.tensors[:_TENSORS]
    ]
    if len(found.tensors) > _TENSORS:
        lines.append(GhostLine(_tr("… {} more").format(len(found.tensors) - _TENSORS), ""))
    return Ghost(title, verdict, tuple(lines), hint, False, found.staging, found.cut, found.edges, tuple(added))
