"""What a user asks for with one gesture, on an encoder of any number of layers that is cut into four stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutter_gui.core import Graph, Plan, assign_stages
from cutter_gui.core.assign import assign_nodes
from cutter_gui.core.compare_plans import compare_plans
from cutter_gui.core.knife import KnifeCut, knife
from cutter_gui.core.mend import mend
from cutter_gui.core.move_boundary import move_boundary
from cutter_gui.core.proposal import Proposal
from cutter_gui.core.repeat import places_like
from cutter_gui.core.start_stage import cut_after
from cutter_gui.core.traffic import balance
from strategies.small_graphs import small_plan
from strategies.transformers import transformer


@dataclass(frozen=True)
class CutEncoder:
    """An encoder, and a plan that cuts it after each quarter of its layers."""

    layers: int
    graph: Graph
    plan: Plan

    def name(self, part: float, tensor: str = "out", further: int = 0) -> str:
        """Returns the name of a tensor of the layer that stands at a part of the whole, and some layers further."""
        return f"layer{int(part * self.layers) + further}/{tensor}"

    def node(self, part: float, further: int = 0) -> int:
        """Returns the last node of a layer."""
        return int(self.graph.tensor_producer[self.graph.tensor_index[self.name(part, further=further)]])


def cut_encoder(layers: int) -> CutEncoder:
    graph, plan = transformer(layers), Plan()
    for part in (0.25, 0.5, 0.75):
        plan = _proposed(cut_after(graph, plan, CutEncoder(layers, graph, plan).node(part))).plan
    return CutEncoder(layers, graph, plan)


def start_a_stage(of: CutEncoder) -> Proposal:
    return _proposed(cut_after(of.graph, of.plan, of.node(0.6)))


def draw_with_the_knife(of: CutEncoder) -> Proposal:
    found = knife(of.graph, of.plan, of.graph.edges_of(of.graph.tensor_index[of.name(0.6)]))
    return _proposed(found.proposal if isinstance(found, KnifeCut) else found)


def assign_a_node(of: CutEncoder) -> Proposal:
    return _proposed(assign_nodes(of.graph, of.plan, {of.node(0.5, further=2): 1}))


def move_a_boundary(of: CutEncoder) -> Proposal:
    found = _proposed(move_boundary(of.graph, of.plan, 1, [of.node(0.5, further=2)], "down"))
    balance(found.staging)
    return found


def mend_a_plan(of: CutEncoder) -> Proposal:
    ends = (of.name(0.4, "attention/out"), of.name(0.4, "attention/out", further=2))
    mended = mend(of.graph, small_plan(*ends))
    assert mended.reason is None
    return _proposed(cut_after(of.graph, mended.plan, of.node(0.6)))


def compare_with_another_plan(of: CutEncoder) -> Proposal:
    other = assign_stages(of.graph, small_plan(f"{of.name(0.4)} mask"))
    assert compare_plans(assign_stages(of.graph, of.plan), other)
    return start_a_stage(of)


def places_alike(of: CutEncoder) -> int:
    """Returns in how many places the plan's second cut fits."""
    return len(places_like(assign_stages(of.graph, of.plan), 1))


def _proposed(found: object) -> Proposal:
    assert isinstance(found, Proposal), found
    return found


GESTURES: tuple[Callable[[CutEncoder], Proposal], ...] = (
    start_a_stage,
    draw_with_the_knife,
    assign_a_node,
    move_a_boundary,
    mend_a_plan,
    compare_with_another_plan,
)
