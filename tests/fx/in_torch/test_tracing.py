from __future__ import annotations

import json
from typing import NamedTuple

import pytest
import torch
from torch import nn

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.program import get_by_path
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.symbolic_tracing import symbolic_trace_with_rewrite
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program
from strategies.fx_models import Nested
from strategies.fx_programs import program


def test_an_assert_stays_in_the_graph_and_still_asserts() -> None:
    module = program("symbolic", "asserting").module
    assert any(node.target is torch._assert for node in module.graph.nodes)
    with pytest.raises(AssertionError, match="three channels"):
        module(torch.randn(1, 4, 5, 5))


def test_a_function_is_traced_with_its_assert_too() -> None:
    def check(x: torch.Tensor) -> torch.Tensor:
        assert x.sum() > 0, "positive"
        return x * 2

    module = symbolic_trace_with_rewrite(check)
    assert torch.equal(module(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(AssertionError, match="positive"):
        module(-torch.ones(2))


def test_a_buffer_is_read_when_the_graph_runs_not_when_it_is_made() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls.add_(1)
            return x + self.calls

    module = Counting()
    traced = symbolic_program(module, (torch.zeros(1),), {})
    assert module.calls.item() == 0
    assert [traced.module(torch.zeros(1))[0].item() for _ in range(2)] == [1.0, 2.0]
    graph = graph_of(draft_of(traced))
    assert len(graph.joins) > 0


class Assigning(nn.Module):
    """Assigns to buffers, to a buffer within, and to what is no buffer, as statistics of training do."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("last", torch.zeros(2))
        self.inner = nn.Module()
        self.inner.register_buffer("mean", torch.zeros(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.inner.mean = self.inner.mean * 0.5 + x
        self.last = x * 2
        self.seen = x
        return x * self.calls + self.inner.mean + torch.tensor([1.0, 2.0])


def test_what_code_assigns_to_a_buffer_is_there_in_the_next_run() -> None:
    module, whole = Assigning(), symbolic_program(Assigning(), (torch.ones(2),), {})
    for x in (torch.ones(2), torch.arange(2.0), torch.ones(2)):
        assert torch.equal(whole.module(x)[0], module(x))
    for name in ("calls", "last", "inner.mean"):
        assert torch.equal(get_by_path(whole.module, name), get_by_path(module, name)), name
    graph = graph_of(draft_of(whole))
    changes = [graph.op(node) for node in range(graph.node_count) if graph.op(node) in ("copy_", "iadd")]
    assert sorted(changes) == ["copy_", "copy_", "iadd"]
    assert len(graph.joins) > 0


def test_an_assignment_with_an_operator_reaches_what_shares_the_storage() -> None:
    class Sharing(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x * 2
            rows = y.view(-1)
            rows += 1
            rows *= 3
            return y

    whole = symbolic_program(Sharing(), (torch.ones(2, 2),), {})
    assert torch.equal(whole.module(torch.ones(2, 2))[0], torch.full((2, 2), 9.0))
    graph = graph_of(draft_of(whole))
    assert {tuple(pair) for pair in graph.joins.tolist()} >= {(1, 2), (2, 3)}, "and is not cut from it"


def test_tracing_leaves_a_module_as_it_was() -> None:
    module = Assigning()
    before = {path: set(vars(part)) for path, part in module.named_modules()}
    symbolic_trace_with_rewrite(module)
    assert {path: set(vars(part)) for path, part in module.named_modules()} == before
    assert all(type(buffer) is torch.Tensor and not buffer.any() for buffer in module.buffers())


def test_gradients_that_reach_a_buffer_are_forgotten_when_sizes_are_known() -> None:
    class Averaging(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.mean.add_(self.linear(x).mean(0))
            return x + self.mean

    module = Averaging()
    symbolic_program(module, (torch.ones(1, 2),), {})
    assert not module.mean.requires_grad


def test_a_named_tuple_that_is_returned_is_its_values() -> None:
    class Pair(NamedTuple):
        first: torch.Tensor
        rest: list[torch.Tensor]

    class Named(nn.Module):
        def forward(self, x: torch.Tensor) -> Pair:
            return Pair(x + 1, [x + 2, x + 3])

    whole = symbolic_program(Named(), (torch.ones(1),), {})
    assert [node.op for node in whole.module.graph.nodes] == ["placeholder", *["call_function"] * 3, "output"]
    assert whole.outputs == ["add", "add_1", "add_2"]
    assert json.loads(whole.structure)["outputs"]["items"] == ["add", ["add_1", "add_2"]]


def test_code_that_decides_by_a_buffer_is_traced_with_its_value() -> None:
    class Deciding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("flag", torch.ones(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.flag.add_(1)
            return x + 1 if self.flag > 0 else x - 1

    module = Deciding()
    assert torch.equal(symbolic_trace_with_rewrite(module)(torch.zeros(1)), torch.ones(1))
    assert module.flag == 1


def test_the_modes_of_modules_stay_what_they_were() -> None:
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout())
    model[0].eval()
    symbolic_program(model, (torch.randn(3, 2),), {})
    assert [part.training for part in model] == [False, True]


def test_sizes_named_on_the_command_line_stay_open() -> None:
    args, kwargs = ({"x": torch.randn(4, 3), "y": torch.randn(4, 3)},), {"shift": torch.ones(3)}
    graph = graph_of(draft_of(export_program(Nested(), args, kwargs, ["batch_x:0=rows", "batch_y:0=rows"])))
    symbol = graph.tensor_shapes[graph.tensor_index["linear"]][0]
    assert isinstance(symbol, str)
    assert graph.tensor_shapes[graph.tensor_index["batch_y"]] == (symbol, 3)
    assert graph.tensor_shapes[graph.tensor_index["shift"]] == (3,)


def test_an_open_size_has_the_name_that_it_was_given_wherever_it_occurs() -> None:
    class Pair(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return torch.cat([x, x]), torch.outer(x[:, 0], y)

    args = (torch.ones(3, 2), torch.ones(5))
    graph = graph_of(draft_of(export_program(Pair(), args, {}, ["x:0=batch", "y:0"])))
    shapes = dict(zip(graph.tensor_names, graph.tensor_shapes, strict=True))
    other = (shapes["y"] or ())[0]
    assert shapes["x"] == ("batch", 2)
    assert [shapes[graph.tensor_names[int(t)]] for t in graph.outputs] == [("2*batch", 2), ("batch", other)]
    taken = graph_of(draft_of(export_program(Pair(), args, {}, [f"x:0={other}", "y:0"])))
    x, y = (taken.tensor_shapes[taken.tensor_index[name]] or () for name in ("x", "y"))
    assert x[0] != y[0], "a name that another size has already is not given twice"


def test_all_leaves_every_size_open_that_can_be() -> None:
    graph = graph_of(draft_of(export_program(nn.ReLU(), (torch.randn(4, 3),), {}, ["all"])))
    assert all(isinstance(size, str) for size in graph.tensor_shapes[int(graph.inputs[0])])


@pytest.mark.parametrize(
    ("text", "what"), [("x", "cannot be read"), ("absent:0", "no input absent"), ("input:7", "has 2 dimensions")]
)
def test_an_open_size_that_is_none_is_an_error(text: str, what: str) -> None:
    with pytest.raises(CutterError, match=what):
        export_program(nn.ReLU(), (torch.randn(4, 3),), {}, [text])


def test_symbolic_tracing_keeps_no_sizes_open() -> None:
    with pytest.raises(CutterError, match="keeps no sizes open"):
        symbolic_program(nn.ReLU(), (torch.randn(2),), {}, ["all"])
