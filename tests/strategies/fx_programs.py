"""Programs of the sample modules, each made once in a test run."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
import warnings
from pathlib import Path

import torch

from cutter_gui.core.graph import Graph
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.program import Program
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program
from strategies.fx_models import EXPORTED, SYMBOLIC, transformers_model


@functools.cache
def exported(name: str) -> torch.export.ExportedProgram:
    """Returns a sample module as torch exports it."""
    module, args, kwargs = EXPORTED[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(module, args, kwargs, strict=False)


@functools.cache
def archive(name: str) -> Path:
    """Returns the file of a sample module; it lives as long as the test run."""
    folder = Path(tempfile.mkdtemp(prefix="cutter-gui-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{name.replace(' ', '_')}.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(exported(name), path)
    return path


@functools.cache
def program(kind: str, name: str) -> Program:
    """Returns the program of a sample module: ``exported``, ``symbolic`` or ``transformers``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "exported":
            return export_program(*EXPORTED[name]())
        if kind == "symbolic":
            return symbolic_program(*SYMBOLIC[name]())
        return export_program(*transformers_model(name))


@functools.cache
def graph(kind: str, name: str) -> Graph:
    return graph_of(draft_of(program(kind, name)))
