"""A program that splits models in child processes and kills them at a given moment.

It reads requests from standard input, one JSON document a line, and answers each with a line:

- request: ``{"model", "cuts", "out", "force", "event", "share"}``. ``cuts`` are those of `strategies.onnx_text.plan`.
  With ``event`` N the child dies just before its N-th change of the file system; with ``share`` it is killed after that
  share of the time that a whole split took; with neither it runs to its end;
- answer: ``{"killed", "events", "seconds"}``; ``events`` counts the changes of a child that ran to its end.

Children are forks of a program that has split before, so that what a split imports is loaded once.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from strategies.onnx_text import model, plan, saved, split

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "ctypes.dlsym"}
_WRITING = os.O_WRONLY | os.O_RDWR


def _is_change(event: str, arguments: tuple[Any, ...]) -> bool:
    return event in _CHANGES or (event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & _WRITING))


def _split_in_child(request: dict[str, Any], answer: int) -> None:
    count = 0

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if _is_change(event, arguments):
            count += 1
            if count == request.get("event"):
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
    split(Path(request["model"]), plan(*request["cuts"]), Path(request["out"]), force=request["force"])
    os.write(answer, str(count).encode())
    os._exit(0)


def _serve(request: dict[str, Any], whole: float) -> dict[str, Any]:
    reading, writing = os.pipe()
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _split_in_child(request, writing)
        except BaseException:  # noqa: BLE001  # the parent process only learns that it failed
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writing)
    if request.get("share") is not None:
        # The pipe ends with the child, so that one which is faster is not waited for.
        select.select([reading], [], [], whole * request["share"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - begin
    events = os.read(reading, 100).decode()
    os.close(reading)
    killed = os.WIFSIGNALED(status)
    assert killed or os.WEXITSTATUS(status) == 0, "the split failed"
    return {"killed": killed, "events": int(events or 0), "seconds": seconds}


def _load_everything() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = saved(model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Neg(a) }"), Path(folder) / "m.onnx")
        for _ in range(2):
            split(path, plan("a"), Path(folder) / "out", force=True)


def main() -> None:
    _load_everything()
    whole = 0.0
    for line in sys.stdin:
        answer = _serve(json.loads(line), whole)
        if not answer["killed"]:
            whole = max(whole, answer["seconds"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
