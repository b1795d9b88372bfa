"""What the Stages preview says of a plan: read from the very contents that a split writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QCoreApplication

from cutter_gui.core.contents import StageContents, Transfer
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.hops import Hop, hops, passed_on, received_and_read, sent_over
from cutter_gui.core.stages import Staging
from cutter_gui.core.transfer_names import transfer_node_names
from cutter_gui.core.units import bytes_text, type_text
from cutter_gui.gui.panels.sizes import nodes_text, parameter_count, tensors_text, total_text, valued_text
from cutter_gui.gui.stages_preview.drawing import ChannelTarget, WireTarget

_OPS_SHOWN = 6
_NAME = 200


def _tr(text: str) -> str:
    return QCoreApplication.translate("StagesPreview", text)


@dataclass(frozen=True, eq=False)
class Facts:
    """A plan to be shown.

    Attributes:
        staging: Its stages.
        contents: What each stage holds, receives and sends.
        symbols: Values of symbols, by dimension as it is written.
        names_nodes: Whether each Send and Recv is written as a node, which has a name.
    """

    staging: Staging
    contents: tuple[StageContents, ...]
    symbols: Mapping[str, int]
    names_nodes: bool = False

    @property
    def graph(self) -> Graph:
        return self.staging.graph

    @property
    def is_relay(self) -> bool:
        return self.staging.plan.transport == "relay"

    @cached_property
    def moved(self) -> tuple[Transfer, ...]:
        """Every transfer, by source, then destination."""
        return tuple(transfer for stage in self.contents for transfer in stage.sends)

    @cached_property
    def hops(self) -> tuple[Hop, ...]:
        return hops(self.moved)

    @cached_property
    def hops_of(self) -> Mapping[Transfer, tuple[Hop, ...]]:
        """The hops of each transfer, in the order of its tensors."""
        found: dict[Transfer, list[Hop]] = {transfer: [] for transfer in self.moved}
        for hop in self.hops:
            found[hop.transfer].append(hop)
        return {transfer: tuple(listed) for transfer, listed in found.items()}

    @cached_property
    def lanes(self) -> Mapping[Hop, int]:
        """The lane of each tensor that is sent past a stage; those that share one are never side by side."""
        ends: list[int] = []  # of each lane, where it is free again
        found: dict[Hop, int] = {}
        for hop in self.hops:
            source, destination = hop.transfer.source, hop.transfer.destination
            if destination > source + 1:
                lane = next((lane for lane, end in enumerate(ends) if end <= source), len(ends))
                ends[lane : lane + 1] = [destination]
                found[hop] = lane
        return found

    def transfer(self, end: ChannelTarget | WireTarget) -> Transfer:
        """Returns what a Send, a Recv or a wire belongs to."""
        return next(
            transfer
            for transfer in self.moved
            if (transfer.source, transfer.destination) == (end.source, end.destination)
        )

    @cached_property
    def _place(self) -> Ints:
        place = np.zeros(self.graph.node_count, dtype=np.int32)
        place[self.graph.order] = np.arange(len(self.graph.order), dtype=np.int32)
        return place

    @cached_property
    def read_in(self) -> tuple[frozenset[int], ...]:
        """The tensors that each stage receives and reads."""
        return tuple(received_and_read(self.staging, stage) for stage in range(len(self.contents)))

    @cached_property
    def passing(self) -> tuple[frozenset[int], ...]:
        """The tensors that each stage receives and sends on."""
        return tuple(passed_on(held) for held in self.contents)

    def nodes(self, stage: int) -> tuple[int, ...]:
        """Returns the nodes of a stage in the order in which they are written."""
        nodes = self.contents[stage].nodes
        return tuple(nodes[np.argsort(self._place[nodes], kind="stable")].tolist())

    def is_copied(self, node: int) -> bool:
        """Whether a node is a constant one, of which each stage that needs it has a copy."""
        return bool(self.graph.node_constant[node])

    # --- texts

    def name(self, tensor: int) -> str:
        return one_line(self.graph.tensor_names[tensor], _NAME)

    def node_name(self, node: int) -> str:
        return one_line(self.graph.node_label(node), _NAME)

    def type(self, tensor: int) -> str:
        return type_text(self.graph, tensor)

    def size(self, tensors: Iterable[int]) -> str:
        """Returns bytes with symbols and, where these have values, what that comes to."""
        return valued_text(self.graph, tensors, self.symbols)

    def stage_lines(self, stage: int) -> tuple[str, ...]:
        """Returns nodes, parameters, and bytes of weights."""
        held = self.contents[stage]
        copied = len(held.nodes) - len(held.own_nodes)
        nodes = nodes_text(len(held.nodes))
        if copied:
            one, many = _tr("(1 constant copied)"), _tr("({} constants copied)")
            nodes += " " + (one if copied == 1 else many.format(copied))
        weights = _tr("weights {}").format(bytes_text(held.weight_bytes))
        parameters = parameter_count(self.graph, held.weights.tolist())
        if parameters is not None:
            count = _tr("1 parameter") if parameters == 1 else _tr("{} parameters").format(_figure(parameters))
            weights = f"{count} · {weights}"
        return nodes, weights

    def ops(self, stage: int) -> tuple[str, ...]:
        """Returns the ops of a stage, the most frequent first, with how many there are."""
        counted = Counter(self.graph.node_op[self.contents[stage].nodes].tolist()).most_common(_OPS_SHOWN)
        return tuple(f"{count} {one_line(self.graph.op_types[op])}" for op, count in counted)

    def channel_title(self, transfer: Transfer, is_send: bool) -> str:
        label = transfer.label(self.staging.plan.transport)
        return (_tr("Send {}") if is_send else _tr("Recv {}")).format(label)

    @cached_property
    def _channel_names(self) -> Mapping[Transfer, tuple[str, str]]:
        return transfer_node_names(self.moved, self.staging.plan.transport, self.graph.node_names)

    def channel_name(self, transfer: Transfer, is_send: bool) -> str:
        """Returns the name of the node that is written for a Send or Recv, empty where none is."""
        return self._channel_names[transfer][0 if is_send else 1] if self.names_nodes else ""

    def channel_detail(self, transfer: Transfer, is_send: bool) -> str:
        """Returns rank and tag as they are written."""
        if is_send:
            return _tr("to rank {0} · tag {1}").format(transfer.send_rank, transfer.tag)
        return _tr("from rank {0} · tag {1}").format(transfer.recv_rank, transfer.tag)

    def hop_text(self, hop: Hop) -> str:
        """Returns which hop of a tensor this is, empty when it has only one between neighbours."""
        between = range(hop.transfer.source + 1, hop.transfer.destination)
        if between:
            stages = ", ".join(map(str, between)) if len(between) < 4 else f"{between[0]}–{between[-1]}"
            return (_tr("past stage {}") if len(between) == 1 else _tr("past stages {}")).format(stages)
        if hop.count < 2 or not self.is_relay:
            return ""
        return _tr("hop {0} of {1}").format(hop.number, hop.count)

    def boundary_lines(self, boundary: int) -> tuple[str, ...]:
        """Returns what crosses a boundary: tensors, and bytes per micro-batch."""
        sent = sent_over(self.moved, boundary)
        if not sent:
            return _tr("Boundary {}").format(boundary), _tr("nothing sent")
        count = _tr("{} per micro-batch").format(tensors_text(len(sent)))
        return _tr("Boundary {}").format(boundary), count, self.size(sent)

    def summary(self) -> str:
        """Returns the whole plan in a line."""
        count = len(self.contents)
        stages = _tr("1 stage") if count == 1 else _tr("{} stages").format(count)
        sent = [hop.tensor for hop in self.hops]
        if not sent:
            return _tr("{} · nothing is sent").format(stages)
        ways = _tr("1 hop") if len(sent) == 1 else _tr("{} hops").format(len(sent))
        size = total_text(self.graph, sent, self.symbols)
        return _tr("{0} · {1} · {2} sent per micro-batch").format(stages, ways, size)


def _figure(count: int) -> str:
    """Returns a count as people say it: ``110 M``, ``25.6 M``, ``4 096``."""
    for unit, scale in (("G", 10**9), ("M", 10**6)):
        if count >= scale:
            value = count / scale
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}".replace(".0 ", " ")
    return f"{count:,}".replace(",", "\u202f")
