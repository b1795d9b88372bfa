"""Comparing written stages with the original: asked for here, run in a process of its own."""

from __future__ import annotations

import json
import time
from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import OutputReport, Progress, VerifyReport, VerifyRequest, no_progress
from cutter_gui.core.manifest import MANIFEST_NAME, Manifest, read_manifest
from cutter_gui.fx.source import Source, SourceKind, require_torch, require_trust, source_of


def verify_stages(request: VerifyRequest, progress: Progress = no_progress) -> VerifyReport:
    """Runs the original and the stages on the same inputs and compares every output.

    Args:
        request: The folder, and how to make inputs; ``trust`` must be set, as torch has to load the model.
        progress: Told what is being done; may raise `Cancelled`.

    Raises:
        CutterError: Optimizations are asked for, which only ONNX has; the folder holds no result, the original is
            missing or has changed, trust or torch is lacking, or something cannot be run.
    """
    begin = time.monotonic()
    if request.optimized:
        raise CutterError(
            "stages of torch.fx run as they are: there are no optimizations to turn on", "--optimized", "leave it out"
        )
    manifest = read_manifest(request.directory / MANIFEST_NAME)
    source = original_of(manifest, request.directory)
    if source.kind is not SourceKind.MODULE_FACTORY and not Path(source.path).is_file():
        raise CutterError("the original model is missing", source.path, "put it back, or split again")
    require_torch(str(source))
    require_trust(source, request.trust, "verifying")
    from cutter_gui.fx.child import run_child

    answer = run_child(
        "verify",
        {
            "directory": str(request.directory),
            "source": str(source),
            "inputs": None if request.inputs is None else str(request.inputs),
            "seed": request.seed,
            "train": request.train,
            "agreed": request.agreed,
            **_opened(manifest.structure),
        },
        progress,
    )
    outputs = tuple(
        OutputReport(
            **{
                **told,
                "first_difference": None if told["first_difference"] is None else tuple(told["first_difference"]),
            }
        )
        for told in answer["outputs"]
    )
    progress("Verified", 1.0)
    return VerifyReport(outputs, answer["inputs"], answer["first_boundary"], time.monotonic() - begin)


def original_of(manifest: Manifest, directory: Path) -> Source:
    """Returns the model that the stages in a folder were made from."""
    named = manifest.source.path or ""
    source = source_of(named)
    if source.kind is not SourceKind.MODULE_FACTORY and not Path(source.path).is_absolute():
        source = source_of(str(directory / named))
    return source


def _opened(structure: str | None) -> dict[str, object]:
    """Returns how the model was opened when it was split, as the manifest keeps it."""
    try:
        told = json.loads(structure or "{}").get("opened", {})
    except (ValueError, AttributeError, RecursionError):
        raise CutterError("the structure in the manifest is no JSON", MANIFEST_NAME, "split the model again") from None
    return {key: told[key] for key in ("trace", "dynamic", "types") if key in told}
