"""What verifying says where bits are not the same, and why."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import OutputReport
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.composed import StageCall
from cutter_gui.fx.in_torch.program import Program, copy_of
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.run_verify import Verification
from cutter_gui.fx.in_torch.stage_modules import StageModule
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program
from cutter_gui.fx.in_torch.verify_inputs import inputs_of
from cutter_gui.fx.in_torch.write_stages import stages_of
from strategies.fx_plans import level_plan


class OtherWhenExported(nn.Module):
    """Its own code runs other kernels than its graph does, as attention layers do in evaluation."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x) + 1
        return torch.relu(y * (1.0 if torch.compiler.is_exporting() else self.factor))


def cut(program: Program) -> tuple[Verification, list[StageModule]]:
    stages = stages_of(program, level_plan(graph_of(draft_of(program)), [0.4]))
    assert len(stages) == 2
    return Verification(program, [StageCall((*s.inputs, *s.receives), s.returned) for s in stages]), stages


def report_of(factor: float, off: float = 0.0) -> OutputReport:
    whole = export_program(OtherWhenExported(factor), (torch.ones(3),), {})
    run, stages = cut(whole)
    modules = [lambda *given: tuple(value + off for value in stages[0].module(*given)), stages[1].module]
    (report,) = run.compare("modules", modules, inputs_of(whole, None, seed=1))
    return report


def test_a_last_digit_that_tracing_changed_is_told_and_accepted() -> None:
    report = report_of(1 + 2e-7)
    assert not report.identical
    assert report.accepted
    assert "traced as one graph gives the same as the stages" in report.sentence()
    assert "tolerance 1e-05" in report.sentence()


def test_a_model_that_tracing_changed_for_good_is_not_accepted_but_told() -> None:
    report = report_of(2.0)
    assert not report.accepted
    assert "traced as one graph gives the same as the stages" in report.sentence()


def test_stages_that_differ_from_the_traced_graph_are_not_accepted_however_little() -> None:
    report = report_of(1 + 2e-7, off=3e-7)
    assert not report.accepted
    assert "traced" not in report.sentence()


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.embed(ids)))


def test_the_gradient_of_a_weight_that_two_stages_have_under_two_names_is_their_sum() -> None:
    whole = symbolic_program(Tied(), (torch.tensor([1, 3]),), {})
    run, stages = cut(whole)
    # Stages that were read from files share nothing.
    modules = [copy.deepcopy(stage.module) for stage in stages]
    assert [{name for name, _ in module.named_parameters()} for module in modules] == [
        {"embed.weight"},
        {"head.weight"},
    ]
    (report,) = run.compare_gradients("modules", modules, inputs_of(whole, None, seed=1))
    assert report.name == "gradient of embed.weight"
    assert report.accepted


def test_stages_that_have_no_gradients_are_an_error_in_one_line() -> None:
    class Counting(nn.Module):
        """torch exports the assignment as a copy that comes after the value was needed for the gradient."""

        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            return self.linear(x) * self.calls

    whole = export_program(Counting(), (torch.ones(2),), {})
    stages = stages_of(whole, level_plan(graph_of(draft_of(whole)), []))
    run = Verification(whole, [StageCall((*s.inputs, *s.receives), s.returned) for s in stages])
    with pytest.raises(CutterError, match="the modules stages has no gradients") as told:
        run.compare_gradients("modules", [stage.module for stage in stages], copy_of(inputs_of(whole, None, seed=1)))
    assert "\n" not in str(told.value)


class Keywords(nn.Module):
    """Arguments that only have names, and defaults of every kind."""

    def forward(
        self,
        batch: dict[str, torch.Tensor],
        sizes: tuple[int, int] = (2, 3),
        *,
        scale: float = 2.0,
        shift: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        x = torch.relu(batch["x"]).reshape(sizes) * scale
        x = x if shift is None else x + shift
        return x if mask is None else torch.neg(x) * mask


def test_a_model_with_arguments_that_only_have_names_is_verified_when_traced_symbolically() -> None:
    whole = symbolic_program(Keywords(), ({"x": torch.ones(6)},), {"mask": torch.ones(3)})
    run, stages = cut(whole)
    values = inputs_of(whole, None, seed=1)
    reports = run.compare("modules", [stage.module for stage in stages], values)
    assert [report.identical for report in reports] == [True]
