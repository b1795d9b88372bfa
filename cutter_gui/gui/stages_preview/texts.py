"""What the Stages preview says: tooltips, and what a click would do."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QCoreApplication

from cutter_gui.gui.stages_preview.drawing import (
    ChannelTarget,
    EndTarget,
    NodesTarget,
    NodeTarget,
    StageTarget,
    Target,
    WireTarget,
)
from cutter_gui.gui.stages_preview.facts import Facts

_TENSORS = 12


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPreview", text)


def stage_of(target: Target) -> int:
    """Returns the stage that something belongs to; a wire belongs to the one that sends."""
    match target:
        case ChannelTarget(source=source, destination=destination, is_send=is_send):
            return source if is_send else destination
        case WireTarget(source=source):
            return source
        case StageTarget(stage=stage) | NodesTarget(stage=stage) | NodeTarget(stage=stage) | EndTarget(stage=stage):
            return stage


def tip(facts: Facts, target: Target) -> str:
    """Returns what there is to know about something, as plain text in lines."""
    match target:
        case WireTarget():
            return "\n".join(_wire_lines(facts, target))
        case ChannelTarget():
            return "\n".join(_channel_lines(facts, target))
        case EndTarget(tensor=tensor, is_input=is_input):
            kind = _tr("model input") if is_input else _tr("model output")
            return "\n".join((facts.name(tensor), f"{facts.type(tensor)} · {facts.size([tensor])}", kind))
        case NodeTarget(node=node):
            copied = [_tr("constant: each stage that needs it has a copy")] if facts.is_copied(node) else []
            return "\n".join((facts.graph.op(node), facts.node_name(node), *copied))
        case NodesTarget(stage=stage):
            return "\n".join((facts.stage_lines(stage)[0], " · ".join(facts.ops(stage))))
        case StageTarget(stage=stage):
            return "\n".join((_tr("Stage {}").format(stage), *facts.stage_lines(stage)))


def _wire_lines(facts: Facts, target: WireTarget) -> list[str]:
    hop = next(hop for hop in facts.hops_of[facts.transfer(target)] if hop.tensor == target.tensor)
    place = _tr("place {0} of {1} in {2}").format(
        hop.place + 1, len(hop.transfer.tensors), facts.channel_title(hop.transfer, True)
    )
    way = facts.hop_text(hop)
    return [
        facts.name(hop.tensor),
        f"{facts.type(hop.tensor)} · {facts.size([hop.tensor])}",
        _tr("from stage {0} to stage {1}").format(target.source, target.destination) + (f" · {way}" if way else ""),
        place,
    ]


def _channel_lines(facts: Facts, target: ChannelTarget) -> list[str]:
    transfer = facts.transfer(target)
    name = facts.channel_name(transfer, target.is_send)
    lines = [
        facts.channel_title(transfer, target.is_send),
        *([_tr("node {}").format(name)] if name else []),
        facts.channel_detail(transfer, target.is_send),
        facts.size(transfer.tensors),
    ]
    lines += [f"{place}  {facts.name(tensor)}" for place, tensor in enumerate(transfer.tensors[:_TENSORS])]
    return [*lines, "…"] if len(transfer.tensors) > _TENSORS else lines


def hint(facts: Facts, target: Target | None, unfolded: Collection[int]) -> str:
    """Returns what a click would do now."""
    match target:
        case WireTarget(tensor=tensor) | EndTarget(tensor=tensor):
            return _tr("Click: select tensor {}, here and on the canvas").format(facts.name(tensor))
        case ChannelTarget():
            return _tr("Click: select its tensors, one after the other")
        case NodeTarget(node=node):
            return _tr("Click: select node {}, here and on the canvas").format(facts.node_name(node))
        case NodesTarget(stage=stage):
            fold, unfold = _tr("Click: fold the nodes of stage {}"), _tr("Click: show the nodes of stage {}")
            return (fold if stage in unfolded else unfold).format(stage)
        case StageTarget(stage=stage):
            return _tr("Click: show stage {} on the canvas · Double click or U: its nodes").format(stage)
    return _tr("Drag or wheel: move · Ctrl+wheel: zoom · Arrow keys: walk · U: nodes of a stage · F: all stages")
