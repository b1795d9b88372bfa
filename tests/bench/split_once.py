"""One split in a process of its own: prints, as JSON, seconds of imports, seconds of the split, and the peak memory."""

# ruff: noqa: E402  # what comes before the imports measures them

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time

begun = time.monotonic()

import numpy  # noqa: F401
import onnx
import ruamel.yaml.main  # noqa: F401
import scipy.sparse.csgraph  # noqa: F401

import cutter_gui.commands.split
import cutter_gui.fx.format  # noqa: F401  # one of the formats that are looked through
from cutter_gui.cli import main
from cutter_gui.onnx import split  # noqa: F401

onnx.defs.has("Add")  # fills onnx's table of operators, which it leaves to the first use of it
imported = time.monotonic()
said = io.StringIO()
with contextlib.redirect_stdout(said):
    code = main(sys.argv[1:])
done = time.monotonic()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"code": code, "imports": imported - begun, "split": done - imported, "peak": peak}))
