"""Types that the user gave to tensors of the open model: remembered, and inferred on from.

The settings keep them by the fingerprint of the graph, so that they are there when the model is opened again. What they
tell of the tensors behind them is inferred by a worker, which reads the model once more, and comes a moment later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject

from cutter_gui.core.format import TypeHint
from cutter_gui.core.graph import Shape
from cutter_gui.core.type_hints import types_data, types_of
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.infer_types_job import InferTypes
from cutter_gui.gui.jobs import Job, Workers
from cutter_gui.gui.kept_by_model import keep_text, texts_by_model
from cutter_gui.gui.settings import Settings

_KEY = "types"


def remembered_types(settings: Settings, fingerprint: str) -> dict[str, TypeHint]:
    """Returns the types given when the model was open before; a settings file that was damaged gives none."""
    try:
        return types_of(json.loads(texts_by_model(settings, _KEY).get(fingerprint, "{}")))
    except ValueError:
        return {}


class GivenTypes(QObject):
    """Follows the types given to a document."""

    def __init__(self, settings: Settings, workers: Callable[[], Workers | None], parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._workers = workers
        self._document: Document | None = None
        self._types: Mapping[str, TypeHint] = {}
        self._job: Job | None = None

    def begin(self, document: Document | None) -> None:
        """Gives a document the types that it had before, and follows it from now on."""
        self._stop()
        self._document, self._types = document, {}
        if document is not None:
            document.take_types(remembered_types(self._settings, document.graph.fingerprint))
            self._follow(document)

    def refresh(self, change: Change) -> None:
        """Follows a change of the document."""
        if self._document is not None and (change.plan or change.model) and self._document.types != self._types:
            kept = json.dumps(types_data(self._document.types))
            keep_text(self._settings, _KEY, self._document.graph.fingerprint, kept)
            self._follow(self._document)

    def _follow(self, document: Document) -> None:
        self._stop()
        self._types = document.types
        workers = self._workers()
        if not self._types or document.knows_behind(self._types) or workers is None:
            return
        fingerprint = document.graph.fingerprint
        self._job = job = workers.run(InferTypes(document.path, fingerprint, dict(self._types), document.options))
        job.finished.connect(lambda found: self._take(job, found))
        # Without it the types given are known all the same, and writing stages says what is wrong with the file.
        job.failed.connect(lambda _error: workers.warm())
        job.cancelled.connect(workers.warm)

    def _take(self, job: Job, found: Mapping[str, tuple[int, Shape]]) -> None:
        workers = self._workers()
        if workers is not None:
            workers.warm()
        if job is self._job and self._document is not None:
            self._job = None
            self._document.take_inferred(self._types, found)

    def _stop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()
