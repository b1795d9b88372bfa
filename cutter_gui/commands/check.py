"""``cutter-gui check``: the stages that follow from a plan, what is wrong with it, and a plan with that mended."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from cutter_gui.commands.arguments import (
    add_form,
    add_json,
    add_model,
    add_plan,
    path_argument,
    read_options,
    read_plan,
    read_types,
)
from cutter_gui.commands.info import tensor_entry
from cutter_gui.commands.terminal import print_diagnostics, print_json, print_table, print_text, progress_shown
from cutter_gui.core.contents import StageContents, Transfer, stage_contents
from cutter_gui.core.diagnostic import Diagnostic
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import format_for
from cutter_gui.core.graph import Graph
from cutter_gui.core.mend import Mended, mend
from cutter_gui.core.model_changed import changed_model
from cutter_gui.core.plan import Plan
from cutter_gui.core.problems import diagnose
from cutter_gui.core.spec import CutSpec, path_for_spec, write_spec
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.units import bytes_text, tensor_size_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_plan(parser)
    add_form(parser)
    add_json(parser)
    parser.add_argument(
        "--mend",
        type=path_argument,
        metavar="OUT",
        help="write a cut spec with every error mended; OUT may be the spec given by --cuts",
    )


def run(arguments: argparse.Namespace) -> int:
    with progress_shown() as progress:
        graph = format_for(arguments.model).load(
            arguments.model, progress, read_types(arguments.types), read_options(arguments)
        )
    plan, spec = read_plan(arguments, graph)
    if arguments.mend is not None:
        refuse_foreign(arguments.mend, arguments.cuts)
    staging = assign_stages(graph, plan)
    diagnostics = (*diagnose(staging, arguments.form), *changed_model(graph, spec))
    valid = not any(diagnostic.is_error for diagnostic in diagnostics)
    stages = stage_contents(staging)
    mended = None if arguments.mend is None else mend(graph, plan, arguments.form)
    if mended is not None and mended.reason is None:
        write_spec(mended_spec(spec, mended.plan, graph, arguments.model, arguments.mend), arguments.mend)
    if arguments.json:
        document = describe(staging, stages, diagnostics)
        if mended is not None:
            document["mended"] = {"valid": mended.reason is None, "steps": list(mended.steps), "reason": mended.reason}
        print_json(document)
    else:
        print_text(f"{'valid' if valid else 'not valid'}: {len(stages)} {'stage' if len(stages) == 1 else 'stages'}")
        print_stages(staging, stages)
        print_diagnostics(diagnostics)
        if mended is not None:
            print_mended(mended, arguments.mend)
    return 0 if valid or (mended is not None and mended.reason is None) else 1


def refuse_foreign(out: Path, cuts: Path | None) -> None:
    """Makes sure that a mended spec replaces no file but the one it was made from.

    Raises:
        CutterError: There is another file of that name.
    """
    if out.exists() and (cuts is None or not out.samefile(cuts)):
        what = "this folder exists" if out.is_dir() else "this file exists"
        remedy = "name a new file" if cuts is None else "name a new file, or the cut spec itself to mend it in place"
        raise CutterError(what, str(out), remedy)


def mended_spec(spec: CutSpec | None, plan: Plan, graph: Graph, model: Path, out: Path) -> CutSpec:
    """Returns the spec with the mended plan; one that names its model names this one, as seen from its new place."""
    if spec is not None and spec.model is None:
        return spec.with_plan(plan)
    reference = ModelRef(path_for_spec(model, out), graph.kind, graph.fingerprint)
    return CutSpec(plan, reference) if spec is None else spec.with_plan(plan).with_model(reference)


def print_mended(mended: Mended, out: Path) -> None:
    """Prints what was mended, and where it was written or why it was not."""
    for step in mended.steps:
        print_text(f"mended: {step}")
    if mended.reason is None:
        print_text(f"written: {out}")
    else:
        print_text(f"not written: no edit of the cuts mends this: {mended.reason}")


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
