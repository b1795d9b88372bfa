"""Weights in files beside the model: found, refused, copied, shared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import VerifyRequest
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import assign_stages
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import assert_same, plain_files, run, run_plain, run_sendrecv, sendrecv_files

TWO_LAYERS = (
    "g (float[2,4] x) => (float[2,4] y) { a = MatMul(x, v) b = MatMul(a, w) c = MatMul(b, v) y = MatMul(c, u) }"
)
GENERATOR = np.random.default_rng(0)
V = GENERATOR.random((4, 300), dtype=np.float32)
W = GENERATOR.random((300, 4), dtype=np.float32)
U = GENERATOR.random((300, 4), dtype=np.float32)
FEEDS = {"x": np.arange(8, dtype=np.float32).reshape(2, 4)}


def inline() -> ModelProto:
    """The model with its weights in the protobuf."""
    proto = model(TWO_LAYERS)
    for name, array in (("v", V), ("w", W), ("u", U)):
        proto.graph.initializer.append(numpy_helper.from_array(array, name))
    return proto


def outside(places: dict[str, dict[str, object]]) -> ModelProto:
    """The model with its weights at the given places."""
    proto = model(TWO_LAYERS)
    for name, array in (("v", V), ("w", W), ("u", U)):
        tensor = proto.graph.initializer.add()
        tensor.name, tensor.data_type, tensor.data_location = name, TensorProto.FLOAT, TensorProto.EXTERNAL
        tensor.dims.extend(array.shape)
        for key, value in places[name].items():
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
    return proto


def one_file(location: str = "m.data", **changes: dict[str, object]) -> ModelProto:
    size = V.nbytes
    places: dict[str, dict[str, object]] = {
        name: {"location": location, "offset": at * size, "length": size} for at, name in enumerate("vwu")
    }
    for name, change in changes.items():
        places[name] = {**places[name], **change}
    return outside(places)


def written(folder: Path, proto: ModelProto | None = None) -> Path:
    """Writes the model with all weights in ``m.data`` beside it."""
    path = saved(proto if proto is not None else one_file(), folder / "m.onnx")
    (folder / "m.data").write_bytes(V.tobytes() + W.tobytes() + U.tobytes())
    return path


def assert_composes(out: Path) -> None:
    original = run(inline(), FEEDS)
    assert_same(original, run_plain(out, FEEDS))
    assert_same(original, run_sendrecv(out, FEEDS))


def locations(path: Path) -> dict[str, dict[str, str]]:
    graph = onnx.load(path, load_external_data=False).graph
    return {
        tensor.name: {entry.key: entry.value for entry in tensor.external_data}
        for tensor in graph.initializer
        if tensor.data_location == TensorProto.EXTERNAL
    }


def test_weights_in_one_file_go_to_the_stages_that_use_them(tmp_path: Path) -> None:
    path = written(tmp_path / "model")
    split(path, plan("b"), tmp_path / "out")
    assert_composes(tmp_path / "out")
    assert set(locations(tmp_path / "out" / "m_0.onnx")) == {"v", "w"}
    assert set(locations(tmp_path / "out" / "m_1.onnx")) == {"v", "u"}


def test_weights_in_several_files_and_folders_are_found(tmp_path: Path) -> None:
    proto = outside(
        {
            "v": {"location": "v.bin"},
            "w": {"location": "weights/w.bin", "offset": 4096, "length": W.nbytes},
            "u": {"location": "./weights/deep/u.bin"},
        }
    )
    path = saved(proto, tmp_path / "m.onnx")
    (tmp_path / "weights" / "deep").mkdir(parents=True)
    (tmp_path / "v.bin").write_bytes(V.tobytes())
    (tmp_path / "weights" / "w.bin").write_bytes(b"?" * 4096 + W.tobytes() + b"more")
    (tmp_path / "weights" / "deep" / "u.bin").write_bytes(U.tobytes())
    split(path, plan("b"), tmp_path / "out")
    assert_composes(tmp_path / "out")


def test_a_small_weight_outside_comes_inline(tmp_path: Path) -> None:
    proto = model("g (float[4] x) => (float[4] y) { a = Neg(x) y = Add(a, s) }")
    tensor = proto.graph.initializer.add(name="s", data_type=TensorProto.FLOAT, dims=[4])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "s.bin"), ("offset", "8")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    path = saved(proto, tmp_path / "m.onnx")
    (tmp_path / "s.bin").write_bytes(bytes(8) + np.asarray([1, 2, 3, 4], np.float32).tobytes())
    split(path, plan("a"), tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.data"))
    held = onnx.load(tmp_path / "out" / "m_1.plain.onnx").graph.initializer[0]
    assert numpy_helper.to_array(held).tolist() == [1, 2, 3, 4]


def test_an_empty_weight_outside_takes_nothing_of_its_file(tmp_path: Path) -> None:
    proto = one_file()
    empty = proto.graph.initializer.add()
    empty.CopyFrom(proto.graph.initializer[0])
    empty.name, empty.dims[:] = "none", [0, 300]
    del empty.external_data[1:]  # its place alone; without a length it takes what its shape needs
    proto.graph.node.append(helper.make_node("Concat", ["none", "v"], ["joined"], axis=0))
    proto.graph.output.append(helper.make_tensor_value_info("joined", TensorProto.FLOAT, [4, 300]))
    split(written(tmp_path, proto), plan("a"), tmp_path / "out")
    stage = onnx.load(tmp_path / "out" / "m_0.plain.onnx", load_external_data=False)
    (held,) = (tensor for tensor in stage.graph.initializer if tensor.name == "none")
    assert held.data_location == TensorProto.DEFAULT
    assert not held.raw_data
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


def test_a_weight_that_several_stages_use_is_in_the_file_of_each(tmp_path: Path) -> None:
    split(written(tmp_path / "model"), plan("a", "b", "c"), tmp_path / "out")
    assert_composes(tmp_path / "out")
    sizes = [(tmp_path / "out" / f"m_{stage}.onnx.data").stat().st_size for stage in range(4)]
    assert sizes == [V.nbytes, W.nbytes, V.nbytes, U.nbytes]


def test_one_range_under_two_names_is_written_once(tmp_path: Path) -> None:
    proto = one_file(u={"offset": V.nbytes})
    split(written(tmp_path / "model", proto), plan(), tmp_path / "out")
    assert (tmp_path / "out" / "m_0.onnx.data").stat().st_size < 2 * V.nbytes + 4096
    places = locations(tmp_path / "out" / "m_0.onnx")
    assert places["u"] == places["w"]
    assert places["v"] != places["w"]


ENCODINGS: dict[str, Callable[[np.ndarray[Any, Any]], TensorProto]] = {
    "float_data": lambda array: helper.make_tensor("w", TensorProto.FLOAT, array.shape, array.ravel().tolist()),
    "raw_data": lambda array: numpy_helper.from_array(array, "w"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_floats_give_the_same_bytes_in_either_encoding(tmp_path: Path, encoding: str) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { a = Neg(x) y = MatMul(a, w) }")
    proto.graph.initializer.append(ENCODINGS[encoding](V))
    path = saved(proto, tmp_path / "m.onnx")
    split(path, plan("a"), tmp_path / "out")
    assert (tmp_path / "out" / "m_1.onnx.data").read_bytes() == V.tobytes()


@pytest.mark.parametrize(
    ("dtype", "field"),
    [
        ("INT8", "int32_data"),
        ("UINT8", "int32_data"),
        ("INT16", "int32_data"),
        ("UINT16", "int32_data"),
        ("INT32", "int32_data"),
        ("BOOL", "int32_data"),
        ("FLOAT16", "int32_data"),
        ("BFLOAT16", "int32_data"),
        ("INT64", "int64_data"),
        ("UINT32", "uint64_data"),
        ("UINT64", "uint64_data"),
        ("DOUBLE", "double_data"),
        ("FLOAT", "float_data"),
    ],
)
def test_a_large_weight_of_every_type_keeps_its_values(tmp_path: Path, dtype: str, field: str) -> None:
    code = TensorProto.DataType.Value(dtype)
    proto = model(
        f"g (float[2] x) => (float[2] y, {dtype.lower()}[2000] z) {{ a = Neg(x) y = Neg(a) z = Identity(w) }}"
    )
    values = [number % 2 for number in range(2000)]
    tensor = helper.make_tensor("w", code, [2000], values)
    assert getattr(tensor, field), "the encoding is not the one to be tested"
    proto.graph.initializer.append(tensor)
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    held = next(t for t in onnx.load(tmp_path / "out" / "m_0.plain.onnx").graph.initializer if t.name == "w")
    assert np.array_equal(numpy_helper.to_array(held).astype(np.float64), np.asarray(values, np.float64))


@pytest.mark.parametrize("dtype", ["FLOAT8E4M3FN", "FLOAT8E5M2", "INT4", "UINT4", "COMPLEX64", "COMPLEX128"])
def test_weights_of_unusual_types_keep_their_bits(tmp_path: Path, dtype: str) -> None:
    code = TensorProto.DataType.Value(dtype)
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) z = Identity(w) y = Neg(a) }", opset=21, ir=10)
    tensor = helper.make_tensor("w", code, [4000], [1.0 + number % 3 for number in range(4000)])
    proto.graph.initializer.append(tensor)
    proto.graph.output.append(helper.make_tensor_value_info("z", code, [4000]))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    held = next(t for t in onnx.load(tmp_path / "out" / "m_0.plain.onnx").graph.initializer if t.name == "w")
    assert numpy_helper.to_array(held).tobytes() == numpy_helper.to_array(tensor).tobytes()


def test_strings_are_weights_too(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y, string[400] z) { a = Neg(x) y = Neg(a) z = Identity(w) }")
    texts = [f"wört {number}" for number in range(400)]
    proto.graph.initializer.append(helper.make_tensor("w", TensorProto.STRING, [400], [t.encode() for t in texts]))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert run(tmp_path / "out" / "m_0.plain.onnx", {"x": np.zeros(2, np.float32)})["z"].tolist() == texts


def test_a_model_whose_data_file_is_missing_is_shown_and_planned_but_not_split(tmp_path: Path) -> None:
    path = saved(one_file(), tmp_path / "m.onnx")
    graph = FORMAT.load(path)
    assert graph.node_count == 4
    assert int(graph.tensor_stored.sum()) == 3 * V.nbytes
    with pytest.raises(CutterError, match=r"m\.data is missing") as refusal:
        split(path, plan("b"), tmp_path / "out")
    assert "tensor" in refusal.value.where
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("location", ["../m.data", "sub/../../m.data", "{folder}/m.data", "/etc/hostname"])
def test_data_outside_the_models_folder_is_refused(tmp_path: Path, location: str) -> None:
    folder = tmp_path / "model"
    location = location.format(folder=tmp_path)
    path = written(folder, one_file(location))
    (tmp_path / "m.data").write_bytes(V.tobytes() + W.tobytes() + U.tobytes())
    assert FORMAT.load(path).node_count == 4
    with pytest.raises(CutterError, match="outside the model's folder"):
        split(path, plan("b"), tmp_path / "out")


@pytest.mark.parametrize("linked", ["the file", "its folder"])
def test_data_behind_a_link_is_refused(tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "m.data").write_bytes(V.tobytes() + W.tobytes() + U.tobytes())
    folder = tmp_path / "model"
    if linked == "the file":
        path = saved(one_file(), folder / "m.onnx")
        (folder / "m.data").symlink_to(elsewhere / "m.data")
    else:
        path = saved(one_file("link/m.data"), folder / "m.onnx")
        (folder / "link").symlink_to(elsewhere)
    with pytest.raises(CutterError, match="behind a link"):
        split(path, plan("b"), tmp_path / "out")


def test_a_model_reached_by_a_link_finds_its_data(tmp_path: Path) -> None:
    written(tmp_path / "model")
    (tmp_path / "linked").symlink_to(tmp_path / "model")
    split(tmp_path / "linked" / "m.onnx", plan("b"), tmp_path / "out")
    assert_composes(tmp_path / "out")


@pytest.mark.parametrize("location", ["gone.data", "n" * 5000, "m.data/x", "loop", "loop/x"])
def test_a_model_is_shown_and_planned_whatever_its_data_file_is_called(tmp_path: Path, location: str) -> None:
    path = written(tmp_path, one_file(w={"location": location}))
    (tmp_path / "loop").symlink_to("loop")
    assert not [finding for finding in diagnose(assign_stages(FORMAT.load(path), plan("b"))) if finding.is_error]
    with pytest.raises(CutterError, match="tensor w"):
        split(path, plan("b"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("keep", [0, 100, 3 * V.nbytes - 1])
def test_a_data_file_cut_short_is_told(tmp_path: Path, keep: int) -> None:
    path = written(tmp_path)
    os.truncate(tmp_path / "m.data", keep)
    with pytest.raises(CutterError, match="ends before the tensor does"):
        split(path, plan("b"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "entry",
    [
        {"offset": "many"},
        {"offset": -4},
        {"length": -1},
        {"offset": "+0"},
        {"offset": " 0"},
        {"length": "1_0"},
        {"offset": "\u0660"},
        {"offset": "9" * 5000},
        {"length": 100},
        {"location": ""},
        {"offset": 1 << 62},
        {"length": 1 << 62},
        {"location": "."},
        {"location": "m\0.data"},
    ],
)
def test_a_wrong_entry_of_external_data_is_told(tmp_path: Path, entry: dict[str, object]) -> None:
    path = written(tmp_path, one_file(w=entry))
    with pytest.raises(CutterError, match="tensor w"):
        split(path, plan("b"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shared_weights_stay_in_the_models_own_data_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = (tmp_path / "m.data").read_bytes()
    result = split(path, plan("b"), tmp_path, weights="share")
    assert result.bytes_written < V.nbytes
    assert not list(tmp_path.glob("*.onnx.data"))
    assert locations(tmp_path / "m_0.plain.onnx")["w"] == {
        "location": "m.data",
        "offset": str(V.nbytes),
        "length": str(W.nbytes),
    }
    assert_composes(tmp_path)
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical
    assert (tmp_path / "m.data").read_bytes() == before


def test_weights_are_shared_from_a_folder_above_the_data(tmp_path: Path) -> None:
    path = written(tmp_path / "models" / "bert")
    split(path, plan("b"), tmp_path, weights="share")
    assert locations(tmp_path / "m_0.onnx")["v"]["location"] == "models/bert/m.data"
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical
    assert_same(run(inline(), FEEDS), run_plain_in(tmp_path))


def run_plain_in(out: Path) -> dict[str, Any]:
    assert len(plain_files(out)) == len(sendrecv_files(out)) == 2
    return run_plain(out, FEEDS)


def test_weights_in_the_model_file_itself_are_shared_from_there(tmp_path: Path) -> None:
    path = saved(inline(), tmp_path / "m.onnx")
    split(path, plan("b"), tmp_path, weights="share")
    assert {place["location"] for place in locations(tmp_path / "m_1.onnx").values()} == {"m.onnx"}
    assert FORMAT.verify(VerifyRequest(tmp_path)).identical


@pytest.mark.parametrize("out", ["model/stages", "beside"])
def test_weights_cannot_be_shared_where_no_path_leads_back(tmp_path: Path, out: str) -> None:
    path = written(tmp_path / "model")
    with pytest.raises(CutterError, match="can only be shared") as refusal:
        split(path, plan("b"), tmp_path / out, weights="share")
    assert refusal.value.exit_code == 2
    assert not (tmp_path / out).exists()


def test_sharing_makes_no_links(tmp_path: Path) -> None:
    path = written(tmp_path)
    split(path, plan("b"), tmp_path, weights="share")
    assert (tmp_path / "m.data").stat().st_nlink == 1
    assert not any(entry.is_symlink() for entry in tmp_path.rglob("*"))


def test_copied_weights_do_not_depend_on_the_source(tmp_path: Path) -> None:
    path = written(tmp_path / "model")
    split(path, plan("b"), tmp_path / "out")
    (tmp_path / "model" / "m.data").unlink()
    assert_composes(tmp_path / "out")


def test_a_sparse_weight_goes_with_its_stage(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Add(a, s) y = Neg(b) }")
    sparse = proto.graph.sparse_initializer.add()
    sparse.values.CopyFrom(numpy_helper.from_array(np.asarray([1.5, 2.5], np.float32), "s"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.asarray([1, 6], np.int64), "places"))
    sparse.dims.extend([2, 4])
    split(saved(proto, tmp_path / "m.onnx"), plan("a", "b"), tmp_path / "out")
    kept = [len(onnx.load(path).graph.sparse_initializer) for path in plain_files(tmp_path / "out")]
    assert kept == [0, 1, 0]
    assert_same(run(proto, FEEDS), run_plain(tmp_path / "out", FEEDS))
    assert_same(run(proto, FEEDS), run_sendrecv(tmp_path / "out", FEEDS))
