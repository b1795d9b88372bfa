"""Opening: models, cut specs, or both at once, however they come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.foreign_code import Agreed
from cutter_gui.core.format import LoadOptions, formats
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.core.manifest import MANIFEST_NAME
from cutter_gui.core.spec import SUFFIX, model_file, read_spec
from cutter_gui.frames import OpenModel, ReadSpec
from cutter_gui.gui.code_actions import ask_for_code
from cutter_gui.gui.commands import SpecFile
from cutter_gui.gui.dialogs import files
from cutter_gui.gui.jobs import Job
from cutter_gui.gui.layout_choice import layout_options
from cutter_gui.gui.model_file import file_of, full_name, is_there
from cutter_gui.gui.remembered_foldings import remembered_foldings
from cutter_gui.gui.remembered_options import options_for
from cutter_gui.gui.steps import Steps
from cutter_gui.gui.trust import Asking, trust_of
from cutter_gui.layout.folding import Folding
from cutter_gui.layout.scene import LayoutOptions

if TYPE_CHECKING:
    from cutter_gui.gui.document import Document
    from cutter_gui.gui.session import OpenFile
    from cutter_gui.gui.tab import Tab
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
        load: How it is opened, and whether its code may run.
        layout: How it is laid out.
    """

    path: Path
    spec: SpecFile | None
    job: Job
    document: Document | None = None
    picture_only: bool = False
    groups: Groups | None = None
    load: LoadOptions = field(default_factory=LoadOptions)
    layout: LayoutOptions = field(default_factory=LayoutOptions)


