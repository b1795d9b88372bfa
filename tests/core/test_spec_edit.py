"""An edited plan changes only its own lines of the file; comments stay with the cuts and edges that are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec import CutSpec, ModelRef, parse_spec, spec_text
from cutter_gui.core.spec_edit import edited_text
from cutter_gui.core.yaml_scalars import scalar

TEXT = """\
# header
format: cutter-gui/cuts
version: 1
model: {path: a.onnx, kind: onnx}  # the model
cuts:
  # about the first
  - name: first  # its name
    edges:
      # about a
      - tensor: a  # at a

      # about b
      - {tensor: b, consumers: [x, y]}  # at b
        # more about b
  # about the second
  - edges: [
      {tensor: c},  # at c
      # about d
      {tensor: d},
    ]
  # at the end
# footer
"""
A, B, C, D = CutEdge("a"), CutEdge("b", ["x", "y"]), CutEdge("c"), CutEdge("d")
FIRST, SECOND = Cut((A, B), "first"), Cut((C, D))


def after(*cuts: Cut, **changes: object) -> str:
    spec = parse_spec(TEXT, "p")
    assert spec.plan == Plan((FIRST, SECOND))
    edited = replace(spec, plan=replace(spec.plan, cuts=cuts, **changes))  # type: ignore[arg-type]  # names vary
    text = edited_text(*sources(edited))
    assert parse_spec(text, "p") == edited
    assert spec_text(edited) == text
    return text


def sources(spec: CutSpec) -> tuple:
    return spec.source, spec.plan, spec.model


def without(*lines: str) -> str:
    text = TEXT
    for line in lines:
        assert text.count(line) == 1
        text = text.replace(line, "")
    return text


def test_an_edge_that_goes_takes_its_comments_along() -> None:
    about_b = "\n      # about b\n      - {tensor: b, consumers: [x, y]}  # at b\n        # more about b\n"
    assert after(replace(FIRST, edges=(A,)), SECOND) == without(about_b).replace("at a\n", "at a\n")
    assert after(replace(FIRST, edges=(B,)), SECOND) == without("      # about a\n      - tensor: a  # at a\n\n")
    assert after(FIRST, Cut((C,))) == without("\n      # about d\n      {tensor: d},")
    assert after(FIRST, Cut((D,))) == without("      {tensor: c},  # at c\n")


def test_a_cut_that_goes_takes_its_comments_along() -> None:
    text = after(SECOND)
    assert "first" not in text
    assert "# about the second\n  - edges: [\n" in text
    assert after(FIRST) == TEXT[: TEXT.index("  # about the second")] + "  # at the end\n# footer\n"


def test_what_is_new_comes_without_touching_the_rest() -> None:
    new = CutEdge("186", ["0273"])
    assert after(replace(FIRST, edges=(A, B, new)), SECOND) == TEXT.replace(
        "        # more about b\n", '        # more about b\n\n      - {tensor: "186", consumers: ["0273"]}\n'
    )
    assert after(FIRST, Cut((C, new, D))) == TEXT.replace(
        "# at c\n", '# at c\n      {tensor: "186", consumers: ["0273"]},\n'
    )
    assert after(FIRST, SECOND, Cut((new,), "third cut")) == TEXT.replace(
        "    ]\n",
        '    ]\n  - name: third cut\n    edges:\n      - {tensor: "186", consumers: ["0273"]}\n',
    )


def test_cuts_and_edges_change_places_with_their_comments() -> None:
    text = after(SECOND, replace(FIRST, edges=(B, A)))
    positions = [text.index(part) for part in ("about the second", "about d", "about the first", "about b", "about a")]
    assert positions == sorted(positions)
    assert "# about b\n      - {tensor: b, consumers: [x, y]}  # at b\n        # more about b\n" in text
    assert text.startswith(TEXT[: TEXT.index("  # about the first")])
    assert text.endswith("  # at the end\n# footer\n")


def test_a_name_can_be_changed_given_and_taken_away() -> None:
    assert after(replace(FIRST, name="yes"), SECOND) == TEXT.replace("name: first", 'name: "yes"')
    assert "  - name: second\n    edges: [\n" in after(FIRST, replace(SECOND, name="second"))
    assert after(replace(FIRST, name=None), SECOND) == TEXT.replace("- name: first  # its name\n    edges", "- edges")


def test_consumers_can_be_changed_given_and_taken_away() -> None:
    def with_edges(*edges: CutEdge) -> str:
        return after(replace(FIRST, edges=edges), SECOND)

    assert with_edges(A, CutEdge("b", ["y", "z"])) == TEXT.replace("[x, y]", "[y, z]")
    assert with_edges(A, CutEdge("b")) == TEXT.replace(", consumers: [x, y]", "")
    assert with_edges(CutEdge("a", ["1"]), B) == TEXT.replace("# at a\n", '# at a\n        consumers: ["1"]\n')


def test_an_edge_that_goes_to_another_cut_takes_its_comments_along() -> None:
    text = after(replace(FIRST, edges=(A,)), SECOND, Cut((B,), "last"))
    assert text.count("# about b") == 1
    assert "    edges:\n      # about b\n      - {tensor: b, consumers: [x, y]}  # at b\n" in text


def test_all_can_go_and_come_back() -> None:
    emptied = after()
    assert "cuts: []\n" in emptied
    spec = parse_spec(emptied, "p")
    text = spec_text(spec.with_plan(Plan((Cut((A,)),))))
    assert text == emptied.replace("cuts: []\n", "cuts:\n  - edges:\n      - tensor: a\n")
    assert "edges: []" in after(replace(FIRST, edges=()), SECOND)


def test_the_transport_is_added_only_when_it_is_not_the_default() -> None:
    text = after(FIRST, SECOND, transport="direct")
    assert text == TEXT.replace("cuts:\n", "transport: direct\ncuts:\n")
    spec = parse_spec(text, "p")
    assert "transport: relay\n" in spec_text(spec.with_plan(spec.plan.with_transport("relay")))


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (ModelRef("b.onnx", "onnx"), "model: {path: b.onnx, kind: onnx}  # the model\n"),
        (ModelRef("a.onnx", "onnx", "sha256:1"), 'model: {path: a.onnx, kind: onnx, fingerprint: "sha256:1"}  # the'),
        (ModelRef("a.onnx"), "model: {path: a.onnx}  # the model\n"),
        (None, "version: 1\ncuts:\n"),
    ],
)
def test_the_model_can_be_changed(model: ModelRef | None, line: str) -> None:
    spec = parse_spec(TEXT, "p").with_model(model)
    text = edited_text(*sources(spec))
    assert line in text
    assert parse_spec(text, "p") == spec


def test_a_model_is_put_in_where_there_was_none() -> None:
    text = "format: cutter-gui/cuts\r\nversion: 1\r\n\r\ncuts: []"
    spec = parse_spec(text, "p").with_model(ModelRef("a.onnx", "onnx"))
    assert spec_text(spec) == text.replace("\r\n\r\n", "\r\nmodel:\r\n  path: a.onnx\r\n  kind: onnx\r\n\r\n")


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    text = TEXT.replace("\n", "\r\n").removesuffix("  # at the end\r\n# footer\r\n").removesuffix("\r\n")
    spec = parse_spec("\ufeff" + text, "p")
    for plan in (Plan((SECOND, FIRST)), Plan((FIRST, SECOND, Cut((A,)))), Plan((Cut((A, C), "first"), SECOND))):
        edited = spec_text(spec.with_plan(plan))
        assert edited.startswith("\ufeff# header\r\n")
        assert edited.count("\n") == edited.count("\r\n")
        assert not edited.endswith("\n")


def test_a_layout_that_cannot_be_edited_still_gives_the_plan() -> None:
    text = "format: cutter-gui/cuts\nversion: 1\ncuts:\n- edges:\n  - ? tensor\n    : a\n"
    edited = parse_spec(text, "p").with_plan(Plan((Cut((A, B)),)))
    assert parse_spec(spec_text(edited), "p") == edited


class Writer:
    """Writes a plan in a random layout with comments, and keeps account of whose comments these are.

    Attributes:
        comments: The comments by what they are about: a tensor, a cut by its first tensor, or nothing.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.comments: dict[str, list[str]] = {}

    def comment(self, about: str) -> str:
        text = f"# comment {sum(map(len, self.comments.values()))} [x, {{y: - z"
        self.comments.setdefault(about, []).append(f"{text} |")
        return f"{text} |"

    def maybe(self, made: Callable[[], str], chance: float = 0.4) -> str:
        return made() if self.random.random() < chance else ""

    def document(self, plan: Plan) -> str:
        entries = ["format: cutter-gui/cuts", "version: 1", self.key("cuts", self.cuts(plan.cuts))]
        if plan.transport != "relay" or self.random.random() < 0.5:
            entries.append(f"transport: {plan.transport}")
        self.random.shuffle(entries)
        lines = [self.maybe(lambda: f"{self.comment('')}\n", 0.2) + f"{entry}\n" for entry in entries]
        text = "".join(lines) + self.maybe(lambda: self.comment("") + "\n")
        for about, comments in self.comments.items():  # those of block items that were then written in flow style
            self.comments[about] = [comment for comment in comments if comment in text]
        return text

    def key(self, key: str, value: str) -> str:
        """``key: value``, where the value is a flow collection or lines that begin with a line break."""
        return f"{key}:{value}" if value.startswith("\n") else f"{key}: {value}"

    def cuts(self, cuts: tuple[Cut, ...]) -> str:
        items = [(cut.edges[0].tensor + "!", self.cut(cut)) for cut in cuts]
        return self.sequence(items, [flow for _, flow in (self.flow_cut(cut) for cut in cuts)])

    def cut(self, cut: Cut) -> str:
        about = cut.edges[0].tensor + "!"
        entries = [self.key("edges", self.edges(cut.edges))]
        if cut.name is not None:
            entries.append(f"name: {scalar(cut.name)}" + self.maybe(lambda: f"  {self.comment(about)}"))
        self.random.shuffle(entries)
        return "\n".join(entries)

    def flow_cut(self, cut: Cut) -> tuple[str, str]:
        edges = f"edges: [{', '.join(self.flow_edge(edge) for edge in cut.edges)}]"
        name = "" if cut.name is None else f", name: {scalar(cut.name)}"
        return "", f"{{{edges}{name}}}"

    def edges(self, edges: tuple[CutEdge, ...]) -> str:
        return self.sequence(
            [(edge.tensor, self.edge(edge)) for edge in edges], [self.flow_edge(edge) for edge in edges]
        )

    def edge(self, edge: CutEdge) -> str:
        if self.random.random() < 0.5:
            return self.flow_edge(edge)
        entries = [f"tensor: {scalar(edge.tensor)}"]
        if edge.consumers is not None:
            consumers = [scalar(name) for name in edge.consumers]
            entries.append(self.key("consumers", self.sequence([(edge.tensor, name) for name in consumers], consumers)))
        self.random.shuffle(entries)
        return "\n".join(entries)

    def flow_edge(self, edge: CutEdge) -> str:
        if edge.consumers is None:
            return f"{{tensor: {scalar(edge.tensor)}}}"
        consumers = ", ".join(map(scalar, edge.consumers))
        return self.random.choice(
            (
                f"{{tensor: {scalar(edge.tensor)}, consumers: [{consumers}]}}",
                f"{{ consumers : [ {consumers}, ] , tensor: {scalar(edge.tensor)} }}",
            )
        )

    def sequence(self, items: list[tuple[str, str]], flow: list[str]) -> str:
        if self.random.random() < 0.25:
            return self.flow_sequence(flow, [about for about, _ in items])
        indent = self.random.choice(("", "  ", "    "))
        lines = [self.maybe(lambda: f"{indent}{self.comment('')}\n\n", 0.2)]
        for about, item in items:
            lines.append(self.maybe(lambda: "\n", 0.2))
            lines.append(self.maybe(lambda about=about: f"{indent}{self.comment(about)}\n"))
            dash = self.random.choice((f"{indent}- ", f"{indent}-   ", f"{indent}-\n"))
            inner = indent + ("  " if dash.endswith("\n") else " " * (len(dash) - len(indent)))
            first, *rest = item.split("\n")
            lines.append(f"{dash}{inner if dash.endswith(chr(10)) else ''}{first}")
            one_line = not rest and "#" not in first
            lines.append(self.maybe(lambda about=about: f" {self.comment(about)}") if one_line else "")
            lines.append("\n")
            lines += [f"{inner if line.strip() else ''}{line}\n" for line in rest]
        return "\n" + "".join(lines).removesuffix("\n")

    def flow_sequence(self, items: list[str], abouts: list[str]) -> str:
        if any("#" in item for item in items) or self.random.random() < 0.5:
            return f"[{', '.join(items)}]"
        text = "["
        for position, (item, about) in enumerate(zip(items, abouts, strict=True)):
            comma = "," if position + 1 < len(items) or self.random.random() < 0.5 else ""
            above = self.maybe(lambda about=about: f"\n          {self.comment(about)}")
            text += f"{above}\n          {item}{comma}" + self.maybe(lambda about=about: f"  {self.comment(about)}")
        return f"{text}\n         ]"


