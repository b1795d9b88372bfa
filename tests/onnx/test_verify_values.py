"""Inputs of `verify` that are no dense tensors: sequences, maps and optionals, made by itself or read from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, TypeProto, helper

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import VerifyReport, VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def tensor(dtype: int, *dims: int | str) -> TypeProto:
    return helper.make_tensor_type_proto(dtype, dims)


def with_input(text: str, name: str, kind: TypeProto, opset: int = 18) -> ModelProto:
    """Returns a model with one more input, of a type that models in text have no words for."""
    proto = model(text, opset=opset, opsets=[("ai.onnx.ml", 2)])
    proto.graph.input.append(helper.make_value_info(name, kind))
    return proto


SEQUENCE = with_input(
    "g () => (y) { i = Constant<value = int64 {1}>() a = SequenceAt(s, i) b = Neg(a) y = Exp(b) }",
    "s",
    helper.make_sequence_type_proto(tensor(FLOAT, 2, "n")),
)
OPTIONAL = with_input(
    "g (float[2] x) => (y, h) { h = OptionalHasElement(o) a = OptionalGetElement(o) b = Add(a, x) y = Exp(b) }",
    "o",
    helper.make_optional_type_proto(tensor(FLOAT, 2)),
)
OPTIONAL_SEQUENCE = with_input(
    "g () => (y) { s = OptionalGetElement(o) a = ConcatFromSequence<axis = 0>(s) b = Neg(a) y = Exp(b) }",
    "o",
    helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor(FLOAT, 2))),
)
MAP = with_input(
    'g () => (y) { a = ai.onnx.ml.CastMap<map_form = "SPARSE", max_map = 9>(m) b = Neg(a) y = Exp(b) }',
    "m",
    helper.make_map_type_proto(INT64, tensor(FLOAT)),
)
NAMED_MAP = with_input(
    'g () => (y) { a = ai.onnx.ml.DictVectorizer<string_vocabulary = ["p", "q"]>(m) b = Neg(a) y = Exp(b) }',
    "m",
    helper.make_map_type_proto(STRING, tensor(FLOAT)),
)


def verified(proto: ModelProto, folder: Path, cut: str = "b", **options: object) -> VerifyReport:
    split(saved(proto, folder / "m.onnx"), plan(cut), folder / "out")
    return FORMAT.verify(VerifyRequest(folder / "out", **options))  # type: ignore[arg-type]  # options vary by test


@pytest.mark.parametrize(
    ("proto", "name", "said"),
    [
        (SEQUENCE, "s", "3 of float32[2, 32] (its open dims chosen)"),
        (OPTIONAL, "o", "float32[2]"),
        (OPTIONAL_SEQUENCE, "o", "3 of float32[2]"),
        (MAP, "m", "a map of 3"),
        (NAMED_MAP, "m", "a map of 2"),
    ],
    ids=["sequence", "optional", "optional sequence", "map", "map of names"],
)
def test_inputs_of_every_kind_are_made(proto: ModelProto, name: str, said: str, tmp_path: Path) -> None:
    report = verified(proto, tmp_path)
    assert report.identical
    assert {output.form for output in report.outputs} == {"plain", "sendrecv"}
    assert report.inputs[name] == said


@pytest.mark.parametrize("element", ["FLOAT16", "INT8", "BOOL", "STRING", "DOUBLE"])
def test_sequences_of_every_type_are_made(element: str, tmp_path: Path) -> None:
    code = TensorProto.DataType.Value(element)
    kind = helper.make_sequence_type_proto(tensor(code, 2))
    proto = with_input("g () => () { t = SequenceInsert(s, x) n = SequenceLength(t) }", "s", kind)
    proto.graph.input.append(helper.make_tensor_value_info("x", code, [2]))
    proto.graph.output.append(helper.make_value_info("t", kind))
    proto.graph.output.append(helper.make_tensor_value_info("n", INT64, []))
    split(saved(proto, tmp_path / "m.onnx"), plan("t"), tmp_path / "out", form="plain")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


def test_a_map_among_the_values_of_a_sequence_is_made(tmp_path: Path) -> None:
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(INT64, tensor(FLOAT)))
    proto = with_input("g (float[2] x) => (y) { a = Neg(x) y = Exp(a) }", "s", kind)
    proto.graph.output.append(helper.make_value_info("s", kind))
    assert verified(proto, tmp_path, "a").identical


def test_a_difference_behind_a_map_is_found(tmp_path: Path) -> None:
    assert verified(MAP, tmp_path).identical
    stage = tmp_path / "out" / "m_1.plain.onnx"
    changed = ModelProto.FromString(stage.read_bytes())
    changed.graph.node[0].op_type = "Abs"
    stage.write_bytes(changed.SerializeToString())
    report = FORMAT.verify(VerifyRequest(tmp_path / "out"))
    assert [output.form for output in report.outputs if not output.identical] == ["plain"]


def test_an_input_of_no_known_rank_gets_one_with_which_the_model_runs(tmp_path: Path) -> None:
    proto = model("g () => (y) { a = Transpose<perm = [2, 0, 1]>(x) b = Neg(a) y = Exp(b) }")
    proto.graph.input.append(helper.make_tensor_value_info("x", FLOAT, None))
    report = verified(proto, tmp_path, "b")
    assert report.identical
    assert report.inputs["x"].count(",") == 2


def test_what_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    proto = with_input(
        "g (float[2] x) => (y) { a = Neg(x) b = Identity(a) y = Exp(b) }",
        "p",
        helper.make_sparse_tensor_type_proto(FLOAT, [4]),
    )
    with pytest.raises(CutterError, match="an input of type sparse cannot be made") as refusal:
        verified(proto, tmp_path)
    assert "input p" in refusal.value.where


def test_an_optional_that_holds_nothing_crosses_a_boundary(tmp_path: Path) -> None:
    """The runtime crashes when it is handed such a value."""
    proto = model(
        "g (float[2] x) => (h, y) { o = Optional() h = OptionalHasElement(o) a = Neg(x) y = Exp(a) }", opset=18
    )
    kind = tensor(FLOAT, 2)
    proto.graph.node[0].attribute.append(helper.make_attribute("type", kind))
    # What makes it must not be constant, or each stage makes its own.
    proto.graph.node[0].op_type, proto.graph.node[0].domain = "If", ""
    del proto.graph.node[0].attribute[:]
    proto.graph.node[0].input.append("c")
    proto.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    empty = helper.make_node("Optional", [], ["p"], type=kind)
    value = helper.make_value_info("p", helper.make_optional_type_proto(kind))
    for branch in ("then_branch", "else_branch"):
        body = helper.make_graph([empty], branch, [], [value])
        proto.graph.node[0].attribute.append(helper.make_attribute(branch, body))
    split(saved(proto, tmp_path / "m.onnx"), plan("o; a"), tmp_path / "out", form="plain")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


class TestFromAFile:
    def read(self, proto: ModelProto, folder: Path, **arrays: object) -> VerifyReport:
        np.savez(folder / "x.npz", **arrays)  # type: ignore[arg-type]  # numpy takes whatever makes an array
        return verified(proto, folder, inputs=folder / "x.npz")

    def test_the_elements_of_a_sequence_have_an_entry_each(self, tmp_path: Path) -> None:
        elements = {f"s[{at}]": np.full((2, at + 1), at, np.float32) for at in range(2)}
        report = self.read(SEQUENCE, tmp_path, **elements)
        assert report.identical
        assert report.inputs["s"] == "2 of float32[2, 1], float32[2, 2]"

    def test_or_are_stacked_in_one(self, tmp_path: Path) -> None:
        assert self.read(SEQUENCE, tmp_path, s=np.zeros((4, 2, 3), np.float32)).inputs["s"] == "4 of float32[2, 3]"

    def test_an_optional_is_read_like_what_it_holds(self, tmp_path: Path) -> None:
        values = np.asarray([1, 2], np.float32)
        assert self.read(OPTIONAL, tmp_path, x=values, o=values).identical

    def test_an_optional_that_is_left_out_is_absent(self, tmp_path: Path) -> None:
        proto = with_input(
            "g (float[2] x) => (h, y) { h = OptionalHasElement(o) b = Neg(x) y = Exp(b) }",
            "o",
            helper.make_optional_type_proto(tensor(FLOAT, 2)),
        )
        report = self.read(proto, tmp_path, x=np.asarray([1, 2], np.float32))
        assert report.identical
        assert report.inputs["o"] == "absent"

    @pytest.mark.parametrize(("proto", "keys"), [(MAP, [1, 4]), (NAMED_MAP, ["q", "p"])], ids=["numbers", "names"])
    def test_a_map_is_read_from_its_keys_and_values(
        self, proto: ModelProto, keys: list[object], tmp_path: Path
    ) -> None:
        entries = {"m[keys]": np.asarray(keys), "m[values]": np.asarray([1, 2], np.float32)}
        report = self.read(proto, tmp_path, **entries)
        assert report.identical
        assert report.inputs["m"] == "a map of 2"

    @pytest.mark.parametrize(
        ("proto", "arrays", "what"),
        [
            (SEQUENCE, {}, "lack the input s"),
            (SEQUENCE, {"s[1]": np.zeros((2, 3), np.float32)}, "lack the input s"),
            (SEQUENCE, {"s[0]": np.zeros((2, 3))}, "is float64 of rank 2"),
            (SEQUENCE, {"s": np.zeros((), np.float32)}, "is float32 of rank 0"),
            (MAP, {"m[keys]": np.zeros(2, np.int64)}, "lack the input m"),
            (MAP, {"m[keys]": np.zeros(2, np.int64), "m[values]": np.zeros(3, np.float32)}, "as many keys as values"),
            (MAP, {"m[keys]": np.zeros(2), "m[values]": np.zeros(2, np.float32)}, "keys of type float64"),
        ],
    )
    def test_what_does_not_fit_is_told(
        self, proto: ModelProto, arrays: dict[str, object], what: str, tmp_path: Path
    ) -> None:
        with pytest.raises(CutterError, match=what):
            self.read(proto, tmp_path, **arrays)
