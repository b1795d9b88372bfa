"""Reading a model file without its weights: what is read plus the ranges is the file, bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, SparseTensorProto, TensorProto, helper, numpy_helper

from cutter_gui.core.errors import CutterError
from cutter_gui.onnx.load import load_graph
from cutter_gui.onnx.model import open_model, referring
from cutter_gui.onnx.wire import INLINE_LIMIT, read_skeleton
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import run

FILLED = {
    "float_data": (TensorProto.FLOAT, 4, 1),
    "double_data": (TensorProto.DOUBLE, 8, 1),
    "complex": (TensorProto.COMPLEX64, 8, 2),
    "int32_data": (TensorProto.INT8, 1, 1),
    "int64_data": (TensorProto.INT64, 8, 1),
    "uint64_data": (TensorProto.UINT64, 8, 1),
}


@st.composite
def tensors(draw: st.DrawFn, name: str) -> TensorProto:
    """Draws an initializer of any encoding, around the size at which weights are left in the file."""
    encoding = draw(st.sampled_from(["raw", *FILLED, "string", "external"]))
    size = draw(st.sampled_from([0, 1, 100, INLINE_LIMIT - 8, INLINE_LIMIT, INLINE_LIMIT + 8, 5000]))
    seed = draw(st.integers(0, 5))
    generator = np.random.default_rng(seed)
    if encoding == "raw":
        tensor = TensorProto(name=name, data_type=TensorProto.UINT8, dims=[size], raw_data=generator.bytes(size))
    elif encoding == "string":
        tensor = TensorProto(name=name, data_type=TensorProto.STRING, dims=[1], string_data=[b"x" * size])
    elif encoding == "external":
        tensor = TensorProto(name=name, data_type=TensorProto.UINT8, dims=[size], data_location=TensorProto.EXTERNAL)
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "weights.bin"
    else:
        dtype, width, parts = FILLED[encoding]
        count = size // width
        tensor = TensorProto(name=name, data_type=dtype, dims=[count])
        field = "float_data" if encoding == "complex" else encoding
        values = generator.integers(-9, 9, count * parts) if dtype != TensorProto.UINT64 else range(count)
        getattr(tensor, field).extend(list(values))
    if draw(st.booleans()):
        tensor.doc_string = draw(st.text(max_size=5)) + "d" * draw(st.sampled_from([0, 200, 20_000]))
    return tensor


@st.composite
def files(draw: st.DrawFn) -> ModelProto:
    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }")
    for number in range(draw(st.integers(0, 4))):
        proto.graph.initializer.append(draw(tensors(f"w{number}")))
    if draw(st.booleans()):
        values = numpy_helper.from_array(np.ones(3, np.float32), "sparse")
        indices = numpy_helper.from_array(np.asarray([1, 5, 7], np.int64), "places")
        proto.graph.sparse_initializer.append(SparseTensorProto(values=values, indices=indices, dims=[9]))
    if draw(st.booleans()):
        proto.graph.node.append(
            helper.make_node(
                "Constant", [], ["c"], value=helper.make_tensor("v", TensorProto.FLOAT, [500], [1.0] * 500)
            )
        )
    helper.set_model_props(proto, {"key": draw(st.text(max_size=10))})
    return proto


@settings(max_examples=60, deadline=None)
@given(files())
def test_what_is_read_and_what_is_left_in_the_file_make_the_whole_model(proto: ModelProto) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = saved(proto, Path(folder) / "m.onnx")
        data = path.read_bytes()
        found = open_model(path)
        restored = ModelProto()
        restored.CopyFrom(found.proto)
        for position, span in found.ranges.items():
            assert span.path == path
            assert span.length >= INLINE_LIMIT
            content = data[span.offset : span.offset + span.length]
            tensor, original = restored.graph.initializer[position], proto.graph.initializer[position]
            assert not tensor.raw_data
            assert not tensor.float_data
            assert not tensor.double_data
            if original.raw_data:
                tensor.raw_data = content
            else:
                field = "double_data" if original.double_data else "float_data"
                getattr(tensor, field).extend(
                    np.frombuffer(content, "<f8" if field == "double_data" else "<f4").tolist()
                )
        assert restored == proto
        for position, tensor in enumerate(proto.graph.initializer):
            large = max(len(tensor.raw_data), 4 * len(tensor.float_data), 8 * len(tensor.double_data)) >= INLINE_LIMIT
            assert (position in found.ranges) == large


@settings(max_examples=60, deadline=None)
@given(files(), st.data())
def test_a_file_that_is_cut_off_or_damaged_is_read_or_refused_in_words(proto: ModelProto, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = bytearray(proto.SerializeToString())
        if data.draw(st.booleans()):
            whole = whole[: data.draw(st.integers(0, len(whole) - 1))]
        else:
            for _ in range(data.draw(st.integers(1, 4))):
                whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
        path = Path(folder) / "m.onnx"
        path.write_bytes(bytes(whole))
        refusal = None
        try:
            load_graph(path)
        except CutterError as error:
            refusal = error
        assert refusal is None or "m.onnx" in refusal.where or "tensor" in refusal.where


def test_a_graph_that_stands_in_pieces_is_read_as_one(tmp_path: Path) -> None:
    first = model("g (float[2,4] x) => (float[2,300] y) { y = MatMul(x, w) }")
    second = ModelProto()
    weight = np.random.default_rng(0).random((4, 300), dtype=np.float32)
    second.graph.initializer.append(numpy_helper.from_array(np.ones(2, np.float32), "small"))
    second.graph.initializer.append(numpy_helper.from_array(weight, "w"))
    path = tmp_path / "m.onnx"
    path.write_bytes(first.SerializeToString() + second.SerializeToString())
    found = open_model(path)
    assert [tensor.name for tensor in found.proto.graph.initializer] == ["small", "w"]
    assert list(found.ranges) == [1]
    span = found.ranges[1]
    assert path.read_bytes()[span.offset : span.offset + span.length] == weight.tobytes()


def test_a_tensor_whose_data_comes_twice_is_left_as_it_is(tmp_path: Path) -> None:
    proto = model("g (float[300] x) => (float[300] y) { y = Add(x, w) }")
    both = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[300])
    data = both.SerializeToString()
    for value in (1.0, 2.0):
        data += TensorProto(raw_data=np.full(300, value, np.float32).tobytes()).SerializeToString()
    graph = proto.graph.SerializeToString() + b"\x2a" + varint(len(data)) + data
    proto.ClearField("graph")
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString() + b"\x3a" + varint(len(graph)) + graph)
    found = open_model(path)
    assert not found.ranges
    assert np.array_equal(numpy_helper.to_array(found.proto.graph.initializer[0]), np.full(300, 2.0, np.float32))


def varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def test_weights_left_in_the_file_are_referred_to_there(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { y = MatMul(x, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 300), np.float32), "w"))
    path = saved(proto, tmp_path / "m.onnx")
    copy = saved(referring(open_model(path)), tmp_path / "referring.onnx")
    assert copy.stat().st_size < 1000
    feeds = {"x": np.arange(8, dtype=np.float32).reshape(2, 4)}
    assert np.array_equal(run(copy, feeds)["y"], run(path, feeds)["y"])


def test_a_model_larger_than_protobuf_allows_is_opened_in_little_memory(tmp_path: Path) -> None:
    import resource

    proto = model("g (float[2] x) => (float[2] y) { y = Neg(x) }")
    graph = proto.graph.SerializeToString()
    proto.ClearField("graph")
    size = 2_200_000_000
    tensor = TensorProto(name="huge", data_type=TensorProto.UINT8, dims=[size]).SerializeToString()
    head = tensor + b"\x4a" + varint(size)
    initializer = b"\x2a" + varint(len(head) + size) + head
    path = tmp_path / "m.onnx"
    with path.open("wb") as file:
        file.write(
            proto.SerializeToString() + b"\x3a" + varint(len(graph) + len(initializer) + size) + graph + initializer
        )
        # A hole in the file: nothing is written to the disk.
        file.truncate(file.tell() + size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = load_graph(path)
    assert int(found.tensor_stored[found.tensor_index["huge"]]) == size
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "empty"),
        (b"hello, this is no model", "not an ONNX model"),
        (b"PK\x03\x04" + bytes(100), "not an ONNX model"),
        (b"\x08\x08", "no ONNX graph"),
        (b"\xff" * 40, "not an ONNX model"),
        (b"<!doctype html><html>", "not an ONNX model"),
    ],
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(CutterError, match=complaint) as refusal:
        load_graph(path)
    assert str(path) in str(refusal.value)


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CutterError, match="does not exist"):
        read_skeleton(tmp_path / "m.onnx")
    with pytest.raises(CutterError, match="cannot be read"):
        read_skeleton(tmp_path)


def test_a_weight_whose_values_do_not_fill_its_shape_is_shown_but_not_split(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y, int64[2000] z) { a = Neg(x) y = Neg(a) z = Identity(w) }")
    proto.graph.initializer.append(
        TensorProto(name="w", data_type=TensorProto.INT64, dims=[2000], int64_data=range(1999))
    )
    path = saved(proto, tmp_path / "m.onnx")
    assert load_graph(path).node_count == 3
    with pytest.raises(CutterError, match="tensor w"):
        split(path, plan("a"), tmp_path / "out")


NAMED = "g (float[2] x) => (float[2] QQQQ) <float[2] WWWW = {1,2}> { AAAA = Add(x, WWWW) QQQQ = Neg(AAAA) }"


@pytest.mark.parametrize("name", [b"QQQQ", b"WWWW", b"AAAA", b"Neg", b"g"])
def test_a_name_that_is_no_text_is_refused(tmp_path: Path, name: bytes) -> None:
    proto = model(NAMED)
    proto.graph.name = "g"
    data = proto.SerializeToString()
    field = bytes([len(name)]) + name
    assert field in data
    path = tmp_path / "m.onnx"
    path.write_bytes(data.replace(field, bytes([len(name)]) + b"\xff" * len(name)))
    with pytest.raises(CutterError, match="UTF-8"):
        load_graph(path)
