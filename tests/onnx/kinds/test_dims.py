"""Dimensions that are symbols, unknown, -1 or 0."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from cutter_gui.core import CutterError
from cutter_gui.core.format import TypeHint
from cutter_gui.core.graph import Shape
from cutter_gui.onnx.load import load_graph
from strategies.kinds import Stages, tried
from strategies.onnx_text import model, saved

ONES = np.ones((2, 4), np.float32)


def dims(stage: ModelProto, name: str) -> list[object]:
    """Returns what a stage says of a tensor's dims: sizes, symbols, or None for open ones."""
    (value,) = (value for value in (*stage.graph.input, *stage.graph.output) if value.name == name)
    listed = value.type.tensor_type.shape.dim
    return [dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else None) for dim in listed]


def sent(stages: Stages, stage: int) -> dict[str, list[object]]:
    """Returns the shapes of the tensors that a stage sends."""
    (transfer,) = stages.manifest["stages"][stage]["sends"]
    assert all(entry["dtype"] == "float32" for entry in transfer["tensors"])
    return {entry["name"]: entry["shape"] for entry in transfer["tensors"]}


def test_symbols_stay_symbols_at_every_boundary(tmp_path: Path) -> None:
    proto = model(
        """g (float[batch,seq,4] x, float[batch,seq] mask) => (float[batch,seq,4] y)
        {
            axes = Constant <value_ints = [2]> ()
            m = Unsqueeze(mask, axes)
            a = Mul(x, m)
            t = Transpose <perm = [1, 0, 2]> (a)
            u = Neg(t)
            b = Transpose <perm = [1, 0, 2]> (u)
            y = Mul(b, m)
        }"""
    )
    stages = tried(proto, tmp_path, "t; m > y", "b; m > y")
    assert sent(stages, 0) == {"t": ["seq", "batch", 4], "m": ["batch", "seq", 1]}
    assert sent(stages, 1) == {"b": ["batch", "seq", 4], "m": ["batch", "seq", 1]}
    assert dims(stages.plain[1], "t") == ["seq", "batch", 4]
    assert stages.manifest["stages"][0]["inputs"][0]["shape"] == ["batch", "seq", 4]


def test_negative_dims_are_open_in_what_is_written_and_kept_where_the_file_has_them(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) y = Abs(b) }")
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = -1
    proto.graph.value_info.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, [-1, 4]))
    stages = tried(proto, tmp_path, "a", "b", feeds={"x": ONES})
    assert stages.manifest["stages"][0]["inputs"] == [{"name": "x", "dtype": "float32", "shape": [None, 4]}]
    assert sent(stages, 0) == {"a": [None, 4]}
    assert dims(stages.plain[0], "x") == [-1, 4]


def test_a_dim_of_zero_is_a_size(tmp_path: Path) -> None:
    proto = model(
        """g (float[0,4] x, float[2,4] z) => (float[2,4] y)
        { a = Neg(x) b = Concat <axis = 0> (a, z) y = Exp(b) }"""
    )
    stages = tried(proto, tmp_path, "a", "b", feeds={"x": np.zeros((0, 4), np.float32), "z": ONES})
    assert sent(stages, 0) == {"a": [0, 4]}
    assert dims(stages.plain[1], "a") == [0, 4]


def test_scalars_cross_as_scalars(tmp_path: Path) -> None:
    proto = model("g (float x) => (float y) { a = Neg(x) y = Exp(a) }")
    stages = tried(proto, tmp_path, "a", feeds={"x": np.asarray(0.5, np.float32)})
    assert sent(stages, 0) == {"a": []}
    assert dims(stages.plain[1], "a") == []


def test_open_dims_and_unknown_ranks_stay_open(tmp_path: Path) -> None:
    proto = model(
        """g (float[?,4] x, int64[2] shape) => (float[?,?] y)
        { a = Neg(x) b = Reshape(a, shape) c = Abs(b) y = Exp(c) }"""
    )
    feeds = {"x": ONES, "shape": np.asarray([4, 2])}
    stages = tried(proto, tmp_path, "a", "c", feeds=feeds)
    assert sent(stages, 0) == {"a": [None, 4]}
    assert sent(stages, 1) == {"c": [None, None]}


def test_a_boundary_of_unknown_rank_crosses_with_its_dtype_and_a_null_shape(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, int64[n] shape) => (float[4,2] y)
        { a = Neg(x) b = Reshape(a, shape) c = Abs(b) y = Exp(c) }"""
    )
    feeds = {"x": ONES, "shape": np.asarray([4, 2])}
    stages = tried(proto, tmp_path / "open", "c", feeds=feeds)
    assert sent(stages, 0) == {"c": None}
    assert not stages.plain[1].graph.input[0].type.tensor_type.HasField("shape")
    told = {"c": TypeHint(TensorProto.FLOAT, ("rows", 2))}
    stages = tried(proto, tmp_path / "told", "c", feeds=feeds, types=told)
    assert sent(stages, 0) == {"c": ["rows", 2]}


def test_a_model_without_value_infos_and_output_shapes_gets_those_of_the_inference(tmp_path: Path) -> None:
    proto = model("g (float[batch,4] x) => (y) { a = Neg(x) b = Exp(a) y = Abs(b) }")
    proto.graph.output[0].type.Clear()
    stages = tried(proto, tmp_path, "a", "b", feeds={"x": ONES})
    assert dims(stages.plain[2], "y") == ["batch", 4]
    assert dims(stages.sendrecv[2], "y") == ["batch", 4]


@pytest.mark.parametrize(
    ("given", "fits"), [((2, 4), True), (("n", None), True), (None, True), ((2, 5), False), ((8,), False)]
)
def test_a_shape_given_for_a_tensor_must_fit_what_the_model_says(tmp_path: Path, given: Shape, fits: bool) -> None:
    path = saved(model("g (float[batch,4] x) => (float[batch,4] y) { a = Neg(x) y = Exp(a) }"), tmp_path / "m.onnx")
    with (
        nullcontext() if fits else pytest.raises(CutterError, match=r"the shape given is .* but the model says batch×4")
    ):
        load_graph(path, types={"a": TypeHint(TensorProto.FLOAT, given)})
