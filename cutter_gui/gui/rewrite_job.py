"""Rewriting a model as a task for a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutter_gui.core.format import RewriteRequest
from cutter_gui.frames import Task


@dataclass(frozen=True)
class RewriteModel(Task):
    """Finds patterns in a model, and replaces them where a file is given; the result is a `RewriteResult`."""

    request: RewriteRequest

    def run(self, progress: Callable[[str, float], None]) -> object:
        from cutter_gui.core.format import format_for

        return format_for(self.request.model).rewrite(self.request, progress)
