"""Runs of simple items are read at a stroke, with the very result of a full parse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.errors import CutterError
from cutter_gui.core.yaml_parse import parse_tree
from cutter_gui.core.yaml_runs import shortened
from cutter_gui.core.yaml_tree import Collection, Node, Scalar

NO_RUNS = 10**9
SHORTEST = 3

ITEMS = (
    "- a",
    "- 'b c'  # a comment: [x",
    '- "-"',
    "- tensor: a",
    "- tensor: 186  # - {x",
    '- tensor: "x: {y}"\n  consumers: [a, \'b\',"c"]  # k: v\n  also: [ d ]',
    "- {tensor: a}",
    '- { tensor: "71" , consumers: ["273", 395] }  # }',
    "# a comment",
    "",
    "   # a deeper comment",
    # What is not simple enough to be read at a stroke, or does not fit at all.
    "- tensor: a b",
    "- {tensor: a,}",
    "- tensor: a\n  consumers:\n    - x\n    - y\n    - z\n    - w",
    "- - a\n  - b\n  - c\n  - d",
    '- "a\\n"',
    "-  a",
    "- 'it''s'",
    "- >\n  - a\n  - b\n  - c\n  - d",
    '- "\n  - a\n  - b\n  - c\n  - d"',
    "  deeper",
    "- &anchor a",
    "- tensor: [",
    "tensor: a",
)
SIMPLE = ITEMS[:11]

items = st.lists(st.sampled_from(SIMPLE) | st.sampled_from(ITEMS), max_size=12) | st.lists(
    st.sampled_from(SIMPLE), min_size=4, max_size=12
)
openings = st.sampled_from(
    ("", "a:\n", "a: b\nc:\n", "a: |\n", 'a: "\n', "a: [\n", "- x\n", "a:\n  - x\n", "%YAML 1.1\n---\n", "a: b\n")
)


def places(node: Node, text: str) -> object:
    """What a tree says, and where; of a block collection only the beginning is said to be the same."""
    if isinstance(node, Scalar):
        return (node.start, node.end, node.value, node.style)
    end = node.end if node.flow else None
    entries = [(entry.key and places(entry.key, text), places(entry.value, text)) for entry in node.entries]
    return (node.start, end, node.mapping, node.flow, entries)


def outcome(text: str, shortest: int) -> object:
    try:
        tree = parse_tree(text, "p", shortest)
    except CutterError as error:
        return str(error)
    return (tree.text, tree.end, places(tree.root, text))


@given(openings, st.integers(0, 3), items, st.sampled_from(("", "end: x\n", "  - y\n", "]\n", '"\n', "...\n")))
@settings(max_examples=400)
def test_a_text_reads_the_same_with_and_without_runs(opening: str, indent: int, lines: list[str], closing: str) -> None:
    body = "".join(f"{' ' * indent}{line}\n" for item in lines for line in item.split("\n"))
    for text in (opening + body + closing, (opening + body + closing).replace("\n", "\r\n")):
        assert outcome(text, SHORTEST) == outcome(text, NO_RUNS)


def test_two_runs_in_one_file_are_both_read_at_a_stroke() -> None:
    block = "".join(f"  - {{tensor: {index}}}  # c\n" for index in range(50))
    text = f"run0.: x\na:\n{block}b: y\nc:\n{block}"
    short = shortened(text, SHORTEST)
    assert short is not None
    assert len(short.text) < len(text) / 5
    assert outcome(text, SHORTEST) == outcome(text, NO_RUNS)


def test_items_that_are_no_items_are_left_alone() -> None:
    lines = "".join(f"  - line {index}\n" for index in range(5)).replace(" line ", " line.")
    for text in (f"a: |\n{lines}", f'a: "\n{lines}"'):
        assert shortened(text, SHORTEST) is not None
        tree = parse_tree(text, "p", SHORTEST)
        assert isinstance(tree.root, Collection)
        assert isinstance(tree.root.entries[0].value, Scalar)
        assert outcome(text, SHORTEST) == outcome(text, NO_RUNS)


def test_an_error_after_a_run_is_reported_where_it_is() -> None:
    lines = "".join(f"- a{index}\n" for index in range(40))
    with pytest.raises(CutterError, match=r"p:41:3"):
        parse_tree(f"{lines}- @", "p")
