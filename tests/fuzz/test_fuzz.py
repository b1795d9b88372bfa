"""A short fuzz run: what ``make fuzz`` does for longer (see run.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SECONDS = os.environ.get("FUZZ_SECONDS_IN_TESTS", "30")
SEED = "20260701"


def test_damaged_models_and_specs_bring_no_traceback_no_hang_and_no_stray_file(tmp_path: Path) -> None:
    run = Path(__file__).with_name("run.py")
    done = subprocess.run(
        [sys.executable, str(run), "--seconds", SECONDS, "--seed", SEED, "--keep", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " cases from seed " in done.stdout
