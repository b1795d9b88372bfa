"""Groups of a graph whose nodes carry no scopes: segments between the nodes that every path passes, and their repeats.

Terms: the *place* of a node is its position among the live nodes in a topological order; a *waist* is a gap between
two places that at most one tensor crosses; a *segment* is what lies between two neighbouring waists; a *far* tensor
reaches over so many places that it is a skip or a hub rather than the path; a *repeat* is a stretch of segments of
which each equals the one a *period* later.

Steps: (1) each tensor crosses the gaps from its producer to its last reader, summed by a difference array; far tensors
are left out, since a mask that every layer reads would leave no waist; (2) the waists; (3) the print of each segment
(`cutter_gui.core.groups_equal`); (4) repeats: for each of the most frequent distances between equal segments, stretches
that match themselves shifted by it; the one that covers most nodes is taken, the shorter period where two cover the
same, until none is left; (5) a repeat starts with its largest segment where that costs no copy, so that blocks begin
with attention rather than with the end of the one before; (6) copies become groups `block n`; what lies between becomes
groups named by its first and last op; within them, segments that are not trivial become groups again.

That no edge spans a node is the same as that every path passes it, whatever the topological order, since a node beside
it would be an edge around it. Groups are runs of places, so folding one never makes a cycle, far tensors included.

Complexity: O(N + E) for the waists, O(P M) for M segments and at most `PERIODS` distances for each repeat taken, of
which there are at most `REPEATS`. No recursion. Left out: repeats within repeats, and repeats with small differences.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.groups_equal import group_prints

Path = tuple[str, ...]

FEWEST_NODES = 24  # graphs with fewer live nodes have no groups
SMALLEST = 4  # nodes in a group
FAR_AT_LEAST = 60  # places
HUB_READERS = 3
HUB_AT_LEAST = 16  # places that a tensor with so many readers reaches over to be far
FAR_SHARE = 3  # of all places
PERIODS = 64
REPEATS = 32


@dataclass(frozen=True)
class Repeat:
    """Equal stretches of segments, one behind the other.

    Attributes:
        first: The first segment.
        period: Segments in one copy.
        copies: How many.
    """

    first: int
    period: int
    copies: int

    @property
    def end(self) -> int:
        return self.first + self.period * self.copies


def structural_paths(graph: Graph, place: Ints) -> list[Path]:
    """Returns the path of groups of each node; see the top of this file.

    Args:
        graph: The graph.
        place: [N], places in a topological order of all nodes.
    """
    live = np.flatnonzero(~graph.node_constant).astype(np.int32)
    live = live[np.argsort(place[live], kind="stable")].astype(np.int32)
    if len(live) < FEWEST_NODES:
        return [()] * graph.node_count
    starts = _segments(graph, live)
    sizes = np.diff(np.r_[starts, len(live)])
    segment = np.full(graph.node_count, -1, dtype=np.int32)
    segment[live] = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
    prints = group_prints(graph, place, segment, len(starts))
    _, symbols = np.unique(prints, return_inverse=True)
    repeats = find_repeats(symbols.reshape(-1).astype(np.int32), sizes.astype(np.int32))
    paths: list[Path] = [()] * graph.node_count
    ops = [graph.short_op(node) for node in live.tolist()]
    for nodes, path in _grouped(repeats, starts.tolist(), sizes.tolist(), ops):
        for at in nodes:
            paths[int(live[at])] = path
    _place_constants(graph, paths)
    return paths


def _segments(graph: Graph, live: Ints) -> npt.NDArray[np.int64]:
    """Returns the first place of each segment; steps 1 and 2."""
    count = len(live)
    at = np.full(graph.node_count, -1, dtype=np.int64)
    at[live] = np.arange(count)
    producer = graph.tensor_producer[graph.edge_tensor]
    source = np.where(producer >= 0, at[producer], -1)
    target = at[graph.edge_consumer]
    real = (source >= 0) & (target > source)
    tensor = graph.edge_tensor[real]
    last = np.full(graph.tensor_count, -1, dtype=np.int64)
    np.maximum.at(last, tensor, target[real])
    used = np.flatnonzero(last >= 0)
    begin = at[graph.tensor_producer[used]]
    reads = np.bincount(tensor, minlength=graph.tensor_count)[used]
    least = np.where(reads >= HUB_READERS, HUB_AT_LEAST, FAR_AT_LEAST)
    near = last[used] - begin <= np.maximum(least, count // FAR_SHARE)
    change = np.zeros(count + 1, dtype=np.int64)
    np.add.at(change, begin[near], 1)
    np.add.at(change, last[used][near], -1)
    crossing = np.cumsum(change)[: count - 1]
    waists: npt.NDArray[np.int64] = np.flatnonzero(crossing <= 1) + 1
    return np.concatenate([np.zeros(1, np.int64), waists])


def find_repeats(symbols: Ints, sizes: Ints) -> list[Repeat]:
    """Returns repeats that do not overlap, in order; steps 4 and 5.

    Args:
        symbols: [M], equal numbers for equal segments.
        sizes: [M], nodes in each segment.
    """
    total = np.r_[0, np.cumsum(sizes)]
    periods = _periods(symbols)
    free = np.ones(len(symbols), dtype=np.bool_)
    tiny: list[tuple[int, int]] = []
    found: list[Repeat] = []
    while len(found) < REPEATS:
        best: tuple[int, int, int, int] | None = None
        for period in periods:
            for start, end in _stretches(symbols, free, period):
                copies = (end - start) // period
                if total[start + period] - total[start] < SMALLEST:
                    tiny.append((start, end))
                    continue
                if any(first <= start and end <= last for first, last in tiny):
                    continue
                covered = int(total[start + copies * period] - total[start])
                if best is None or (covered, -period) > (best[0], -best[1]):
                    best = (covered, period, start, end)
        if best is None:
            break
        _, period, start, end = best
        repeat = _well_started(sizes, start, end, period)
        free[repeat.first : repeat.end] = False
        found.append(repeat)
    return sorted(found, key=lambda repeat: repeat.first)


def _periods(symbols: Ints) -> list[int]:
    """Returns the distances between equal segments that occur most often, shortest first."""
    order = np.argsort(symbols, kind="stable")
    same = symbols[order][1:] == symbols[order][:-1]
    distances = np.diff(order)[same]
    common = Counter(distances.tolist()).most_common(PERIODS)
    return sorted(distance for distance, _ in common)


def _stretches(symbols: Ints, free: npt.NDArray[np.bool_], period: int) -> list[tuple[int, int]]:
    """Returns where the symbols repeat with a period at least once, within what is free."""
    count = len(symbols)
    if period >= count:
        return []
    match = (symbols[period:] == symbols[:-period]) & free[period:] & free[:-period]
    taken = np.cumsum(~free)
    edges = np.flatnonzero(np.diff(np.r_[False, match, False].astype(np.int8)))
    found = []
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        last = end + period
        if end - start >= period and taken[last - 1] == taken[start]:
            found.append((start, last))
    return found


def _well_started(sizes: Ints, start: int, end: int, period: int) -> Repeat:
    """Returns the repeat in a stretch that begins with its largest segment, if that costs no copy."""
    copies = (end - start) // period
    spare = (end - start) - copies * period
    shift = int(np.argmax(sizes[start : start + period]))
    return Repeat(start + (shift if shift <= spare else 0), period, copies)


def _grouped(repeats: list[Repeat], starts: list[int], sizes: list[int], ops: list[str]) -> list[tuple[range, Path]]:
    """Returns runs of places with their paths; step 6."""
    found: list[tuple[range, Path]] = []
    names: Counter[str] = Counter()
    blocks = 0
    at = 0
    for repeat in [*repeats, Repeat(len(starts), 0, 0)]:
        for first, last in _parts(sizes, at, repeat.first):
            nodes = _places(starts, sizes, first, last)
            if len(nodes) >= SMALLEST and len(nodes) < len(ops):
                path = (_unique(f"{ops[nodes[0]]} … {ops[nodes[-1]]}", names),)
                found.append((nodes, path))
                found += _inside(path, first, last, starts, sizes, ops)
        for copy in range(repeat.copies):
            first = repeat.first + copy * repeat.period
            path = (f"block {blocks}",)
            blocks += 1
            found.append((_places(starts, sizes, first, first + repeat.period), path))
            found += _inside(path, first, first + repeat.period, starts, sizes, ops)
        at = repeat.end
    return found


def _parts(sizes: list[int], first: int, last: int) -> list[tuple[int, int]]:
    """Returns the segments between two repeats as parts: large segments by themselves, the rest in runs."""
    parts: list[tuple[int, int]] = []
    run = first
    for segment in range(first, last):
        if sizes[segment] >= SMALLEST:
            if run < segment:
                parts.append((run, segment))
            parts.append((segment, segment + 1))
            run = segment + 1
    if run < last:
        parts.append((run, last))
    return parts


def _inside(
    path: Path, first: int, last: int, starts: list[int], sizes: list[int], ops: list[str]
) -> list[tuple[range, Path]]:
    """Returns the groups within a group of several segments: those segments that are not trivial."""
    if last - first < 2:
        return []
    names: Counter[str] = Counter()
    found = []
    for segment in range(first, last):
        if sizes[segment] >= SMALLEST:
            nodes = _places(starts, sizes, segment, segment + 1)
            found.append((nodes, (*path, _unique(f"{ops[nodes[0]]} … {ops[nodes[-1]]}", names))))
    return found


def _places(starts: list[int], sizes: list[int], first: int, last: int) -> range:
    return range(starts[first], starts[last - 1] + sizes[last - 1]) if last > first else range(0)


def _unique(name: str, seen: Counter[str]) -> str:
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} ({seen[name]})"


def _place_constants(graph: Graph, paths: list[Path]) -> None:
    """Puts constant nodes into the groups of their first readers, which come later in the order."""
    constant = graph.node_constant.tolist()
    outputs = graph.node_outputs
    for node in reversed(graph.order.tolist()):
        if not constant[node]:
            continue
        for tensor in outputs.row(node).tolist():
            if tensor >= 0 and len(graph.consumers(tensor)):
                paths[node] = paths[int(graph.consumers(tensor)[0])]
                break
