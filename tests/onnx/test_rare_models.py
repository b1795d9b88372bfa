"""What few files have and some do: types kept as bits, sparse weights, the long name of ONNX's own domain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

KEPT_AS_BITS = ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "INT4", "UINT4"]


def kept_as_bits(dtype: str, values: int) -> tuple[TensorProto, bytes]:
    """A weight ``w`` of 3000 elements in ``int32_data``, and the bytes it should become."""
    code = TensorProto.DataType.Value(dtype)
    tensor = TensorProto(name="w", data_type=code, dims=[3000])
    width = np.dtype("<u2") if dtype == "BFLOAT16" else np.dtype("u1")
    bits = np.random.default_rng(0).integers(0, 1 << 8 * width.itemsize, values).astype(width)
    tensor.int32_data.extend(bits.tolist())
    return tensor, bits.tobytes()


@pytest.mark.parametrize("dtype", KEPT_AS_BITS)
def test_a_large_weight_kept_as_bits_goes_into_the_data_file(tmp_path: Path, dtype: str) -> None:
    tensor, expected = kept_as_bits(dtype, 1500 if "4" in dtype[-2:] else 3000)
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) z = Identity(w) y = Neg(a) }", opset=21, ir=10)
    proto.graph.output.append(helper.make_tensor_value_info("z", tensor.data_type, [3000]))
    proto.graph.initializer.append(tensor)
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert (tmp_path / "out" / "m_0.onnx.data").read_bytes() == expected
    held = next(t for t in onnx.load(tmp_path / "out" / "m_0.plain.onnx").graph.initializer if t.name == "w")
    assert numpy_helper.to_array(held).tobytes() == numpy_helper.to_array(tensor).tobytes()


@pytest.mark.parametrize("dtype", KEPT_AS_BITS)
def test_too_few_bits_for_the_shape_are_refused(tmp_path: Path, dtype: str) -> None:
    tensor, _ = kept_as_bits(dtype, 1499)
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) z = Identity(w) y = Neg(a) }", opset=21, ir=10)
    proto.graph.output.append(helper.make_tensor_value_info("z", tensor.data_type, [3000]))
    proto.graph.initializer.append(tensor)
    with pytest.raises(CutterError, match="more or fewer values"):
        split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_a_sparse_weight_is_multiplied_into_has_a_known_type(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = MatMul(x, s) b = Relu(a) y = MatMul(b, s) }")
    sparse = proto.graph.sparse_initializer.add()
    sparse.values.CopyFrom(numpy_helper.from_array(np.asarray([1.5, 2.5], np.float32), "s"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.asarray([1, 6], np.int64), "places"))
    sparse.dims.extend([4, 4])
    path = saved(proto, tmp_path / "m.onnx")
    graph = FORMAT.load(path)
    assert graph.tensor_shapes[graph.tensor_index["b"]] == (2, 4)
    split(path, plan("b"), tmp_path / "out")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


def test_the_long_name_of_the_own_domain_is_understood(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Relu(x) b = Neg(a) y = Exp(b) }")
    for node in proto.graph.node:
        node.domain = "ai.onnx"
    path = saved(proto, tmp_path / "m.onnx")
    graph = FORMAT.load(path)
    assert dtype_of(int(graph.tensor_dtype[graph.tensor_index["b"]])).name == "float32"
    split(path, plan("b"), tmp_path / "out")
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical
    stages = [onnx.load(tmp_path / "out" / f"m_{stage}.onnx") for stage in (0, 1)]
    assert [node.domain for stage in stages for node in stage.graph.node if node.op_type not in ("Send", "Recv")] == [
        "ai.onnx"
    ] * 3


def test_a_copied_constant_that_is_a_model_output_keeps_its_description(tmp_path: Path) -> None:
    proto = model(
        """g (float[4] x) => (float[4] k, float[4] y) {
            k = Constant <value = float[4] {1, 2, 3, 4}> () a = Neg(x) y = Add(a, k)
        }"""
    )
    proto.graph.output[0].doc_string = "what k is"
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    for name in ("m_1.onnx", "m_1.plain.onnx"):
        stage = onnx.load(tmp_path / "out" / name)
        assert {value.name: value.doc_string for value in stage.graph.value_info}["k"] == "what k is"
        assert [value.name for value in stage.graph.output if value.name in ("k", "y")] == ["y"]


@pytest.mark.parametrize("dtype", ["FLOAT6E2M3", "FLOAT6E3M2"])
def test_a_large_weight_of_six_bits_an_element_is_packed_into_the_data_file(tmp_path: Path, dtype: str) -> None:
    if dtype not in TensorProto.DataType.keys():  # noqa: SIM118  # an enum of protobuf is no mapping
        pytest.skip("this onnx has no types of six bits")
    bits = np.random.default_rng(0).integers(0, 64, 3001)
    tensor = TensorProto(name="w", data_type=TensorProto.DataType.Value(dtype), dims=[3001])
    tensor.int32_data.extend(bits.tolist())
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) z = Identity(w) y = Neg(a) }", opset=28, ir=14)
    proto.graph.output.append(helper.make_tensor_value_info("z", tensor.data_type, [3001]))
    proto.graph.initializer.append(tensor)
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert (tmp_path / "out" / "m_0.onnx.data").stat().st_size == 2251
    held = next(t for t in onnx.load(tmp_path / "out" / "m_0.plain.onnx").graph.initializer if t.name == "w")
    assert numpy_helper.to_array(held).tobytes() == numpy_helper.to_array(tensor).tobytes()


@pytest.mark.parametrize(("rows", "says"), [(16, "hold the same bytes: v, w;"), (4096, "hold the same bytes in the")])
def test_weights_compared_in_part_are_not_called_equal_in_whole(tmp_path: Path, rows: int, says: str) -> None:
    proto = model(f"g (float[2,{rows}] x) => (float[2,64] y) {{ a = MatMul(x, v) b = MatMul(x, w) y = Add(a, b) }}")
    for name in ("v", "w"):
        proto.graph.initializer.append(numpy_helper.from_array(np.ones((rows, 64), np.float32), name))
    graph = FORMAT.load(saved(proto, tmp_path / "m.onnx"))
    assert [says in problem.message for problem in graph.problems if problem.code == "equal-weights"] == [True]
