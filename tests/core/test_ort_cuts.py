"""ONNX Runtime's notation for cuts is read as ORT reads it, and never misread for names that it has no way to write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core.errors import CutterError
from cutter_gui.core.ort_cuts import ort_cuts_text, parse_ort_cut, parse_ort_cuts
from cutter_gui.core.plan import Cut, CutEdge, Plan

FOUR_STAGES = (
    "1149:407-1219/1341/1463/1585/1707/1829,"
    "1881:407-1951/2073/2195/2317/2439/2561,"
    "2613:407-2683/2805/2927/3049/3171/3293"
)
SEPARATORS = set("-/:,")

writable_names = st.text(min_size=1).filter(lambda name: not SEPARATORS & set(name) and name == name.strip())
writable_edges = st.builds(CutEdge, writable_names, st.none() | st.lists(writable_names, min_size=1, max_size=3))
writable_cuts = st.lists(writable_edges, min_size=1, max_size=3).map(lambda edges: Cut(tuple(edges)))
writable_plans = st.lists(writable_cuts, min_size=1, max_size=3).map(lambda cuts: Plan(tuple(cuts)))


def test_the_strings_of_orts_own_tests_are_read_right() -> None:
    assert parse_ort_cuts("1393:407-1463/1585/1707,2369:407-2439/2561/2683") == [
        Cut((CutEdge("1393"), CutEdge("407", ["1463", "1585", "1707"]))),
        Cut((CutEdge("2369"), CutEdge("407", ["2439", "2561", "2683"]))),
    ]
    assert parse_ort_cuts("418") == [Cut((CutEdge("418"),))]
    cuts = parse_ort_cuts(FOUR_STAGES)
    assert [cut.edges[0].tensor for cut in cuts] == ["1149", "1881", "2613"]
    assert cuts[2].edges[1] == CutEdge("407", ["2683", "2805", "2927", "3049", "3171", "3293"])
    assert ort_cuts_text(Plan(tuple(cuts))) == FOUR_STAGES


@pytest.mark.parametrize(
    ("text", "names", "edges"),
    [
        ("a-b", ["a", "b"], [CutEdge("a", ["b"])]),
        ("a-b", ["a", "b", "a-b"], [CutEdge("a-b")]),
        ("a-b-c", ["a-b", "c"], [CutEdge("a-b", ["c"])]),
        ("a-b-c", ["a", "b-c"], [CutEdge("a", ["b-c"])]),
        ("a-b/c", ["a", "b", "c", "a-b"], [CutEdge("a", ["b", "c"])]),
        ("a-b/c", ["a", "b", "c", "b/c"], [CutEdge("a", ["b/c"])]),
        ("/enc/0-/enc/1//enc/2", ["/enc/0", "/enc/1", "/enc/2"], [CutEdge("/enc/0", ["/enc/1", "/enc/2"])]),
        ("/enc/Add_output_0", [], [CutEdge("/enc/Add_output_0")]),
        ("w:0-x:0/y:0:z:0", ["w:0", "x:0", "y:0", "z:0"], [CutEdge("w:0", ["x:0", "y:0"]), CutEdge("z:0")]),
        ("a:b", ["a", "b", "a:b"], [CutEdge("a:b")]),
        ("a:b", ["a", "b"], [CutEdge("a"), CutEdge("b")]),
        ("a,b-c", ["a,b", "c"], [CutEdge("a,b", ["c"])]),
        ("186 : 71 - 273 / 395", ["71"], [CutEdge("186"), CutEdge("71", ["273", "395"])]),
        (" a :b", [" a ", "b"], [CutEdge(" a "), CutEdge("b")]),
        ("old-new/a", ["a"], [CutEdge("old", ["new", "a"])]),
    ],
)
def test_a_name_that_exists_whole_wins_over_splitting_it(text: str, names: list[str], edges: list[CutEdge]) -> None:
    assert parse_ort_cut(text, names) == Cut(tuple(edges))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'the name of a tensor is missing (character 1 of "")'),
        ("186:", 'the name of a tensor is missing (character 5 of "186:")'),
        ("186::71", 'the name of a tensor is missing (character 5 of "186::71")'),
        ("186,,71", 'the name of a tensor is missing (character 5 of "186,,71")'),
        ("-273", 'the name of a tensor is missing (character 1 of "-273")'),
        ("71-", 'the name of a consumer is missing (character 4 of "71-")'),
        ("71-273//395", 'the name of a consumer is missing (character 8 of "71-273//395")'),
        ("71- :5", 'the name of a consumer is missing (character 4 of "71- :5")'),
    ],
)
def test_a_missing_name_is_reported_with_its_place(text: str, message: str) -> None:
    with pytest.raises(CutterError) as caught:
        parse_ort_cuts(text, ["186", "71", "273", "395"])
    assert message in str(caught.value)
    assert caught.value.remedy


def test_a_single_cut_holds_a_comma_only_in_an_existing_name() -> None:
    assert parse_ort_cut("a,b:c", ["a,b"]) == Cut((CutEdge("a,b"), CutEdge("c")))
    with pytest.raises(CutterError, match=r'a comma begins another cut \(character 6 of "a,b:c,d"\)'):
        parse_ort_cut("a,b:c,d", ["a,b"])


@given(writable_plans)
def test_what_is_written_is_read_back(plan: Plan) -> None:
    assert parse_ort_cuts(ort_cuts_text(plan)) == list(plan.cuts)


@given(writable_plans, st.sets(st.text("ab-/:,")))
def test_a_model_without_names_like_these_reads_it_the_same(plan: Plan, others: set[str]) -> None:
    used = {name for cut in plan.cuts for edge in cut.edges for name in (edge.tensor, *(edge.consumers or ()))}
    text = ort_cuts_text(plan)
    assert parse_ort_cuts(text, used | {name for name in others if name not in text}) == list(plan.cuts)


@given(st.text("ab -/:,", max_size=30), st.sets(st.text("ab-/:,", min_size=1, max_size=6)))
def test_any_string_gives_cuts_or_one_sentence(text: str, names: set[str]) -> None:
    failed = None
    cuts: list[Cut] = []
    try:
        cuts = parse_ort_cuts(text, names)
    except CutterError as error:
        failed = error
    assert bool(cuts) != (failed is not None)
    assert all(edge.tensor for cut in cuts for edge in cut.edges)


@pytest.mark.parametrize("name", ["a-b", "a/b", "a:b", "a,b", "", " a"])
def test_a_name_that_would_be_read_differently_is_not_written(name: str) -> None:
    for edge in (CutEdge(name), CutEdge("x", ["y", name])):
        with pytest.raises(CutterError, match="a name cannot be written for ONNX Runtime"):
            ort_cuts_text(Plan((Cut((edge,)),)))


def test_a_plan_without_cuts_or_a_cut_without_edges_is_not_written() -> None:
    for plan in (Plan(), Plan((Cut((CutEdge("a"),)), Cut()))):
        with pytest.raises(CutterError, match="cannot be written for ONNX Runtime"):
            ort_cuts_text(plan)


def test_a_long_string_is_read_in_little_time() -> None:
    names = [f"/layer.{index}/Add_output_0" for index in range(3000)]
    text = ":".join(f"{name}-{name}/{name}" for name in names)
    cut = parse_ort_cut(text, names)
    assert cut.edges == tuple(CutEdge(name, [name, name]) for name in names)
