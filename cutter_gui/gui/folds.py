"""Which groups of the open model are folded: asks for the picture of another folding, and remembers it.

The picture is made in a worker; until it comes the present one stays. The latest wish wins. Pictures seen before come
from memory, so that folding back is immediate.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import Groups
from cutter_gui.frames import LayOut
from cutter_gui.gui.jobs import Job, Workers
from cutter_gui.gui.remembered_foldings import remember_folding
from cutter_gui.gui.settings import Settings
from cutter_gui.layout.folded_scene import folded_scene, view_options
from cutter_gui.layout.folding import (
    FoldedView,
    Folding,
    all_open,
    box_count,
    fold_view,
    folding_text,
    to_level,
)
from cutter_gui.layout.scene import LayoutOptions, Scene

_KEPT_PICTURES = 12
LARGE = 1500  # boxes from which on a picture is made with a page that shows progress and can be cancelled


class Folds(QObject):
    """The folding of the open model.

    Signals:
        picture_ready: Scene of another folding, and the nodes that keep their place.
        large_wanted: A `Folding` whose picture takes long.
        changed: The folding that is or will be shown is another.
        failed: A `CutterError`: why there is no picture.
    """

    picture_ready = Signal(object, list)
    large_wanted = Signal(object)
    changed = Signal()
    failed = Signal(object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._graph: Graph | None = None
        self._groups: Groups | None = None
        self._folding = Folding()
        self._constants = False
        self._job: Job | None = None
        self._pictured = Folding()  # that of the picture shown
        self._engine: str | None = None  # likewise
        self._constants_pictured = False  # likewise
        self._kept: list[int] | None = None  # nodes that keep their place in a picture that is made elsewhere
        self._pictures: OrderedDict[tuple[Folding, bool], Scene] = OrderedDict()
        self.workers: Callable[[], Workers] | None = None
        self.options: Callable[[bool], LayoutOptions] = lambda constants: LayoutOptions(show_constants=constants)

    @property
    def groups(self) -> Groups | None:
        """The groups of the open model, None before they are known."""
        return self._groups

    @property
    def folding(self) -> Folding:
        return self._folding

    @property
    def has_groups(self) -> bool:
        return self._groups is not None and len(self._groups) > 0

    @property
    def is_busy(self) -> bool:
        """Whether a picture is being made."""
        return self._job is not None

    def begin(self, graph: Graph | None) -> None:
        """Forgets the model before; groups follow."""
        self._cancel()
        self._graph, self._groups, self._folding = graph, None, Folding()
        self._engine, self._kept = None, None
        self._pictures.clear()
        self.changed.emit()

    def set_groups(self, groups: Groups, folding: Folding, constants: bool) -> None:
        """Takes over what a worker found and is laying out."""
        self._cancel()
        self._groups, self._folding, self._constants = groups, folding, constants
        if self._engine is None:
            self._pictured = folding
        self.changed.emit()

    def take_picture(self, scene: Scene) -> list[int] | None:
        """Keeps a picture that was made for the present folding elsewhere.

        Returns:
            The nodes that keep their place, None where the view starts anew.
        """
        kept, self._kept = self._kept, None
        self._keep(scene)
        return kept

    @property
    def constants_pictured(self) -> bool:
        """Whether the picture shown has constants in it."""
        return self._constants_pictured

    def give_up(self) -> None:
        """Goes back to the folding of the picture shown, when the one wished for has no picture after all."""
        self._kept = None
        self._constants = self._constants_pictured
        if self._folding != self._pictured:
            self._folding = self._pictured
            self._remember()
            self.changed.emit()

    def forget_pictures(self) -> None:
        """Makes every picture anew, since they are to be laid out in another way."""
        self._cancel()
        self._pictures.clear()
        self._engine = None

    @property
    def engine(self) -> str | None:
        """The engine that made the picture shown; None before there is one, or when another is to choose anew."""
        return self._engine

    def is_open(self, group: int) -> bool:
        return group in self._folding.open

    def toggle(self, group: int) -> None:
        """Unfolds a folded group, or folds an open one."""
        if self.is_open(group):
            self.fold(group)
        else:
            self.unfold(group)

    def unfold(self, group: int) -> None:
        """Unfolds a group, and what it is hidden in."""
        if self._groups is not None:
            self._show(self._folding.opened(self._groups.ancestors(group)), self._groups.nodes(group).tolist())

    def fold(self, group: int) -> None:
        if self._groups is not None:
            self._show(self._folding.folded(self._groups, group), self._groups.nodes(group).tolist())

    def fold_to_level(self, level: int) -> None:
        """Folds every group of a depth."""
        if self._groups is not None:
            self._show(to_level(self._groups, level), [])

    def unfold_all(self) -> None:
        if self._groups is not None:
            self._show(all_open(self._groups), [])

    def show_nodes(self, nodes: Iterable[int]) -> None:
        """Unfolds what hides some nodes."""
        wanted = list(nodes)
        if self._groups is not None:
            self._show(self._folding.showing(self._groups, wanted), wanted)

    def hides(self, node: int) -> bool:
        """Whether a node is in a folded group."""
        groups = self._groups
        return groups is not None and not self._folding.open.issuperset(groups.ancestors(int(groups.node_group[node])))

    def close(self) -> None:
        """Gives up the picture that is being made."""
        self._cancel()

    def _show(self, folding: Folding, kept: list[int]) -> None:
        graph, groups = self._graph, self._groups
        if graph is None or groups is None or folding == self._folding:
            return
        self._cancel()
        was_waiting, self._kept = self._kept is not None, None
        self._folding = folding
        self._remember()
        self.changed.emit()
        found = self._pictures.get((folding, self._constants))
        if was_waiting:  # the picture of the wish before must not come after this one
            self._kept = kept
            self.large_wanted.emit(folding)
        elif found is not None:
            self._pictures.move_to_end((folding, self._constants))
            self._pictured, self._engine = folding, found.engine
            self.picture_ready.emit(found, kept)
        elif box_count(graph, groups, folding) > LARGE or self.workers is None:
            self._kept = kept
            self.large_wanted.emit(folding)
        else:
            self._lay_out(self.workers(), graph, groups, kept)

    def _remember(self) -> None:
        if self._graph is not None and self._groups is not None:
            remember_folding(self._settings, self._graph.fingerprint, folding_text(self._folding, self._groups))

    def _lay_out(self, workers: Workers, graph: Graph, groups: Groups, kept: list[int]) -> None:
        options = replace(self.options(self._constants), before=self._engine)
        if self._folding.is_all_open(groups):
            job = workers.run(LayOut(graph, options))
            job.part.connect(lambda scene: self._take(job, scene, kept))
        else:
            view = fold_view(graph, groups, self._folding, self._constants)
            job = workers.run(LayOut(view.graph, view_options(options)))
            job.part.connect(lambda scene: self._take(job, self._translated(view, scene), kept))
        self._job = job
        # The next folding finds a worker that has started already.
        job.finished.connect(lambda _result: workers.warm())
        job.cancelled.connect(workers.warm)
        job.failed.connect(lambda error: self._fail(job, error))

    def _translated(self, view: FoldedView, scene: Any) -> Scene:
        assert self._graph is not None
        return folded_scene(self._graph, view, scene)

    def _take(self, job: Job, scene: Scene, kept: list[int]) -> None:
        if job is self._job:
            self._job = None
            self._keep(scene)
            self.picture_ready.emit(scene, kept)

    def _fail(self, job: Job, error: object) -> None:
        if job is self._job:
            self._job = None
            self.give_up()  # what was wished for is asked for anew by the same key
            self.failed.emit(error)

    def _cancel(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def _keep(self, scene: Scene) -> None:
        self._pictured, self._engine = self._folding, scene.engine
        self._constants_pictured = self._constants
        self._pictures[self._folding, self._constants] = scene
        while len(self._pictures) > _KEPT_PICTURES:
            self._pictures.popitem(last=False)
