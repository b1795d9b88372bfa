"""Arguments that several commands take, and reading what they name."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import FORMS, TRACES, LoadOptions, TypeHint, format_for
from cutter_gui.core.graph import Graph
from cutter_gui.core.ort_cuts import parse_ort_cuts
from cutter_gui.core.plan import TRANSPORTS, Cut, Plan
from cutter_gui.core.spec import CutSpec, read_spec
from cutter_gui.core.type_hints import parse_dims


def path_argument(text: str) -> Path:
    """Reads the name of a file or folder; an empty one, as from an unset variable, is not the current folder.

    Raises:
        argparse.ArgumentTypeError: It is empty.
    """
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=path_argument, metavar="MODEL", help="the model file")
    parser.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="NAME=DTYPE[DIMS]",
        dest="types",
        help="type of a tensor that inference cannot tell, such as scores=float32[1,16,128]; may be repeated",
    )
    parser.add_argument("--trust", action="store_true", help="allow what must run code from the file")
    parser.add_argument(
        "--trace", choices=TRACES, default="export", help="how code of torch becomes a graph (default: export)"
    )
    parser.add_argument(
        "--dynamic",
        action="append",
        default=[],
        metavar="INPUT:DIM",
        help="a size that stays open when code is traced, as x:0 or x:0=batch, or all; may be repeated",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="put one JSON document on standard output")


def add_plan(parser: argparse.ArgumentParser, required: bool = True) -> None:
    group = parser.add_mutually_exclusive_group(required=required)
    group.add_argument("--cuts", type=path_argument, metavar="C", help="the cut spec")
    group.add_argument(
        "--cut",
        action="append",
        metavar="EDGES",
        help="one cut, in ORT's syntax: tensor:tensor-consumer/consumer; repeat it for more cuts",
    )


def add_form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--form", choices=FORMS, default="both", help="which form of the stages (default: both)")
    parser.add_argument("--transport", choices=TRANSPORTS, help="overrides what the cut spec says (default: relay)")


def read_options(arguments: argparse.Namespace) -> LoadOptions:
    """Returns how the model is to be opened.

    Raises:
        CutterError: It is told how to trace a model that nothing is traced of.
    """
    told = "--dynamic" if arguments.dynamic else "" if arguments.trace == TRACES[0] else "--trace"
    if told and not format_for(arguments.model).code_to_run(arguments.model, "open"):
        where = one_line(str(arguments.model))
        raise CutterError(f"the file holds a graph, so there is nothing to trace with {told}", where, "leave it out")
    return LoadOptions(arguments.trust, arguments.trace, tuple(arguments.dynamic))


def read_types(texts: list[str]) -> dict[str, TypeHint]:
    """Reads the ``--type`` arguments.

    Raises:
        CutterError: One is not NAME=DTYPE or NAME=DTYPE[DIMS].
    """
    found = {}
    for text in texts:
        match = re.fullmatch(r"(?s)(.+)=([a-z0-9]+)(?:\[([^\[\]]*)\])?", text)
        if match is None or match[2] not in BY_NAME or BY_NAME[match[2]].code <= 0:
            raise _no_type(text)
        try:
            shape = None if match[3] is None else parse_dims(match[3])
        except CutterError as error:
            raise _no_type(text) from error
        found[match[1]] = TypeHint(BY_NAME[match[2]].code, shape)
    return found


def _no_type(text: str) -> CutterError:
    return CutterError("a type cannot be read", f"--type {text}", "write it as name=float32[1,16,128]")


def read_plan(arguments: argparse.Namespace, graph: Graph) -> tuple[Plan, CutSpec | None]:
    """Reads the plan that ``--cuts`` or ``--cut`` gives, with ``--transport`` applied.

    Raises:
        CutterError: The spec cannot be read, is for another kind of model, or a cut cannot be parsed.
    """
    spec = None
    if arguments.cuts is not None:
        spec = read_spec(arguments.cuts)
        plan = spec.plan
        if spec.model is not None and spec.model.kind not in (None, graph.kind):
            raise CutterError(
                f"the cut spec is for a model of kind {one_line(spec.model.kind, 20)}, not {graph.kind}",
                str(arguments.cuts),
                "give the model that it was made for",
            )
    else:
        names = graph.tensor_index
        plan = Plan(tuple(_one_cut(text, names) for text in arguments.cut or ()))
    if getattr(arguments, "transport", None):
        plan = plan.with_transport(arguments.transport)
    return plan, spec


def _one_cut(text: str, names: dict[str, int]) -> Cut:
    cuts = parse_ort_cuts(text, names.keys())
    if len(cuts) != 1:
        raise CutterError("--cut takes one cut", f"--cut {one_line(text, 80)}", "repeat --cut for each cut")
    return cuts[0]
