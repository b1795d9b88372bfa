"""Which code a step with an fx model runs, found out without running any of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from cutter_gui.core.errors import CutterError
from cutter_gui.core.foreign_code import ForeignCode, Step
from cutter_gui.core.manifest import MANIFEST_NAME, read_manifest
from cutter_gui.fx.source import Source, SourceKind, require_torch, source_of
from cutter_gui.fx.verify import original_of


def code_to_run(path: Path, step: Step) -> tuple[ForeignCode, ...]:
    """Returns the code that a step would run; see `cutter_gui.core.format.ModelFormat.code_to_run`.

    Raises:
        CutterError: Torch, which would run it, is not installed.
    """
    if step == "verify":
        require_torch(str(path))
        return tuple(_of_stages(path))
    source = source_of(path)
    if source.kind is SourceKind.ARCHIVE and step == "open":
        return ()
    require_torch(str(source))
    return (_of_source(source),)


def _of_source(source: Source) -> ForeignCode:
    packaged = source.kind is SourceKind.MODULE_FACTORY
    file = file_of_module(source.path) if packaged else Path(source.path).absolute()
    return ForeignCode(
        title=str(source) if packaged else Path(str(source)).name,
        file=file,
        what=source.what_would_run(),
        function=f"{source.factory}()" if source.factory else "",
        imports=bool(source.factory),
    )


def _of_stages(directory: Path) -> Iterator[ForeignCode]:
    """Yields the original model, and the stages that torch loads; nothing for a folder without a manifest."""
    try:
        manifest = read_manifest(directory / MANIFEST_NAME)
    except CutterError:
        return
    source = original_of(manifest, directory)
    if source.kind is SourceKind.MODULE_FACTORY or Path(source.path).is_file():
        yield _of_source(source)
    for stage in manifest.stages:
        if stage.files.pt2 is not None and (directory / stage.files.pt2).is_file():
            yield _of_source(source_of(directory / stage.files.pt2))


def file_of_module(name: str) -> Path | None:
    """Returns the file of a module as importing would find it, or None.

    ``importlib.util.find_spec`` would run the packages around it; here each folder is only looked into.
    """
    places: list[str] | None = [str(Path.cwd()), *(place for place in sys.path if place)]
    parts = name.split(".")
    for at in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: at + 1]), places)
        if spec is None:
            return None
        if at == len(parts) - 1:
            return Path(spec.origin) if spec.origin and Path(spec.origin).is_file() else None
        places = None if spec.submodule_search_locations is None else list(spec.submodule_search_locations)
        if not places:
            return None
    return None
