"""Applying rules from a Python file to a model.

The file has ``pattern``, and ``replacement`` where it is to be replaced, as functions or modules; and, if wished,
``filters``, a list of functions of a match. Several rules are ``RULES``, a list of (pattern, replacement or None) or
(pattern, replacement or None, filters). Patterns for a model of ``torch.export`` name its operators, as in
``torch.ops.aten.relu.default(x)``.
"""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch.export import Dim
from torch.utils import _pytree as pytree

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import LoadOptions, Progress
from cutter_gui.fx.in_torch.kept_names import keep_names
from cutter_gui.fx.in_torch.opening import open_program
from cutter_gui.fx.in_torch.patterns import Match, find_matches, replace_pattern
from cutter_gui.fx.in_torch.program import Program
from cutter_gui.fx.in_torch.verify_inputs import arguments_of
from cutter_gui.fx.source import SourceKind, source_of


def rewrite_model(request: Mapping[str, Any], options: LoadOptions, progress: Progress) -> dict[str, Any]:
    """Finds the patterns of a file in a model, replaces them, and writes the result where a place is given.

    Args:
        request: ``source``, ``pattern`` (the file), ``out`` (a ``.pt2``, or None), ``shown`` (what that is to be called
            in errors), ``types`` (those of inputs, which a pickled graph does not keep).
        options: How the model is opened.
        progress: Told what is done.

    Returns:
        ``rules``: for each rule whether it ``replaces``, and its ``matches``: ``anchor`` and ``nodes``, names of the
        pattern's nodes to names of the model's, and ``own``, the names of those it stands for; ``names``: see
        `cutter_gui.core.format.RewriteResult`.

    Raises:
        CutterError: The model or the file cannot be loaded, a rule does not fit, or the result cannot be exported.
    """
    progress("Loading the model", 0.2)
    source = source_of(request["source"])
    program = open_program(source, options, request.get("types"))
    progress("Matching", 0.6)
    found = []
    before = [node.name for node in program.module.graph.nodes if node.op not in ("get_attr", "output")]
    replaced: dict[str, str] = {}
    for number, (pattern, replacement, filters) in enumerate(rules_of(Path(request["pattern"]))):
        try:
            if replacement is None:
                matches = find_matches(program.module, pattern, filters)
            else:
                matches = replace_pattern(program.module, pattern, replacement, filters)
        except CutterError as error:
            raise CutterError(error.what, f"{request['pattern']}, rule {number}", error.remedy) from error
        except Exception as error:  # filters are the user's own code
            raise CutterError(
                f"a rule fails: {one_line(f'{type(error).__name__}: {error}', 200)}",
                f"{request['pattern']}, rule {number}",
                "check its filters, and that its pattern is a function, a module or a graph",
            ) from error
        if replacement is not None:
            for match in matches:
                replaced.update(match.replaced())
        found.append({"replaces": replacement is not None, "matches": [_told(match) for match in matches]})
    names: dict[str, str] = {}
    if request.get("out"):
        progress("Writing", 0.9)
        if program.examples is None:
            missing = one_line(", ".join(program.input_names), 80)
            raise CutterError(
                f"the model keeps no example inputs, without which torch cannot export it: {missing}",
                request["source"],
                "give each a type, --type NAME=DTYPE[DIMS]"
                if source.kind is SourceKind.PICKLE
                else "export the model again with example inputs",
            )
        written = write_program(program, Path(request["out"]), str(request.get("shown", request["out"])))
        for name in before:
            now = name
            while now in replaced:
                now = replaced[now]
            if now in written:
                names[name] = written[now]
    return {"rules": found, "names": names}


