from __future__ import annotations

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.legalize import is_legal, legalized


def disordered() -> fx.GraphModule:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return (x + 1) * 2 - 3

    module = fx.symbolic_trace(forward)
    nodes = {node.name: node for node in module.graph.nodes}
    nodes["sub"].append(nodes["add"])
    return module


def test_nodes_are_put_after_what_they_read() -> None:
    module = disordered()
    assert not is_legal(module.graph)
    ordered = legalized(module)
    assert is_legal(ordered.graph)
    assert [node.name for node in ordered.graph.nodes] == ["x", "add", "mul", "sub", "output"]
    assert torch.equal(ordered(torch.ones(2)), (torch.ones(2) + 1) * 2 - 3)


def test_the_given_module_stays_as_it_was_and_meta_is_kept() -> None:
    module = disordered()
    before = [node.name for node in module.graph.nodes]
    next(node for node in module.graph.nodes if node.name == "mul").meta["note"] = 1
    ordered = legalized(module)
    assert [node.name for node in module.graph.nodes] == before
    assert next(node for node in ordered.graph.nodes if node.name == "mul").meta == {"note": 1}


def test_a_module_in_order_is_returned_itself() -> None:
    module = fx.symbolic_trace(nn.ReLU())
    assert legalized(module) is module


def test_a_graph_with_a_cycle_is_refused() -> None:
    module = disordered()
    nodes = {node.name: node for node in module.graph.nodes}
    nodes["add"].args = (nodes["mul"], 1)
    with pytest.raises(CutterError, match="cycle"):
        legalized(module)


def test_a_pickled_module_out_of_order_is_opened_in_order() -> None:
    from cutter_gui.fx.draft_graph import graph_of
    from cutter_gui.fx.in_torch.program_draft import draft_of
    from cutter_gui.fx.in_torch.tracing import traced_program

    graph = graph_of(draft_of(traced_program(legalized(disordered()), [torch.ones(2)])))
    assert list(graph.node_names) == ["add", "mul", "sub"]
    assert graph.problems == ()
