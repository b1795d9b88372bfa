"""Splits every model at hand by random valid plans and compares the stages with the original: ``make corpus``.

    python tests/corpus/run.py [--plans 20] [--every N] [--only TEXT] [--jobs J]

Models: every ONNX file of the folder that ``CUTTER_GUI_CORPUS`` names, those that the onnx package ships as test data,
and the node tests that it generates. Exit code 1 when anything failed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus.attempt import Outcome, attempt
from corpus.cases import folder_cases, generated_cases, stored_cases


def main() -> int:
    parser = argparse.ArgumentParser(description="split and verify every model at hand")
    parser.add_argument("--plans", type=int, default=20, help="plans to try for each transport")
    parser.add_argument("--every", type=int, default=1, help="take only each Nth generated model")
    parser.add_argument("--only", default="", help="take only models whose name has this in it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    cases = [
        case
        for number, case in enumerate(chain(folder_cases(), stored_cases(), generated_cases()))
        if arguments.only in case.name and (case.path is not None or number % arguments.every == 0)
    ]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(attempt, case, arguments.plans, arguments.seed) for case in cases]
        outcomes = []
        for number, future in enumerate(futures, 1):
            outcomes.append(future.result())
            if sys.stderr.isatty():
                print(f"\r{number} of {len(futures)}", end="", file=sys.stderr)
    print_table(outcomes)
    return 1 if any(outcome.failures for outcome in outcomes) else 0


def print_table(outcomes: list[Outcome]) -> None:
    """Prints what became of the models: sums, then reasons, exemptions and failures in full."""
    refused = [outcome for outcome in outcomes if outcome.refused and not outcome.identical and not outcome.exempt]
    exempt = [outcome for outcome in outcomes if outcome.exempt]
    failed = [outcome for outcome in outcomes if outcome.failures]
    whole = [o for o in outcomes if o.identical and not o.exempt and not o.failures]
    rows = [
        ("models", len(outcomes), ""),
        ("split and identical", len(whole), f"{sum(o.identical for o in outcomes)} plans"),
        ("  of these plans, plain form only", sum(o.plain_only for o in outcomes), "a boundary that Send cannot carry"),
        ("not splittable or not runnable", len(refused), ""),
        ("exempt by rule 7", len(exempt), f"{sum(len(o.exempt) for o in exempt)} plans"),
        ("failed", len(failed), f"{sum(len(o.failures) for o in failed)} plans"),
    ]
    for title, count, remark in rows:
        print(f"{title:36} {count:6}   {remark}".rstrip())
    print("\nnot splittable or not runnable, by reason:")
    for reason, count in Counter(outcome.refused for outcome in refused).most_common():
        print(f"{count:6}   {reason}")
    print("\nexempt by rule 7, largest difference:")
    for outcome in exempt:
        plan, worst, why = max(outcome.exempt, key=lambda entry: entry[1])
        print(f"{worst:10.3g}   {outcome.name}: {why} [{plan}]")
    print("\nfailed:")
    for outcome in failed:
        print(f"   {outcome.name}: {outcome.failures[0]}")


if __name__ == "__main__":
    sys.exit(main())
