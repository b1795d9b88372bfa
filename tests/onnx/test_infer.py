from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from cutter_gui.core import Graph
from cutter_gui.core.dtypes import BY_NAME, dtype_of
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import TypeHint
from cutter_gui.onnx.load import load_graph
from strategies.onnx_text import model, saved


def type_of(graph: Graph, name: str) -> tuple[str, object]:
    tensor = graph.tensor_index[name]
    return dtype_of(int(graph.tensor_dtype[tensor])).name, graph.tensor_shapes[tensor]


def test_types_of_nodes_in_no_order_are_inferred_all_the_same(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,2] y) { y = MatMul(b, c) b = Neg(x) c = Transpose(b) }")
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert type_of(graph, "b") == ("float32", (2, 4))
    assert type_of(graph, "c") == ("float32", (4, 2))


def test_types_inside_a_captured_body_wait_for_what_it_captures(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, bool c) => (y) {
            y = If (c) <then_branch = t () => (p) { p = Neg(late) }, else_branch = e () => (q) { q = Abs(late) }>
            late = Cast <to = 7> (x)
        }"""
    )
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert type_of(graph, "y") == ("int64", (2, 4))


def test_a_shape_computed_from_a_small_weight_is_known(tmp_path: Path) -> None:
    proto = model("g (float[2,6] x) => (y) <int64[2] s = {3,4}> { a = Neg(x) y = Reshape(a, s) }")
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert type_of(graph, "y") == ("float32", (3, 4))


def test_a_large_weight_has_its_type_without_being_read(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,500] y) { y = MatMul(x, w) }")
    proto.graph.initializer.append(
        TensorProto(
            name="w",
            data_type=TensorProto.FLOAT,
            dims=[4, 500],
            data_location=TensorProto.EXTERNAL,
        )
    )
    entry = proto.graph.initializer[0].external_data.add()
    entry.key, entry.value = "location", "not there.data"
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert type_of(graph, "w") == ("float32", (4, 500))
    assert int(graph.tensor_stored[graph.tensor_index["w"]]) == 8000


def test_negative_dims_are_open_and_symbols_stay_symbols(tmp_path: Path) -> None:
    proto = model("g (float[batch,3] x) => (y) { y = Neg(x) }")
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [-1, 3, "seq"])
    proto.graph.input[0].CopyFrom(value)
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert type_of(graph, "x") == ("float32", (None, 3, "seq"))
    assert type_of(graph, "y")[1] == (None, 3, "seq")


def test_an_unknown_op_has_the_type_that_the_user_gives(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = my.domain.Twist(x) y = Neg(a) }", opsets=[("my.domain", 1)])
    path = saved(proto, tmp_path / "m.onnx")
    assert type_of(load_graph(path), "a") == ("unknown", None)
    hint = TypeHint(BY_NAME["float32"].code, (2,))
    assert type_of(load_graph(path, types={"a": hint}), "a") == ("float32", (2,))


@pytest.mark.parametrize(
    ("name", "dtype", "complaint"),
    [("nothing", "float32", "does not exist"), ("x", "int64", "the model says float32")],
)
def test_a_given_type_that_does_not_fit_the_model_is_refused(
    tmp_path: Path, name: str, dtype: str, complaint: str
) -> None:
    path = saved(model("g (float[2] x) => (float[2] y) { y = Neg(x) }"), tmp_path / "m.onnx")
    with pytest.raises(CutterError, match=complaint):
        load_graph(path, types={name: TypeHint(BY_NAME[dtype].code, None)})


def test_a_model_whose_inference_fails_is_still_shown(tmp_path: Path) -> None:
    proto = model("g (float[2,3] x) => (float[9] y) { a = MatMul(x, x) y = Neg(a) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((3, 3), np.float32), "unused"))
    graph = load_graph(saved(proto, tmp_path / "m.onnx"))
    assert graph.node_count == 2
    assert type_of(graph, "y") == ("float32", (9,))


def test_a_given_type_does_not_override_what_the_inference_knows(tmp_path: Path) -> None:
    path = saved(model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Neg(a) }"), tmp_path / "m.onnx")
    with pytest.raises(CutterError, match="the model says float32"):
        load_graph(path, types={"a": TypeHint(BY_NAME["int64"].code, (2,))})
    load_graph(path, types={"a": TypeHint(BY_NAME["float32"].code, (2,))})


def test_a_small_shape_tensor_that_stands_outside_the_file_still_tells_shapes(tmp_path: Path) -> None:
    shape = TensorProto(name="shape", data_type=TensorProto.INT64, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "8"), ("length", "16")):
        shape.external_data.add(key=key, value=value)
    (tmp_path / "w.bin").write_bytes(np.array([0, 3, 4], np.int64).tobytes())
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "shape"], ["y"]), helper.make_node("Neg", ["y"], ["z"])],
        "reshaped",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [12])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
        [shape],
    )
    path = tmp_path / "model.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    loaded = load_graph(path)
    assert loaded.tensor_shapes[loaded.tensor_index["y"]] == (3, 4)
