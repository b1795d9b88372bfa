"""Copying byte ranges from file to file without taking them through Python objects."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import BinaryIO

from cutter_gui.core.errors import CutterError
from cutter_gui.onnx.wire import ByteRange

_CHUNK = 64 << 20
_BUFFER = 1 << 20
_NOT_HERE = {errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM, errno.EBADF}

Step = Callable[[int, int, int], int]


def copy_range(span: ByteRange, source: int, target: BinaryIO, copied: Callable[[int], None]) -> None:
    """Appends a range of an open file to ``target`` at its current position.

    ``copy_file_range`` lets the file system do it (and share blocks where it can), ``sendfile`` keeps the bytes in
    the kernel; where a system or file system has neither, a fixed buffer carries them.

    Args:
        span: The range; its path is only for messages.
        source: Descriptor of the file that holds it.
        target: A binary file opened for writing, unbuffered state at its end.
        copied: Told the bytes copied, at least every 64 MiB; may raise to stop.

    Raises:
        CutterError: The file ends before the range does.
        OSError: The disk is full, or a file cannot be read or written.
    """
    target.flush()
    steps: list[Step] = []
    if hasattr(os, "copy_file_range"):
        steps.append(lambda at, count, out: os.copy_file_range(source, out, count, at))
    if sys.platform.startswith("linux"):
        steps.append(lambda at, count, out: os.sendfile(out, source, at, count))
    steps.append(lambda at, count, out: _through_buffer(source, at, count, out))
    done = 0
    while done < span.length:
        count = min(_CHUNK, span.length - done)
        try:
            moved = steps[0](span.offset + done, count, target.fileno())
        except OSError as error:
            if len(steps) > 1 and error.errno in _NOT_HERE:
                steps.pop(0)
                continue
            raise
        if moved == 0:
            if len(steps) > 1:
                steps.pop(0)
                continue
            raise CutterError("the weights end before the tensor does", str(span.path), "copy the file again")
        done += moved
        copied(moved)
    target.seek(0, os.SEEK_END)


def _through_buffer(source: int, at: int, count: int, out: int) -> int:
    os.lseek(source, at, os.SEEK_SET)
    data = os.read(source, min(count, _BUFFER))
    write_all(data, out)
    return len(data)


def write_all(data: bytes, out: int) -> None:
    """Writes bytes to a descriptor, all of them: one call may write fewer, on a disk that is nearly full for one.

    Raises:
        OSError: The disk is full.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]
