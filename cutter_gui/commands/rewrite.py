"""``cutter-gui rewrite``: finds patterns in a torch.fx model and replaces them before it is cut."""

from __future__ import annotations

import argparse
from typing import Any

from cutter_gui.commands.arguments import add_json, add_model, path_argument, read_options, read_types
from cutter_gui.commands.terminal import print_json, print_text, progress_shown
from cutter_gui.core.errors import one_line
from cutter_gui.core.format import AppliedRule, RewriteRequest, format_for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--pattern",
        type=path_argument,
        required=True,
        metavar="RULES.py",
        help="a Python file with a function pattern, and replacement where it is to be replaced",
    )
    parser.add_argument("--out", type=path_argument, metavar="F.pt2", help="where to write the rewritten model")
    parser.add_argument("--force", action="store_true", help="replace F.pt2 if it exists")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    request = RewriteRequest(
        arguments.model,
        arguments.pattern,
        arguments.out,
        read_options(arguments),
        arguments.force,
        read_types(arguments.types),
    )
    with progress_shown() as progress:
        result = format_for(arguments.model).rewrite(request, progress)
    rules = result.rules
    if arguments.json:
        print_json(
            {
                "matches": result.count,
                "rules": [_told(rule) for rule in rules],
                "out": None if arguments.out is None else str(arguments.out),
            }
        )
        return 0
    for number, rule in enumerate(rules):
        verb = "replaced" if rule.replaces else "found"
        print_text(f"rule {number}: {verb} {len(rule.matches)} {'match' if len(rule.matches) == 1 else 'matches'}")
        for match in rule.matches:
            nodes = ", ".join(f"{inner} = {node}" for inner, node in match.nodes.items())
            print_text(f"  at {one_line(match.anchor, 80)}: {one_line(nodes, 300)}")
    if arguments.out is not None:
        print_text(f"{arguments.out}: written")
    return 0


def _told(rule: AppliedRule) -> dict[str, Any]:
    matches = [{"anchor": match.anchor, "nodes": match.nodes} for match in rule.matches]
    return {"replaces": rule.replaces, "matches": matches}
