"""Writing the stages of an fx model: the plan is checked here, code runs in a process of its own (DESIGN 4)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from cutter_gui.core.checked_staging import checked_staging
from cutter_gui.core.contents import StageContents, stage_contents
from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import Progress, SplitRequest, SplitResult, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.core.manifest import (
    MANIFEST_NAME,
    Manifest,
    StageEntry,
    StageFiles,
    TensorEntry,
    TransferEntry,
    earlier_files,
    manifest_text,
)
from cutter_gui.core.real_path import real_path
from cutter_gui.core.result_folder import ResultFolder
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.core.stage_names import stage_stem
from cutter_gui.core.stages import Staging
from cutter_gui.fx.draft_graph import KIND
from cutter_gui.fx.load import load_graph
from cutter_gui.fx.source import Source, SourceKind, require_torch, require_trust, source_of

_READ = (".pt2", ".pt", ".pth", ".py")
_WRITTEN = (".pt2", ".json", ".safetensors")


def split_model(request: SplitRequest, progress: Progress = no_progress) -> SplitResult:
    """Splits a model and writes the stages and the manifest.

    Args:
        request: What to split; ``trust`` must be set, as torch has to load the model.
        progress: Told what is being done; may raise `Cancelled`, which leaves nothing behind.

    Raises:
        InvalidPlan: The plan is not valid for the model.
        CutterError: The model cannot be read or needs trust, torch is absent, or the result cannot be written.
    """
    if request.weights == "share":
        raise CutterError("stages of torch.fx cannot share weights", "--weights share", "leave it out to copy them")
    source = source_of(request.model)
    graph = request.graph or load_graph(request.model, progress, request.types, request.options)
    staging = checked_staging(graph, request.plan)
    require_torch(str(source))
    require_trust(source, request.trust, "writing stages")
    from cutter_gui.fx.child import run_child

    stem = stem_of(source, staging.stage_count)
    with ResultFolder(request.out, MANIFEST_NAME, earlier_files, request.force) as folder:
        if source.kind is not SourceKind.MODULE_FACTORY and folder.replaces(Path(source.path)):
            raise CutterError(
                "the model is part of the earlier result that would be replaced",
                one_line(source.path),
                "give another folder",
            )
        folder.refuse_foreign([f"{stem}_{i}{ending}" for i in range(staging.stage_count) for ending in _WRITTEN])
        answer = run_child("split", _child_request(request, staging, folder.workspace, stem), progress)
        entries = _entries(staging, stage_contents(staging), answer["files"])
        manifest = Manifest(
            source=ModelRef(source_path(source, request.out), KIND, graph.fingerprint),
            transport=request.plan.transport,
            stages=tuple(entries),
            structure=_structure(answer["structure"], request),
        )
        text = manifest_text(manifest)
        (folder.workspace / MANIFEST_NAME).write_text(text, encoding="utf-8", newline="\n")
        files = manifest.files()
        written = sum((folder.workspace / name).stat().st_size for name in (*files, MANIFEST_NAME))
        folder.commit(files)
    progress("Written", 1.0)
    return SplitResult(request.out, (*files, MANIFEST_NAME), written, staging.stage_count, notes=tuple(answer["notes"]))


def stem_of(source: Source, stage_count: int) -> str:
    """Returns what the files of stages are called: the model file's name, or that of the factory's file."""
    path = PurePath(source.path)
    name = path.name.rpartition(".")[2] if source.kind is SourceKind.MODULE_FACTORY else path.name
    return stage_stem(name, _READ, stage_count, _WRITTEN)


def source_path(source: Source, folder: Path) -> str:
    """Returns the model as the manifest names it: relative to its folder where one drive holds both."""
    if source.kind is SourceKind.MODULE_FACTORY:
        return str(source)
    model = real_path(source.path)
    try:
        path = Path(os.path.relpath(model, real_path(folder))).as_posix()
    except ValueError:
        path = model.as_posix()
    return f"{path}:{source.factory}" if source.factory else path


def _structure(text: str, request: SplitRequest) -> str:
    """Returns how values nest, together with how the model was opened, which verifying has to do again."""
    told = json.loads(text)
    told["opened"] = {"trace": request.options.trace, "dynamic": list(request.options.dynamic)}
    if request.types:
        told["opened"]["types"] = {name: [hint.dtype, hint.shape] for name, hint in request.types.items()}
    return json.dumps(told)


def _child_request(request: SplitRequest, staging: Staging, folder: Path, stem: str) -> dict[str, Any]:
    cuts = [
        [[edge.tensor, None if edge.consumers is None else list(edge.consumers)] for edge in cut.edges]
        for cut in request.plan.cuts
    ]
    return {
        "source": str(request.model),
        "trace": request.options.trace,
        "dynamic": list(request.options.dynamic),
        "agreed": request.options.agreed,
        "types": {name: [hint.dtype, hint.shape] for name, hint in request.types.items()},
        "plan": {"transport": request.plan.transport, "cuts": cuts},
        "fingerprint": staging.graph.fingerprint,
        "folder": str(folder),
        "stem": stem,
    }


def _entries(staging: Staging, stages: Sequence[StageContents], files: Sequence[Mapping[str, str]]) -> list[StageEntry]:
    graph = staging.graph
    return [
        StageEntry(
            index=stage.index,
            files=StageFiles(**names),
            inputs=_tensors(graph, stage.inputs),
            outputs=_tensors(graph, dict.fromkeys(int(tensor) for tensor in stage.outputs)),
            receives=tuple(TransferEntry(t.recv_rank, t.tag, _tensors(graph, t.tensors)) for t in stage.receives),
            sends=tuple(TransferEntry(t.send_rank, t.tag, _tensors(graph, t.tensors)) for t in stage.sends),
        )
        for stage, names in zip(stages, files, strict=True)
    ]


def _tensors(graph: Graph, tensors: Iterable[int]) -> tuple[TensorEntry, ...]:
    return tuple(
        TensorEntry(
            graph.tensor_names[int(t)], dtype_of(int(graph.tensor_dtype[int(t)])).name, graph.tensor_shapes[int(t)]
        )
        for t in tensors
    )
