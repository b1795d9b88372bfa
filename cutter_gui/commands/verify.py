"""``cutter-gui verify``: runs the original and the stages and compares every output."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cutter_gui.commands.arguments import add_json, path_argument
from cutter_gui.commands.terminal import print_json, print_table, print_text, progress_shown
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import VerifyReport, VerifyRequest, format_named
from cutter_gui.core.manifest import MANIFEST_NAME, read_manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=path_argument, metavar="DIR", help="a folder that split wrote")
    parser.add_argument(
        "--inputs",
        type=path_argument,
        metavar="X.npz",
        help="the inputs by name; made from the seed when not given. A sequence s is s[0], s[1] and so on, a map m is "
        "m[keys] and m[values]; an optional input that is left out is absent",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the inputs made (default: 0)")
    parser.add_argument(
        "--optimized", action="store_true", help="run with optimizations on and compare with a tolerance (ONNX)"
    )
    parser.add_argument("--trust", action="store_true", help="allow what must run code from the file")
    parser.add_argument("--train", action="store_true", help="compare the gradients of every weight too (torch.fx)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.seed < 0:
        raise CutterError("the seed is negative", f"--seed {arguments.seed}", "give 0 or more")
    manifest = read_manifest(arguments.directory / MANIFEST_NAME)
    request = VerifyRequest(
        directory=arguments.directory,
        inputs=arguments.inputs,
        seed=arguments.seed,
        optimized=arguments.optimized,
        trust=arguments.trust,
        train=arguments.train,
    )
    with progress_shown() as progress:
        report = format_named(manifest.source.kind or "onnx").verify(request, progress)
    if arguments.json:
        print_json(describe(report))
    else:
        print_report(report)
    return 0 if report.accepted else 1


def describe(report: VerifyReport) -> dict[str, object]:
    """Returns what ``verify --json`` prints."""
    return {
        "identical": report.identical,
        "accepted": report.accepted,
        "outputs": [asdict(output) for output in report.outputs],
        "inputs": dict(report.inputs),
        "first_boundary": report.first_boundary,
        "seconds": round(report.seconds, 3),
    }


def print_report(report: VerifyReport) -> None:
    """Prints the inputs, a line per form and output, and the verdict."""
    for name, what in report.inputs.items():
        print_text(f"input {one_line(name, 80)}: {what}")
    print_table(
        [
            (output.form, f"stage {output.stage}", one_line(output.name, 80), output.sentence())
            for output in report.outputs
        ]
    )
    if report.identical:
        print_text(f"identical: every output, bit for bit; {len(report.outputs)} compared ({report.seconds:.1f} s)")
    elif report.accepted:
        print_text("differs only where bits are not promised")
    else:
        where = f"; first at boundary tensor {one_line(report.first_boundary, 80)}" if report.first_boundary else ""
        print_text(f"outputs differ{where}")
