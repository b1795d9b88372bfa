"""Looking at code before it may run, as a task for a worker: files can be large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cutter_gui.core.foreign_code import ForeignCode, inspect_code
from cutter_gui.frames import Task


@dataclass(frozen=True)
class InspectCode(Task):
    """Reads files of code without running them; the result is a tuple of `InspectedCode`.

    Attributes:
        kind: Name of the format they belong to.
        codes: What is to be looked at.
    """

    kind: str
    codes: tuple[ForeignCode, ...]

    def run(self, progress: Callable[[str, float], None]) -> object:
        from cutter_gui.core.format import format_named

        calls = format_named(self.kind).calls_in
        count = len(self.codes)

        def part(at: int) -> Callable[[str, float], None]:
            return lambda what, fraction: progress(what, (at + fraction) / count)

        return tuple(inspect_code(code, calls, part(at)) for at, code in enumerate(self.codes))