class Opener(QObject):
    """Opens what the user names: the model of a tab, and with several files at once those of more tabs.

    Signals:
        begun: A model is being opened: its path.
        progress: What is being done and the fraction done.
        graph_ready: A `Document` with its graph, to be shown at once.
        scene_ready: The picture of that document.
        ended: Nothing is being opened any more. The flag says whether the picture is missing, the text why.
    """

    begun = Signal(object)
    progress = Signal(str, float)
    graph_ready = Signal(object)
    scene_ready = Signal(object)
    ended = Signal(bool, str)

    def __init__(self, window: MainWindow, tab: Tab) -> None:
        super().__init__(tab)
        self._window = window
        self._tab = tab
        self._closed = False
        self._opening: Opening | None = None
        self._question: object = None  # of whether code may run; while there is one nothing is read
        self._asking: Asking | None = None
        self._constants = False
        self._steps = Steps(self)

    @property
    def is_busy(self) -> bool:
        return self._opening is not None or self._question is not None

    @property
    def shows_constants(self) -> bool:
        return self._constants

    def keep_constants(self, shown: bool) -> None:
        """Takes over whether the picture that stays has constants in it."""
        self._constants = shown

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
        """Opens models, each in a tab of its own, cut specs, or both."""
        code = [path for path in paths if path.suffix == ".py" and path.is_file()]
        if code:
            ask_for_code(self._window, code[0])
        try:
            pairs = _told_apart([path for path in paths if path not in code])
        except CutterError as error:
            self._window.show_error(self.tr("Open"), error)
            return
        for model, spec in pairs:
            if model is not None:
                self.open_model(model, spec)
            elif spec is not None:
                self._with_spec(spec, self._open_where_it_belongs)

    def open_spec(self, path: Path) -> None:
        """Opens a cut spec over the open model, or with the model it names."""
        self._with_spec(path, self._open_spec)

    def _open_where_it_belongs(self, spec: SpecFile) -> None:
        """Opens a cut spec over the model it names where that is open in some tab, else as `open_spec` does."""
        model = model_file(spec.spec, spec.path)
        tab = None if model is None else self._window.tabs.with_model(model.resolve())
        if tab is None or tab.document is None:
            self._open_spec(spec)
        else:
            self._window.tabs.select(tab)
            tab.opener._open_spec(spec)

    def _open_spec(self, spec: SpecFile) -> None:
        document = self._tab.document
        if document is not None:
            document.open_spec(spec)
            self._window.settings.add_recent(spec.path)
            return
        model = _model_of(spec)
        if model is not None and is_there(model):
            self._start(model, spec)
            return
        title = self.tr("Where is the model of {}?").format(spec.path.name)
        if model is not None:
            title = self.tr("{0} is not there: where is the model of {1}?").format(model.name, spec.path.name)
        filters = (self.tr("Models ({})").format(" ".join(f"*{s}" for f in formats() for s in f.suffixes)),)
        files.ask_open(self._window, title, spec.path.parent, filters, lambda paths: self._start(paths[0], spec))

    def open_model(self, path: Path, spec_path: Path | None = None) -> None:
        """Opens a model in a tab of its own, or looks at the one it is open in."""
        if spec_path is None:
            self._open_in_tab(path, None)
        else:
            self._with_spec(spec_path, lambda spec: self._open_in_tab(path, spec))

    def _open_in_tab(self, path: Path, spec: SpecFile | None) -> None:
        tabs = self._window.tabs
        tab = tabs.with_model(path)
        if tab is None:
            self._window.tabs.for_another().opener._start(path, spec)
            return
        tabs.select(tab)
        if spec is not None:
            tab.when_drawn(lambda: tab.opener._open_spec(spec))

    def open_file(self, file: OpenFile) -> None:
        """Opens what an earlier session had open; cuts that cannot be read are said, not asked about."""
        self._constants = file.constants

        def without(error: CutterError) -> None:
            said = self.tr("The cuts of {0} could not be read: {1}").format(file.model.name, one_line(error.what))
            self._window.say(said)
            self._start(file.model, None)

        if file.spec is None:
            self._start(file.model, None)
        else:
            self._with_spec(file.spec, lambda spec: self._start(file.model, spec), without)

    def open_again(self, path: Path, spec: SpecFile | None) -> None:
        """Reads a model anew without a question; the caller keeps what is not saved."""
        self._start(path, spec)

    def lay_out_again(self, constants: bool | None = None, folding: Folding | None = None) -> None:
        """Makes the picture of the open document anew, with the groups folded as they are unless given."""
        document = self._tab.document
        if document is None:
            return
        if constants is not None:
            self._constants = constants
        workspace = self._tab.workspace
        if folding is None and workspace is not None and workspace.folds.groups is not None:
            folding = workspace.folds.folding
        self._start(document.path, None, document, folding)

    def cancel(self) -> None:
        """Stops opening; the `ended` signal follows."""
        if self._opening is not None:
            self._opening.job.cancel()
        elif self._asking is not None:
            self._asking.cancel()

    def _with_spec(
        self,
        path: Path,
        then: Callable[[SpecFile], None],
        otherwise: Callable[[CutterError], None] | None = None,
    ) -> None:
        """Reads a cut spec, a large one in a worker, and goes on with it; an error is shown unless told otherwise."""
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
            if otherwise is None:
                self._window.show_error(title, error)
            else:
                otherwise(error)
            return
        then(SpecFile(path.absolute(), spec))

    def _start(
        self, path: Path, spec: SpecFile | None, document: Document | None = None, folding: Folding | None = None
    ) -> None:
        if self._closed:
            return
        if self._opening is not None:
            self._opening.job.cancel()
            self._opening = None
        self._steps.clear()
        self._question = question = object()
        self._give_up_asking()
        path = full_name(path)
        if document is not None:
            self._run(path, spec, document, folding, document.options)
            return
        options = options_for(self._window.settings, path)

        def go_on(trusted: bool, agreed: Agreed) -> None:
            if self._question is question:
                self._run(path, spec, None, folding, replace(options, trust=trusted, agreed=agreed))

        def refused() -> None:
            if self._question is question:
                self._question = self._asking = None
                self.ended.emit(False, "")

        self.begun.emit(path)
        asking = trust_of(self._window).to_open(path, go_on, refused, self.progress.emit)
        if self._question is question:
            self._asking = asking

    def _give_up_asking(self) -> None:
        """Takes back the question whether code may run, if there is one."""
        asking, self._asking = self._asking, None
        if asking is not None:
            asking.cancel()

    def _run(
        self, path: Path, spec: SpecFile | None, document: Document | None, folding: Folding | None, load: LoadOptions
    ) -> None:
        """Reads the model in a worker, or makes just the picture of an open one."""
        self._question = self._asking = None
        options = layout_options(self._window.preferences, self._constants)
        remembered = remembered_foldings(self._window.settings)
        # Code that ran to open the model is not run again for another picture.
        graph = document.graph if document is not None and load.trust else None
        workspace = self._tab.workspace
        before = workspace.folds.engine if document is not None and workspace is not None else None
        asked = OpenModel(path, replace(options, before=before), folding, remembered, load, graph)
        job = self._window.workers.run(asked)
        self._opening = Opening(path, spec, job, document, picture_only=document is not None, load=load, layout=options)
        job.progress.connect(self.progress)
        job.part.connect(lambda part: self._then(lambda: self._take_part(job, part)))
        job.finished.connect(lambda _result: self._then(lambda: self._finish(job)))
        job.failed.connect(lambda error: self._then(lambda: self._fail(job, error)))
        job.cancelled.connect(lambda: self._then(lambda: self._cancelled(job)))
        if document is not None:
            self.begun.emit(path)

    def _then(self, call: Callable[[], object]) -> None:
        """Calls in a step of its own, once the modules are imported that show a graph, which can be there before."""

        def add() -> None:
            if not self._closed:
                self._steps.add(call)

        self._window.warmup.when_full(add)

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
        if self._tab.workspace is not None and opening.groups is not None:
            self._tab.workspace.set_groups(opening.groups, folding, opening.layout)
            self._tab.restore_panels()

    def _make_document(self, opening: Opening, graph: Graph) -> None:
        """Makes the document, its findings, and the views of it, the event loop in between."""
        from cutter_gui.gui.document import Document

        document = Document(opening.path, graph, opening.spec, transport=self._window.preferences.transport)
        document.options = opening.load
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
        """Stops what is being opened, and drops what is still to be shown; for when the tab goes away."""
        self._closed = True
        opening, self._opening = self._opening, None
        self._question = None
        self._steps.clear()
        self._give_up_asking()
        if opening is not None:
            opening.job.cancel()

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


