"""The order of vertices within each layer: few crossings.

Terms: the *barycenter* of a vertex is the mean place of its neighbours in the layer above (going down) or below
(going up); a *sweep* sorts layer after layer by barycenter; a *transposition* swaps two neighbours in a layer.

Steps: (1) two first orders, from depth first walks down from the vertices without anything above them and up from
those without anything below, which keep chains and branches together; (2) from each a fixed number of sweeps, down and
up in turn (Sugiyama, Tagawa and Toda, 1981), each followed by transpositions as long as they save crossings (Gansner
et al., 1993); vertices without neighbours keep their place; ties keep their order, in every other pair of sweeps they
are reversed; (3) the order with the fewest crossings is kept.

Complexity: O(S (V log V + E D)) for S sweeps and D neighbours a vertex; crossings are counted with a Fenwick tree
(Barth, Juenger and Mutzel, 2002). For stretches of some thousand vertices; wider ones are ordered by
`cutter_gui.layout.ordering_wide`. Left out: sifting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from cutter_gui.core.graph import Ints

SWEEPS = 24
GIVE_UP = 8  # sweeps without a better order
TRANSPOSITIONS = 10

Layers = list[list[int]]


@dataclass(frozen=True, eq=False)
class Levels:
    """Vertices in layers.

    Attributes:
        layers: The vertices of each layer, in order.
        above: Neighbours of each vertex in the layer above.
        below: Neighbours of each vertex in the layer below.
    """

    layers: Layers
    above: list[list[int]]
    below: list[list[int]]

    @classmethod
    def of(cls, starts: Sequence[int], upper: Ints, lower: Ints) -> Levels:
        """Returns the levels of vertices numbered layer by layer, in order of number.

        Args:
            starts: The vertices of layer i are ``starts[i]:starts[i + 1]``.
            upper: [S], vertex above each segment.
            lower: [S], vertex below it.
        """
        count = int(starts[-1])
        above: list[list[int]] = [[] for _ in range(count)]
        below: list[list[int]] = [[] for _ in range(count)]
        for head, tail in zip(upper.tolist(), lower.tolist(), strict=True):
            below[head].append(tail)
            above[tail].append(head)
        return cls([list(range(one, two)) for one, two in pairwise(starts)], above, below)

    def places(self) -> list[int]:
        """Returns [V], the place of each vertex in its layer."""
        places = [0] * len(self.above)
        for layer in self.layers:
            for place, vertex in enumerate(layer):
                places[vertex] = place
        return places


def ordered(levels: Levels) -> Levels:
    """Returns the levels in an order with few crossings; see the top of this file."""
    best: Layers = levels.layers
    fewest = crossings(levels)
    for down in (True, False):
        if not fewest:
            break
        current = Levels(_walked(levels, down), levels.above, levels.below)
        found = crossings(current)
        if found < fewest:
            best, fewest = [list(layer) for layer in current.layers], found
        idle = 0
        for sweep in range(SWEEPS):
            if not fewest or idle > GIVE_UP:
                break
            _sweep(current, down=(sweep % 2 == 0) == down, reverse=sweep % 4 >= 2)
            _transpose(current)
            found = crossings(current)
            idle += 1
            if found < fewest:
                best, fewest, idle = [list(layer) for layer in current.layers], found, 0
    return Levels(best, levels.above, levels.below)


def _walked(levels: Levels, down: bool) -> Layers:
    """Returns the layers in the order of a depth first walk; step 1."""
    layers: Layers = [[] for _ in levels.layers]
    layer_of = [0] * len(levels.above)
    for number, layer in enumerate(levels.layers):
        for vertex in layer:
            layer_of[vertex] = number
    before, after = (levels.above, levels.below) if down else (levels.below, levels.above)
    seen = [False] * len(levels.above)
    sequence = levels.layers if down else levels.layers[::-1]
    for root in (vertex for layer in sequence for vertex in layer if not before[vertex]):
        stack = [root]
        while stack:
            vertex = stack.pop()
            if seen[vertex]:
                continue
            seen[vertex] = True
            layers[layer_of[vertex]].append(vertex)
            stack.extend(reversed(after[vertex]))
    return layers


def _sweep(levels: Levels, down: bool, reverse: bool) -> None:
    """Sorts every layer by the barycenters of the layer before it, in place."""
    near = levels.above if down else levels.below
    count = len(levels.layers)
    place = levels.places()
    for number in range(1, count) if down else range(count - 2, -1, -1):
        layer = levels.layers[number]
        if len(layer) < 2:
            continue
        scale = len(levels.layers[number - 1 if down else number + 1]) / len(layer)
        keys = {}
        for at, vertex in enumerate(layer):
            neighbours = near[vertex]
            keys[vertex] = sum([place[other] for other in neighbours]) / len(neighbours) if neighbours else at * scale
        # A stable sort keeps ties as they are: turned around first, they come out reversed.
        layer[:] = sorted(reversed(layer) if reverse else layer, key=keys.__getitem__)
        for at, vertex in enumerate(layer):
            place[vertex] = at


def _transpose(levels: Levels) -> None:
    """Swaps neighbours in a layer as long as that saves crossings, in place."""
    place = levels.places()
    above = [sorted([place[other] for other in row]) for row in levels.above]
    below = [sorted([place[other] for other in row]) for row in levels.below]
    dirty = [len(layer) > 1 for layer in levels.layers]
    for _ in range(TRANSPOSITIONS):
        if not any(dirty):
            return
        for number, layer in enumerate(levels.layers):
            if not dirty[number]:
                continue
            dirty[number] = False
            moved = []
            for at in range(len(layer) - 1):
                one, two = layer[at], layer[at + 1]
                if _saved(above[one], above[two]) + _saved(below[one], below[two]) > 0:
                    layer[at], layer[at + 1] = two, one
                    place[one], place[two] = at + 1, at
                    moved += [one, two]
            for vertex in dict.fromkeys(moved):
                for other in levels.below[vertex]:
                    above[other] = sorted([place[head] for head in levels.above[other]])
                for other in levels.above[vertex]:
                    below[other] = sorted([place[tail] for tail in levels.below[other]])
            if moved:
                for near in (number - 1, number, number + 1):
                    if 0 <= near < len(dirty):
                        dirty[near] = len(levels.layers[near]) > 1


def _saved(left: list[int], right: list[int]) -> int:
    """Returns how many crossings swapping two neighbours saves, from the ascending places their segments lead to."""
    return sum([(one > two) - (one < two) for one in left for two in right])


def crossings(levels: Levels) -> int:
    """Returns the number of crossings of segments between neighbouring layers."""
    place = levels.places()
    total = 0
    for upper, lower in pairwise(levels.layers):
        if len(upper) < 2 or len(lower) < 2:
            continue
        ends: list[int] = []
        for vertex in upper:
            targets = levels.below[vertex]
            ends.extend(
                sorted([place[other] for other in targets]) if len(targets) > 1 else map(place.__getitem__, targets)
            )
        total += inversions(ends, len(lower))
    return total


def inversions(values: list[int], size: int) -> int:
    """Returns how many pairs stand in descending order; all values are below ``size``."""
    tree = [0] * (size + 1)
    found = 0
    for seen, value in enumerate(values):
        at = value + 1
        not_above = 0
        while at:
            not_above += tree[at]
            at &= at - 1
        found += seen - not_above
        at = value + 1
        while at <= size:
            tree[at] += 1
            at += at & -at
    return found
