"""What `verify` says of outputs that differ: how far, from which element, from which boundary on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, numpy_helper

from cutter_gui.core.format import OutputReport, VerifyReport, VerifyRequest
from cutter_gui.onnx.compare import difference
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

TEXT = """g (float[2,4] x) => (float[2,4] b, float[2,4] y)
<float[4] u = {1,1,1,1}, float[4] v = {1,1,1,1}, float[4] w = {1,1,1,1}>
{ a = Mul(x, u) b = Mul(a, v) c = Mul(b, w) y = Neg(c) }"""


def stages(folder: Path, text: str = TEXT, *cuts: str, **options: object) -> Path:
    split(saved(model(text), folder / "m.onnx"), plan(*(cuts or ("a", "b", "c"))), folder / "out", **options)
    np.savez(folder / "x.npz", x=np.asarray([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32))
    return folder / "out"


def scaled(path: Path, name: str, factors: list[float]) -> None:
    """Changes a weight of a stage file."""
    proto = onnx.load(path)
    tensor = next(tensor for tensor in proto.graph.initializer if tensor.name == name)
    tensor.CopyFrom(numpy_helper.from_array(np.asarray(factors, np.float32), name))
    path.write_bytes(proto.SerializeToString())


def verify(out: Path, **options: object) -> VerifyReport:
    return FORMAT.verify(VerifyRequest(out, inputs=out.parent / "x.npz", **options))  # type: ignore[arg-type]


def of(report: VerifyReport, name: str, form: str) -> OutputReport:
    (found,) = (output for output in report.outputs if (output.name, output.form) == (name, form))
    return found


def test_the_largest_differences_are_measured_and_the_first_element_is_named(tmp_path: Path) -> None:
    out = stages(tmp_path)
    scaled(out / "m_2.plain.onnx", "w", [1, 1.5, 3, 1])
    found = of(verify(out), "y", "plain")
    assert not found.identical
    assert not found.accepted
    assert found.max_abs == 14, "7 became 21"
    assert found.max_rel == 2, "3 became 9, and 7 became 21"
    assert found.first_difference == (0, 1)
    assert found.stage == 3
    assert found.sentence() == "differs by at most 14 (relative 2); first at [0, 1]"


@pytest.mark.parametrize("form", ["plain", "sendrecv"])
def test_each_output_and_form_is_judged_by_itself(tmp_path: Path, form: str) -> None:
    out = stages(tmp_path)
    scaled(out / ("m_2.plain.onnx" if form == "plain" else "m_2.onnx"), "w", [2, 1, 1, 1])
    report = verify(out)
    differing = [(output.name, output.form) for output in report.outputs if not output.identical]
    assert differing == [("y", form)]
    assert len(report.outputs) == 4
    assert of(report, "b", form).sentence() == "identical"


@pytest.mark.parametrize(("stage", "weight", "first"), [(0, "u", "a"), (1, "v", "b"), (2, "w", "c")])
def test_the_first_boundary_that_differs_is_named_and_none_of_the_later_ones(
    tmp_path: Path, stage: int, weight: str, first: str
) -> None:
    out = stages(tmp_path)
    scaled(out / f"m_{stage}.plain.onnx", weight, [1, 1, 1, 2])
    assert verify(out).first_boundary == first


def test_the_first_boundary_is_found_among_relayed_and_direct_tensors_alike(tmp_path: Path) -> None:
    text = TEXT.replace("y = Neg(c)", "y = Add(c, a)")
    for transport in ("relay", "direct"):
        folder = tmp_path / transport
        path = saved(model(text), folder / "m.onnx")
        split(path, plan("a > b y", "b; a > y", "c; a > y", transport=transport), folder / "out")
        np.savez(folder / "x.npz", x=np.ones((2, 4), np.float32))
        scaled(folder / "out" / "m_1.plain.onnx", "v", [1, 1, 1, 2])
        assert verify(folder / "out").first_boundary == "b"


def test_a_difference_that_cancels_at_the_output_is_no_difference_there(tmp_path: Path) -> None:
    out = stages(tmp_path)
    scaled(out / "m_1.plain.onnx", "v", [2, 2, 2, 2])
    scaled(out / "m_2.plain.onnx", "w", [0.5, 0.5, 0.5, 0.5])
    report = verify(out)
    assert of(report, "y", "plain").identical
    assert not of(report, "b", "plain").identical
    assert report.first_boundary == "b"


class TestOptimized:
    """Optimizations fuse across what a cut separates, so that last digits may differ."""

    TEXT = """g (float[2,4] x) => (float[2,4] y) <float[4] u = {1,1,1,1}, float[4] w = {1,1,1,1}>
    { a = Mul(x, u) y = Mul(a, w) }"""

    def test_a_difference_within_the_tolerance_is_accepted_and_told(self, tmp_path: Path) -> None:
        out = stages(tmp_path, self.TEXT, "a")
        scaled(out / "m_1.plain.onnx", "w", [1, 1, 1.0001, 1])
        found = of(verify(out, optimized=True), "y", "plain")
        assert not found.identical
        assert found.accepted
        assert found.max_abs == pytest.approx(7e-4, rel=0.01)
        assert "optimizations" in found.note
        assert "0.001" in found.note

    def test_the_same_difference_is_none_without_optimizations(self, tmp_path: Path) -> None:
        out = stages(tmp_path, self.TEXT, "a")
        scaled(out / "m_1.plain.onnx", "w", [1, 1, 1.0001, 1])
        assert not verify(out).accepted

    def test_a_difference_beyond_the_tolerance_is_refused(self, tmp_path: Path) -> None:
        out = stages(tmp_path, self.TEXT, "a")
        scaled(out / "m_1.plain.onnx", "w", [1, 1, 1.01, 1])
        report = verify(out, optimized=True)
        assert not of(report, "y", "plain").accepted
        assert of(report, "y", "sendrecv").accepted
        assert not report.accepted


def edit_output(path: Path, edit: Callable[[ModelProto], None]) -> None:
    proto = onnx.load(path)
    edit(proto)
    path.write_bytes(proto.SerializeToString())


def test_another_shape_is_told_in_words(tmp_path: Path) -> None:
    text = "g (float[2,4] x) => (y) { a = Neg(x) y = Concat <axis = 0> (a, a) }"
    out = stages(tmp_path, text, "a")
    edit_output(out / "m_1.plain.onnx", lambda proto: proto.graph.node[0].input.pop())
    edit_output(out / "m_1.plain.onnx", lambda proto: proto.graph.output[0].type.tensor_type.ClearField("shape"))
    found = of(verify(out), "y", "plain")
    assert not found.accepted
    assert "shape [2, 4] instead of [4, 4]" in found.note


def test_another_type_is_told_in_words(tmp_path: Path) -> None:
    text = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Cast <to = 1> (a) }"
    out = stages(tmp_path, text, "a")

    def to_double(proto: ModelProto) -> None:
        proto.graph.node[0].attribute[0].i = 11
        proto.graph.output[0].type.tensor_type.elem_type = 11

    edit_output(out / "m_1.plain.onnx", to_double)
    found = of(verify(out), "y", "plain")
    assert not found.accepted
    assert "type tensor(double) instead of tensor(float)" in found.note


@pytest.mark.parametrize(
    ("left", "right", "index", "largest"),
    [
        ([1, 2, 3], [1, 2, 3], None, None),
        ([1, 2, 3], [1, 2, 4], (2,), 1),
        ([[1, 2], [3, 4]], [[1, 2], [0, 5]], (1, 0), 3),
        (7, 9, (), 2),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "uint8"])
def test_values_of_numpys_types_are_compared_element_by_element(
    left: object, right: object, index: tuple[int, ...] | None, largest: float | None, dtype: str
) -> None:
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(np.asarray(value, dtype)) for value in (left, right)]
    found = difference(*values)
    if index is None:
        assert found is None
    else:
        assert found is not None
        assert (found.index, found.max_abs) == (index, largest)


def test_a_scalar_that_differs_has_no_element_to_name(tmp_path: Path) -> None:
    text = "g (float[2,4] x) => (float y) <float w = {1}> { a = ReduceSum <keepdims = 0> (x) y = Mul(a, w) }"
    out = stages(tmp_path, text, "a")
    proto = onnx.load(out / "m_1.plain.onnx")
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.asarray(2, np.float32), "w"))
    (out / "m_1.plain.onnx").write_bytes(proto.SerializeToString())
    found = of(verify(out), "y", "plain")
    assert found.first_difference == ()
    assert found.sentence() == "differs by at most 36 (relative 1)"


def test_strings_that_are_no_valid_text_are_compared_byte_by_byte(tmp_path: Path) -> None:
    proto = model("g (string[2] s) => (string[6] y) { a = Concat<axis = 0>(s, w) b = Identity(a) y = Identity(b) }")
    weight = proto.graph.initializer.add()
    weight.CopyFrom(TensorProto(name="w", data_type=TensorProto.STRING, dims=[4]))
    weight.string_data.extend([b"\xff\x00", b"b", b"\xfe", b"d"])
    split(saved(proto, tmp_path / "m.onnx"), plan("b"), tmp_path / "out", form="plain")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical
    stage = tmp_path / "out" / "m_0.plain.onnx"
    changed = ModelProto.FromString(stage.read_bytes())
    changed.graph.initializer[0].string_data[2] = b"\xfd"
    stage.write_bytes(changed.SerializeToString())
    (output,) = FORMAT.verify(VerifyRequest(tmp_path / "out")).outputs
    assert not output.identical
    assert output.first_difference == (4,)
