"""Writing the files of all stages of a program."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.export.graph_signature import SymBoolArgument

from cutter_gui.core.contents import stage_contents
from cutter_gui.core.errors import CutterError, InvalidPlan, one_line
from cutter_gui.core.format import Progress
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import assign_stages
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.composed import StageCall, run_in_order
from cutter_gui.fx.in_torch.deserialize import deserialize_module
from cutter_gui.fx.in_torch.program import Program, copy_of
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.serialize import serialize_module
from cutter_gui.fx.in_torch.stage_export import exported_stage
from cutter_gui.fx.in_torch.stage_modules import StageModule, cut_program
from cutter_gui.fx.in_torch.weights_file import all_listed, write_weights

FORMAT = "cutter-gui/fx-module"
VERSION = 1


def plan_from_json(told: Mapping[str, Any]) -> Plan:
    """Returns the plan in a request: ``transport``, and ``cuts`` of edges as [tensor, consumers or null]."""
    cuts = tuple(Cut(tuple(CutEdge(tensor, consumers) for tensor, consumers in cut)) for cut in told["cuts"])
    return Plan(cuts, told["transport"])


def write_stages(program: Program, request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Writes the stages of a program.

    Args:
        program: The program.
        request: ``plan``, ``folder``, ``stem``, and the ``fingerprint`` of the graph that the plan was made for.
        progress: Told which stage is written.

    Returns:
        ``files``, for each stage the names of its files by their keys in the manifest; ``structure``; ``notes``, what
        could not be written and why.

    Raises:
        CutterError: The program is not the one that the plan was made for, or a weight cannot be written.
        InvalidPlan: The plan would separate nodes that share storage.
    """
    stages = stages_of(program, plan_from_json(request["plan"]), request.get("fingerprint"))
    folder, stem = Path(request["folder"]), str(request["stem"])
    captured = None if program.exported else _captured(program, stages)
    files, notes = [], []
    for stage in stages:
        progress(f"Writing stage {stage.index}", stage.index / len(stages))
        names, note = _write_stage(program, stage, folder, f"{stem}_{stage.index}", captured)
        files.append(names)
        notes += [note] if note else []
    return {"files": files, "structure": program.structure, "notes": notes}


def stages_of(program: Program, plan: Plan, fingerprint: str | None = None) -> list[StageModule]:
    """Returns the stage modules of a plan; see `write_stages` for the errors."""
    graph = graph_of(draft_of(program))
    if fingerprint is not None and graph.fingerprint != fingerprint:
        raise CutterError(
            "the model's graph is not the one that was cut", "", "open it again and check where the cuts lie"
        )
    staging = assign_stages(graph, plan)
    if not staging.is_valid:
        raise InvalidPlan("the plan is not valid for the model", "", "run check for all findings")
    return cut_program(program, staging, stage_contents(staging))


def stage_document(stage: StageModule, weights: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Returns the JSON document of a stage, and adds its weights to ``weights``."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "inputs": [*stage.inputs, *stage.receives],
        "outputs": [*stage.returned],
    }
    return {**head, **serialize_module(stage.module, weights)}


def _write_stage(
    program: Program, stage: StageModule, folder: Path, stem: str, captured: Mapping[str, Any] | None
) -> tuple[dict[str, str], str]:
    weights: dict[str, torch.Tensor] = {}
    files: dict[str, str] = {}
    note = _write_exported(program, stage, folder / f"{stem}.pt2", captured)
    if not note:
        files["pt2"] = f"{stem}.pt2"
    try:
        document = json.loads(json.dumps(stage_document(stage, weights)))
        # What is written can be read: a function that a document may not call is told of here, not when it is run.
        deserialize_module(document, weights)
    except CutterError as error:
        return files, "; ".join(part for part in (note, f"{stem}.json is not written: {error}") if part)
    (folder / f"{stem}.json").write_text(json.dumps(document), encoding="utf-8")
    write_weights(folder / f"{stem}.safetensors", weights, all_listed(document))
    files["json"] = f"{stem}.json"
    files["weights"] = f"{stem}.safetensors"
    return files, note


def _write_exported(program: Program, stage: StageModule, path: Path, captured: Mapping[str, Any] | None) -> str:
    """Writes a stage as an exported program; returns why not where torch cannot."""
    if not stage.returned:
        return f"{path.name} is not written: torch saves no program that returns nothing"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if program.exported:
                exported = exported_stage(stage, program.ranges, program.constants)
                signature = exported.graph_signature
                if any(isinstance(s.arg, SymBoolArgument) for s in (*signature.input_specs, *signature.output_specs)):
                    return f"{path.name} is not written: torch saves no program that takes or returns a symbolic bool"
            elif captured is None:
                return f"{path.name} is not written: the sizes of the model's inputs are not known"
            else:
                examples = tuple(captured[name] for name in (*stage.inputs, *stage.receives))
                exported = torch.export.export(stage.module, copy_of(examples), strict=False)
            torch.export.save(exported, path)
    except Exception as error:  # noqa: BLE001  # torch says by no one class that it cannot export or save
        path.unlink(missing_ok=True)
        reason = str(error).strip().splitlines()
        return (
            f"{path.name} is not written: {one_line(f'{type(error).__name__}: {reason[0] if reason else str()}', 200)}"
        )
    return ""


def _captured(program: Program, stages: Sequence[StageModule]) -> dict[str, Any] | None:
    """Runs the stages on the examples and returns a copy of each value, from which stages are exported."""
    if program.examples is None:
        return None
    given = dict(zip(program.input_names, copy_of(program.examples), strict=True))
    kept = [{name: tensor.detach().clone() for name, tensor in stage.module.named_buffers()} for stage in stages]
    copies: dict[str, Any] = copy_of(given)
    calls = [StageCall((*stage.inputs, *stage.receives), stage.returned) for stage in stages]

    def keep(_stage: int, name: str, value: Any) -> None:
        copies[name] = copy_of(value)

    with torch.no_grad():
        run_in_order(calls, [stage.module for stage in stages], given, keep)
        for stage, buffers in zip(stages, kept, strict=True):
            for name, tensor in stage.module.named_buffers():
                tensor.copy_(buffers[name])
    return copies
