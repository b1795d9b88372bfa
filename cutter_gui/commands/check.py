"""``cutter-gui check``: the stages that follow from a plan, and what is wrong with it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from cutter_gui.commands.arguments import add_form, add_json, add_model, add_plan, read_options, read_plan, read_types
from cutter_gui.commands.info import tensor_entry
from cutter_gui.commands.terminal import print_diagnostics, print_json, print_table, print_text, progress_shown
from cutter_gui.core.contents import StageContents, Transfer, stage_contents
from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.format import format_for
from cutter_gui.core.graph import Graph
from cutter_gui.core.problems import diagnose
from cutter_gui.core.spec import CutSpec
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.units import bytes_text, tensor_size_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_plan(parser)
    add_form(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    with progress_shown() as progress:
        graph = format_for(arguments.model).load(
            arguments.model, progress, read_types(arguments.types), read_options(arguments)
        )
    plan, spec = read_plan(arguments, graph)
    staging = assign_stages(graph, plan)
    diagnostics = (*diagnose(staging, arguments.form), *changed_model(graph, spec))
    valid = not any(diagnostic.is_error for diagnostic in diagnostics)
    stages = stage_contents(staging)
    if arguments.json:
        print_json(describe(staging, stages, diagnostics))
    else:
        print_text(f"{'valid' if valid else 'not valid'}: {len(stages)} stages")
        print_stages(staging, stages)
        print_diagnostics(diagnostics)
    return 0 if valid else 1


def changed_model(graph: Graph, spec: CutSpec | None) -> tuple[Diagnostic, ...]:
    """Returns a warning when a spec was made for a graph of another structure."""
    if spec is None or spec.model is None or spec.model.fingerprint in (None, graph.fingerprint):
        return ()
    return (
        Diagnostic(
            "model-changed",
            Severity.WARNING,
            "The model's structure is not the one that the cut spec was made for; check where the cuts lie.",
        ),
    )


def describe(staging: Staging, stages: Sequence[StageContents], diagnostics: Sequence[Diagnostic]) -> dict[str, object]:
    """Returns what ``check --json`` prints."""
    graph = staging.graph
    return {
        "valid": not any(diagnostic.is_error for diagnostic in diagnostics),
        "stages": [_stage_entry(graph, stage) for stage in stages],
        "diagnostics": [diagnostic.as_json() for diagnostic in diagnostics],
    }


def _stage_entry(graph: Graph, stage: StageContents) -> dict[str, object]:
    return {
        "index": stage.index,
        "nodes": len(stage.nodes),
        "constant_nodes": len(stage.nodes) - len(stage.own_nodes),
        "weight_bytes": stage.weight_bytes,
        "inputs": [tensor_entry(graph, int(tensor)) for tensor in stage.inputs],
        "outputs": [tensor_entry(graph, int(tensor)) for tensor in stage.outputs],
        "receives": [{"from": t.source, "tag": 0, "tensors": _tensors(graph, t)} for t in stage.receives],
        "sends": [{"to": t.destination, "tag": 0, "tensors": _tensors(graph, t)} for t in stage.sends],
    }


def _tensors(graph: Graph, transfer: Transfer) -> list[dict[str, object]]:
    return [tensor_entry(graph, tensor) for tensor in transfer.tensors]


def print_stages(staging: Staging, stages: Sequence[StageContents]) -> None:
    """Prints a line a stage, and what each sends."""
    graph = staging.graph
    rows = [
        (
            f"stage {stage.index}",
            f"{len(stage.nodes)} nodes",
            f"weights {bytes_text(stage.weight_bytes)}",
            "; ".join(
                f"to stage {t.destination}: "
                + ", ".join(f"{graph.tensor_names[x]} ({tensor_size_text(graph, x)})" for x in t.tensors)
                for t in stage.sends
            ),
        )
        for stage in stages
    ]
    print_table(rows, right=frozenset({1, 2}))
