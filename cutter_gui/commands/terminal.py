"""What commands print: text, JSON, and progress where a person is watching."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.errors import one_line
from cutter_gui.core.format import Progress, no_progress

_QUIET_SECONDS = 1.0
_STEPS = 1000
_LINE_LIMIT = 100_000


def print_json(document: Mapping[str, object]) -> None:
    """Prints one JSON document; names that are no valid Unicode are escaped."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if not _can_be_shown(text):
        text = json.dumps(document, indent=2)
    print(text)


def _can_be_shown(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_text(text: str = "") -> None:
    """Prints a line of text; what would control a terminal, or what it cannot show, is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    text = one_line(text, _LINE_LIMIT)
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def print_table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> None:
    """Prints rows in aligned columns; the columns in ``right`` are right-aligned."""
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(widths[column]) if column in right else cell.ljust(widths[column])
            for column, cell in enumerate(row)
        ]
        print_text("  ".join(cells).rstrip())


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Prints findings, a line each."""
    for diagnostic in diagnostics:
        print_text(f"{diagnostic.severity.value:7}  {diagnostic.code}: {one_line(diagnostic.message)}")
        for fix in diagnostic.fixes:
            print_text(f"         mend: {one_line(fix.title)}")


def warn(diagnostics: Sequence[Diagnostic]) -> None:
    """Prints warnings to standard error, a line each."""
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.WARNING:
            print(f"warning: {one_line(diagnostic.message)}", file=sys.stderr)


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Gives a `Progress` that draws a bar on a terminal, for work that takes over a second."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from tqdm import tqdm

    begin = time.monotonic()
    bar: tqdm[None] | None = None

    def show(what: str, fraction: float) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - begin < _QUIET_SECONDS:
                return
            bar = tqdm(total=_STEPS, file=sys.stderr, leave=False, bar_format="{desc} {percentage:3.0f}% |{bar}|")
        bar.set_description_str(one_line(what, 60), refresh=False)
        bar.n = max(bar.n, int(min(max(fraction, 0.0), 1.0) * _STEPS))
        bar.refresh()

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
