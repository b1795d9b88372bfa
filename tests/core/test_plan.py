"""What the user decides: CutEdge, cuts, plans."""

import pytest

from cutter_gui.core import Cut, CutEdge, CutterError, Plan


def test_a_cut_edge_without_consumers_means_all_of_them():
    assert CutEdge("186").consumers is None


def test_consumers_may_be_any_iterable_of_names_and_keep_their_order():
    assert CutEdge("71", ["395", "273"]).consumers == ("395", "273")
    assert CutEdge("71", (name for name in ("b", "a"))).consumers == ("b", "a")


def test_a_set_of_consumers_has_the_same_order_in_every_run():
    assert CutEdge("71", {"395", "273", "100"}).consumers == ("100", "273", "395")


def test_an_empty_list_of_consumers_is_an_error_that_says_what_to_do():
    with pytest.raises(CutterError) as failure:
        CutEdge("71", [])
    assert str(failure.value) == (
        "an edge lists no consumers (tensor 71): leave out consumers to cut all, or name at least one"
    )


def test_a_string_of_consumers_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match="not the string '395'"):
        CutEdge("71", "395")


@pytest.mark.parametrize(("tensor", "consumers"), [(186, None), ("71", [395])])
def test_numbers_are_not_taken_for_names(tensor, consumers):
    with pytest.raises(TypeError):
        CutEdge(tensor, consumers)


def test_cut_edges_with_the_same_names_are_equal_and_cannot_be_changed():
    assert CutEdge("71", ["a"]) == CutEdge("71", ("a",))
    assert len({CutEdge("71"), CutEdge("71")}) == 1
    with pytest.raises(AttributeError):
        CutEdge("71").tensor = "72"


def test_n_cuts_make_one_stage_more():
    assert Plan().stage_count == 1
    assert Plan((Cut(), Cut())).stage_count == 3
