"""The same stages as torch's own ``split_module``, for the plans that it can express: a function of the node."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from torch import fx
from torch.fx.passes.split_module import split_module

from cutter_gui.fx.in_torch.write_stages import stages_of
from strategies.fx_plans import levels, plan_of
from strategies.fx_programs import graph, program

CALLS = ("call_function", "call_module", "call_method")

places = st.lists(st.floats(0.02, 0.98), min_size=1, max_size=4).map(sorted)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("symbolic", name) for name in ("residual network", "asserting", "recurrent", "quantized")),
        *(("exported", name) for name in ("encoder", "decoder", "experts", "recurrent", "in place")),
    ],
)
@settings(max_examples=5)
@given(places=places, transport=st.sampled_from(["relay", "direct"]))
def test_memberships_are_those_of_split_module(kind: str, name: str, places: list[float], transport: Any) -> None:
    whole, model_graph = program(kind, name), graph(kind, name)
    stage = levels(model_graph, places)
    stage_of = {model_graph.node_names[n]: int(stage[n]) for n in range(model_graph.node_count)}
    # A constant node is in every stage that needs it with us, and in the one that it is told to be in with torch.
    shared = {model_graph.node_names[n] for n in range(model_graph.node_count) if model_graph.node_constant[n]}
    split = split_module(
        fx.GraphModule(whole.module, whole.module.graph),
        whole.module,
        lambda node: stage_of.get(node.name, 0),
        keep_original_node_name=True,
    )
    theirs = {
        int(part.removeprefix("submod_")): {node.name for node in inner.graph.nodes if node.op in CALLS} - shared
        for part, inner in split.named_children()
        if part.startswith("submod_")
    }
    ours = {
        stage.index: {node.name for node in stage.module.graph.nodes if node.op in CALLS} - shared
        for stage in stages_of(whole, plan_of(model_graph, stage, transport))
    }
    assert {index: names for index, names in theirs.items() if names} == ours
