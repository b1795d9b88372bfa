"""Counts executed work, which unlike seconds is the same on every machine however busy it is."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType


class BytecodeCount:
    """Counts the bytecodes that some packages execute in this thread while it is entered.

    Attributes:
        count: Bytecodes so far; may be set back.
    """

    def __init__(self, *packages: str) -> None:
        self.count = 0
        self._inside = tuple(f"/{package}/" for package in packages)
        self._before = sys.gettrace()

    def __enter__(self) -> BytecodeCount:
        self._before = sys.gettrace()
        sys.settrace(self._enter_frame)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.settrace(self._before)

    def _enter_frame(self, frame: FrameType, event: str, argument: object):
        file = frame.f_code.co_filename.replace("\\", "/")
        return self._step(frame, event, argument) if any(package in file for package in self._inside) else None

    def _step(self, frame: FrameType, event: str, _argument: object):
        frame.f_trace_opcodes = True
        self.count += event == "opcode"
        return self._step


def bytecodes(work: Callable[[], object], *packages: str) -> int:
    """Counts the bytecodes that some packages execute, the core where none is named."""
    with BytecodeCount(*(packages or ("cutter_gui/core",))) as counted:
        work()
    return counted.count


def peak(work: Callable[[], object]) -> int:
    """Returns the most bytes that were held at once beyond those held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
