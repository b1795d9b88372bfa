"""How long the empty program takes to show its window, against a bare PySide6 window of the same size.

Both are started in turn, from the start of the interpreter to the end of the first frame, on the offscreen platform and
with settings as after installation. Median of ten starts each; the first start of each, which fills the disk's cache,
is not counted.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
STARTS = 10
BOUND = 1.5


@dataclass(frozen=True)
class Start:
    """One start: seconds from the start of the process to the end of the first frame, and the window's size."""

    seconds: float
    width: int
    height: int


def measure() -> bool:
    """Prints both medians in milliseconds and their ratio; returns whether the ratio is within the bound."""
    size = start("start_program.py")
    bare = [str(size.width), str(size.height)]
    start("start_bare_window.py", *bare)
    program_seconds, bare_seconds = [], []
    for _ in range(STARTS):
        program_seconds.append(start("start_program.py").seconds)
        bare_seconds.append(start("start_bare_window.py", *bare).seconds)
    program, window = statistics.median(program_seconds), statistics.median(bare_seconds)
    print(f"startup: window of {size.width}x{size.height}, median of {STARTS} starts each, taken in turn")
    print(f"  empty program {milliseconds(program, program_seconds)}")
    print(f"  bare window   {milliseconds(window, bare_seconds)}")
    print(f"  ratio {program / window:.2f}, at most {BOUND}: {'ok' if program <= BOUND * window else 'too slow'}")
    return program <= BOUND * window


def milliseconds(median: float, all_seconds: list[float]) -> str:
    return f"{median * 1000:6.0f} ms  ({min(all_seconds) * 1000:.0f} to {max(all_seconds) * 1000:.0f})"


def start(script: str, *arguments: str) -> Start:
    """Runs one of the scripts beside this file until its first frame."""
    with tempfile.TemporaryDirectory() as home:
        folders = {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "CACHE", "DATA", "STATE")}
        environment = {**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen"}
        # Installed packages come compiled; a setting against it would have the program compiled at each start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, HERE / script, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    if done.returncode != 0:
        sys.exit(f"{script} ended with {done.returncode} before its first frame:\n{done.stderr}")
    shown = json.loads(done.stdout.splitlines()[-1])
    return Start(shown["monotonic"] - begun, shown["width"], shown["height"])
