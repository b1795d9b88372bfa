"""Runs what has a bound and says whether it keeps it: ``make bench``, or ``make bench BENCH=startup``.

A bench is a module of this folder with ``measure() -> bool``: it prints its figures and returns whether they are within
the bound.
"""

from __future__ import annotations

import argparse
import sys

import canvas
import fx_open
import gestures
import split
import startup

import layout

BENCHES = {
    "startup": startup.measure,
    "split": split.measure,
    "layout": layout.measure,
    "canvas": canvas.measure,
    "fx": fx_open.measure,
    "gestures": gestures.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures what has a bound.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(BENCHES)}; all by default")
    names = parser.parse_args().names or list(BENCHES)
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        parser.error(f"no bench named {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    kept = [BENCHES[name]() for name in names]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
