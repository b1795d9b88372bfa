"""The side of the process that runs code from a file which stays out of it: starts it, listens, ends it.

A request goes in as one line of JSON; progress, and in the end a result or an error, come out as lines of JSON. Nothing
that comes back is unpickled, so what ran there stays there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from cutter_gui.core.errors import CutterError, InvalidPlan, one_line
from cutter_gui.core.format import Progress

_ROOT = Path(__file__).resolve().parent.parent.parent
_GRACE = 5.0  # seconds that a process has to end by itself
# The folder that a program is started in must not stand in for torch or for this package.
_START = (
    "import sys; sys.path[:] = [place for place in sys.path if place]; sys.path.append({root!r}); "
    "from cutter_gui.fx.child_main import main; main()"
)


def run_child(task: str, request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Runs a task in a process of its own and returns its result.

    Args:
        task: Its name in `cutter_gui.fx.child_main`.
        request: What it is to do; JSON values.
        progress: Told what it is doing; may raise `Cancelled`, which ends it.

    Raises:
        CutterError: The task says so, or the process ended without an answer.
    """
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-c", _START.format(root=str(_ROOT))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
        )
        try:
            answer = _converse(process, json.dumps({"task": task, **request}), progress)
            process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end(process)
        if answer is None:
            raise CutterError(
                f"the process that ran the model's code ended without an answer ({_ending(process.returncode)})",
                ": ".join(part for part in (str(request.get("source", "")), one_line(_last_line(noise), 200)) if part),
                "run the model by itself to see why",
            )
    if "error" in answer:
        raise _error(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result


def _converse(process: subprocess.Popen[bytes], request: str, progress: Progress) -> dict[str, Any] | None:
    """Sends the request and listens until the answer comes; None when the process ends before."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(request.encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        return None
    for line in process.stdout:
        message: dict[str, Any] = json.loads(line)
        if "progress" not in message:
            return message
        what, fraction = message["progress"]
        progress(what, fraction)
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _error(told: Mapping[str, Any]) -> CutterError:
    kind = InvalidPlan if told.get("exit_code") == 1 else CutterError
    return kind(str(told["what"]), str(told["where"]), str(told["remedy"]))


def _ending(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"code {code}"


def _last_line(noise: IO[bytes]) -> str:
    size = noise.seek(0, 2)
    noise.seek(max(0, size - 4096))
    lines = noise.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
