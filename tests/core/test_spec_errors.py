"""What is said about a cut spec that is wrong, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutter_gui.core.errors import CutterError
from cutter_gui.core.spec import parse_spec, read_spec

HEAD = "format: cutter-gui/cuts\nversion: 1\n"
EDGES = f"{HEAD}cuts:\n  - edges:\n"
VALID = f"{EDGES}      - tensor: a\n        consumers: [b]\n"


def failure(text: str) -> CutterError:
    with pytest.raises(CutterError) as caught:
        parse_spec(text, "p")
    assert "\n" not in str(caught.value)
    assert caught.value.remedy
    assert caught.value.exit_code == 2
    return caught.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{EDGES}      - tesnor: a\n", 'unknown key "tesnor" (p:5:9): did you mean "tensor"?'),
        (
            f"{EDGES}      - {{tensor: a, colour: b}}\n",
            'unknown key "colour" (p:5:21): take it out; the known keys are',
        ),
        (f"{EDGES}      - {{tensor:186}}\n", 'unknown key "tensor:186" (p:5:10): put a space after the colon'),
        (f"{EDGES}      - tensor: a\n        tensor: b\n", 'the key "tensor" is repeated (p:6:9)'),
        (f"{EDGES}      - consumers: [a]\n", "an edge has no tensor (p:5:9): add the key tensor"),
        (f"{EDGES}      - 186\n", "an edge must be a mapping (p:5:9): write tensor: ..."),
        (f"{EDGES}      - tensor: [a]\n", "tensor must be a single value (p:5:17)"),
        (f"{EDGES}      - tensor:\n", "tensor is empty (p:5:9)"),
        (f'{EDGES}      - tensor: ""\n', "tensor is empty (p:5:17)"),
        (f"{EDGES}      - {{tensor: a, consumers: []}}\n", "an edge lists no consumers (p:5:32): leave out consumers"),
        (f"{EDGES}      - {{tensor: a, consumers: b}}\n", "consumers must be a list (p:5:32)"),
        (f"{EDGES}      - {{tensor: a, consumers: }}\n", "consumers is empty (p:5:21)"),
        (f'{EDGES}      - {{tensor: a, consumers: ["", b]}}\n', "a consumer is empty (p:5:33)"),
        (f"{EDGES}      - {{tensor: a, consumers: [{{x: y}}]}}\n", "a consumer must be a single value (p:5:33)"),
        (f"{HEAD}cuts:\n  - name: x\n", "a cut has no edges (p:4:5): add the key edges"),
        (f"{HEAD}cuts:\n  - [a]\n", "a cut must be a mapping (p:4:5)"),
        (f"{HEAD}cuts:\n  - edges:\n", "edges is empty (p:4:5): write - tensor: ..., or [] for none"),
        (f"{HEAD}cuts: x\n", "cuts must be a list (p:3:7)"),
        (HEAD, "the file has no cuts (p:1:1)"),
        (f"{HEAD}cuts: []\ncut: []\n", 'unknown key "cut" (p:4:1): did you mean "cuts"?'),
        (f"{HEAD}cuts: []\ntransport: relais\n", 'unknown transport "relais" (p:4:12): did you mean "relay"?'),
        (f"{HEAD}cuts: []\ntransport: mail\n", 'unknown transport "mail" (p:4:12): use relay or direct'),
        (f"{HEAD}cuts: []\nmodel: a.onnx\n", "model must be a mapping (p:4:8): write path: model.onnx"),
        (f"{HEAD}cuts: []\nmodel: {{file: a}}\n", 'unknown key "file" (p:4:9)'),
        ("format: cutter-gui/cuts\nversion: 2\nnew: 1\n", "unknown version (p:2:10): this program reads version 1"),
        ('format: cutter-gui/cuts\nversion: "1"\n', "version must be an integer (p:2:10)"),
        ("format: cutter-gui/cuts\nversion: 1.0\n", "version must be an integer (p:2:10)"),
        ("format: cutter-gui/cuts\ncuts: []\n", 'the key version is missing (p:1:1): add "version: 1"'),
        ("format: cutter-gui/pipeline\nversion: 1\n", "the file is of another format (p:1:9)"),
        ("fromat: cutter-gui/cuts\n", 'unknown key "fromat" (p:1:1): did you mean "format"?'),
        ("a: 1\n", 'the key format is missing (p:1:1): begin the file with "format: cutter-gui/cuts"'),
        ("- a\n", "this is no cutter-gui/cuts file (p:1:1)"),
        ("hello", "this is no cutter-gui/cuts file (p:1:1)"),
        ("", "the file is empty (p:1:1)"),
        ("# only a comment\n", "the file is empty (p:1:1)"),
        (f"{HEAD}cuts: []\n---\n{HEAD}cuts: []\n", "the file holds several documents (p:4:1)"),
        ("%YAML 1.11\n---\na: 1\n", "unknown version of YAML (p:1:1): write %YAML 1.2"),
        (f"{EDGES}      - tensor: &a b\n", "anchors are not supported (p:5:17)"),
        (f"{EDGES}      - tensor: *a\n", "aliases are not supported (p:5:17)"),
        (f"{EDGES}      - tensor: !!str 186\n", "tags are not supported (p:5:17)"),
        (f"{EDGES}      - <<: {{tensor: a}}\n", 'unknown key "<<" (p:5:9)'),
        (f"{EDGES}      - ? [a]\n        : b\n", "a key must be a word (p:5:11)"),
        (f"{EDGES}      - tensor: @a\n", "found character '@' that cannot start any token (p:5:17): put a name that"),
        (f"{EDGES}\t- tensor: a\n", "found character '\\t' that cannot start any token (p:5:1): indent with spaces"),
        (f"{EDGES}      - tensor: a: b\n", "not valid YAML, a colon and a space are not allowed here (p:5:18)"),
        (f'{EDGES}      - tensor: "a\n', "not valid YAML, the quote is never closed (p:5:17)"),
        (f"{EDGES}      - {{tensor: a\n", "not valid YAML, expected a comma or }"),
        (f'{EDGES}      - tensor: "\\U00110000"\n', "an escape is no character (p:5:18)"),
        (
            f"{EDGES}      - tensor: a\x07\n",
            "character U+0007 may not stand in YAML as it is (p:5:18): write it as \\u0007",
        ),
        (f"{EDGES}      - tensor: a\u2028b\n", "character U+2028 may not stand in YAML as it is (p:5:18)"),
    ],
)
def test_the_message_names_the_place_and_a_remedy(text: str, message: str) -> None:
    assert message in str(failure(text))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(end: str) -> None:
    text = f"\ufeff{EDGES}      - {{é: 1}}\n".replace("\n", end)
    assert failure(text).where == "p:5:10"
    assert failure("\ufefffoo: 1").where == "p:1:1"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "a:\n" + " "])
def test_absurd_nesting_is_refused_without_a_traceback(opening: str) -> None:
    failure(opening * 50_000)


def test_a_file_that_is_not_utf8_is_refused_at_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "plan.cuts.yaml"
    path.write_bytes(EDGES.encode() + "      - tensor: é".encode() + b"\xff\n")
    with pytest.raises(CutterError, match=r"byte 0xff is not UTF-8 \(.*plan\.cuts\.yaml:5:18\): save the file as"):
        read_spec(path)


def test_a_file_of_absurd_size_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "plan.cuts.yaml"
    path.write_bytes(b"#" * (17 * 1024 * 1024))
    with pytest.raises(CutterError, match=r"the file is larger than 16 MiB"):
        read_spec(path)


def parse_or_refuse(text: str) -> None:
    """Parses a text that may be wrong; an error must say where."""
    failed = None
    try:
        parse_spec(text, "p")
    except CutterError as error:
        failed = error
    assert failed is None or failed.where.startswith("p:")


@given(st.text() | st.text("[]{}:,-\"'|>?*&!%#@\\ \nab\t0", max_size=60))
def test_any_text_gives_a_spec_or_one_sentence(text: str) -> None:
    for whole in (text, EDGES + text, f"{EDGES}      - {text}", f"{EDGES}      - {{tensor: {text}}}\n"):
        parse_or_refuse(whole)


@given(st.data())
def test_a_valid_spec_with_a_few_characters_changed_gives_a_spec_or_one_sentence(data: st.DataObject) -> None:
    text = list(VALID)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.sampled_from(["", *" \n:-[]{}\"'#,&|\t"]))
    parse_or_refuse("".join(text))
