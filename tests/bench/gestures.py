"""What a user asks for again and again on large models, each with its goal, and how work grows with the size.

Gestures (`strategies.gestures`), searches and the pieces in which a graph comes to the window are measured on graphs of
50,000 nodes in this process; panels, the Stages preview and the longest turn of the event loop while 10,000 nodes are
opened in a real window, offscreen, in a process of its own. All are seconds of processor time, the least of some runs,
printed against goals: they depend on the machine. What is bounded is a ratio within the run: how much longer reading a
cut spec, finding groups and sending a graph takes for one thing among many than for one among few.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cutter_gui.core import Cut, Graph, Plan
from cutter_gui.core.groups import find_groups
from cutter_gui.core.search import SearchIndex
from cutter_gui.core.spec import parse_spec, spec_text
from cutter_gui.frames import Assembly, PartBegins, Piece, decode, encode, in_pieces

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from strategies.gestures import (  # noqa: E402 - tests/ is on the path from here on
    GESTURES,
    compare_with_another_plan,
    cut_encoder,
    mend_a_plan,
    places_alike,
)
from strategies.named_layers import graph_of_layers  # noqa: E402
from strategies.transformers import transformer  # noqa: E402

LAYERS = 1200  # give more than 50,000 nodes
RUNS = 4
AT_ONCE = 0.15
GOALS = {mend_a_plan: 4 * AT_ONCE, compare_with_another_plan: 2 * AT_ONCE}
PLACES = 1.0
SEARCH = 0.15
PIECE = 0.1
QUERIES = ("layer.16", "op:Add shape:16x64", "softmax", "/out$/")
GROWTH = 1.6
SPEC_GROWTH = 3.0  # Python's collector of garbage looks at all lines that are alive again and again
WINDOW_GOALS = {
    "a consumer of a mask with 500 is added": 0.3,
    "200 stages are scrolled": 0.1,
    "another of 200 cuts is made active": 0.3,
    "16 stages are painted": 0.1,
    "longest turn while 10,000 nodes open": 0.1,
}
PATIENCE = 150  # seconds


def measure() -> bool:
    """Prints the table; returns whether work grows as it should."""
    of = cut_encoder(LAYERS)
    print(f"gestures: milliseconds of processor time on {of.graph.node_count} nodes, the least of {RUNS}")
    for gesture in GESTURES:
        _say(
            gesture.__name__.replace("_", " "), _least(lambda gesture=gesture: gesture(of)), GOALS.get(gesture, AT_ONCE)
        )
    _say("places alike", _least(lambda: places_alike(of)), PLACES)
    index = SearchIndex(graph_of_layers(16_700))
    index.prepare()
    for query in QUERIES:
        if not len(index.find(query)):
            raise AssertionError(f"nothing is found for {query}")
        _say(f"search {query}", _least(lambda query=query: index.find(query)), SEARCH)
    _say("the slowest piece of the graph as it comes to the window", _slowest_piece(of.graph), PIECE)
    _window()
    return _growth()


def _least(work: Callable[[], object], runs: int = RUNS) -> float:
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def _say(what: str, seconds: float, goal: float) -> None:
    told = "met" if seconds <= goal else "MISSED"
    print(f"  {what:58} {seconds * 1000:6.1f}    goal {goal * 1000:5.0f}    {told}", flush=True)


def _slowest_piece(graph: Graph) -> float:
    """Returns the seconds that the piece takes for which the event loop waits longest."""
    assembly: Assembly | None = None
    slowest = 0.0
    for body in [encode(message)[8:] for message in in_pieces(graph)]:
        begun = time.process_time()
        message = decode(body)
        if isinstance(message, PartBegins):
            assembly = Assembly(message)
        else:
            assert assembly is not None
            assembly.add(message) if isinstance(message, Piece) else assembly.finish()
        slowest = max(slowest, time.process_time() - begun)
    return slowest


def _window() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, HERE / "gestures_in_window.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"the window ended with {done.returncode}:\n{done.stderr[-2000:]}")
    found = json.loads(lines[-1])
    for what, goal in WINDOW_GOALS.items():
        _say(what, found[what], goal)


def _growth() -> bool:
    kept = True
    for what, work, few, many, most in (
        ("reading and writing a cut spec", _spec, 1000, 8000, SPEC_GROWTH),
        ("finding groups", _groups, 150, 1200, GROWTH),
        ("sending a graph", _pieces, 150, 1200, GROWTH),
    ):
        small, large = (_least(work(count), 3) for count in (few, many))
        growth = large / small * few / many
        kept &= growth <= most
        print(f"  {what}: eight times as much takes {growth:.2f} of the time for each, at most {most}", flush=True)
    return kept


def _spec(count: int) -> Callable[[], object]:
    lines = [f'      - {{tensor: "{i}", consumers: ["{i + 1}"]}}  # c' for i in range(count)]
    text = "format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges:\n" + "\n".join(lines)

    def work() -> None:
        spec = parse_spec(text, "long")
        [cut] = spec.plan.cuts
        spec_text(spec.with_plan(Plan((Cut(cut.edges[::-1]), Cut(cut.edges[:5])))))

    return work


def _groups(layers: int) -> Callable[[], object]:
    graph = transformer(layers)
    return lambda: find_groups(graph)


def _pieces(layers: int) -> Callable[[], object]:
    graph = transformer(layers)
    return lambda: [decode(encode(message)[8:]) for message in in_pieces(graph)]
