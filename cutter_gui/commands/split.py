"""``cutter-gui split``: writes the stages and the manifest."""

from __future__ import annotations

import argparse
import sys

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
from cutter_gui.commands.check import describe
from cutter_gui.commands.terminal import print_json, print_text, progress_shown, warn
from cutter_gui.core.contents import stage_contents
from cutter_gui.core.errors import InvalidPlan, one_line
from cutter_gui.core.format import SplitRequest, format_for
from cutter_gui.core.model_changed import changed_model
from cutter_gui.core.stages import assign_stages
from cutter_gui.core.units import bytes_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_plan(parser)
    parser.add_argument("--out", type=path_argument, required=True, metavar="DIR", help="the folder to write into")
    add_form(parser)
    parser.add_argument(
        "--weights",
        choices=("copy", "share"),
        default="copy",
        help="copy the weights, or refer to the source's data file (DIR must be its folder or one above it)",
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier result in DIR")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    model_format = format_for(arguments.model)
    types, options = read_types(arguments.types), read_options(arguments)
    with progress_shown() as progress:
        graph = model_format.load(arguments.model, lambda what, part: progress(what, part * 0.2), types, options)
        plan, spec = read_plan(arguments, graph)
        request = SplitRequest(
            model=arguments.model,
            plan=plan,
            out=arguments.out,
            form=arguments.form,
            weights=arguments.weights,
            force=arguments.force,
            types=types,
            trust=arguments.trust,
            graph=graph,
            options=options,
        )
        try:
            result = model_format.split(request, lambda what, part: progress(what, 0.2 + part * 0.8))
        except InvalidPlan as error:
            if arguments.json:
                staging = assign_stages(graph, plan)
                print_json(describe(staging, stage_contents(staging), error.diagnostics))
            raise
    warn(changed_model(graph, spec))
    for note in result.notes:
        print(f"warning: {one_line(note)}", file=sys.stderr)
    if arguments.json:
        print_json(
            {
                "out": str(result.out),
                "files": list(result.files),
                "bytes": result.bytes_written,
                "stages": result.stage_count,
                "notes": list(result.notes),
            }
        )
    else:
        stages = "1 stage" if result.stage_count == 1 else f"{result.stage_count} stages"
        print_text(f"{result.out}: {stages}, {len(result.files)} files, {bytes_text(result.bytes_written)}")
    return 0
