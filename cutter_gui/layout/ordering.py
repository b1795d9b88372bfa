"""The order of vertices within each layer: few crossings.

Terms: the *barycenter* of a vertex is the mean place of its neighbours in the layer above (going down) or below
(going up); a *sweep* sorts layer after layer by barycenter.

Steps: (1) a first order from a depth first walk down from the vertices without anything above them, which keeps chains
and branches together; (2) a fixed number of sweeps, down and up in turn (Sugiyama, Tagawa and Toda, 1981); vertices
without neighbours keep their place; ties keep their order; (3) the order with the fewest crossings is kept.

Complexity: O(S (V log V + E log V)) for S sweeps; crossings are counted with a Fenwick tree (Barth, Juenger and
Mutzel, 2002). Layers of one vertex cost nothing. Left out: sifting and transposition.
"""

from __future__ import annotations

from dataclasses import dataclass

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Ints

SWEEPS = 8
SWEEPS_ABOVE = ((20_000, 6), (100_000, 4))


@dataclass(frozen=True, eq=False)
class Levels:
    """Vertices in layers.

    Attributes:
        layers: The vertices of each layer, in order.
        above: Neighbours of each vertex in the layer above.
        below: Neighbours of each vertex in the layer below.
    """

    layers: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]

    @classmethod
    def of(cls, layer: Ints, upper: Ints, lower: Ints) -> Levels:
        """Returns the levels of vertices with these layers and segments, in order of vertex number."""
        above: list[list[int]] = [[] for _ in range(len(layer))]
        below: list[list[int]] = [[] for _ in range(len(layer))]
        for head, tail in zip(upper.tolist(), lower.tolist(), strict=True):
            below[head].append(tail)
            above[tail].append(head)
        layers: list[list[int]] = [[] for _ in range(int(layer.max()) + 1 if len(layer) else 0)]
        for vertex, at in enumerate(layer.tolist()):
            layers[at].append(vertex)
        return cls(layers, above, below)

    def places(self) -> list[int]:
        """Returns [V], the place of each vertex in its layer."""
        places = [0] * len(self.above)
        for layer in self.layers:
            for place, vertex in enumerate(layer):
                places[vertex] = place
        return places


def ordered(levels: Levels, progress: Progress = no_progress) -> Levels:
    """Returns the levels in an order with few crossings; see the top of this file."""
    layers = _walked(levels)
    current = Levels(layers, levels.above, levels.below)
    best, fewest = [list(layer) for layer in layers], crossings(current)
    sweeps = SWEEPS
    for size, fewer in SWEEPS_ABOVE:
        if len(levels.above) > size:
            sweeps = fewer
    for sweep in range(sweeps):
        if not fewest:
            break
        progress("Untangling the layers", 0.2 + 0.4 * sweep / sweeps)
        _sweep(current, down=sweep % 2 == 0)
        found = crossings(current)
        if found < fewest:
            best, fewest = [list(layer) for layer in current.layers], found
    return Levels(best, levels.above, levels.below)


def _walked(levels: Levels) -> list[list[int]]:
    """Returns the layers in the order of a depth first walk; step 1."""
    layers: list[list[int]] = [[] for _ in levels.layers]
    layer_of = [0] * len(levels.above)
    for number, layer in enumerate(levels.layers):
        for vertex in layer:
            layer_of[vertex] = number
    seen = [False] * len(levels.above)
    roots = [vertex for layer in levels.layers for vertex in layer if not levels.above[vertex]]
    for root in roots:
        stack = [root]
        while stack:
            vertex = stack.pop()
            if seen[vertex]:
                continue
            seen[vertex] = True
            layers[layer_of[vertex]].append(vertex)
            stack.extend(reversed(levels.below[vertex]))
    return layers


def _sweep(levels: Levels, down: bool) -> None:
    """Sorts every layer by the barycenters of the layer before it, in place."""
    near = levels.above if down else levels.below
    count = len(levels.layers)
    sequence = range(1, count) if down else range(count - 2, -1, -1)
    place = levels.places()
    for number in sequence:
        layer = levels.layers[number]
        if len(layer) < 2:
            continue
        before = levels.layers[number - 1 if down else number + 1]
        scale = len(before) / len(layer)
        keys = []
        for at, vertex in enumerate(layer):
            neighbours = near[vertex]
            if neighbours:
                keys.append(sum([place[other] for other in neighbours]) / len(neighbours))
            else:
                keys.append(at * scale)
        ranked = sorted(range(len(layer)), key=keys.__getitem__)
        layer[:] = [layer[at] for at in ranked]
        for at, vertex in enumerate(layer):
            place[vertex] = at


def crossings(levels: Levels) -> int:
    """Returns the number of crossings of segments between neighbouring layers."""
    place = levels.places()
    total = 0
    for upper, lower in zip(levels.layers[:-1], levels.layers[1:], strict=True):
        if len(upper) < 2 or len(lower) < 2:
            continue
        ends: list[int] = []
        for vertex in upper:
            targets = levels.below[vertex]
            ends.extend(
                sorted([place[other] for other in targets]) if len(targets) > 1 else map(place.__getitem__, targets)
            )
        total += _inversions(ends, len(lower))
    return total


def _inversions(values: list[int], size: int) -> int:
    """Returns how many pairs stand in descending order."""
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
