"""A limit on the time that Python's compiled code may take where it can be interrupted, as matching an expression can.

Steps: (1) have the system send a signal once the process has computed for so long; (2) its handler, which the matcher
calls between two steps, raises. What is limited is processor time, so that a busy machine changes nothing.
Left out: systems without such a timer, and other threads than the main one, where nothing is limited.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(Exception):
    """The time was up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Limits the processor time that the block takes.

    Args:
        seconds: Of processor time.

    Raises:
        TooLong: From within the block.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    is_over = False

    def ring(_signal: int, _frame: FrameType | None) -> None:
        if not is_over:
            raise TooLong

    before = signal.signal(signal.SIGVTALRM, ring)
    try:
        # It rings again and again: an exception raised within a callback of other code may be lost.
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
