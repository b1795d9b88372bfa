"""Errors a user can act on.

Every failure reaches the user as one line, ``error: <what> (<where>): <what to do>``. The three parts are kept
apart here so that the window can lay them out and the command line can print them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutter_gui.core.diagnostic import Diagnostic


class CutterError(Exception):
    """A failure with a cause, a place and a remedy.

    Attributes:
        what: What is wrong, a sentence without a full stop.
        where: The file, line, tensor or node concerned; may be empty.
        remedy: What the user can do about it; may be empty.
        exit_code: What the command line returns: 2 bad usage or unreadable input, 1 the answer is no.
    """

    exit_code = 2

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = one_line(self.what)
        if self.where:
            text += f" ({one_line(self.where)})"
        if self.remedy:
            text += f": {one_line(self.remedy)}"
        return text


class InvalidPlan(CutterError):
    """A plan that cannot be split; carries the diagnostics that say why."""

    exit_code = 1

    def __init__(self, what: str, where: str = "", remedy: str = "", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(what, where, remedy)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.where, self.remedy, self.diagnostics))


class Cancelled(Exception):
    """The user stopped the work; nothing was written."""


def one_line(text: str, limit: int = 400) -> str:
    """Returns ``text`` fit for a one-line message: control characters escaped, the middle of long text elided."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if len(shown) <= limit:
        return shown
    half = (limit - 3) // 2
    return f"{shown[:half]}...{shown[-half:]}"
