from __future__ import annotations

import inspect

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.lowering import (
    ATTRIBUTES,
    lift_lowering_attributes,
    lowering_attributes,
    module_from_attributes,
    register_attributes,
)

TWO = (torch.randn(3, 1, 3), torch.randn(3, 1, 5))
SAMPLES: list[tuple[nn.Module, tuple[torch.Tensor, ...]]] = [
    (nn.Linear(4, 3), (torch.randn(2, 4),)),
    (nn.Linear(4, 3, bias=False), (torch.randn(2, 4),)),
    (nn.Conv2d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2), (torch.randn(1, 4, 9, 9),)),
    (nn.Conv1d(2, 2, 3, padding="same", padding_mode="circular"), (torch.randn(1, 2, 5),)),
    (nn.ConvTranspose2d(2, 3, 3, stride=2, output_padding=1), (torch.randn(1, 2, 4, 4),)),
    (nn.BatchNorm2d(3).eval(), (torch.randn(2, 3, 4, 4),)),
    (nn.BatchNorm1d(3, affine=False), (torch.randn(4, 3),)),
    (nn.LayerNorm((2, 3), eps=1e-3), (torch.randn(4, 2, 3),)),
    (nn.GroupNorm(2, 4), (torch.randn(1, 4, 3),)),
    (nn.Embedding(5, 3, padding_idx=1), (torch.tensor([0, 1, 4]),)),
    (nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True), (torch.randn(1, 2, 3),)),
    (nn.GRU(3, 4), (torch.randn(2, 1, 3),)),
    (nn.MaxPool2d(2, ceil_mode=True), (torch.randn(1, 1, 5, 5),)),
    (nn.AvgPool2d(3, padding=1, count_include_pad=False), (torch.randn(1, 1, 5, 5),)),
    (nn.AdaptiveAvgPool2d((1, 2)), (torch.randn(1, 2, 4, 4),)),
    (nn.GELU(approximate="tanh"), (torch.randn(3),)),
    (nn.PReLU(2), (torch.randn(1, 2, 3),)),
    (nn.Softmax(dim=-1), (torch.randn(3),)),
    (nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=True), (torch.randn(1, 1, 2, 2),)),
    (nn.Dropout(0.5).eval(), (torch.randn(3),)),
    (nn.MultiheadAttention(4, 2, add_bias_kv=True, batch_first=True), (torch.randn(1, 3, 4),) * 3),
    (nn.MultiheadAttention(4, 2, bias=False, kdim=3, vdim=5), (torch.randn(2, 1, 4), *TWO)),
    (nn.LSTMCell(3, 4), (torch.randn(2, 3),)),
    (nn.RNNCell(3, 4, nonlinearity="relu"), (torch.randn(2, 3),)),
    (nn.Embedding(5, 3, max_norm=1.0, sparse=True), (torch.tensor([0, 4]),)),
    (nn.EmbeddingBag(5, 3, mode="max", padding_idx=1), (torch.tensor([[0, 1, 4]]),)),
    (nn.LocalResponseNorm(2, beta=0.5), (torch.randn(1, 3, 2),)),
    (nn.Unfold((2, 3), padding=1), (torch.randn(1, 2, 4, 4),)),
    (nn.Fold((4, 5), (2, 2)), (torch.randn(1, 8, 12),)),
    (nn.Unflatten(1, (2, 2)), (torch.randn(3, 4),)),
    (nn.ConstantPad2d((1, 0, 2, 0), 3.5), (torch.randn(1, 2, 2),)),
    (nn.CircularPad1d(1), (torch.randn(1, 2, 3),)),
    (nn.UpsamplingBilinear2d(scale_factor=2), (torch.randn(1, 1, 2, 2),)),
    (nn.LPPool2d(1.5, 2, stride=1), (torch.rand(1, 1, 3, 3),)),
    (nn.RReLU(0.1, 0.2).eval(), (torch.randn(3),)),
    (nn.Threshold(0.1, 20.0), (torch.randn(3),)),
    (nn.CrossEntropyLoss(torch.tensor([0.2, 0.8]), label_smoothing=0.1), (torch.randn(3, 2), torch.tensor([0, 1, 1]))),
    (nn.HuberLoss(reduction="sum", delta=0.5), (torch.randn(3), torch.randn(3))),
    (nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0])), (torch.randn(3), torch.rand(3))),
]

HANDLED = {
    *("device", "dtype", "size_average", "reduce", "min_value", "max_value", "args", "kwargs"),
    *("bias", "add_bias_kv", "weight", "pos_weight", "_weight", "_freeze", "init"),
}
"""Arguments that have no attribute: where weights go, old names, and what the weights themselves tell."""


@pytest.mark.parametrize(("module", "args"), SAMPLES, ids=lambda item: type(item).__name__)
def test_a_leaf_module_is_made_again_from_its_attributes(module: nn.Module, args: tuple[torch.Tensor, ...]) -> None:
    attributes = lowering_attributes(module)
    tensors = {name: value for name, value in attributes.items() if isinstance(value, torch.Tensor)}
    texts = {name: str(value) for name, value in attributes.items() if name not in tensors}
    again = module_from_attributes(texts, tensors, {name for name, _ in module.named_parameters()})
    assert type(again) is type(module)
    assert again.training == module.training
    with torch.no_grad():
        expected, made = module(*args), again(*args)
    torch.testing.assert_close(made, expected, rtol=0, atol=0)


def test_every_argument_of_a_constructor_is_among_the_attributes() -> None:
    missing = {kind: set(inspect.signature(kind).parameters) - HANDLED - set(ATTRIBUTES[kind]) for kind in ATTRIBUTES}
    assert {kind: names for kind, names in missing.items() if names} == {}


def test_what_torchs_own_table_fetches_is_in_ours() -> None:
    from torch.fx.passes.param_fetch import extract_attrs_for_lowering, module_fetch_book

    for kind in module_fetch_book:
        assert kind in ATTRIBUTES
    module = nn.Conv2d(2, 3, 3)
    theirs, ours = extract_attrs_for_lowering(module), lowering_attributes(module)
    assert theirs.keys() <= ours.keys()
    assert all(ours[name] is value or ours[name] == value for name, value in theirs.items())


def test_attributes_stand_on_the_nodes_of_nested_modules_too() -> None:
    inner = fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    graph = fx.Graph()
    graph.output(graph.call_module("inner", (graph.placeholder("x"),)))
    outer = fx.GraphModule({"inner": inner}, graph)
    lift_lowering_attributes(outer)
    (node,) = (node for node in inner.graph.nodes if node.op == "call_module")
    assert node.attrs_for_lowering["name"] == "torch.nn.modules.activation.ReLU"


def test_a_leaf_module_of_an_unknown_type_is_an_error_until_it_is_registered() -> None:
    class Scale(nn.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.by

    with pytest.raises(CutterError, match=r"lowering attributes of a .*Scale"):
        lowering_attributes(Scale(2.0))
    register_attributes(Scale, ("by",))
    try:
        assert lowering_attributes(Scale(2.0))["by"] == 2.0
    finally:
        del ATTRIBUTES[Scale]


@pytest.mark.parametrize("name", ["os.system", "torch.nn.modules.module.Module", ""])
def test_only_known_types_are_made(name: str) -> None:
    with pytest.raises(CutterError, match="cannot be made"):
        module_from_attributes({"name": name}, {}, set())
