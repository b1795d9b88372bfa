"""The inputs that `verify` makes: of the right type, of sizes that agree, indices within what they index, by seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core import CutterError
from cutter_gui.core.format import VerifyRequest
from cutter_gui.onnx.format import FORMAT
from cutter_gui.onnx.inputs import candidate_inputs, index_bounds
from cutter_gui.onnx.load import load_model
from strategies.onnx_text import model, plan, saved, split

FLOATS = ["FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16", "FLOAT8E4M3FN"]
INTEGERS = [f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]


def table(name: str, *shape: int) -> TensorProto:
    return numpy_helper.from_array(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), name)


def bounds(proto: ModelProto, folder: Path) -> dict[str, int]:
    graph = load_model(saved(proto, folder / "m.onnx")).graph
    return {graph.tensor_names[tensor]: size for tensor, size in index_bounds(graph).items()}


def made(proto: ModelProto, folder: Path, seed: int = 0) -> list[dict[str, np.ndarray]]:
    """Returns the sets of inputs in the order in which they are tried."""
    loaded = load_model(saved(proto, folder / "m.onnx"))
    return [arrays for arrays, _ in candidate_inputs(loaded.model, loaded.graph, list(proto.graph.input), seed)]


def verified(proto: ModelProto, folder: Path, *cuts: str, seed: int = 0) -> dict[str, str]:
    """Splits and verifies a model and returns what its inputs were."""
    split(saved(proto, folder / "m.onnx"), plan(*cuts), folder / f"out{seed}")
    report = FORMAT.verify(VerifyRequest(folder / f"out{seed}", seed=seed))
    assert report.identical
    return dict(report.inputs)


class TestIndices:
    @pytest.mark.parametrize("axis", [0, 1, -1])
    def test_those_of_a_gather_stay_below_the_size_of_the_axis(self, tmp_path: Path, axis: int) -> None:
        proto = model(f"g (int64[9] ids) => (y) {{ a = Gather <axis = {axis}> (w, ids) y = Neg(a) }}")
        proto.graph.initializer.append(table("w", 5, 3))
        assert bounds(proto, tmp_path) == {"ids": (5, 3, 3)[axis]}
        (arrays,) = made(proto, tmp_path)
        assert arrays["ids"].max() < (5, 3, 3)[axis]
        assert arrays["ids"].max() > 1, "all of the table is used, not its first rows"

    def test_an_input_of_two_tables_stays_below_the_smaller(self, tmp_path: Path) -> None:
        proto = model("g (int64[9] ids) => (y) { a = Gather(w, ids) b = Gather(v, ids) y = Add(a, b) }")
        proto.graph.initializer.extend([table("w", 50, 3), table("v", 4, 3)])
        assert bounds(proto, tmp_path) == {"ids": 4}

    def test_they_are_followed_through_ops_that_only_move_or_cast_them(self, tmp_path: Path) -> None:
        proto = model(
            """g (int32[3,3] ids) => (y) {
                flat = Constant <value_ints = [-1]> ()
                wide = Cast <to = 7> (ids)
                turned = Transpose(wide)
                row = Reshape(turned, flat)
                same = Identity(row)
                a = Gather(w, same)
                y = Neg(a)
            }"""
        )
        proto.graph.initializer.append(table("w", 7, 2))
        assert bounds(proto, tmp_path) == {"ids": 7}
        assert set(verified(proto, tmp_path, "a")) == {"ids"}

    def test_a_table_that_is_computed_counts_with_its_known_shape(self, tmp_path: Path) -> None:
        proto = model("g (float[6,2] x, int64[9] ids) => (y) { t = Neg(x) a = Gather(t, ids) y = Exp(a) }")
        assert bounds(proto, tmp_path) == {"ids": 6}

    def test_those_of_gather_elements_stay_within_their_axis(self, tmp_path: Path) -> None:
        proto = model("g (int64[2,3] ids) => (y) { a = GatherElements <axis = 1> (w, ids) y = Neg(a) }")
        proto.graph.initializer.append(table("w", 9, 4))
        assert bounds(proto, tmp_path) == {"ids": 4}

    @pytest.mark.parametrize(("batch", "shape", "bound"), [(0, (9, 2), 3), (0, (9, 1), 8), (1, (8, 1), 3)])
    def test_those_of_gather_nd_stay_within_every_axis_that_they_index(
        self, tmp_path: Path, batch: int, shape: tuple[int, ...], bound: int
    ) -> None:
        proto = model(f"g () => (y) {{ a = GatherND <batch_dims = {batch}> (w, ids) y = Neg(a) }}")
        proto.graph.input.append(helper.make_tensor_value_info("ids", TensorProto.INT64, shape))
        proto.graph.initializer.append(table("w", 8, 3))
        assert bounds(proto, tmp_path) == {"ids": bound}
        verified(proto, tmp_path, "a")

    def test_integers_that_index_nothing_are_small(self, tmp_path: Path) -> None:
        (arrays,) = made(model("g (int64[99] n) => (y) { a = Neg(n) y = Abs(a) }"), tmp_path)
        assert set(arrays["n"].tolist()) == {0, 1}

    def test_one_index_too_large_would_be_noticed(self, tmp_path: Path) -> None:
        proto = model("g (int64[9] ids) => (y) { a = Gather(w, ids) y = Neg(a) }")
        proto.graph.initializer.append(table("w", 3, 2))
        for seed in range(5):
            verified(proto, tmp_path, "a", seed=seed)


class TestSymbols:
    def test_a_symbol_has_one_size_in_every_input(self, tmp_path: Path) -> None:
        proto = model(
            """g (float[batch,seq,4] x, float[batch,seq] mask, float[seq,other] z) => (y)
            { a = Neg(x) y = Exp(a) }"""
        )
        for arrays in made(proto, tmp_path):
            (batch, seq, four) = arrays["x"].shape
            assert four == 4
            assert arrays["mask"].shape == (batch, seq)
            assert arrays["z"].shape[0] == seq

    def test_sizes_are_tried_until_the_model_runs(self, tmp_path: Path) -> None:
        proto = model("g (float[batch,width] x) => (y) { a = MatMul(x, w) y = Neg(a) }")
        proto.graph.initializer.append(table("w", 48, 2))
        assert verified(proto, tmp_path, "a") == {"x": "float32[2, 48] (its open dims chosen)"}

    def test_a_batch_that_must_be_one_is_found(self, tmp_path: Path) -> None:
        proto = model(
            """g (float[batch,4] x) => (y)
            { shape = Constant <value_ints = [1, 4]> () a = Reshape(x, shape) y = Neg(a) }"""
        )
        assert verified(proto, tmp_path, "a") == {"x": "float32[1, 4] (its open dims chosen)"}

    def test_open_dims_and_negative_ones_are_chosen_and_fixed_ones_kept(self, tmp_path: Path) -> None:
        proto = model("g (float[?,4] x, float[3,4] z) => (y) { a = Neg(x) y = Exp(a) }")
        proto.graph.input[1].type.tensor_type.shape.dim[0].dim_value = -1
        first = made(proto, tmp_path)[0]
        assert [array.shape for array in first.values()] == [(2, 4), (2, 4)]

    def test_without_open_dims_there_is_one_set_of_inputs(self, tmp_path: Path) -> None:
        assert len(made(model("g (float[2,4] x) => (y) { a = Neg(x) y = Exp(a) }"), tmp_path)) == 1


class TestSeeds:
    TEXT = "g (float[2,4] x, int64[3] n, bool[5] c) => (float[2,4] y) { a = Neg(x) y = Exp(a) }"

    def test_one_seed_gives_the_same_inputs_and_another_others(self, tmp_path: Path) -> None:
        proto = model(self.TEXT)
        (first,), (again,), (other,) = (made(proto, tmp_path, seed) for seed in (3, 3, 4))
        assert all(np.array_equal(first[name], again[name]) for name in first)
        assert not np.array_equal(first["x"], other["x"])

    def test_what_an_input_gets_does_not_depend_on_the_inputs_after_it(self, tmp_path: Path) -> None:
        (whole,) = made(model(self.TEXT), tmp_path)
        (part,) = made(model(self.TEXT.replace(", int64[3] n, bool[5] c", "")), tmp_path)
        assert np.array_equal(whole["x"], part["x"])


@pytest.mark.parametrize(
    "name", ["FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "STRING", "BOOL", *INTEGERS]
)
def test_inputs_of_every_type_that_the_runtime_takes_are_made(tmp_path: Path, name: str) -> None:
    code = TensorProto.DataType.Value(name)
    proto = model("g () => () { a = Identity(x) y = Identity(a) }", opset=21, ir=10)
    proto.graph.input.append(helper.make_tensor_value_info("x", code, [2, 4]))
    proto.graph.output.append(helper.make_tensor_value_info("y", code, [2, 4]))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out", form="plain")
    report = FORMAT.verify(VerifyRequest(tmp_path / "out"))
    assert report.identical
    assert "[2, 4]" in report.inputs["x"]


@pytest.mark.parametrize(("dtype", "size"), [("string", 2**31), ("string", 2**63 - 1), ("float", 2**40)])
def test_an_input_of_more_elements_than_can_be_made_up_is_asked_for(tmp_path: Path, dtype: str, size: int) -> None:
    with pytest.raises(CutterError, match=r"elements is not made up \(input x\): give --inputs"):
        made(model(f"g ({dtype}[{size},n] x) => ({dtype}[{size},n] y) {{ y = Identity(x) }}"), tmp_path)
