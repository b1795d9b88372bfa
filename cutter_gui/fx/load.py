"""Opening an fx model as the core's graph: an archive as data, anything else in a process that runs its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import BodyStep, LoadOptions, Progress, TypeHint, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.fx.archive import Archive
from cutter_gui.fx.draft import Draft, ValueType, draft_from_json
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.program_json import read_program
from cutter_gui.fx.source import SourceKind, require_torch, require_trust, source_of


def load_graph(
    path: Path,
    progress: Progress = no_progress,
    types: Mapping[str, TypeHint] | None = None,
    options: LoadOptions | None = None,
) -> Graph:
    """Reads the graph of a model.

    Args:
        path: A ``.pt2``, which is read as data and runs nothing; a pickled module; or ``path.py:factory``.
        progress: Told what is being done.
        types: Types of the inputs of a pickled module, which does not keep them.
        options: Trust, and how code becomes a graph.

    Raises:
        CutterError: The model is unreadable, or needs code to run that is not trusted, or torch, which is absent.
    """
    return graph_of(load_draft(path, progress, types, options))


def load_draft(
    path: Path,
    progress: Progress = no_progress,
    types: Mapping[str, TypeHint] | None = None,
    options: LoadOptions | None = None,
) -> Draft:
    """Reads a model as a draft; see `load_graph`."""
    chosen = options or LoadOptions()
    source = source_of(path)
    progress("Reading", 0.0)
    if source.kind is SourceKind.ARCHIVE:
        return with_types(read_archive(path), types, str(path))
    if not Path(source.path).exists() and source.kind is not SourceKind.MODULE_FACTORY:
        raise CutterError("the file cannot be read", source.path, "check the path")
    require_torch(str(source))
    require_trust(source, chosen.trust, "opening it")
    from cutter_gui.fx.child import run_child

    answer = run_child(
        "draft",
        {
            "source": str(path),
            "trace": chosen.trace,
            "dynamic": list(chosen.dynamic),
            "types": {name: [hint.dtype, hint.shape] for name, hint in (types or {}).items()},
            "agreed": chosen.agreed,
        },
        progress,
    )
    return draft_from_json(answer["draft"])


def load_body(path: Path, way: Sequence[BodyStep], progress: Progress = no_progress) -> Graph:
    """Reads a branch of a higher-order operator; see `cutter_gui.core.format.ModelFormat.load_body`.

    Only archives tell of branches: no node of another source has any.
    """
    progress("Reading", 0.0)
    if source_of(path).kind is not SourceKind.ARCHIVE:
        raise CutterError("branches can only be read from a .pt2", one_line(str(path)), "export the model")
    return graph_of(read_archive(path, way))


def read_archive(path: Path, way: Sequence[BodyStep] = ()) -> Draft:
    """Reads a ``.pt2``, or a branch in it, as data.

    Raises:
        CutterError: It is unreadable or damaged.
    """
    with Archive(path) as archive:
        try:
            return read_program(archive, way)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
            reason = one_line(f"{type(error).__name__} {error}", 80)
            raise CutterError(
                f"the archive's graph is not as torch writes it: {reason}",
                str(path),
                "export the model again, or give another file",
            ) from None


def with_types(draft: Draft, types: Mapping[str, TypeHint] | None, where: str) -> Draft:
    """Returns a draft with the types that the user gives, for values without one.

    Raises:
        CutterError: A name is not in the graph.
    """
    if not types:
        return draft
    known = {*draft.inputs, *(node.name for node in draft.nodes), *(weight.name for weight in draft.weights)}
    for name in types:
        if name not in known:
            raise CutterError(
                "a type is given for a tensor that does not exist",
                f"{where}, tensor {one_line(name, 80)}",
                "correct it",
            )
    given = {name: ValueType(hint.dtype, hint.shape) for name, hint in types.items()}
    return replace(draft, types={**given, **draft.types})
