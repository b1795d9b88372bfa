"""Which cut of the file an edited cut is."""

from __future__ import annotations

import pytest

from cutter_gui.core.plan import Cut, CutEdge
from cutter_gui.core.spec_match import match_cuts, match_edges, match_names


def cut(tensors: str, name: str | None = None) -> Cut:
    return Cut(tuple(CutEdge(tensor) for tensor in tensors), name)


@pytest.mark.parametrize(
    ("old", "new", "matches"),
    [
        ([cut("a", "1"), cut("b", "2")], [cut("b", "2"), cut("a", "1")], [1, 0]),
        ([cut("a", "1"), cut("b", "2")], [cut("b", "1"), cut("a", "2")], [1, 0]),
        ([cut("a", "1"), cut("b", "2")], [cut("xy", "2"), cut("z", "1")], [1, 0]),
        ([cut("abc"), cut("def")], [cut("d"), cut("bcx")], [1, 0]),
        ([cut("abm"), cut("cdm")], [cut("cm"), cut("dm"), cut("x")], [1, 0, None]),
        ([cut("a"), cut("a")], [cut("a"), cut("a"), cut("a")], [0, 1, None]),
        ([cut("", "1")], [cut("a")], [None]),
        ([], [cut("a")], [None]),
        ([cut("a")], [], []),
    ],
)
def test_a_cut_is_known_by_all_of_it_its_edges_its_name_or_most_tensors(
    old: list[Cut], new: list[Cut], matches: list[int | None]
) -> None:
    assert match_cuts(old, new) == matches


def test_an_edge_is_known_by_all_of_it_or_its_tensor() -> None:
    old = [CutEdge("a", ["x"]), CutEdge("a", ["y"]), CutEdge("b")]
    assert match_edges(old, [CutEdge("b", ["z"]), CutEdge("a", ["y"]), CutEdge("a"), CutEdge("c")]) == [2, 1, 0, None]


def test_a_name_that_is_listed_twice_is_matched_twice() -> None:
    assert match_names(["a", "b", "a"], ["a", "a", "a", "b"]) == [0, 2, None, 1]


def test_a_tensor_that_all_cuts_list_does_not_make_the_work_grow_with_its_square() -> None:
    count = 3000
    old = [Cut((CutEdge("mask"), CutEdge(f"t{index}"))) for index in range(count)]
    new = [Cut((CutEdge("mask", ["x"]), CutEdge(f"t{index}"))) for index in reversed(range(count))]
    assert match_cuts(old, new) == list(reversed(range(count)))
    assert match_cuts(old, [Cut((CutEdge("mask", ["y"]),))] * count) == [None] * count
