"""Opening: models, cut specs, or both at once, however they come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import formats
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.manifest import MANIFEST_NAME
from cutter_gui.core.spec import SUFFIX, read_spec
from cutter_gui.frames import OpenModel, ReadSpec
from cutter_gui.gui.commands import SpecFile
from cutter_gui.gui.dialogs import files
from cutter_gui.gui.jobs import Job
from cutter_gui.gui.remembered_foldings import remembered_foldings
from cutter_gui.gui.steps import Steps
from cutter_gui.layout.folding import Folding
from cutter_gui.layout.scene import LayoutOptions

if TYPE_CHECKING:
    from cutter_gui.gui.document import Document
    from cutter_gui.gui.window import MainWindow

_YAML = (".yaml", ".yml")
_LARGE_SPEC = 32 * 1024  # bytes; longer ones take more than a frame or two to read


@dataclass
class Opening:
    """A model that is being opened.

    Attributes:
        path: The model.
        spec: The cut spec to open over it.
        job: The worker that reads it.
        document: The document, once the graph has come.
        picture_only: Whether the document is open already and only its picture is made anew.
        groups: The groups of its nodes, once they have come.
    """

    path: Path
    spec: SpecFile | None
    job: Job
    document: Document | None = None
    picture_only: bool = False
    groups: Groups | None = None


class Opener(QObject):
    """Opens what the user names.

    Signals:
        begun: A model is being opened: its name.
        progress: What is being done and the fraction done.
        graph_ready: A `Document` with its graph, to be shown at once.
        scene_ready: The picture of that document.
        ended: Nothing is being opened any more. The flag says whether the picture is missing, the text why.
    """

    begun = Signal(str)
    progress = Signal(str, float)
    graph_ready = Signal(object)
    scene_ready = Signal(object)
    ended = Signal(bool, str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._opening: Opening | None = None
        self._constants = False
        self._steps = Steps(self)

    @property
    def is_busy(self) -> bool:
        return self._opening is not None

    @property
    def shows_constants(self) -> bool:
        return self._constants

    def ask_for_files(self) -> None:
        """Asks which model, or model and spec, to open."""
        models = " ".join(f"*{suffix}" for known in formats() for suffix in known.suffixes)
        filters = (
            self.tr("Models and cut specs ({})").format(f"{models} *{SUFFIX}"),
            self.tr("Models ({})").format(models),
            self.tr("All files (*)"),
        )
        files.ask_open(self._window, self.tr("Open"), self._window.last_folder(), filters, self.open_paths)

    def ask_for_spec(self) -> None:
        """Asks which cut spec to open."""
        filters = (self.tr("Cut specs ({})").format(f"*{SUFFIX} *.yaml *.yml"), self.tr("All files (*)"))
        title = self.tr("Open cut spec")
        files.ask_open(self._window, title, self._window.last_folder(), filters, lambda paths: self.open_spec(paths[0]))

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Opens a model, a cut spec, or one of each."""
        try:
            model, spec = _told_apart(paths)
        except CutterError as error:
            self._window.show_error(self.tr("Open"), error)
            return
        if model is None and spec is not None:
            self.open_spec(spec)
        elif model is not None:
            self.open_model(model, spec)

    def open_spec(self, path: Path) -> None:
        """Opens a cut spec over the open model, or with the model it names."""
        self._with_spec(path, self._open_spec)

    def _open_spec(self, spec: SpecFile) -> None:
        document = self._window.document
        if document is not None:
            document.open_spec(spec)
            self._window.settings.add_recent(spec.path)
            return
        named = None if spec.spec.model is None else spec.spec.model.path
        model = None if named is None else (spec.path.parent / named).resolve()
        if model is not None and model.is_file():
            self._start(model, spec)
            return
        title = self.tr("Where is the model of {}?").format(spec.path.name)
        if model is not None:
            title = self.tr("{0} is not there: where is the model of {1}?").format(model.name, spec.path.name)
        filters = (self.tr("Models ({})").format(" ".join(f"*{s}" for f in formats() for s in f.suffixes)),)
        files.ask_open(self._window, title, spec.path.parent, filters, lambda paths: self._start(paths[0], spec))

    def open_model(self, path: Path, spec_path: Path | None = None) -> None:
        """Opens a model, after the question whether unsaved work may be lost."""
        if spec_path is None:
            self._window.when_work_is_safe(lambda: self._start(path, None))
        else:
            self._with_spec(spec_path, lambda spec: self._window.when_work_is_safe(lambda: self._start(path, spec)))

    def open_again(self, path: Path, spec: SpecFile | None) -> None:
        """Reads a model anew without a question; the caller keeps what is not saved."""
        self._start(path, spec)

    def lay_out_again(self, constants: bool | None = None, folding: Folding | None = None) -> None:
        """Makes the picture of the open document anew, with the groups folded as they are unless given."""
        document = self._window.document
        if document is None:
            return
        if constants is not None:
            self._constants = constants
        workspace = self._window.workspace
        if folding is None and workspace is not None and workspace.folds.groups is not None:
            folding = workspace.folds.folding
        self._start(document.path, None, document, folding)

    def cancel(self) -> None:
        """Stops opening; the `ended` signal follows."""
        if self._opening is not None:
            self._opening.job.cancel()

    def _with_spec(self, path: Path, then: Callable[[SpecFile], None]) -> None:
        """Reads a cut spec, a large one in a worker, and goes on with it; an error is shown."""
        try:
            large = path.stat().st_size > _LARGE_SPEC
        except OSError:  # reading it says what is wrong
            large = False
        title = self.tr("Open cut spec")
        if large:
            job = self._window.workers.run(ReadSpec(path.absolute()))
            self._window.running.follow(job, title, lambda spec: then(SpecFile(path.absolute(), spec)))
            return
        try:
            spec = read_spec(path)
        except CutterError as error:
            self._window.show_error(title, error)
            return
        then(SpecFile(path.absolute(), spec))

    def _start(
        self, path: Path, spec: SpecFile | None, document: Document | None = None, folding: Folding | None = None
    ) -> None:
        if self._opening is not None:
            self._opening.job.cancel()
            self._opening = None
        self._steps.clear()
        path = path.absolute()
        options = LayoutOptions(show_constants=self._constants)
        remembered = remembered_foldings(self._window.settings)
        job = self._window.workers.run(OpenModel(path, options, folding, remembered))
        self._opening = Opening(path, spec, job, document, picture_only=document is not None)
        job.progress.connect(self.progress)
        # A graph can be there before the modules that show it are imported.
        ready = self._window.warmup.when_full
        job.part.connect(lambda part: ready(lambda: self._steps.add(lambda: self._take_part(job, part))))
        job.finished.connect(lambda _result: ready(lambda: self._steps.add(lambda: self._finish(job))))
        job.failed.connect(lambda error: ready(lambda: self._steps.add(lambda: self._fail(job, error))))
        job.cancelled.connect(lambda: ready(lambda: self._steps.add(lambda: self._cancelled(job))))
        self.begun.emit(path.name)

    def _take_part(self, job: Job, part: Any) -> None:
        opening = self._opening
        if opening is None or opening.job is not job:
            return
        if isinstance(part, Groups):
            opening.groups = part
        elif isinstance(part, Folding):
            self._take_folding(opening, part)
        elif not isinstance(part, Graph):
            self.scene_ready.emit(part)
        elif opening.picture_only and opening.document is not None:
            if part.fingerprint != opening.document.graph.fingerprint:
                job.cancel()
                changed = self.tr("the file has changed since it was opened")
                error = CutterError(changed, str(opening.path), self.tr("save the cuts and open it again"))
                self._window.show_error(self.tr("Open"), error)
        else:
            self._make_document(opening, part)

    def _take_folding(self, opening: Opening, folding: Folding) -> None:
        """Hands on the groups and how they are folded, before their picture comes."""
        if self._window.workspace is not None and opening.groups is not None:
            self._window.workspace.set_groups(opening.groups, folding, self._constants)

    def _make_document(self, opening: Opening, graph: Graph) -> None:
        """Makes the document, its findings, and the views of it, the event loop in between."""
        from cutter_gui.gui.document import Document

        document = Document(opening.path, graph, opening.spec)
        opening.document = document
        self._window.settings.add_recent(opening.path)
        if opening.spec is not None:
            self._window.settings.add_recent(opening.spec.path)
        self._steps.insert(
            lambda: document.contents,
            lambda: document.diagnostics,
            lambda: self.graph_ready.emit(document),
        )

    def close(self) -> None:
        """Drops what is still to be shown; for when the window goes away."""
        self._opening = None
        self._steps.clear()

    def _end(self, job: Job) -> Opening | None:
        """Returns what the job was opening, and forgets it; None when it was given up for another."""
        opening = self._opening
        if opening is None or opening.job is not job:
            return None
        self._opening = None
        return opening

    def _finish(self, job: Job) -> None:
        if self._end(job) is not None:
            self.ended.emit(False, "")

    def _fail(self, job: Job, error: CutterError) -> None:
        opening = self._end(job)
        if opening is None:
            return
        self.ended.emit(opening.document is not None, str(error))
        if opening.document is None:
            self._window.show_error(self.tr("Open"), error)

    def _cancelled(self, job: Job) -> None:
        opening = self._end(job)
        if opening is not None:
            self.ended.emit(opening.document is not None, self.tr("The layout was stopped."))


def is_spec(path: Path) -> bool:
    """Whether a path looks like a cut spec."""
    return path.name.lower().endswith(_YAML)


def _told_apart(paths: Sequence[Path]) -> tuple[Path | None, Path | None]:
    """Returns the model and the cut spec among paths.

    Raises:
        CutterError: There are two of a kind, or something that is neither.
    """
    models: list[Path] = []
    specs: list[Path] = []
    for path in paths:
        if path.name == MANIFEST_NAME or (path / MANIFEST_NAME).is_file():
            raise CutterError(
                "these are saved stages, not a model",
                str(path),
                "open the model they were made from; Stages > Verify checks saved stages",
            )
        if path.is_dir():
            raise CutterError("this is a folder", str(path), "open a model file in it")
        (specs if is_spec(path) else models).append(path)
    if len(models) > 1 or len(specs) > 1:
        extra = (models if len(models) > 1 else specs)[1]
        raise CutterError("one model and one cut spec can be open at a time", extra.name, "open the files one by one")
    return (models[0] if models else None, specs[0] if specs else None)
