from __future__ import annotations

import operator

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.legalize import is_legal
from cutter_gui.fx.in_torch.subgraphs import insert_subgraph_module, lift_subgraph_as_module
from cutter_gui.fx.in_torch.targets import replace_target_nodes_with


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.register_buffer("shift", torch.ones(3), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.body(x) + self.shift) * 2


def body(module: fx.GraphModule, x: torch.Tensor) -> torch.Tensor:
    return torch.relu(module.get_submodule("body.0")(x))


def traced() -> tuple[fx.GraphModule, dict[str, fx.Node]]:
    module = fx.symbolic_trace(Small())
    return module, {node.name: node for node in module.graph.nodes}


def test_an_inserted_module_takes_the_place_of_a_node() -> None:
    module, nodes = traced()
    x = torch.randn(2, 3)
    expected = torch.tanh(body(module, x) + module.shift) * 2
    inserted = fx.symbolic_trace(lambda x: torch.tanh(x))
    call = insert_subgraph_module(module, inserted, [nodes["add"]], [nodes["sigmoid"]])
    assert not nodes["sigmoid"].users
    assert is_legal(module.graph)
    assert module.get_submodule(str(call.target)) is inserted
    assert torch.equal(module(x), expected)


def test_several_outputs_are_taken_out_of_the_result() -> None:
    module, nodes = traced()

    def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x + 5, torch.cos(x)

    call = insert_subgraph_module(
        module, fx.symbolic_trace(both), [nodes["body_0"]], [nodes["body_1"], nodes["sigmoid"]]
    )
    assert [(user.target, user.args[1]) for user in call.users] == [(operator.getitem, 0), (operator.getitem, 1)]
    x = torch.randn(2, 3)
    assert torch.equal(module(x), torch.cos(getattr(module.body, "0")(x)) * 2)


def test_modules_of_one_class_name_do_not_overwrite_each_other() -> None:
    module, nodes = traced()
    first = insert_subgraph_module(
        module, fx.symbolic_trace(lambda x: torch.tanh(x)), [nodes["add"]], [nodes["sigmoid"]]
    )
    second = insert_subgraph_module(module, fx.symbolic_trace(lambda x: torch.cos(x)), [first], [nodes["mul"]])
    assert first.target != second.target
    x = torch.randn(2, 3)
    assert torch.equal(module(x), torch.cos(torch.tanh(body(module, x) + module.shift)))


def test_a_lifted_subgraph_has_the_attributes_it_needs_and_no_others() -> None:
    module, nodes = traced()
    module._non_persistent_buffers_set.add("shift")  # which tracing forgets
    graph = fx.Graph()
    mapped = {nodes["x"]: graph.placeholder("x")}
    for name in ("body_0", "shift", "add"):
        mapped[nodes[name]] = graph.node_copy(
            nodes[name], lambda n: mapped.get(n, mapped[nodes["body_0"]] if n.name == "body_1" else None)
        )
    graph.output(mapped[nodes["add"]])
    lifted = lift_subgraph_as_module(module, graph, "Part")
    assert type(lifted).__name__ == "Part"
    assert set(lifted.state_dict()) == {"body.0.weight", "body.0.bias"}
    assert lifted.shift is module.shift
    assert lifted.get_submodule("body.0") is module.get_submodule("body.0")
    x = torch.randn(2, 3)
    assert torch.equal(lifted(x), getattr(module.body, "0")(x) + module.shift)


def test_lifting_from_a_module_that_lacks_an_attribute_is_an_error() -> None:
    graph = fx.Graph()
    graph.output(graph.get_attr("absent"))
    with pytest.raises(CutterError, match="has no absent"):
        lift_subgraph_as_module(fx.symbolic_trace(nn.ReLU()), graph)


def test_all_nodes_of_a_target_get_another() -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.relu(x) - 1)

    module = fx.symbolic_trace(forward)
    names = [node.name for node in module.graph.nodes]
    assert replace_target_nodes_with(module, "call_function", torch.relu, "call_function", torch.sigmoid) == 2
    x = torch.randn(4)
    assert torch.equal(module(x), torch.sigmoid(torch.sigmoid(x) - 1))
    assert [node.name for node in module.graph.nodes] == names


def test_a_function_becomes_a_method_and_a_module_another() -> None:
    module, _ = traced()
    assert replace_target_nodes_with(module, "call_function", torch.sigmoid, "call_method", "tanh") == 1
    module.add_module("other", nn.Identity())
    assert replace_target_nodes_with(module, "call_module", "body.1", "call_module", "other") == 1
    x = torch.randn(2, 3)
    assert torch.equal(module(x), torch.tanh(getattr(module.body, "0")(x) + module.shift) * 2)


def test_a_target_that_occurs_nowhere_changes_nothing() -> None:
    module, _ = traced()
    assert replace_target_nodes_with(module, "call_function", torch.cos, "call_function", torch.sin) == 0


def test_a_new_target_that_the_module_lacks_is_an_error() -> None:
    module, _ = traced()
    with pytest.raises(CutterError, match="has no absent"):
        replace_target_nodes_with(module, "call_module", "body.1", "call_module", "absent")
    with pytest.raises(CutterError, match="no op"):
        replace_target_nodes_with(module, "call_module", "body.1", "call_anything", "x")