def rules_of(path: Path) -> list[tuple[Any, Any, list[Any]]]:
    """Runs a file of rules and returns them as (pattern, replacement or None, filters).

    Raises:
        CutterError: It cannot be run, or has no pattern.
    """
    spec = importlib.util.spec_from_file_location("cutter_gui_rules", path)
    if spec is None or spec.loader is None:
        raise CutterError("the file is no Python source", str(path), "give a file ending in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the rules are the user's own code
        raise CutterError(
            f"the rules cannot be read: {one_line(f'{type(error).__name__}: {error}', 200)}",
            str(path),
            "run it by itself",
        ) from error
    rules = getattr(module, "RULES", None)
    if rules is None:
        if not hasattr(module, "pattern"):
            raise CutterError("the file has no pattern and no RULES", str(path), "define a function called pattern")
        rules = [(module.pattern, getattr(module, "replacement", None), getattr(module, "filters", []))]
    if not isinstance(rules, (list, tuple)) or not all(isinstance(rule, (list, tuple)) and rule for rule in rules):
        raise CutterError(
            "RULES is no list of (pattern, replacement) or (pattern, replacement, filters)",
            str(path),
            "write it so; a replacement of None only finds",
        )
    return [(rule[0], rule[1] if len(rule) > 1 else None, list(rule[2]) if len(rule) > 2 else []) for rule in rules]


def write_program(program: Program, path: Path, shown: str) -> dict[str, str]:
    """Exports a program whose graph was changed; sizes that were open stay open, and names where nodes do.

    Args:
        program: The program; it has example inputs.
        path: The file to write.
        shown: What the file is called in errors.

    Returns:
        Names of the program's nodes to their names in the file, for those that are still there.

    Raises:
        CutterError: Torch cannot export it.
    """
    given = dict(zip(program.input_names, program.examples or (), strict=True))
    args, kwargs = arguments_of(program, given)
    names = [*program.argument_names[: len(args)]] if len(program.argument_names) >= len(args) else []
    names += [f"arg{place}" for place in range(len(names), len(args))]
    module = _Nested(program, names, list(kwargs))
    shapes = _open_sizes(program, {**dict(zip(names, args, strict=True)), **kwargs})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=False)
            kept = keep_names(program.module.graph, exported)
            torch.export.save(exported, path)
    except Exception as error:  # torch says by no one class that it cannot export
        path.unlink(missing_ok=True)
        raise CutterError(
            f"the rewritten model cannot be exported: {one_line(f'{type(error).__name__}: {error}', 200)}",
            shown,
            "check that the replacement gives what the pattern gave",
        ) from error
    return kept


class _Nested(torch.nn.Module):
    """A program with the nested inputs and outputs of the model that it was made from."""

    def __init__(self, program: Program, positional: list[str], keywords: list[str]) -> None:
        super().__init__()
        kinds = inspect.Parameter
        self.forward = _with_signature(
            self._call,
            [
                *(kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in positional),
                *(kinds(name, kinds.KEYWORD_ONLY) for name in keywords),
            ],
        )
        # The attributes of the flat module are this one's, so that qualified names stay.
        for name, child in program.module.named_children():
            self.add_module(name, child)
        for name, parameter in program.module.named_parameters(recurse=False):
            self.register_parameter(name, parameter)
        for name, buffer in program.module.named_buffers(recurse=False):
            self.register_buffer(name, buffer, persistent=name not in program.module._non_persistent_buffers_set)
        for node in program.module.graph.nodes:
            target = str(node.target)
            if node.op == "get_attr" and "." not in target and not hasattr(self, target):
                setattr(self, target, getattr(program.module, target))
        self._program = [program]  # in a list, so that it is no submodule

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        (program,) = self._program
        flat = pytree.tree_leaves((args, kwargs), is_leaf=lambda item: item is None) if program.exported else list(args)
        module = fx.GraphModule(self, program.module.graph)
        returned = module(*flat)
        if program.output_spec is None:
            return returned
        leaves = [
            leaf["constant"] if isinstance(leaf, dict) else value
            for leaf, value in zip(program.outputs, returned, strict=True)
        ]
        return pytree.tree_unflatten(leaves, program.output_spec)


def _with_signature(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    """Returns a function with these parameters, after which torch.export names the inputs."""

    def forward(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # which inspect looks for
    return forward


def _open_sizes(program: Program, given: Any) -> Any:
    """Returns for each input which of its sizes are symbolic in the program."""
    symbolic = {
        id(example): node.meta.get("val")
        for node, example in zip(
            (node for node in program.module.graph.nodes if node.op == "placeholder"),
            program.examples or (),
            strict=True,
        )
    }

    def sizes(value: Any) -> Any:
        known = symbolic.get(id(value))
        if not isinstance(value, torch.Tensor) or not isinstance(known, torch.Tensor):
            return None
        return {at: Dim.AUTO for at, size in enumerate(known.shape) if type(size) is not int}

    return pytree.tree_map(sizes, given, is_leaf=lambda item: item is None)


def _told(match: Match) -> dict[str, Any]:
    return {
        "anchor": match.anchor.name,
        "nodes": match.names(),
        "own": sorted(node.name for node in match.own()),
    }
