"""Every element type and every type that is no tensor: passed on in the plain form, sent where Send takes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import InvalidPlan
from cutter_gui.core.format import TypeHint, VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import assert_alike, codes, found, passes_full_check, tried
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import assert_same, attribute, plain_files, run, run_plain, run_sendrecv, same_bits

SENDABLE = [
    "FLOAT",
    "FLOAT16",
    "DOUBLE",
    "BOOL",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
]
CAST_ONLY_PLAIN = (
    *("STRING", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT8E8M0"),
    *("UINT4", "INT4", "UINT2", "INT2"),
)
TAKEN_BY_NO_OP = ("FLOAT6E2M3", "FLOAT6E3M2")
"""Types that a file may hold, and that no operator of onnx 1.23 lists."""
NO_KERNEL = ("COMPLEX64", "COMPLEX128", "FLOAT4E2M1", *TAKEN_BY_NO_OP)


def known(names: Sequence[str]) -> list[str]:
    """Those that the installed onnx knows."""
    return [name for name in names if name in TensorProto.DataType.keys()]  # noqa: SIM118  # no mapping


def opset_of(code: int) -> tuple[int, int]:
    """The operator set and IR version with which ops take a type."""
    if code > TensorProto.INT4:
        return (28, 14) if code > 26 else (25, 12)
    return (21, 10) if code > TensorProto.BFLOAT16 else (17, 8)


def cast_twice(name: str) -> ModelProto:
    """A float turned into the type and back, the type alone crossing cut ``a``."""
    code = TensorProto.DataType.Value(name)
    opset, ir = opset_of(code)
    proto = model("g (float[2,4] x) => (float[2,4] y) { b = Abs(x) c = Ceil(b) y = Neg(d) }", opset, ir)
    proto.graph.node.insert(2, helper.make_node("Cast", ["c"], ["a"], to=code))
    proto.graph.node.insert(3, helper.make_node("Cast", ["a"], ["d"], to=TensorProto.FLOAT))
    return proto


@pytest.mark.parametrize("name", SENDABLE)
def test_a_type_that_send_takes_crosses_in_both_forms(tmp_path: Path, name: str) -> None:
    code = TensorProto.DataType.Value(name)
    stages = tried(cast_twice(name), tmp_path, "a", transports=("relay",))
    assert stages.manifest["stages"][0]["sends"][0]["tensors"] == [
        {"name": "a", "dtype": dtype_of(code).name, "shape": [2, 4]}
    ]
    send = next(node for node in stages.sendrecv[0].graph.node if node.op_type == "Send")
    recv = next(node for node in stages.sendrecv[1].graph.node if node.op_type == "Recv")
    assert attribute(send, "element_types") == attribute(recv, "element_types") == [code]
    assert stages.plain[1].graph.input[0].type.tensor_type.elem_type == code


@pytest.mark.parametrize("name", known(CAST_ONLY_PLAIN))
def test_a_type_that_send_does_not_take_crosses_in_the_plain_form(tmp_path: Path, name: str) -> None:
    proto = cast_twice(name)
    code = TensorProto.DataType.Value(name)
    stages = tried(proto, tmp_path, "a", form="plain", transports=("relay",))
    assert stages.manifest["stages"][0]["sends"][0]["tensors"] == [
        {"name": "a", "dtype": dtype_of(code).name, "shape": [2, 4]}
    ]
    assert stages.plain[0].graph.output[0].type.tensor_type.elem_type == code


@pytest.mark.parametrize("name", known([*CAST_ONLY_PLAIN, *NO_KERNEL]))
def test_a_type_that_send_does_not_take_is_an_error_where_sends_are_written(tmp_path: Path, name: str) -> None:
    proto = cast_twice(name)
    for form, severity in (("both", "error"), ("sendrecv", "error"), ("plain", "warning")):
        (finding,) = (
            finding for finding in found(proto, tmp_path, "a", form=form) if finding.code == "unsendable-type"
        )
        assert finding.severity.value == severity
        assert finding.tensors == ("a",)
        assert dtype_of(TensorProto.DataType.Value(name)).name in finding.message
    with pytest.raises(InvalidPlan, match="unsendable-type"):
        split(tmp_path / "found.onnx", plan("a"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", known(NO_KERNEL))
def test_a_type_that_the_runtime_cannot_compute_is_split_and_evaluated_by_the_reference(
    tmp_path: Path, name: str
) -> None:
    code = TensorProto.DataType.Value(name)
    opset, ir = opset_of(code)
    numpy_type = helper.tensor_dtype_to_np_dtype(code)
    values = np.asarray([1, -2, 0.5, 4]).astype(numpy_type)
    proto = model("g () => () { a = Identity(x) y = Identity(a) }", opset, ir)
    proto.graph.input.append(helper.make_tensor_value_info("x", code, [4]))
    proto.graph.output.append(helper.make_tensor_value_info("y", code, [4]))
    path = saved(proto, tmp_path / "m.onnx")
    complete = passes_full_check(path)
    assert complete or name in TAKEN_BY_NO_OP
    split(path, plan("a"), tmp_path / "out", form="plain")
    value = values
    for file in plain_files(tmp_path / "out"):
        onnx.checker.check_model(file, full_check=complete)
        (value,) = ReferenceEvaluator(onnx.load(file)).run(None, {onnx.load(file).graph.input[0].name: value})
    assert same_bits(value, values)


@pytest.mark.parametrize("name", known([*SENDABLE, *CAST_ONLY_PLAIN, *NO_KERNEL]))
@pytest.mark.parametrize("elements", [5, 3000])
def test_a_weight_of_every_type_reaches_its_stage_bit_for_bit(tmp_path: Path, name: str, elements: int) -> None:
    code = TensorProto.DataType.Value(name)
    opset, ir = opset_of(code)
    numbers = np.random.default_rng(0).integers(0, 2, elements)
    if name == "STRING":
        array = np.asarray([f"größe {number}" for number in numbers], dtype=object)
    else:
        array = numbers.astype(helper.tensor_dtype_to_np_dtype(code))
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) z = Identity(w) }", opset, ir)
    proto.graph.initializer.append(numpy_helper.from_array(array, "w"))
    proto.graph.output.append(helper.make_tensor_value_info("z", code, [elements]))
    path = saved(proto, tmp_path / "m.onnx")
    complete = passes_full_check(path)
    assert complete or name in TAKEN_BY_NO_OP
    split(path, plan("a"), tmp_path / "out")
    first, second = plain_files(tmp_path / "out")
    for file in (first, second):
        onnx.checker.check_model(file, full_check=complete)
    (weight,) = onnx.load(first).graph.initializer
    assert weight.data_type == code
    assert same_bits(numpy_helper.to_array(weight), numpy_helper.to_array(proto.graph.initializer[0]))
    assert not onnx.load(second).graph.initializer


SEQUENCE = """g (float[2,4] x) => (float[4,4] y) {
    a = Neg(x)
    s = SequenceConstruct(x, a)
    t = SequenceInsert(s, a)
    zero = Constant <value_int = 0> ()
    u = SequenceErase(t, zero)
    y = ConcatFromSequence <axis = 0> (u)
}"""


def test_sequences_are_passed_on_in_the_plain_form(tmp_path: Path) -> None:
    proto = model(SEQUENCE)
    stages = tried(proto, tmp_path, "s; a > t", "t", "u", form="plain")
    assert stages.sent == [["s", "a"], ["t"], ["u"], []]
    assert stages.manifest["stages"][0]["sends"][0]["tensors"][0] == {"name": "s", "dtype": "sequence", "shape": None}
    assert stages.plain[1].graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type == TensorProto.FLOAT
    assert codes(found(proto, tmp_path, "t")).count("unsendable-type") == 1
    with pytest.raises(InvalidPlan, match="sequence"):
        split(saved(proto, tmp_path / "m.onnx"), plan("t"), tmp_path / "out", form="sendrecv")


def test_sequences_within_a_stage_are_no_obstacle_to_send(tmp_path: Path) -> None:
    stages = tried(model(SEQUENCE.replace("float[4,4] y", "float[4,4] y, float[2,4] a")), tmp_path, "a > s t")
    assert stages.sent == [["a"], []]


def test_a_sequence_as_model_input_and_output(tmp_path: Path) -> None:
    proto = model(
        """g (seq(float[2]) s, float[2] x) => (seq(float[2]) t, float[2] y)
        {
            a = Neg(x)
            t = SequenceInsert(s, a)
            zero = Constant <value_int = 0> ()
            f = SequenceAt(t, zero)
            y = Add(f, a)
        }"""
    )
    x = np.asarray([1, 2], np.float32)
    path = saved(proto, tmp_path / "m.onnx")
    split(path, plan("f; a > y"), tmp_path / "out")
    feeds = {"s": [x + 1, x + 2], "x": x}
    assert_alike(run(path, feeds), run_plain(tmp_path / "out", feeds))
    for file in plain_files(tmp_path / "out"):
        onnx.checker.check_model(file, full_check=True)


def with_maps() -> ModelProto:
    """Class scores as a sequence of maps, as classifiers from scikit-learn put out."""
    proto = model("g (float[2,3] x) => (float[2,3] y) { a = Neg(x) b = Exp(a) y = Abs(b) }", opsets=[("ai.onnx.ml", 2)])
    proto.graph.node.append(
        helper.make_node("ZipMap", ["b"], ["scores"], domain="ai.onnx.ml", classlabels_int64s=[7, 8, 9])
    )
    proto.graph.node.append(helper.make_node("Identity", ["scores"], ["told"]))
    kind = helper.make_sequence_type_proto(
        helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(1, []))
    )
    proto.graph.output.append(helper.make_value_info("told", kind))
    return proto


def test_maps_are_put_out_by_the_stage_that_makes_them(tmp_path: Path) -> None:
    proto = with_maps()
    proto.graph.node.pop()
    proto.graph.output[1].name = "scores"
    stages = tried(proto, tmp_path, "b > scores")
    assert stages.results == [["y"], ["scores"]]
    assert list(stages.outputs["scores"][0]) == [7, 8, 9]


def test_a_map_as_model_input_is_fed_to_the_stage_that_reads_it(tmp_path: Path) -> None:
    proto = model("g () => (float[1,3] y) { b = Neg(a) y = Exp(b) }", opsets=[("ai.onnx.ml", 2)])
    proto.graph.node.insert(
        0, helper.make_node("DictVectorizer", ["m"], ["a"], domain="ai.onnx.ml", int64_vocabulary=[1, 2, 3])
    )
    kind = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(1, []))
    proto.graph.input.append(helper.make_value_info("m", kind))
    proto.graph.value_info.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, [1, 3]))
    path = saved(proto, tmp_path / "m.onnx")
    split(path, plan("b"), tmp_path / "out")
    feeds = {"m": {1: 0.5, 3: 2.0}}
    assert_same(run(path, feeds), run_plain(tmp_path / "out", feeds))
    assert_same(run(path, feeds), run_sendrecv(tmp_path / "out", feeds))


def test_a_map_that_crosses_is_passed_on_in_the_plain_form_and_not_sent(tmp_path: Path) -> None:
    proto = with_maps()
    hints = [finding.code for finding in found(proto, tmp_path, "b > scores", "scores")]
    assert "unsendable-type" in hints
    with pytest.raises(InvalidPlan, match="unsendable-type"):
        split(tmp_path / "found.onnx", plan("b > scores", "scores"), tmp_path / "refused")
    split(tmp_path / "found.onnx", plan("b > scores", "scores"), tmp_path / "out", form="plain")
    stages = [onnx.load(file) for file in plain_files(tmp_path / "out")]
    (value,) = stages[2].graph.input
    assert value.type.sequence_type.elem_type.map_type.key_type == TensorProto.INT64


OPTIONAL = """g (float[2,4] x) => (float[2,4] y, bool there) {
    a = Neg(x)
    o = Optional(a)
    there = OptionalHasElement(o)
    b = OptionalGetElement(o)
    y = Exp(b)
}"""


def test_optional_values_are_passed_on_in_the_plain_form(tmp_path: Path) -> None:
    proto = model(OPTIONAL)
    stages = tried(proto, tmp_path, "o", form="plain")
    assert stages.manifest["stages"][0]["sends"][0]["tensors"][0] == {"name": "o", "dtype": "optional", "shape": None}
    assert stages.plain[1].graph.input[0].type.HasField("optional_type")
    (finding,) = (finding for finding in found(proto, tmp_path, "o") if finding.code == "unsendable-type")
    assert "optional" in finding.message


def test_optional_values_within_a_stage_are_no_obstacle_to_send(tmp_path: Path) -> None:
    assert tried(model(OPTIONAL), tmp_path, "a").sent == [["a"], []]


@pytest.mark.parametrize("filled", [True, False])
def test_an_optional_output_is_compared_also_when_it_holds_nothing(tmp_path: Path, filled: bool) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) }")
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    proto.graph.node.append(
        helper.make_node("Optional", ["a"], ["o"]) if filled else helper.make_node("Optional", [], ["o"], type=kind)
    )
    proto.graph.output.append(helper.make_value_info("o", helper.make_optional_type_proto(kind)))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    report = FORMAT.verify(VerifyRequest(tmp_path / "out"))
    assert report.identical
    assert "o" in {output.name for output in report.outputs}


@pytest.mark.parametrize("name", ["BFLOAT16", "INT4", "FLOAT8E5M2"])
def test_an_output_of_a_type_that_numpy_lacks_is_compared(tmp_path: Path, name: str) -> None:
    code = TensorProto.DataType.Value(name)
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }", *opset_of(code))
    proto.graph.node.append(helper.make_node("Cast", ["a"], ["z"], to=code))
    proto.graph.output.append(helper.make_tensor_value_info("z", code, [2, 4]))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical
    for file in plain_files(tmp_path / "out"):
        onnx.checker.check_model(file, full_check=True)


def test_strings_are_weights_inputs_and_outputs(tmp_path: Path) -> None:
    proto = model(
        """g (string[2] s, float[2] x) => (string[2] t, float[2] y) <string[2] other = {"p", "größe"}>
        { a = Neg(x) zero = Constant <value_float = 0.0> () b = Greater(a, zero) t = Where(b, s, other) y = Exp(a) }"""
    )
    stages = tried(proto, tmp_path, "a > b")
    assert stages.fed == [["x"], ["s"]]
    assert stages.results == [["y"], ["t"]]


def test_a_type_unknown_to_the_inference_is_asked_for_and_taken_from_the_flag(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,4] x) => (float[2,4] y) { a = com.microsoft.QuickGelu(x) b = Neg(a) y = Exp(b) }",
        opsets=[("com.microsoft", 1)],
    )
    (finding,) = (finding for finding in found(proto, tmp_path, "a") if finding.code == "unknown-type")
    assert "--type a=float32" in finding.message
    given: dict[str, Any] = {"a": TypeHint(TensorProto.FLOAT, (2, 4))}
    assert tried(proto, tmp_path, "a", types=given).sent == [["a"], []]
