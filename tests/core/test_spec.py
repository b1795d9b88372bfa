"""What a cut spec means, and that it comes back as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from cutter_gui.core.errors import CutterError
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import (
    CutSpec,
    ModelRef,
    model_file,
    parse_spec,
    path_for_spec,
    read_spec,
    spec_text,
    write_spec,
)
from cutter_gui.core.yaml_parse import SHORTEST_RUN
from cutter_gui.core.yaml_runs import shortened
from strategies.executed_work import bytecodes

HEAD = "format: cutter-gui/cuts\nversion: 1\n"
EXAMPLE = """\
format: cutter-gui/cuts
version: 1
model:
  path: bert.onnx              # relative to this file where it can be
  kind: onnx                   # onnx | fx
  fingerprint: "sha256:…"      # of the structure (ops, names, edges), not the weights; may be absent
transport: relay               # relay | direct; may be absent
cuts:
  - name: after layer 0        # may be absent
    edges:
      - tensor: "186"
      - {tensor: "71", consumers: ["273", "395"]}
  - edges:
      - tensor: "308"
      - {tensor: "71", consumers: ["395"]}
"""
EXAMPLE_PLAN = Plan(
    (
        Cut((CutEdge("186"), CutEdge("71", ["273", "395"])), "after layer 0"),
        Cut((CutEdge("308"), CutEdge("71", ["395"]))),
    )
)
AS_WRITTEN = "186 0186 1e3 12:30 1_000 ~ yes null No 0x1F 0o17 .5 +1 -1 .inf 2024-01-01 true = a#b a-b::c /x <b> 🙂"

names = st.text(min_size=1) | st.sampled_from(
    ["186", "0186", "1e3", "12:30", "1_000", "~", "yes", "null", "", "=", "<<", "---", "- a", "a: b", "#", "0x1F", ".5"]
).filter(bool)
edges = st.builds(CutEdge, names, st.none() | st.lists(names, min_size=1, max_size=3))
cuts = st.builds(Cut, st.lists(edges, max_size=4).map(tuple), st.none() | st.text())
plans = st.builds(Plan, st.lists(cuts, max_size=4).map(tuple), st.sampled_from(["relay", "direct"]))
models = st.none() | st.builds(ModelRef, *[st.none() | names] * 3)


def plan_of(text: str) -> Plan:
    return parse_spec(text, "plan.cuts.yaml").plan


def first_tensor(written: str) -> str:
    return plan_of(f"{HEAD}cuts:\n  - edges:\n      - tensor: {written}\n").cuts[0].edges[0].tensor


def test_the_example_of_the_contract_says_what_it_should() -> None:
    spec = parse_spec(EXAMPLE, "plan.cuts.yaml")
    assert spec == CutSpec(EXAMPLE_PLAN, ModelRef("bert.onnx", "onnx", "sha256:…"))


def test_the_yaml_library_is_loaded_only_to_read() -> None:
    program = (
        "import sys\n"
        "from cutter_gui.core import manifest, plan, spec\n"
        "spec.spec_text(spec.CutSpec(plan.Plan()))\n"
        "assert 'ruamel.yaml' not in sys.modules\n"
        f"spec.parse_spec({EXAMPLE!r}, 'p')\n"
        "assert 'ruamel.yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_only_the_required_keys_are_needed() -> None:
    assert plan_of(f"{HEAD}cuts:\n- edges:\n  - tensor: a\n") == Plan((Cut((CutEdge("a"),)),))
    assert plan_of(f"{HEAD}cuts: []\n") == Plan()


def test_a_cut_may_still_be_without_edges() -> None:
    assert plan_of(f"{HEAD}cuts:\n- name: later\n  edges: []\n") == Plan((Cut((), "later"),))


@pytest.mark.parametrize(
    "name",
    AS_WRITTEN.split(),
)
def test_a_plain_scalar_is_a_name_as_it_is_written(name: str) -> None:
    assert first_tensor(name) == name
    assert first_tensor(f"{name}   # a comment") == name
    in_flow = plan_of(f"{HEAD}cuts: [{{edges: [{{tensor: {name}, consumers: [{name}, {name}]}}]}}]\n")
    assert in_flow == Plan((Cut((CutEdge(name, [name, name]),)),))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"186"', "186"),
        ("'it''s'", "it's"),
        (r'"a\nb\t\"c\"\\ \u202e \U0001F642"', 'a\nb\t"c"\\ \u202e 🙂'),
        ('"&amp; <b>#x</b>: - *"', "&amp; <b>#x</b>: - *"),
        (f'"{"x" * 5000}"', "x" * 5000),
        ("y" * 5000, "y" * 5000),
    ],
)
def test_a_quoted_name_is_what_stands_in_the_quotes(written: str, name: str) -> None:
    assert first_tensor(written) == name


def test_consumers_can_be_listed_below_one_another() -> None:
    text = f"{HEAD}cuts:\n- edges:\n  - consumers:\n    - 273\n    - 0395\n    tensor: 71\n"
    assert plan_of(text) == Plan((Cut((CutEdge("71", ["273", "0395"]),)),))


def test_json_is_read_as_well() -> None:
    text = '{"format": "cutter-gui/cuts", "version": 1, "cuts": [{"edges": [{"tensor": "a", "consumers": ["b"]}]}]}'
    assert plan_of(text) == Plan((Cut((CutEdge("a", ["b"]),)),))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n# the end", "\n...\n"])
def test_a_file_that_is_not_edited_is_written_byte_for_byte(tmp_path: Path, end: str, mark: str, tail: str) -> None:
    content = (mark + (EXAMPLE.rstrip("\n") + tail).replace("\n", end)).encode()
    path = tmp_path / "plan.cuts.yaml"
    path.write_bytes(content)
    spec = read_spec(path)
    assert spec.plan == EXAMPLE_PLAN
    write_spec(spec, path)
    assert path.read_bytes() == content


@given(plans, models)
def test_any_plan_comes_back_from_a_new_spec(plan: Plan, model: ModelRef | None) -> None:
    spec = CutSpec(plan, model)
    assert parse_spec(spec_text(spec), "new") == spec


@given(plans, st.sampled_from([(1, 1), (1, 2)]))
def test_other_yaml_readers_read_the_same_strings(plan: Plan, version: tuple[int, int]) -> None:
    reader = YAML(typ="safe", pure=True)
    reader.version = version
    document = reader.load(spec_text(CutSpec(plan)))
    read = Plan(
        tuple(
            Cut(tuple(CutEdge(edge["tensor"], edge.get("consumers")) for edge in cut["edges"]), cut.get("name"))
            for cut in document["cuts"]
        ),
        document["transport"],
    )
    assert read == plan


def test_a_new_spec_is_laid_out_as_in_the_contract() -> None:
    without_comments = "\n".join(line.partition("  #")[0].rstrip() for line in EXAMPLE.splitlines()) + "\n"
    assert spec_text(CutSpec(EXAMPLE_PLAN, ModelRef("bert.onnx", "onnx", "sha256:…"))) == without_comments


def test_a_plan_with_an_empty_name_is_not_written() -> None:
    for edge in (CutEdge(""), CutEdge("a", ["b", ""])):
        with pytest.raises(CutterError, match=r"empty name \(cut 1\)"):
            spec_text(CutSpec(Plan((Cut((edge,)),))))


def test_a_model_path_is_relative_to_the_spec(tmp_path: Path) -> None:
    model, path = tmp_path / "models" / "bert.onnx", tmp_path / "plans" / "a.cuts.yaml"
    named = path_for_spec(model, path)
    assert named == "../models/bert.onnx"
    found = model_file(CutSpec(Plan(), ModelRef(named)), path)
    assert found is not None
    assert found.resolve() == model.resolve()
    assert model_file(CutSpec(Plan()), path) is None


def test_eight_times_the_edges_take_no_more_than_that_in_work() -> None:
    def work(count: int) -> int:
        lines = [f'      - {{tensor: "{i}", consumers: ["{i + 1}"]}}  # c' for i in range(count)]
        text = f"{HEAD}cuts:\n  - edges:\n" + "\n".join(lines)

        def read_and_write() -> None:
            spec = parse_spec(text, "long")
            [cut] = spec.plan.cuts
            spec_text(spec.with_plan(Plan((Cut(cut.edges[::-1]), Cut(cut.edges[:5])))))

        return bytecodes(read_and_write, "cutter_gui/core", "ruamel/yaml")

    work(10)  # what is imported or made once is no part of it
    counts = [work(100), work(800)]
    assert counts[1] < 1.15 * 8 * counts[0]


def test_of_twenty_thousand_edges_the_parser_sees_but_a_few() -> None:
    lines = [f'      - {{tensor: "{i}", consumers: ["{i + 1}", b]}}\n' for i in range(20_000)]
    text = f"{HEAD}cuts:\n  - edges:\n{''.join(lines)}"
    short = shortened(text, SHORTEST_RUN)
    assert short is not None
    assert short.text.count("\n") < 10
    assert plan_of(text).cuts[0].edges[12_345] == CutEdge("12345", ["12346", "b"])


def test_a_name_that_json_wrote_as_a_surrogate_pair_is_the_character_itself() -> None:
    text = 'format: cutter-gui/cuts\nversion: 1\ncuts:\n  - edges:\n      - tensor: "\\ud83d\\ude00"\n'
    assert parse_spec(text, "c.cuts.yaml").plan.cuts[0].edges[0].tensor == "\U0001f600"
