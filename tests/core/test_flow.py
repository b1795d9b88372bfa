"""Minimum cuts with limits of any size, against networkx, which computes with whole numbers of any length."""

from __future__ import annotations

import random

import networkx
import numpy as np
import pytest

from cutter_gui.core.flow import TOTAL_LIMIT, minimum_cut


def random_network(seed: int, nodes: int, arcs: int, largest: int) -> list[tuple[int, int, int]]:
    rng = random.Random(seed)
    return [(rng.randrange(nodes), rng.randrange(nodes), rng.randint(0, largest)) for _ in range(arcs)]


def value_of(arcs: list[tuple[int, int, int]], before: np.ndarray) -> int:
    return sum(limit for tail, head, limit in arcs if before[tail] and not before[head])


@pytest.mark.parametrize("largest", [9, 10**6, 2**31, 10**11, TOTAL_LIMIT // 500])
@pytest.mark.parametrize("seed", range(6))
def test_both_cuts_have_the_least_value(seed, largest):
    nodes = 40
    arcs = random_network(seed, nodes, 200, largest)
    arcs = [(tail, head, limit) for tail, head, limit in arcs if tail != head]
    tails, heads, limits = (np.asarray(column, dtype=np.int64) for column in zip(*arcs, strict=True))
    from_source, to_sink = minimum_cut(tails, heads, limits, nodes, 0, nodes - 1)
    network = networkx.DiGraph()
    network.add_nodes_from(range(nodes))
    for tail, head, limit in arcs:
        before = network.get_edge_data(tail, head, {"capacity": 0})["capacity"]
        network.add_edge(tail, head, capacity=before + limit)
    expected = networkx.minimum_cut_value(network, 0, nodes - 1)
    assert value_of(arcs, from_source) == expected
    assert value_of(arcs, ~to_sink) == expected
    assert not np.any(from_source & to_sink)
    assert from_source[0]
    assert to_sink[nodes - 1]


def test_limits_that_differ_in_their_last_digit_only_are_told_apart():
    large = 2**45
    tails, heads = np.asarray([0, 1, 2, 3]), np.asarray([1, 2, 3, 4])
    limits = np.asarray([large, large - 1, large + 1, large])
    from_source, to_sink = minimum_cut(tails, heads, limits, 5, 0, 4)
    assert from_source.tolist() == [True, True, False, False, False]
    assert to_sink.tolist() == [False, False, True, True, True]


def test_a_source_that_nothing_leaves_is_alone():
    from_source, to_sink = minimum_cut(*(np.zeros(0, dtype=np.int64) for _ in range(3)), 3, 0, 2)
    assert from_source.tolist() == [True, False, False]
    assert to_sink.tolist() == [False, False, True]
