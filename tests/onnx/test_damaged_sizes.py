"""Sizes that no file can have."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import ModelProto, TensorProto, helper

from cutter_gui.core import CutterError
from cutter_gui.onnx.load import load_graph


def _model_with(weight: TensorProto) -> ModelProto:
    graph = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["y"])],
        "sizes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
        [weight],
    )
    return helper.make_model(graph)


def test_a_weight_whose_dims_multiply_beyond_every_file_still_opens(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[(1 << 63) - 1, (1 << 63) - 1])
    path.write_bytes(_model_with(weight).SerializeToString())
    assert load_graph(path).node_count == 1


@pytest.mark.parametrize(("key", "value"), [("offset", 1 << 64), ("length", 1 << 64), ("offset", -1), ("length", -1)])
def test_external_data_at_an_impossible_place_is_refused_with_the_tensor_named(
    tmp_path: Path, key: str, value: int
) -> None:
    path = tmp_path / "model.onnx"
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for entry_key, entry in (("location", "w.bin"), (key, str(value))):
        weight.external_data.add(key=entry_key, value=entry)
    path.write_bytes(_model_with(weight).SerializeToString())
    with pytest.raises(CutterError, match="tensor w"):
        load_graph(path)
