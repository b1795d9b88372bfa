"""Runs one job in a process of its own: open a model, write stages, verify them.

The window starts ``python -m cutter_gui.worker FOLDER``, writes one request to its standard input and reads messages
(see `cutter_gui.frames`) from its standard output until the process ends. A job that crashes in compiled code takes
down this process only, and SIGTERM cancels it: `Cancelled` is raised in the job, which removes what it had begun. When
the standard input ends the window is gone, and so is the job.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from cutter_gui import frames
from cutter_gui.core.errors import Cancelled, CutterError, InvalidPlan
from cutter_gui.core.format import Progress, format_for, formats
from cutter_gui.frames import Failed, LayOut, OpenModel, Request, Result, SplitStages, Stopped, Stopping, VerifyStages

_PROGRESS_INTERVAL = 0.03  # seconds; more messages than the screen has frames help nobody
_ORPHAN_GRACE = 2.0  # seconds a job has to clean up after its window is gone
_LOAD_SHARE = 0.4  # of the progress of opening; the rest is layout


class Channel:
    """Sends messages to the window, and turns SIGTERM into `Cancelled` between them, never within one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writing = False
        self._stop_wanted = False
        self._last = ("", 0.0, 0.0)

    def send(self, message: object) -> None:
        self._writing = True
        try:
            self._stream.write(frames.encode(message))
            self._stream.flush()
        finally:
            self._writing = False
        if self._stop_wanted:
            self._stop()

    def send_part(self, part: object) -> None:
        for message in frames.in_pieces(part):
            self.send(message)

    def progress(self, what: str, fraction: float) -> None:
        """Sends progress, unless the window has just been told as good as the same."""
        now = time.monotonic()
        last_what, last_fraction, last_time = self._last
        done = fraction >= 1.0 > last_fraction
        if what == last_what and not done and now - last_time < _PROGRESS_INTERVAL:
            return
        self._last = (what, fraction, now)
        self.send(frames.Progress(what, fraction))

    def on_terminate(self, _signal: int, _frame: FrameType | None) -> None:
        """Handles SIGTERM, which Python delivers to the main thread between two instructions."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if self._writing:
            self._stop_wanted = True
        else:
            self._stop()

    def _stop(self) -> None:
        self._stop_wanted = False
        self.send(Stopping())
        raise Cancelled


def _part_of(progress: Progress, start: float, end: float) -> Progress:
    """Returns a progress that fills only the span from ``start`` to ``end`` of another."""

    def report(what: str, fraction: float) -> None:
        progress(what, start + (end - start) * fraction)

    return report


def open_model(request: OpenModel, channel: Channel) -> None:
    gc.disable()  # a model is millions of objects that all stay: looking for garbage there takes a fifth of the time
    from cutter_gui.core.groups import find_groups
    from cutter_gui.layout import LayoutOptions
    from cutter_gui.layout.folded_scene import lay_out_folded
    from cutter_gui.layout.folding import folding_of_text, opening_folding

    channel.progress("Reading the model", 0.0)
    graph = request.graph
    if graph is None:
        loading = _part_of(channel.progress, 0.0, _LOAD_SHARE)
        graph = format_for(request.path).load(request.path, loading, options=request.load)
    channel.send_part(graph)
    channel.progress("Finding groups", _LOAD_SHARE)
    groups = find_groups(graph)
    channel.send_part(groups)
    folding = request.folding or folding_of_text(request.remembered.get(graph.fingerprint, ""), groups)
    folding = opening_folding(graph, groups) if folding is None else folding
    channel.send_part(folding)
    options = request.options or LayoutOptions()
    progress = _part_of(channel.progress, _LOAD_SHARE, 1.0)
    channel.send_part(lay_out_folded(graph, groups, folding, options, progress))


def lay_out_graph(request: LayOut, channel: Channel) -> None:
    from cutter_gui.layout import lay_out

    channel.send_part(lay_out(request.graph, request.options, channel.progress))


def split_stages(request: SplitStages, channel: Channel) -> object:
    return format_for(request.request.model).split(request.request, channel.progress)


def verify_stages(request: VerifyStages, channel: Channel) -> object:
    return _format_of_stages(request.request.directory).verify(request.request, channel.progress)


def _format_of_stages(directory: Path) -> Any:
    """Returns the format that wrote the stages in a folder, by the manifest."""
    from cutter_gui.core.format import format_named
    from cutter_gui.core.manifest import read_manifest

    kind = read_manifest(directory).source.kind
    if kind is None:
        raise CutterError("the manifest does not say which kind of model this was", str(directory), "split it again")
    return format_named(kind)


def run(request: Request, channel: Channel) -> None:
    """Runs a job and sends how it ended."""
    try:
        result: object = None
        if isinstance(request, OpenModel):
            open_model(request, channel)
        elif isinstance(request, LayOut):
            lay_out_graph(request, channel)
        elif isinstance(request, SplitStages):
            result = split_stages(request, channel)
        elif isinstance(request, VerifyStages):
            result = verify_stages(request, channel)
        else:
            result = request.run(channel.progress)
        channel.send(Result(result))
    except (Cancelled, BrokenPipeError):
        raise
    except InvalidPlan as error:
        channel.send(Failed(error))
    except CutterError as error:
        # Only the parts are sent: the class may live in a package that the window has no need to import.
        channel.send(Failed(CutterError(error.what, error.where, error.remedy)))
    except OSError as error:
        where = str(error.filename) if error.filename else ""
        channel.send(Failed(CutterError(error.strerror or str(error), where), traceback.format_exc()))
    except Exception as error:  # noqa: BLE001 - the last place that can turn a defect into a message
        channel.send(Failed(CutterError(f"{type(error).__name__}: {error}"), traceback.format_exc()))


def _claim_stdout() -> BinaryIO:
    """Takes the standard output for messages; whatever else is printed, by C code too, goes to standard error."""
    own = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(own, "wb")


def _end_with_window(stdin: BinaryIO) -> None:
    """Ends this process when its standard input does."""
    stdin.read(1)
    signal.raise_signal(signal.SIGTERM)
    time.sleep(_ORPHAN_GRACE)
    os._exit(1)


def _prepare() -> None:
    """Imports what every job needs, so that a worker in reserve answers at once."""
    from cutter_gui.layout import prepare

    formats()
    prepare()


def _go_to(folder: str) -> None:
    """Makes the folder that the window was started in the current one, in which code finds packages by name."""
    with contextlib.suppress(OSError):  # it may be gone
        os.chdir(folder)


def serve(stdin: BinaryIO, channel: Channel, prepare: Callable[[], None] = _prepare) -> None:
    """Reads one request and runs it."""
    prepare()
    request = frames.read_request(stdin)
    if request is None:
        return
    threading.Thread(target=_end_with_window, args=(stdin,), daemon=True).start()
    run(request, channel)


def main() -> int:
    channel = Channel(_claim_stdout())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is the window's to handle
    signal.signal(signal.SIGTERM, channel.on_terminate)
    for folder in sys.argv[1:]:
        _go_to(folder)
    try:
        serve(os.fdopen(0, "rb", buffering=0, closefd=False), channel)
    except Cancelled:
        try:
            channel.send(Stopped())
        except BrokenPipeError:
            return 1
    except BrokenPipeError:
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    # The thread that waits for the window's end holds the standard input; a plain return would wait for it.
    os._exit(code)
