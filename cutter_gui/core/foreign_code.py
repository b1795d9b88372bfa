"""Code in a model's files: what a step would run, so that the user can be asked before it does.

A format says which code a step needs (`ForeignCode`), without running any of it. `inspect_code` reads the file: its
SHA-256, by which an answer is remembered, and the names that a pickle calls, which say more than its size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cutter_gui.core.errors import CutterError

Step = Literal["open", "split", "verify", "rewrite"]
"""What is to be done with a model; for ``verify`` it is with a folder of stages."""

_BLOCK = 1 << 20


@dataclass(frozen=True)
class ForeignCode:
    """Code that a step would run.

    Attributes:
        title: What holds it, as the user named it.
        file: The file; None when it cannot be found without running something.
        what: What would run, one phrase.
        function: The function that is called, or "".
        imports: Whether it may run other files that lie beside it, so that its own bytes do not say all.
    """

    title: str
    file: Path | None
    what: str
    function: str = ""
    imports: bool = False


@dataclass(frozen=True)
class InspectedCode:
    """Code that was looked at.

    Attributes:
        code: The code.
        digest: SHA-256 of its file as hexadecimal digits, or "" without a file.
        calls: Names outside of the file that it names to be called, where the file tells; sorted.
    """

    code: ForeignCode
    digest: str
    calls: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What an answer is remembered by: the bytes, with the place where files beside it count; "" for never."""
        if not self.digest:
            return ""
        return f"{self.digest} {self.code.file}" if self.code.imports else self.digest


def python_code(file: Path) -> ForeignCode:
    """Returns what running a Python file means."""
    return ForeignCode(file.name, file, f"the code of {file.name} runs, and what it imports", imports=True)


def inspect_code(
    code: ForeignCode, calls: Callable[[Path], tuple[str, ...]], progress: Callable[[str, float], None]
) -> InspectedCode:
    """Reads a file of code without running it; linear in its size.

    Args:
        code: The code.
        calls: Returns the names that a file calls.
        progress: Told the fraction read; may raise `Cancelled`.

    Raises:
        CutterError: The file cannot be read.
    """
    if code.file is None:
        return InspectedCode(code, "")
    hashed = hashlib.sha256()
    try:
        size = max(1, code.file.stat().st_size)
        with code.file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                hashed.update(block)
                progress("Reading what would run", stream.tell() / size)
    except OSError as error:
        raise CutterError(
            f"the file cannot be read: {error.strerror or error}", str(code.file), "check the path"
        ) from None
    return InspectedCode(code, hashed.hexdigest(), calls(code.file))