def _model_of(spec: SpecFile) -> Path | None:
    """Returns the model that a cut spec names; one of a package by its name, a file from where the spec is."""
    named = model_file(spec.spec, spec.path)
    if named is None or spec.spec.model is None:
        return None
    told = Path(str(spec.spec.model.path))
    return told if file_of(told) is None else named.resolve()


def _told_apart(paths: Sequence[Path]) -> list[tuple[Path | None, Path | None]]:
    """Returns the models among paths, each with the cut spec that is for it, if one is; then the spec for no model.

    Raises:
        CutterError: Something is neither model nor spec, or it is not clear what several specs are for.
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
    partner: dict[Path, Path] = {}
    alone: list[Path] = []
    for spec in specs:
        model = models[0] if len(models) == len(specs) == 1 else _model_for(spec, models)
        if model is None or model in partner:
            alone.append(spec)
        else:
            partner[model] = spec
    if len(alone) > 1:
        raise CutterError("more than one cut spec, and not each for a model", alone[1].name, "open them one by one")
    return [*((model, partner.get(model)) for model in models), *((None, spec) for spec in alone)]


def _model_for(spec: Path, models: Sequence[Path]) -> Path | None:
    """Returns the model that a cut spec is for: the one of its name, else the one it names."""
    stem = spec.name.removesuffix(SUFFIX)
    named = [model for model in models if model.stem == stem]
    if len(named) == 1:
        return named[0]
    try:
        wanted = model_file(read_spec(spec), spec)
    except CutterError:  # it is reported when it is opened
        return None
    return next((model for model in models if wanted is not None and model.resolve() == wanted.resolve()), None)
