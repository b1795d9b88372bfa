from __future__ import annotations

from collections.abc import Sequence

import pytest

from cutter_gui.fx.draft import Draft, DraftNode, DraftWeight, draft_from_json
from cutter_gui.fx.draft_graph import graph_of, joined_nodes


def node(
    name: str,
    inputs: Sequence[str],
    mutates: Sequence[str] = (),
    aliases: Sequence[str] = (),
    element: int | None = None,
) -> DraftNode:
    return DraftNode(name, name, tuple(inputs), mutates=tuple(mutates), aliases=tuple(aliases), element=element)


def joined(*nodes: DraftNode, outputs: Sequence[str] = (), updates: Sequence[tuple[str, str]] = ()) -> set[str]:
    """Returns the names of the nodes that are joined to another."""
    draft = Draft(("x",), (DraftWeight("w", 4),), nodes, tuple(outputs), tuple(updates))
    return {nodes[number].name for pair in joined_nodes(draft) for number in pair}


@pytest.mark.parametrize(
    ("op", "short"),
    [
        ("aten.add.Tensor", "add"),
        ("aten.linear", "linear"),
        ("quantized_decomposed.quantize_per_tensor.tensor", "quantize_per_tensor"),
        ("higher_order.cond", "cond"),
        ("torch.nn.modules.linear.Linear", "Linear"),
        ("torch.nn.functional", "functional"),
        ("einops.einops.rearrange", "rearrange"),
        ("getitem", "getitem"),
    ],
)
def test_boxes_show_what_an_operator_is_called_not_its_overload(op: str, short: str) -> None:
    graph = graph_of(
        Draft(("x",), (), (DraftNode("first", "aten.relu", ("x",)), DraftNode("n", op, ("first",))), ("n",))
    )
    assert [graph.short_op(0), graph.short_op(1)] == ["relu", short]


def test_all_readers_of_a_value_that_is_changed_are_joined() -> None:
    made = node("made", ["x"])
    view = node("view", ["made"], aliases=["made"])
    change = node("change_", ["view"], mutates=["view"], aliases=["view"])
    reader, after = node("reader", ["made"]), node("after", ["change_"])
    apart = node("apart", ["reader"])
    assert joined(made, view, change, reader, after, apart) == {"view", "change_", "reader", "after"}


def test_the_maker_of_a_changed_value_may_be_cut_off_unless_the_model_returns_it() -> None:
    nodes = node("made", ["x"]), node("change_", ["made"], ["made"], ["made"]), node("after", ["change_"])
    assert joined(*nodes) == {"change_", "after"}
    assert joined(*nodes, outputs=["made"]) == {"made", "change_", "after"}


def test_readers_of_a_buffer_that_is_changed_are_joined() -> None:
    assert joined(node("add_", ["w"], ["w"], ["w"]), node("reader", ["x", "w"]), node("other", ["x"])) == {
        "add_",
        "reader",
    }


def test_views_without_a_change_join_nothing() -> None:
    assert joined(node("view", ["x"], aliases=["x"]), node("reader", ["x"]), node("other", ["view"])) == set()


def test_elements_of_a_fresh_tuple_share_no_storage() -> None:
    nodes = [
        node("pair", ["x"]),
        node("first", ["pair"], aliases=["pair"], element=0),
        node("second", ["pair"], aliases=["pair"], element=1),
        node("change_", ["first"], ["first"], ["first"]),
        node("reader", ["second"]),
    ]
    assert joined(*nodes) == {"first", "change_"}


def test_elements_of_a_tuple_of_views_share_the_storage_of_its_base() -> None:
    nodes = [
        node("parts", ["x"], aliases=["x"]),
        node("first", ["parts"], aliases=["parts"], element=0),
        node("second", ["parts"], aliases=["parts"], element=1),
        node("change_", ["first"], ["first"], ["first"]),
        node("reader", ["second"]),
    ]
    assert joined(*nodes) == {node.name for node in nodes}


def test_what_makes_the_new_value_of_a_buffer_is_joined_to_the_buffers_readers() -> None:
    nodes = node("reader", ["x", "w"]), node("next", ["reader"]), node("new", ["next"])
    assert joined(*nodes, updates=[("new", "w")]) == {"reader", "new"}


def test_a_node_that_changes_a_value_is_volatile_and_so_never_constant() -> None:
    draft = Draft((), (DraftWeight("w", 4),), (node("add_", ["w"], ["w"], ["w"]), node("plus", ["w"])), ("add_",))
    graph = graph_of(draft)
    assert graph.node_volatile.tolist() == [True, False]
    assert not graph.node_constant.any()


def test_a_draft_comes_back_from_json() -> None:
    draft = Draft(
        ("x",),
        (DraftWeight("w", 4, ("v",)),),
        (node("a", ["x", "w"], ["w"], ["x"], 1),),
        ("a",),
        (("a", "w"),),
        structure="s",
        metadata={"torch": "2"},
    )
    assert draft_from_json(draft.as_json()) == draft
