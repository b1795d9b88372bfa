from __future__ import annotations

import pytest
import torch
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.node_size import element_bytes, lifted_placeholders, size_of_node
from strategies.fx_programs import exported, program


def traced(module: nn.Module, *args: torch.Tensor) -> tuple[fx.GraphModule, dict[str, fx.Node]]:
    graph_module = fx.symbolic_trace(module)
    ShapeProp(graph_module).propagate(*args)
    return graph_module, {node.name: node for node in graph_module.graph.nodes}


def test_a_module_counts_its_weights_and_its_output() -> None:
    module, nodes = traced(nn.Sequential(nn.Linear(4, 3)), torch.randn(2, 4))
    size = size_of_node(module, nodes["_0"])
    assert size.output == 2 * 3 * 4
    assert size.total == size.output + (4 * 3 + 3) * 4


def test_weights_count_at_their_own_dtype_and_buffers_count_too() -> None:
    module, nodes = traced(nn.Sequential(nn.BatchNorm1d(4)), torch.randn(2, 4))
    size = size_of_node(module, nodes["_0"])
    assert size.total == size.output + 4 * 4 * 4 + 8, "weight, bias, two statistics; the batch count is an int64"


def test_a_value_of_half_the_width_does_not_halve_its_weights() -> None:
    class Narrow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.ones(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.mul(x, self.w).half()

    module, nodes = traced(Narrow(), torch.randn(4))
    assert size_of_node(module, nodes["mul"]).total == 16 + 16
    half = size_of_node(module, nodes["half"])
    assert half.output == half.total == 8


def test_an_output_in_several_parts_is_the_sum_of_them() -> None:
    class Several(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.topk(x, 2)[0]

    module, nodes = traced(Several(), torch.randn(3, 5))
    assert size_of_node(module, nodes["topk"]).output == 3 * 2 * 4 + 3 * 2 * 8


def test_lifted_weights_of_an_exported_graph_count_for_the_function_that_reads_them() -> None:
    model = exported("encoder")
    nodes = {node.name: node for node in model.graph.nodes}
    plain = size_of_node(model.graph_module, nodes["linear"])
    full = size_of_node(model.graph_module, nodes["linear"], lifted_placeholders(model))
    assert plain.total == plain.output == 2 * 5 * 8 * 4
    assert full.total == full.output + (8 * 8 + 8) * 4


def test_weights_read_by_get_attr_count_for_the_function_that_reads_them() -> None:
    module = program("exported", "encoder").module
    nodes = {node.name: node for node in module.graph.nodes}
    assert size_of_node(module, nodes["linear"]).total == 2 * 5 * 8 * 4 + (8 * 8 + 8) * 4
    weight = next(node for node in module.graph.nodes if node.op == "get_attr" and node.target == "words.weight")
    assert size_of_node(module, weight).output == 11 * 8 * 4


@pytest.mark.parametrize(("dtype", "size"), [(torch.quint8, 1), (torch.qint32, 4), (torch.bfloat16, 2)])
def test_elements_of_every_dtype_have_a_size(dtype: torch.dtype, size: int) -> None:
    assert element_bytes(dtype) == size


def test_a_quantized_value_counts_its_integers() -> None:
    module = program("symbolic", "quantized").module
    nodes = {node.name: node for node in module.graph.nodes}
    assert size_of_node(module, nodes["quantize_per_tensor"]).output == 2 * 6


def test_open_sizes_give_symbolic_bytes() -> None:
    model = torch.export.export(
        nn.Linear(4, 3),
        (torch.randn(5, 4),),
        dynamic_shapes={"input": {0: torch.export.Dim("rows")}},
        strict=False,
    )
    node = next(node for node in model.graph.nodes if node.name == "linear")
    assert str(size_of_node(model.graph_module, node).output).startswith("12*s")


def test_a_node_of_which_nothing_is_known_is_an_error() -> None:
    module = fx.symbolic_trace(nn.ReLU())
    with pytest.raises(CutterError, match="shape propagation"):
        size_of_node(module, next(iter(module.graph.nodes)))
