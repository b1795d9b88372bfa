"""Every sample module goes from opening to stages that give the same bits, as modules and from both kinds of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import Phase, given, settings
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.composed import StageCall, composed
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.run_verify import Verification, kept_buffers, load_exported_stage, load_json_stage
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program
from cutter_gui.fx.in_torch.verify_inputs import inputs_of
from cutter_gui.fx.in_torch.write_stages import stages_of, write_stages
from strategies.fx_models import EXPORTED, SYMBOLIC, TRANSFORMERS
from strategies.fx_plans import is_valid, level_plan
from strategies.fx_programs import graph, program

ALL = [
    *(("exported", name) for name in EXPORTED),
    *(("symbolic", name) for name in SYMBOLIC),
]
NO_ARCHIVE = ("quantized",)
"""torch cannot export quantized tensors."""

plans = st.tuples(
    st.lists(st.floats(0.05, 0.95), min_size=1, max_size=3).map(sorted), st.sampled_from(["relay", "direct"])
)


def request_of(plan: Plan, folder: Path, fingerprint: str) -> dict[str, Any]:
    cuts = [[[edge.tensor, list(edge.consumers or ()) or None] for edge in cut.edges] for cut in plan.cuts]
    return {
        "plan": {"transport": plan.transport, "cuts": cuts},
        "folder": str(folder),
        "stem": "m",
        "fingerprint": fingerprint,
    }


def different(reports: list[Any]) -> list[tuple[str, str]]:
    return [(report.name, report.sentence()) for report in reports if not report.identical]


@pytest.mark.parametrize(("kind", "name"), ALL)
@settings(max_examples=2, phases=[Phase.generate])
@given(chosen=plans)
def test_stages_give_the_bits_of_the_whole(
    kind: str, name: str, chosen: tuple[list[float], Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    split_and_compare(kind, name, chosen, tmp_path_factory.mktemp("stages"))


@pytest.mark.parametrize("name", TRANSFORMERS)
@settings(max_examples=1, phases=[Phase.generate])
@given(chosen=plans)
def test_stages_of_published_architectures_give_the_bits_of_the_whole(
    name: str, chosen: tuple[list[float], Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    split_and_compare("transformers", name, chosen, tmp_path_factory.mktemp("stages"))


def split_and_compare(kind: str, name: str, chosen: tuple[list[float], Any], folder: Path) -> None:
    """Splits a sample module and compares its stages, as modules and from both kinds of files."""
    whole, model_graph = program(kind, name), graph(kind, name)
    plan = level_plan(model_graph, chosen[0], chosen[1])
    assert is_valid(model_graph, plan)
    answer = write_stages(whole, request_of(plan, folder, model_graph.fingerprint), lambda *_: None)
    stages = stages_of(whole, plan)
    run = Verification(whole, [StageCall((*s.inputs, *s.receives), s.returned) for s in stages])
    values = inputs_of(whole, None, seed=1)
    with kept_buffers(whole.module):
        assert different(run.compare("modules", [stage.module for stage in stages], values)) == []
    from_json = [load_json_stage(folder / f["json"], folder / f["weights"]) for f in answer["files"]]
    assert different(run.compare("json", from_json, values)) == []
    if name in NO_ARCHIVE:
        assert answer["notes"]
        return
    telling = [files for files, stage in zip(answer["files"], stages, strict=True) if stage.returned]
    assert all("pt2" in files for files in telling), answer["notes"]
    from_pt2 = [
        load_exported_stage(folder / files["pt2"]) if "pt2" in files else module
        for files, module in zip(answer["files"], from_json, strict=True)
    ]
    assert different(run.compare("pt2", from_pt2, values)) == []


@pytest.mark.parametrize("name", ["residual network in training", "encoder", "decoder", "recurrent", "branching"])
def test_gradients_of_stages_are_those_of_the_whole(name: str) -> None:
    whole, model_graph = program("exported", name), graph("exported", name)
    stages = stages_of(whole, level_plan(model_graph, [0.3, 0.6]))
    run = Verification(whole, [StageCall((*s.inputs, *s.receives), s.returned) for s in stages])
    with kept_buffers(whole.module):
        reports = run.compare_gradients("modules", [stage.module for stage in stages], inputs_of(whole, None, seed=1))
    assert len(reports) == len({id(p) for p in whole.reference.parameters()})
    assert [report.name for report in reports if not report.accepted] == []


def test_a_difference_is_found_and_its_first_boundary_named() -> None:
    whole, model_graph = program("exported", "encoder"), graph("exported", "encoder")
    stages = stages_of(whole, level_plan(model_graph, [0.4]))
    run = Verification(whole, [StageCall((*s.inputs, *s.receives), s.returned) for s in stages])
    values = inputs_of(whole, None, seed=1)

    def slightly_off(*arguments: Any) -> Any:
        first, *rest = stages[0].module(*arguments)
        return (first + 1e-3 if first.is_floating_point() else first + 1, *rest)

    modules = [slightly_off, stages[1].module]
    reports = run.compare("modules", modules, values)
    assert not all(report.accepted for report in reports)
    assert max(report.max_abs or 0.0 for report in reports) > 0
    assert run.first_boundary(modules, values) == stages[0].sends[0]


def test_a_program_that_is_not_the_one_that_was_cut_is_refused() -> None:
    plan = level_plan(graph("exported", "experts"), [0.5])
    with pytest.raises(CutterError, match="not the one that was cut"):
        stages_of(program("exported", "experts"), plan, graph("exported", "branching").fingerprint)


def test_composed_stages_are_one_module_that_calls_them_in_order() -> None:
    whole, model_graph = program("exported", "residual network"), graph("exported", "residual network")
    stages = stages_of(whole, level_plan(model_graph, [0.3, 0.6]))
    calls = [StageCall((*s.inputs, *s.receives), s.returned) for s in stages]
    module = composed(calls, [stage.module for stage in stages], whole.input_names, whole.outputs)
    assert [str(n.target) for n in module.graph.nodes if n.op == "call_module"] == ["stage_0", "stage_1", "stage_2"]
    assert whole.examples is not None
    with torch.no_grad():
        (made,) = module(*whole.examples)
        assert torch.equal(made, whole.call(*whole.examples))


def test_a_stage_takes_inputs_then_what_it_receives_and_returns_sends_then_outputs() -> None:
    whole, model_graph = program("exported", "nested"), graph("exported", "nested")
    stages = stages_of(whole, level_plan(model_graph, [0.5]))
    for stage in stages:
        names = [node.name for node in stage.module.graph.nodes if node.op == "placeholder"]
        assert names == [*stage.inputs, *stage.receives]
        (returned,) = next(n for n in stage.module.graph.nodes if n.op == "output").args
        assert len(returned) == len(stage.sends) + len(stage.outputs)


def test_a_tied_weight_that_two_stages_read_is_in_both_under_its_name() -> None:
    whole, model_graph = program("exported", "decoder"), graph("exported", "decoder")
    stages = stages_of(whole, level_plan(model_graph, [0.5]))
    held = [{name for name, _ in stage.module.named_parameters()} for stage in stages]
    (tied,) = (weight.name for weight in whole.weights.values() if weight.also)
    assert all(tied in names for names in held)
    assert held[0] & held[1] == {tied}


def test_a_module_that_is_called_twice_is_in_both_stages() -> None:
    whole, model_graph = program("symbolic", "asserting"), graph("symbolic", "asserting")
    calls = [n.name for n in whole.module.graph.nodes if n.op == "call_module" and n.target == "shared"]
    assert len(calls) == 2
    plan = level_plan(model_graph, [0.8])
    stages = stages_of(whole, plan)
    assert all(any(n.target == "shared" for n in stage.module.graph.nodes) for stage in stages)


@fx.wrap
def of_the_model_alone(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def test_a_stage_that_could_not_be_read_again_is_not_written_and_a_note_says_why(tmp_path: Path) -> None:
    class Calling(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(of_the_model_alone(x))

    whole = symbolic_program(Calling(), (torch.ones(2),), {})
    model_graph = graph_of(draft_of(whole))
    answer = write_stages(
        whole, request_of(level_plan(model_graph, [0.5]), tmp_path, model_graph.fingerprint), lambda *_: None
    )
    assert ["json" in files for files in answer["files"]] == [False, True]
    assert any("m_0.json is not written" in note and "of_the_model_alone" in note for note in answer["notes"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("m_0.pt2", "m_1.json", "m_1.pt2", "m_1.safetensors"),
    ]


def test_what_an_archive_cannot_hold_is_told_and_the_json_is_written(tmp_path: Path) -> None:
    class Asking(nn.Module):
        def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
            count = rows.item()
            torch._check(count <= 3)
            return torch.relu(x[:count])

    whole = export_program(Asking(), (torch.ones(3), torch.tensor(2)), {})
    model_graph = graph_of(draft_of(whole))
    plan = Plan((Cut((CutEdge("le_1", None),)),))
    answer = write_stages(whole, request_of(plan, tmp_path, model_graph.fingerprint), lambda *_: None)
    assert ["takes or returns a symbolic bool" in answer["notes"][0], "returns nothing" in answer["notes"][1]] == [
        True,
        True,
    ]
    stages = [load_json_stage(tmp_path / f["json"], tmp_path / f["weights"]) for f in answer["files"]]
    passed, made = stages[0](torch.tensor([-1.0, 2.0, 3.0]), torch.tensor(2))
    assert passed is True
    assert torch.equal(made, torch.tensor([0.0, 2.0]))
    assert stages[1](passed) == ()


def test_open_sizes_stay_open_in_the_stages(tmp_path: Path) -> None:
    from strategies.fx_models import Encoder

    torch.manual_seed(0)
    module = Encoder()
    whole = export_program(
        module, (torch.randint(0, 11, (2, 5)), torch.ones(2, 5)), {}, ["ids:0=batch", "attention_mask:0"]
    )
    model_graph = graph_of(draft_of(whole))
    plan = level_plan(model_graph, [0.5])
    answer = write_stages(whole, request_of(plan, tmp_path, model_graph.fingerprint), lambda *_: None)
    stages = stages_of(whole, plan)
    loaded = [load_exported_stage(tmp_path / files["pt2"]) for files in answer["files"]]
    values: dict[str, Any] = {"ids": torch.randint(0, 11, (7, 5)), "attention_mask": torch.ones(7, 5)}
    expected = module(*values.values())
    for stage, call in zip(stages, loaded, strict=True):
        values.update(zip(stage.returned, call(*(values[n] for n in (*stage.inputs, *stage.receives))), strict=True))
    assert [
        torch.equal(values[name], wanted) for name, wanted in zip(whole.outputs, expected.values(), strict=True)
    ] == [
        True,
        True,
    ]