@st.composite
def written_plans(draw: st.DrawFn) -> tuple[Plan, str, Writer]:
    """Plans in which each tensor is in one cut, as files in random layouts."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    consumer_counts = draw(st.lists(st.integers(0, 3), min_size=sum(counts), max_size=sum(counts)))
    edges = [
        CutEdge(f"t{index}" if index % 2 else str(index), [f"n{place}" for place in range(count)] or None)
        for index, count in enumerate(consumer_counts)
    ]
    named = draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts)))
    cuts = []
    for index, count in enumerate(counts):
        cuts.append(Cut(tuple(edges[:count]), f"cut {index}" if named[index] else None))
        edges = edges[count:]
    plan = Plan(tuple(cuts), draw(st.sampled_from(["relay", "direct"])))
    writer = Writer(draw(st.randoms(use_true_random=False)))
    return plan, writer.document(plan), writer


def edited_plan(plan: Plan, random: Random) -> Plan:
    """Returns the plan with cuts and edges removed, added, changed and put in another order."""
    cuts = []
    for cut in plan.cuts:
        if random.random() < 0.2:
            continue
        edges = [edge for edge in cut.edges if random.random() < 0.8]
        edges = [edge if random.random() < 0.8 else changed(edge, random) for edge in edges]
        edges += [CutEdge(f"new {random.random()}") for _ in range(random.choice((0, 0, 0, 1, 2)))]
        if random.random() < 0.3:
            random.shuffle(edges)
        name = cut.name if random.random() < 0.7 else random.choice((None, f"name {random.random()}"))
        cuts.append(Cut(tuple(edges), name))
    cuts += [Cut((CutEdge(f"new {random.random()}"),)) for _ in range(random.choice((0, 0, 1, 2)))]
    if random.random() < 0.3:
        random.shuffle(cuts)
    return Plan(tuple(cuts), random.choice((plan.transport, "relay")))


def changed(edge: CutEdge, random: Random) -> CutEdge:
    names = [*(edge.consumers or ()), "extra", "387"]
    random.shuffle(names)
    return CutEdge(edge.tensor, random.choice((None, names[: random.randint(1, len(names))])))


@given(written_plans(), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_any_edit_in_any_layout_gives_the_plan_and_leaves_comments_with_what_stays(
    written: tuple[Plan, str, Writer], random: Random
) -> None:
    plan, text, writer = written
    spec = parse_spec(text, "p")
    assert spec.plan == plan
    assert spec_text(spec) == text
    edited = spec.with_plan(edited_plan(plan, random))
    result = edited_text(*sources(edited))
    assert parse_spec(result, "p") == edited

    old_cut_of = {edge.tensor: cut for cut in plan.cuts for edge in cut.edges}
    for cut in edited.plan.cuts:
        for edge in cut.edges:
            old = old_cut_of.get(edge.tensor)
            if old is None or not (edge.consumers is None or edge in old.edges):
                continue
            own = [*writer.comments.get(edge.tensor, ())] if edge in old.edges else []
            assert [comment for comment in own if result.count(comment) != 1] == []
    gone = old_cut_of.keys() - {edge.tensor for cut in edited.plan.cuts for edge in cut.edges}
    for tensor in gone:
        assert [comment for comment in writer.comments.get(tensor, ()) if comment in result] == []


@given(written_plans(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_one_edit_after_another_with_a_save_between_never_spoils_the_file(
    written: tuple[Plan, str, Writer], random: Random
) -> None:
    _, text, _ = written
    for _ in range(3):
        spec = parse_spec(text, "p")
        edited = spec.with_plan(edited_plan(spec.plan, random))
        text = edited_text(*sources(edited))
        assert parse_spec(text, "p") == edited


@given(written_plans())
@settings(max_examples=60)
def test_a_new_order_of_cuts_loses_no_comment(written: tuple[Plan, str, Writer]) -> None:
    plan, text, writer = written
    edited = parse_spec(text, "p").with_plan(replace(plan, cuts=plan.cuts[::-1]))
    result = edited_text(*sources(edited))
    assert parse_spec(result, "p") == edited
    assert [comment for own in writer.comments.values() for comment in own if result.count(comment) != 1] == []
