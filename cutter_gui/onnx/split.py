"""Writing the stages of an ONNX model (DESIGN, section 4)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from onnx import ModelProto

from cutter_gui.core.checked_staging import checked_staging
from cutter_gui.core.contents import StageContents, stage_contents
from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import Progress, SplitRequest, SplitResult, no_progress
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
from cutter_gui.onnx.external_files import ExternalFiles
from cutter_gui.onnx.load import KIND, LoadedModel, load_model, loaded_before
from cutter_gui.onnx.nested_data import external_ranges, place_nested
from cutter_gui.onnx.stage_proto import (
    StageSource,
    plain_stage,
    sendrecv_stage,
    stage_nested_tensors,
    stage_weight_names,
)
from cutter_gui.onnx.weight_files import Placed, Weight, placed_tensor, share_weights, weight_of, write_weights
from cutter_gui.onnx.weights import external_entry
from cutter_gui.onnx.wire import ByteRange

_PROTOBUF_LIMIT = (1 << 31) - 1
_SENDRECV, _PLAIN, _WEIGHTS = ".onnx", ".plain.onnx", ".onnx.data"


def split_model(request: SplitRequest, progress: Progress = no_progress) -> SplitResult:
    """Splits a model and writes the stages and the manifest.

    Args:
        request: What to split and how.
        progress: Told what is being done; may raise `Cancelled`, which leaves nothing behind.

    Raises:
        InvalidPlan: The plan is not valid for the model, or the form cannot carry a boundary tensor.
        CutterError: The model cannot be read, its weights are missing, or the result cannot be written.
    """
    loaded = loaded_before(request.graph)
    if loaded is None:
        loaded = load_model(request.model, lambda what, part: progress(what, part * 0.1), request.types)
    if loaded.model.proto.training_info:
        raise CutterError(
            "the model has training_info, whose bindings would be lost in stages",
            str(request.model),
            "export the training graph itself, or remove training_info",
        )
    staging = checked_staging(loaded.graph, request.plan, request.form)
    source = StageSource(loaded.model.proto, staging, loaded.types)
    with ResultFolder(request.out, MANIFEST_NAME, earlier_files, request.force) as folder:
        _keep_source(loaded, source, folder)
        files = _Writer(loaded, source, staging, request, folder, progress).write()
        written = sum((folder.workspace / name).stat().st_size for name in [*files, MANIFEST_NAME])
        folder.commit(files)
    progress("Written", 1.0)
    return SplitResult(request.out, (*files, MANIFEST_NAME), written, staging.stage_count)


def _keep_source(loaded: LoadedModel, source: StageSource, folder: ResultFolder) -> None:
    """Refuses to replace an earlier result that the model itself is part of.

    Raises:
        CutterError: The model or a weight file of it would go.
    """
    path = loaded.model.path
    entries = (*loaded.model.external, *(external_entry(tensor) for tensor in source.nested_external))
    locations = {entry.location for entry in entries if entry is not None}
    used = (path, *(path.parent / location for location in locations))
    lost = sorted(file for file in used if folder.replaces(file))
    if lost:
        raise CutterError(
            "the model is part of the earlier result that would be replaced",
            one_line(str(lost[0])),
            "give another folder",
        )


@dataclass
class _Writer:
    """Writes the files of one split into a folder."""

    loaded: LoadedModel
    source: StageSource
    staging: Staging
    request: SplitRequest
    folder: ResultFolder
    progress: Progress

    @cached_property
    def external(self) -> ExternalFiles:
        """The source's external data."""
        return ExternalFiles(self.loaded.model.path.parent)

    def write(self) -> list[str]:
        """Writes every stage and the manifest; returns the names of the files without the manifest."""
        source_path = self._source_path()
        stages = stage_contents(self.staging)
        weights = [self._weights(stage) for stage in stages]
        files = [self._files(stage, held) for stage, held in zip(stages, weights, strict=True)]
        names = [name for written in files for name in written.names()]
        self.folder.refuse_foreign(names)
        copied = self._counter(weights)
        entries = []
        for stage, held, written in zip(stages, weights, files, strict=True):
            entries.append(self._write_stage(stage, held, written, copied))
        manifest = Manifest(
            source=ModelRef(source_path, KIND, self.loaded.graph.fingerprint),
            transport=self.staging.plan.transport,
            stages=tuple(entries),
        )
        place = self.folder.workspace / MANIFEST_NAME
        place.write_text(manifest_text(manifest), encoding="utf-8", newline="\n")
        return names

    def _files(self, stage: StageContents, held: Mapping[str | ByteRange, Weight]) -> StageFiles:
        """Returns the names of the files that a stage gets."""
        stem, form = f"{self._stem}_{stage.index}", self.request.form
        outside = self.request.weights == "copy" and any(weight.source is not None for weight in held.values())
        return StageFiles(
            sendrecv=f"{stem}{_SENDRECV}" if form in ("sendrecv", "both") else None,
            plain=f"{stem}{_PLAIN}" if form in ("plain", "both") else None,
            weights=f"{stem}{_WEIGHTS}" if outside else None,
        )

    def _weights(self, stage: StageContents) -> dict[str | ByteRange, Weight]:
        """Returns the stage's initializers by name, and what nested tensors need of other files by its place there."""
        model, source = self.loaded.model, self.source
        positions = source.initializer_positions
        held: dict[str | ByteRange, Weight] = {
            name: weight_of(model, positions[name], self.external) for name in stage_weight_names(source, stage)
        }
        held.update(external_ranges(stage_nested_tensors(source, stage), self.external))
        return held

    def _counter(self, weights: Sequence[dict[str | ByteRange, Weight]]) -> Callable[[int], None]:
        total = sum(
            len(weight.source) if isinstance(weight.source, bytes) else weight.source.length
            for held in weights
            for weight in held.values()
            if weight.source is not None
        )
        done = 0

        def copied(count: int) -> None:
            nonlocal done
            done += count
            self.progress("Copying weights", 0.2 + 0.75 * done / max(total, 1))

        return copied

    def _write_stage(
        self,
        stage: StageContents,
        held: dict[str | ByteRange, Weight],
        files: StageFiles,
        copied: Callable[[int], None],
    ) -> StageEntry:
        self.progress(f"Writing stage {stage.index}", 0.2)
        places: dict[str | ByteRange, Placed] = {}
        if self.request.weights == "share":
            places = share_weights(self.request.out, held)
        elif files.weights is not None:
            places = write_weights(self.folder.workspace / files.weights, held, copied)
        tensors = {
            name: placed_tensor(weight, places.get(name)) for name, weight in held.items() if isinstance(name, str)
        }
        nested = {span: place for span, place in places.items() if isinstance(span, ByteRange)}
        if files.sendrecv is not None:
            self._save(files.sendrecv, sendrecv_stage(self.source, stage, tensors), nested)
        if files.plain is not None:
            self._save(files.plain, plain_stage(self.source, stage, tensors), nested)
        return StageEntry(
            index=stage.index,
            files=files,
            inputs=self._entries(stage.inputs),
            outputs=self._entries(dict.fromkeys(int(tensor) for tensor in stage.outputs)),
            receives=tuple(TransferEntry(t.recv_rank, t.tag, self._entries(t.tensors)) for t in stage.receives),
            sends=tuple(TransferEntry(t.send_rank, t.tag, self._entries(t.tensors)) for t in stage.sends),
        )

    def _save(self, name: str, model: ModelProto, nested: dict[ByteRange, Placed]) -> None:
        if self.source.nested_external:
            place_nested(model, self.external, nested)
        size = model.ByteSize()
        if size > _PROTOBUF_LIMIT:
            raise CutterError(
                f"stage file {name} would be {size} bytes, more than protobuf's 2 GiB",
                one_line(str(self.request.model)),
                "its node attributes are too large; cut into smaller stages",
            )
        (self.folder.workspace / name).write_bytes(model.SerializeToString(deterministic=True))

    def _entries(self, tensors: Iterable[int]) -> tuple[TensorEntry, ...]:
        graph = self.loaded.graph
        return tuple(
            TensorEntry(
                graph.tensor_names[tensor], dtype_of(int(graph.tensor_dtype[tensor])).name, graph.tensor_shapes[tensor]
            )
            for tensor in tensors
        )

    @cached_property
    def _stem(self) -> str:
        added = (_SENDRECV, _PLAIN, _WEIGHTS)
        return stage_stem(self.request.model.name, (_SENDRECV,), self.staging.stage_count, added)

    def _source_path(self) -> str:
        """The model's path relative to the output folder where one drive holds both.

        Raises:
            CutterError: It has bytes that are no UTF-8, which a manifest cannot hold.
        """
        model = real_path(self.request.model)
        try:
            path = Path(os.path.relpath(model, real_path(self.request.out))).as_posix()
        except ValueError:
            path = model.as_posix()
        try:
            path.encode()
        except UnicodeEncodeError:
            raise CutterError(
                "the model's path is not valid UTF-8, so the result cannot refer to it",
                one_line(str(self.request.model)),
                "rename the file or folder",
            ) from None
        return path
