"""Small text files: read whole, written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from cutter_gui.core.errors import CutterError

SIZE_LIMIT = 16 * 1024 * 1024  # bytes; some 300,000 edges, far beyond any plan made by hand or by program
BYTE_ORDER_MARK = "\ufeff"


def read_text(path: str | os.PathLike[str]) -> str:
    """Returns the text of a UTF-8 file as it stands: line ends and a byte order mark are kept.

    Raises:
        CutterError: The file cannot be read, is larger than `SIZE_LIMIT` or is not UTF-8.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:  # Path.open takes no opener
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise _reading_failed(error, path) from error
    except ValueError as error:  # a null character in the name
        raise CutterError("not a file name", os.fspath(path), "give the name of an existing file") from error
    if len(content) > SIZE_LIMIT:
        raise CutterError(
            f"the file is larger than {SIZE_LIMIT >> 20} MiB", os.fspath(path), "check that it is the right file"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        before = content[content.rfind(b"\n", 0, error.start) + 1 : error.start]
        column = len(before.decode("utf-8").removeprefix(BYTE_ORDER_MARK)) + 1
        raise CutterError(
            f"byte 0x{content[error.start]:02x} is not UTF-8",
            f"{os.fspath(path)}:{line}:{column}",
            "save the file as UTF-8",
        ) from error


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file; a pipe that nobody writes to is empty instead of waited for, one with a writer is read whole."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a UTF-8 file atomically: whoever reads it sees the old content or the new one, whole.

    The mode of an existing file is kept, and a symbolic link keeps pointing at the file that is written.

    Raises:
        CutterError: The folder is missing or closed, the file is write-protected, or the disk is full.
    """
    try:
        target = Path(path).resolve()
        content = text.encode("utf-8")
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _replace(target, content, mode)
    except OSError as error:
        raise _writing_failed(error, path) from error
    except (ValueError, RuntimeError) as error:  # a null character in the name; a loop of links
        raise CutterError("not a file name", os.fspath(path), "choose another name") from error


def _replace(target: Path, content: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            with suppress(OSError):  # some file systems have no modes to set
                temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    # The rename is on disk only once its folder is; some platforms and file systems cannot sync a folder.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reading_failed(error: OSError, path: str | os.PathLike[str]) -> CutterError:
    if isinstance(error, FileNotFoundError):
        return CutterError("the file does not exist", os.fspath(path), "check the name")
    if isinstance(error, PermissionError):
        return CutterError("no permission to read the file", os.fspath(path), "change its permissions")
    if isinstance(error, IsADirectoryError):
        return CutterError("this is a folder", os.fspath(path), "give the name of a file in it")
    return CutterError(f"the file cannot be read, {_reason(error)}", os.fspath(path), "check the name and the disk")


def _writing_failed(error: OSError, path: str | os.PathLike[str]) -> CutterError:
    where = os.fspath(path)
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return CutterError("the folder does not exist", where, "create it or choose another")
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return CutterError("no permission to write the file", where, "choose another place or change the permissions")
    if isinstance(error, IsADirectoryError):
        return CutterError("there is a folder of this name", where, "choose another name")
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG):
        return CutterError("the disk is full", where, "free some space or choose another place")
    return CutterError(f"the file cannot be written, {_reason(error)}", where, "choose another place")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
