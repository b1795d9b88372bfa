"""Opening a model in torch, which may run code of its own."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import LoadOptions, TypeHint
from cutter_gui.fx.in_torch.legalize import legalized
from cutter_gui.fx.in_torch.program import Program, program_of
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program, traced_program
from cutter_gui.fx.scalar_types import TORCH_NAMES
from cutter_gui.fx.source import Source, SourceKind


def open_program(source: Source, options: LoadOptions, types: Mapping[str, TypeHint] | None = None) -> Program:
    """Opens a model as a program.

    Args:
        source: The model.
        options: How code becomes a graph.
        types: Types of the inputs of a pickled graph module.

    Raises:
        CutterError: It cannot be loaded or traced.
    """
    if source.kind is SourceKind.ARCHIVE:
        return _archive(Path(source.path))
    if source.kind is SourceKind.PICKLE:
        return _pickled(source, options, types or {})
    return _traced(source, _made(source), options)


def _archive(path: Path) -> Program:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = program_of(torch.export.load(path))
    except CutterError:
        raise
    except Exception as error:  # torch says by no one class that it cannot load a file
        raise CutterError(
            f"torch cannot load the archive: {one_line(f'{type(error).__name__}: {error}', 200)}",
            str(path),
            "export the model again with the torch that is installed",
        ) from error
    return program


def _pickled(source: Source, options: LoadOptions, types: Mapping[str, TypeHint]) -> Program:
    try:
        loaded = torch.load(source.path, weights_only=False, map_location="cpu")
    except Exception as e:  # unpickling runs code of the file's own
        raise CutterError(
            f"the file cannot be unpickled: {one_line(f'{type(e).__name__}: {e}', 200)}",
            str(source),
            "check that what it needs is importable",
        ) from e
    if isinstance(loaded, fx.GraphModule):
        try:
            return traced_program(legalized(loaded), _examples_of(loaded, types))
        except CutterError:
            raise
        except Exception as error:  # operators say by no one class that inputs do not fit
            raise CutterError(
                f"the graph does not run on inputs of these types: {_reason(error)}",
                str(source),
                "give each input the type that it takes",
            ) from error
    return _traced(source, loaded, options)


def _traced(source: Source, made: Any, options: LoadOptions) -> Program:
    """Traces what a factory returned."""
    if not (isinstance(made, tuple) and len(made) in (2, 3) and isinstance(made[0], nn.Module)):
        raise CutterError(
            f"it gives {one_line(type(made).__name__, 60)}, not (module, args) or (module, args, kwargs)",
            str(source),
            "return the module with example arguments",
        )
    module, args = made[0], made[1]
    kwargs = made[2] if len(made) == 3 else {}
    if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
        raise CutterError(
            f"its keyword arguments are {one_line(type(kwargs).__name__, 60)}, not a dictionary of names",
            str(source),
            "return (module, args, kwargs) with kwargs such as {'mask': mask}",
        )
    kwargs = dict(kwargs)
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if isinstance(module, fx.GraphModule):
        module = legalized(module)
    trace = symbolic_program if options.trace == "symbolic" else export_program
    try:
        return trace(module, args, kwargs, options.dynamic)
    except CutterError:
        raise
    except Exception as error:  # tracing runs the model's own code, which may raise anything
        remedy = (
            "try --trace symbolic" if options.trace == "export" else "leave out --trace symbolic, or change the model"
        )
        raise CutterError(f"the model cannot be traced: {_reason(error)}", str(source), remedy) from error


def _reason(error: Exception) -> str:
    """Returns what an error of torch says first; it often goes on for pages."""
    said = str(error).strip()
    return one_line(f"{type(error).__name__}: {said.splitlines()[0] if said else ''}", 200)


def _made(source: Source) -> Any:
    """Runs a factory. One that draws weights without a seed draws the same each time, or no verify could succeed."""
    random.seed(0)
    torch.manual_seed(0)
    module = _module_of(source)
    factory: Callable[[], Any] | None = getattr(module, source.factory, None)
    if not callable(factory):
        raise CutterError(f"there is no function {source.factory}", source.path, "correct the name after the colon")
    try:
        return factory()
    except Exception as error:  # the factory is the user's own code
        raise CutterError(
            f"the factory fails: {one_line(f'{type(error).__name__}: {error}', 200)}", str(source), "run it by itself"
        ) from error


def _module_of(source: Source) -> Any:
    try:
        if source.kind is SourceKind.MODULE_FACTORY:
            sys.path.insert(0, str(Path.cwd()))
            return importlib.import_module(source.path)
        path = Path(source.path).resolve()
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise CutterError("the file is no Python source", source.path, "give a file ending in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    except CutterError:
        raise
    except Exception as error:  # importing runs the user's own code
        raise CutterError(
            f"it cannot be imported: {one_line(f'{type(error).__name__}: {error}', 200)}",
            str(source),
            "run it by itself",
        ) from error
    return module


def _examples_of(module: fx.GraphModule, types: Mapping[str, TypeHint]) -> list[Any] | None:
    """Makes an example of each placeholder from the types the user gave, or from what the pickle kept; None without."""
    examples = []
    for node in module.graph.nodes:
        if node.op != "placeholder":
            continue
        held = node.meta.get("val", node.meta.get("example_value"))
        hint = types.get(node.name)
        if hint is not None and hint.shape is not None:
            shape = tuple(size if isinstance(size, int) else 2 for size in hint.shape)
            examples.append(torch.zeros(shape, dtype=getattr(torch, TORCH_NAMES[hint.dtype])))
        elif isinstance(held, torch.Tensor):
            examples.append(torch.zeros(tuple(int(size) for size in held.shape), dtype=held.dtype))
        else:
            return None
    return examples
