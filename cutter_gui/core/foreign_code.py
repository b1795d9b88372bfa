"""Code in a model's files: what a step would run, so that the user can be asked before it does.

A format says which code a step needs (`ForeignCode`), without running any of it. `inspect_code` reads the file: its
SHA-256, by which an answer is remembered, and the names that a pickle calls, which say more than its size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cutter_gui.core.errors import CutterError

Step = Literal["open", "split", "verify", "rewrite"]
"""What is to be done with a model; for ``verify`` it is with a folder of stages."""

Agreed = tuple[tuple[str, str], ...]
"""Files whose code may run, each with the SHA-256 that it had when the user said so."""

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
    digest = _digest(code.file, lambda fraction: progress("Reading what would run", fraction))
    return InspectedCode(code, digest, calls(code.file))


def agreed_on(codes: Iterable[InspectedCode]) -> Agreed:
    """Returns the files that were looked at, with what they held then."""
    return tuple((str(code.code.file), code.digest) for code in codes if code.digest)


def require_agreed(agreed: Agreed) -> None:
    """Refuses to go on when a file is not the one that the user said may run; to be called right before it does.

    Raises:
        CutterError: A file has changed since, or is gone.
    """
    for file, digest in agreed:
        if _digest(Path(file), lambda _fraction: None) != digest:
            raise CutterError(
                "the file has changed since you were asked whether its code may run",
                file,
                "nothing was run; try again to be asked about the file as it is now",
            )


def _digest(file: Path, read: Callable[[float], None]) -> str:
    """Returns the SHA-256 of a file; told the fraction read."""
    hashed = hashlib.sha256()
    try:
        size = max(1, file.stat().st_size)
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                hashed.update(block)
                read(stream.tell() / size)
    except OSError as error:
        raise CutterError(f"the file cannot be read: {error.strerror or error}", str(file), "check the path") from None
    return hashed.hexdigest()
