"""Counts executed work, which unlike seconds is the same on every machine however busy it is."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType


def bytecodes(work: Callable[[], object], *packages: str) -> int:
    """Counts the bytecodes that some packages execute, the core where none is named."""
    inside = tuple(f"/{package}/" for package in packages or ("cutter_gui/core",))
    count = 0

    def step(frame: FrameType, event: str, _argument: object):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return step

    def enter(frame: FrameType, event: str, argument: object):
        file = frame.f_code.co_filename.replace("\\", "/")
        return step(frame, event, argument) if any(package in file for package in inside) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def peak(work: Callable[[], object]) -> int:
    """Returns the most bytes that were held at once beyond those held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
