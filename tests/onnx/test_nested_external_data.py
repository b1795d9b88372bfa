"""External data in attributes, bodies, functions and sparse initializers follows the stage that holds it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import VerifyRequest
from cutter_gui.onnx.format import FORMAT
from cutter_gui.onnx.nested_data import tensors_nested_in
from strategies.onnx_text import model, plan, saved, split

LARGE = np.random.default_rng(0).standard_normal((20, 20)).astype(np.float32)
SMALL = np.random.default_rng(1).standard_normal((1, 20)).astype(np.float32)


def external(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], name: str, folder: Path) -> TensorProto:
    """Returns a tensor whose data is in ``folder/data/w.bin``, behind what is there already."""
    file = folder / "data" / "w.bin"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as data:
        offset = data.tell()
        data.write(array.tobytes())
    tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "data/w.bin"), ("offset", offset), ("length", array.nbytes)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return tensor


def in_an_attribute(folder: Path) -> ModelProto:
    proto = model(
        "g (float[2,20] x) => (float[2,20] y) { a = MatMul(x, k) b = Relu(a) c = MatMul(b, k) y = Add(c, s) }"
    )
    for name, array in (("k", LARGE), ("s", SMALL)):
        proto.graph.node.insert(0, helper.make_node("Constant", [], [name], value=external(array, name, folder)))
    return proto


def in_a_body(folder: Path) -> ModelProto:
    proto = model(
        """g (float[2,20] x, bool c) => (float[2,20] y) {
            a = Relu(x)
            b = If (c) <then_branch = t () => (float[2,20] p) { q = MatMul(a, k) p = Add(q, s) },
                        else_branch = e () => (float[2,20] r) { r = Neg(a) }>
            y = Neg(b)
        }"""
    )
    body = next(attribute.g for attribute in proto.graph.node[1].attribute if attribute.name == "then_branch")
    body.initializer.extend([external(LARGE, "k", folder), external(SMALL, "s", folder)])
    return proto


def in_a_sparse_weight(folder: Path) -> ModelProto:
    proto = model("g (float[2,20] x) => (float[2,20] y) { a = MatMul(x, s) b = Relu(a) y = MatMul(b, s) }")
    sparse = proto.graph.sparse_initializer.add(dims=[20, 20])
    sparse.values.CopyFrom(external(LARGE.ravel()[:300], "s", folder))
    sparse.indices.CopyFrom(external(np.arange(300), "places", folder))
    return proto


def in_a_function(folder: Path) -> ModelProto:
    proto = model(
        "g (float[2,20] x) => (float[2,20] y) { a = own.f(x) b = Relu(a) y = own.f(b) }", opsets=[("own", 1)], ir=9
    )
    constant = helper.make_node("Constant", [], ["k"], value=external(LARGE, "k", folder))
    nodes = [constant, helper.make_node("MatMul", ["u", "k"], ["v"])]
    proto.functions.append(helper.make_function("own", "f", ["u"], ["v"], nodes, [helper.make_opsetid("", 17)]))
    return proto


EVERYWHERE = [in_an_attribute, in_a_body, in_a_sparse_weight, in_a_function]


@pytest.mark.parametrize("make", EVERYWHERE)
@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_stages_in_another_folder_find_their_data(
    tmp_path: Path, make: Callable[[Path], ModelProto], transport: str
) -> None:
    path = saved(make(tmp_path / "model"), tmp_path / "model" / "m.onnx")
    split(path, plan("b", transport=transport), tmp_path / "out")
    for stage in (tmp_path / "out").glob("*.onnx"):
        for tensor in tensors_nested_in(onnx.load(stage, load_external_data=False)):
            if tensor.data_location == TensorProto.EXTERNAL:
                entry = {entry.key: entry.value for entry in tensor.external_data}
                assert entry["location"] == f"{stage.name.split('.')[0]}.onnx.data"
                assert int(entry["length"]) >= 1024
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


@pytest.mark.parametrize("make", EVERYWHERE)
def test_stages_that_share_refer_to_the_data_where_it_is(tmp_path: Path, make: Callable[[Path], ModelProto]) -> None:
    path = saved(make(tmp_path / "model"), tmp_path / "model" / "m.onnx")
    result = split(path, plan("b"), tmp_path, weights="share")
    assert not any(name.endswith(".data") for name in result.files)
    shared = {
        entry.value
        for stage in tmp_path.glob("*.onnx")
        for tensor in tensors_nested_in(onnx.load(stage, load_external_data=False))
        for entry in tensor.external_data
        if entry.key == "location"
    }
    assert shared == {"model/data/w.bin"}
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical


@pytest.mark.parametrize("make", EVERYWHERE)
def test_missing_data_is_named_before_anything_is_written(tmp_path: Path, make: Callable[[Path], ModelProto]) -> None:
    path = saved(make(tmp_path / "model"), tmp_path / "model" / "m.onnx")
    (tmp_path / "model" / "data" / "w.bin").unlink()
    assert FORMAT.load(path).node_count
    with pytest.raises(CutterError, match=r"w\.bin is missing"):
        split(path, plan("b"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_weight_that_two_nodes_hold_is_written_once(tmp_path: Path) -> None:
    proto = model("g (float[2,20] x) => (float[2,20] y) { a = MatMul(x, k) b = Relu(a) c = MatMul(b, l) y = Neg(c) }")
    tensor = external(LARGE, "k", tmp_path)
    for name in ("l", "k"):
        proto.graph.node.insert(0, helper.make_node("Constant", [], [name], value=tensor))
    split(saved(proto, tmp_path / "m.onnx"), plan("c"), tmp_path / "out")
    assert (tmp_path / "out" / "m_0.onnx.data").read_bytes() == LARGE.tobytes()


def test_a_model_in_an_earlier_result_keeps_the_data_of_its_attributes(tmp_path: Path) -> None:
    split(saved(in_an_attribute(tmp_path), tmp_path / "m.onnx"), plan("b"), tmp_path / "out")
    stage = tmp_path / "out" / "m_0.plain.onnx"
    stage.rename(tmp_path / "out" / "kept.onnx")
    with pytest.raises(CutterError, match="would be replaced"):
        split(tmp_path / "out" / "kept.onnx", plan("a"), tmp_path / "out", force=True)
    assert numpy_helper.to_array(onnx.load(tmp_path / "out" / "kept.onnx").graph.node[0].attribute[0].t).size
