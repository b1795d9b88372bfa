from __future__ import annotations

from cutter_gui.core import Cut, CutEdge, Plan
from cutter_gui.core.reanchor import reanchored
from strategies.small_graphs import small_graph

BEFORE = small_graph("A x -> a", "B a -> b", "C b -> c", "D c a -> d", "E d w -> e", weights=["w"], outputs=["e"])
# B and C became N and M; M gives what C gave.
AFTER = small_graph("A x -> a", "N a -> n", "M n -> m", "D m a -> d", "E d w -> e", weights=["w"], outputs=["e"])
NAMES = {"x": "x", "a": "a", "c": "m", "d": "d", "e": "e"}


def moved(*edges: CutEdge) -> tuple[tuple[CutEdge, ...], tuple[str, ...]]:
    found = reanchored(Plan((Cut(edges, "named"),)), BEFORE, AFTER, NAMES)
    assert found.plan.cuts[0].name == "named"
    return found.plan.cuts[0].edges, found.lost


def test_what_stays_is_cut_as_before() -> None:
    edges = (CutEdge("a"), CutEdge("d", ["e"]), CutEdge("w", ["e"]))
    assert moved(*edges) == (edges, ())


def test_the_result_of_what_was_replaced_takes_the_name_of_what_is_in_its_place() -> None:
    assert moved(CutEdge("c", ["d"])) == ((CutEdge("m", ["d"]),), ())


def test_a_consumer_that_was_replaced_gives_way_to_the_new_readers() -> None:
    assert moved(CutEdge("a", ["b"])) == ((CutEdge("a", ["n"]),), ())
    assert moved(CutEdge("a", ["b", "d"])) == ((CutEdge("a", ["n", "d"]),), ())


def test_what_is_gone_is_left_out_and_told() -> None:
    assert moved(CutEdge("b"), CutEdge("a", ["d"])) == ((CutEdge("a", ["d"]),), ("b",))
    without_d = {name: new for name, new in NAMES.items() if name != "d"}
    found = reanchored(Plan((Cut((CutEdge("c", ["d"]),)),)), BEFORE, AFTER, without_d)
    assert found.plan.cuts[0].edges == (CutEdge("m", ["d"]),), "a reader that is new to the names takes its place"


def test_a_name_that_comes_back_for_something_else_is_no_counterpart() -> None:
    after = small_graph("A x -> a", "N a -> c", "D c a -> d", outputs=["d"])
    found = reanchored(Plan((Cut((CutEdge("c"), CutEdge("b"))),)), BEFORE, after, {"x": "x", "a": "a", "d": "d"})
    assert found.plan.cuts[0].edges == ()
    assert found.lost == ("c", "b")


def test_stale_names_stay_stale_and_listings_that_meet_are_joined() -> None:
    assert moved(CutEdge("gone"), CutEdge("a", ["gone"])) == ((CutEdge("gone"), CutEdge("a", ["gone"])), ())
    both = {**NAMES, "b": "m"}
    found = reanchored(Plan((Cut((CutEdge("b", ["c"]), CutEdge("c", ["d"]))),)), BEFORE, AFTER, both)
    assert found.plan.cuts[0].edges == (CutEdge("m", ["d"]),)
